//! `Flatten`: all dimensions behind the batch made one.
//! Keras's `Flatten`; it has no variables and copies nothing where the input lies in order.

use super::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use super::copied_by_clone;
use engine::library::Typed;
use engine::{Fields, Module, Tensor};
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
    core: Core,
}

layer!(Flatten);
copied_by_clone!(Flatten);

impl Flatten {
    /// The layer.
    pub fn new() -> Self {
        Self { core: Core::new("flatten") }
    }
}

impl Default for Flatten {
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for Flatten {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        let Some((&batch, rest)) = x.shape().sizes().split_first() else {
            return Err(misfit(self.core.name(), "a scalar is no batch", x.ty(), "[batch, …]"));
        };
        let row = rest.iter().fold(Dim::ONE, |product, &dim| product * dim);
        engine::library::reshape_to(x, &Shape::from_dims(&[batch, row])?).map(Outputs::one)
    }
}

impl Module for Flatten {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
    }
}
