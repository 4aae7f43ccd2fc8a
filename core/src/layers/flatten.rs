//! `Flatten`: all dimensions behind the batch made one.
//! Keras's `Flatten`; it has no variables and copies nothing where the input lies in order.

use super::{Layer, callable, misfit, names};
use engine::Tensor;
use engine::library::Typed;
use engine::{Fields, Module};
use kernels::error::Result;
use kernels::shape::{Dim, Shape};

/// Each element of a batch as one row.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Flatten;
/// assert_eq!(Flatten::new().call(&tf::ones([4, 8, 8, 2])).shape(), [4, 128]);
/// ```
#[derive(Clone, Debug)]
pub struct Flatten {
    name: String,
}

callable!(Flatten);

impl Flatten {
    /// The layer.
    pub fn new() -> Self {
        Self { name: names::next("flatten") }
    }
}

impl Default for Flatten {
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for Flatten {
    fn layer_name(&self) -> &str {
        &self.name
    }

    #[track_caller]
    fn forward(&self, x: &Tensor, _training: bool) -> Result<Tensor> {
        let Some((&batch, rest)) = x.shape().sizes().split_first() else {
            return Err(misfit(&self.name, "a scalar is no batch", x.ty(), "[batch, …]"));
        };
        let row = rest.iter().fold(Dim::ONE, |product, &dim| product * dim);
        engine::library::reshape_to(x, &Shape::from_dims(&[batch, row])?)
    }
}

impl Module for Flatten {
    fn visit(&self, _: &mut Fields<'_>) {}
}
