//! `Activation`: a layer that applies an activation to its input.
//! Keras's `Activation`; users put it where an activation stands apart from a layer with variables.

use super::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use super::copied_by_clone;
use crate::activations;
use crate::shared::{IntoShared, Shared};
use engine::{Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Applies an [activation](crate::activations).
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Activation;
/// let x = tf::constant([-1.0, 2.0]);
/// assert_eq!(Activation::new("relu").call(&x).to_vec::<f32>(), [0.0, 2.0]);
/// assert_eq!(Activation::new(tf::activations::LeakyRelu::new()).call(&x).to_vec::<f32>(), [-0.2, 2.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Activation {
    core: Core,
    activation: Shared<dyn activations::Activation>,
}

layer!(Activation);
copied_by_clone!(Activation);

impl Activation {
    /// A layer of an activation, or of its name.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(activation: impl IntoShared<dyn activations::Activation>) -> Self {
        Self::try_new(activation).or_fail()
    }

    /// A layer of an activation, or of its name, which may not be known.
    ///
    /// # Errors
    /// InvalidArgument for a name that is none.
    #[track_caller]
    pub fn try_new(activation: impl IntoShared<dyn activations::Activation>) -> Result<Self> {
        let here = Location::caller();
        let activation = activation.into_shared().map_err(|e| e.in_op("Activation").at(here))?;
        Ok(Self { core: Core::new("activation"), activation })
    }
}

impl Layer for Activation {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        self.activation.apply(&inputs[0]).map(Outputs::one)
    }
}

impl Module for Activation {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.activation.word());
    }
}
