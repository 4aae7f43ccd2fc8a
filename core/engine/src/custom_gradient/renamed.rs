//! New identities for results that a function with a gradient of its own gives back, so that tapes tell them from the body's.
//! [`Call`](super::Call) renames the results of each call.

use crate::tensor::Tensor;
use crate::tensor::local::{LOCAL, mode};
use kernels::error::Result;

/// The same elements under a new identity, unseen by tapes and accumulators.
#[track_caller]
pub(super) fn renamed(tensor: &Tensor) -> Result<Tensor> {
    if !tensor.is_symbol() {
        return Ok(tensor.alias());
    }
    // A graph needs a node that makes the new value.
    let _unseen = Unobserved::start();
    crate::ops::reshape_always(tensor, tensor.shape())
}

/// Keeps operations of this thread from all tapes and accumulators while it lives.
struct Unobserved(u32);

impl Unobserved {
    fn start() -> Self {
        LOCAL.with(|local| {
            let before = local.mode.get();
            local.set_mode(mode::TAPE | mode::FORWARD, false);
            Self(before & (mode::TAPE | mode::FORWARD))
        })
    }
}

impl Drop for Unobserved {
    fn drop(&mut self) {
        LOCAL.with(|local| local.set_mode(self.0, true));
    }
}
