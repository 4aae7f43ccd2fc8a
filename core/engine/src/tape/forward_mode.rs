//! Who carries tangents along with operations, as a trait that the upper floor implements.
//! `record` tells it of each operation; `autodiff` sets itself as it when the first accumulator starts.

use super::tape_memory::TapeData;
use crate::tensor::Tensor;
use kernels::error::Result;
use std::panic::Location;
use std::sync::OnceLock;

/// What carries tangents along with operations, for tapes to tell it of each.
pub(crate) trait ForwardMode: Sync {
    /// Carries the tangents of all accumulators over whatever `note` writes onto an empty tape. If the outputs begin with a
    /// bundle of saved values, only gradients read it.
    fn carry(
        &self,
        inputs: &[&Tensor],
        outputs: &[Tensor],
        bundle: bool,
        location: &'static Location<'static>,
        note: &dyn Fn(&mut TapeData),
    ) -> Result<()>;

    /// Gives results that get a new identity the tangents they had.
    fn rename(&self, inner: &[Tensor], outer: &[Tensor]);

    /// Whether an accumulator has a tangent for the tensor.
    fn follows(&self, tensor: &Tensor) -> bool;
}

pub(super) static FORWARD: OnceLock<&'static dyn ForwardMode> = OnceLock::new();

/// Says who carries tangents; the first one stays.
pub(crate) fn set_forward_mode(forward: &'static dyn ForwardMode) {
    FORWARD.get_or_init(|| forward);
}

/// Whether an accumulator of this thread has a tangent for the tensor.
pub(crate) fn has_tangent(tensor: &Tensor) -> bool {
    FORWARD.get().is_some_and(|forward| forward.follows(tensor))
}
