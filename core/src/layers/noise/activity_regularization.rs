//! `ActivityRegularization`: the input as it is, whose size is added to the loss.
//! Keras's `ActivityRegularization`.

use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use crate::layers::copied_by_clone;
use crate::regularizers::L1L2;
use crate::shared::IntoShared;
use engine::{Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Gives its input and adds to the loss `l1` times the sum of its magnitudes and `l2` times that of its squares, by the mean over the batch.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{ActivityRegularization, with_losses};
/// let layer = ActivityRegularization::new(0.0, 0.1);
/// let (_, losses) = with_losses(|| layer.call(tf::constant([[3.0], [1.0]])));
/// assert_eq!(losses[0].item::<f32>(), 0.5);
/// ```
#[derive(Clone, Debug)]
pub struct ActivityRegularization {
    core: Core,
}

layer!(ActivityRegularization);
copied_by_clone!(ActivityRegularization);

impl ActivityRegularization {
    /// The two factors, 0 or more; Keras's defaults are 0.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(l1: f64, l2: f64) -> Self {
        Self::try_new(l1, l2).or_fail()
    }

    /// The two factors, which may be out of range.
    ///
    /// # Errors
    /// InvalidArgument for negative factors.
    #[track_caller]
    pub fn try_new(l1: f64, l2: f64) -> Result<Self> {
        let here = Location::caller();
        let mut core = Core::new("activity_regularization");
        core.set_activity(L1L2::new(l1, l2).into_shared().map_err(|e| e.in_op("ActivityRegularization").at(here))?);
        Ok(Self { core })
    }
}

impl Layer for ActivityRegularization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        Ok(Outputs::one(inputs[0].clone()))
    }
}

impl Module for ActivityRegularization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
    }
}
