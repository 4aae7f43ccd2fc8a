//! What layers of several inputs have in common: how shapes of different rank meet, and what becomes of masks.
//! The layers of this folder ask it.

use crate::layers::base::{Call, misfit};
use engine::Tensor;
use engine::library::{Typed, set_mask};
use kernels::error::{Error, Result};
use smallvec::SmallVec;

pub(super) type Inputs = SmallVec<[Tensor; 4]>;

/// The inputs with one rank: those of fewer dimensions get some of size 1 behind the batch, as in Keras.
#[track_caller]
pub(super) fn aligned(layer: &str, inputs: &[Tensor]) -> Result<Inputs> {
    let Some(first) = inputs.first() else {
        return Err(Error::invalid_argument(layer, "there is nothing to merge").got("no inputs"));
    };
    let rank = inputs.iter().map(Tensor::rank).max().unwrap_or(0);
    let mut list = Inputs::new();
    for x in inputs {
        if x.rank() == 0 && rank > 0 {
            return Err(misfit(layer, "a scalar has no batch", x.ty(), "[batch, …], as the other inputs have"));
        }
        if rank > 0 && !x.shape().dim(0).can_equal(first.shape().dim(0)) {
            return Err(Error::invalid_argument(layer, "the inputs have different batch sizes")
                .got(format!("{} and {}", first.ty(), x.ty()))
                .expected("one size along the first axis"));
        }
        let mut x = x.clone();
        while x.rank() < rank {
            x = x.try_expand_dims(1)?;
        }
        list.push(x);
    }
    Ok(list)
}

/// The mask of an input by its elements: that of steps is the same for all features of a step.
#[track_caller]
pub(super) fn spread_mask(mask: &Tensor, x: &Tensor) -> Result<Tensor> {
    let mut mask = mask.clone();
    while mask.rank() < x.rank() {
        mask = mask.try_expand_dims(-1)?;
    }
    engine::try_broadcast_to(&mask, x.shape())
}

/// Whether anything of the last axis counts.
#[track_caller]
pub(super) fn over_features(mask: &Tensor) -> Result<Tensor> {
    mask.try_reduce_any(-1)
}

/// The masks of all inputs, unless one has none.
pub(super) fn all_masks(inputs: &[Tensor], cx: &Call) -> Option<Vec<Tensor>> {
    (0..inputs.len()).map(|index| cx.mask_of(inputs, index)).collect()
}

/// Lets an output carry what Keras's merging layers give it: a step counts where any input has it, if all inputs have masks.
#[track_caller]
pub(super) fn mark(y: Tensor, inputs: &[Tensor], cx: &Call) -> Result<Tensor> {
    let Some(masks) = all_masks(inputs, cx) else { return Ok(y) };
    // A single input is given back as it is, with a mask of its own.
    let y = if inputs.iter().any(|x| x.id() == y.id()) { engine::try_identity(&y)? } else { y };
    let mut masks = masks.into_iter();
    if let Some(mut all) = masks.next() {
        for mask in masks {
            all = engine::try_logical_or(&all, &mask)?;
        }
        set_mask(&y, &all);
    }
    Ok(y)
}
