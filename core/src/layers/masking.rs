//! `Masking`: marks the steps of a sequence whose features all have one value as steps that do not count.
//! Keras's `Masking`; it stands before recurrent layers and attention where sequences are padded.

use super::base::{Call, Core, Layer, Masking as Rule, Outputs, layer, misfit, named};
use super::copied_by_clone;
use engine::library::{Typed, set_mask};
use engine::{Fields, Module, Tensor, keep_dims};
use kernels::error::Result;

/// A mask for sequences `[batch, steps, features]`: a step counts unless all its features are the mask value. Steps that do not
/// count become zeros.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Masking, get_mask};
/// let x = tf::constant([[[1.0, 0.0], [0.0, 0.0]]]);
/// let y = Masking::new().call(&x);
/// assert_eq!(get_mask(&y).unwrap().to_vec::<bool>(), [true, false]);
/// ```
#[derive(Clone, Debug)]
pub struct Masking {
    core: Core,
    mask_value: f64,
}

layer!(Masking);
copied_by_clone!(Masking);

impl Masking {
    /// The layer, for which zeros do not count.
    pub fn new() -> Self {
        Self { core: Core::new("masking"), mask_value: 0.0 }
    }

    /// The value of the features of a step that does not count.
    #[must_use]
    pub fn mask_value(mut self, mask_value: f64) -> Self {
        self.mask_value = mask_value;
        self
    }
}

impl Default for Masking {
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for Masking {
    named!();

    fn masking(&self) -> Rule {
        Rule::Own
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        if x.rank() == 0 {
            return Err(misfit(self.core.name(), "a scalar has no steps", x.ty(), "[batch, steps, features]"));
        }
        let counts = x.try_not_equal(self.mask_value)?.try_reduce_any(keep_dims(-1))?;
        let y = engine::try_where(&counts, x, 0)?;
        set_mask(&y, &engine::try_squeeze(&counts, -1)?);
        Ok(Outputs::one(y))
    }
}

impl Module for Masking {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.field("mask_value", &self.mask_value);
    }
}
