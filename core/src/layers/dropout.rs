//! `Dropout`: some values set to zero while a model is trained, the others raised so that the sum stays as it is.
//! Keras's `Dropout`; without training it passes its input on.

use super::{Layer, callable, names};
use crate::error::{Error, Result};
use crate::module::{Fields, Module};
use crate::tensor::Tensor;

/// Sets a random share of the values to zero and divides the others by what is left, while `training`.
///
/// The values come from the global random stream, which `tf::random::set_seed` sets.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dropout;
/// let dropout = Dropout::new(0.5);
/// let x = tf::ones([100]);
/// assert_eq!(dropout.call(&x).to_vec::<f32>(), [1.0; 100]);
/// assert!(dropout.call_training(&x, true).to_vec::<f32>().iter().all(|&y| y == 0.0 || y == 2.0));
/// ```
#[derive(Clone, Debug)]
pub struct Dropout {
    name: String,
    rate: f64,
}

callable!(Dropout);

impl Dropout {
    /// A layer that drops `rate` of its input, from 0 up to 1.
    pub fn new(rate: f64) -> Self {
        Self { name: names::next("dropout"), rate }
    }
}

impl Layer for Dropout {
    fn layer_name(&self) -> &str {
        &self.name
    }

    #[track_caller]
    fn forward(&self, x: &Tensor, training: bool) -> Result<Tensor> {
        if !(0.0..=1.0).contains(&self.rate) {
            return Err(Error::invalid_argument(&*self.name, "the rate is no share").got(self.rate).expected("0 to 1"));
        }
        if !training || self.rate == 0.0 {
            return Ok(x.clone());
        }
        x.try_dropout(self.rate)
    }
}

impl Module for Dropout {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("rate", &self.rate);
    }
}
