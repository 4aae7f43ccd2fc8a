//! `Identity`: the input as it is, a place in a model for what is to come.
//! Keras's `Identity`.

use super::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use super::copied_by_clone;
use engine::{Fields, Module, Tensor};
use kernels::error::Result;

/// Gives its input, with its mask.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Identity;
/// assert_eq!(Identity::new().call(&tf::constant([1, 2])).to_vec::<i32>(), [1, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct Identity {
    core: Core,
}

layer!(Identity);
copied_by_clone!(Identity);

impl Identity {
    /// The layer.
    pub fn new() -> Self {
        Self { core: Core::new("identity") }
    }
}

impl Default for Identity {
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for Identity {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        Ok(Outputs::one(inputs[0].clone()))
    }
}

impl Module for Identity {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
    }
}
