//! `Dropout`: some values set to zero while a model is trained, the others raised so that the sum stays as it is.
//! Keras's `Dropout`; without training it passes its input on.

use super::{Layer, callable, misfit, names};
use crate::error::{Error, Result};
use crate::module::{Fields, Module};
use crate::ops::{self, functions};
use crate::random;
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
        if !x.dtype().is_floating() {
            return Err(misfit(&self.name, "only floating-point values can be raised", x, "float16 to float64"));
        }
        if self.rate == 1.0 {
            // Nothing is left that could be raised.
            return functions::try_zeros_like(x);
        }
        let kept = draw(x)?.try_greater_equal(self.rate)?;
        let scale = ops::cast_to(&kept, x.dtype())?.try_multiply(1.0 / (1.0 - self.rate))?;
        x.try_multiply(&scale)
    }
}

/// A number between 0 and 1 for each value, in `float32` at least: fewer bits could not tell rates apart.
#[track_caller]
fn draw(x: &Tensor) -> Result<Tensor> {
    random::try_uniform(x.shape(), 0.0, 1.0, x.dtype().compute(), None)
}

impl Module for Dropout {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("rate", &self.rate);
    }
}
