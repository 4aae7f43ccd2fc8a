//! The moments of a batch, channel by channel: of all its elements, or of those that a mask lets count.
//! `BatchNormalization` asks for them while it is trained.

use crate::layers::base::misfit;
use engine::Tensor;
use engine::library::{Typed, cast_to, reshape_to};
use kernels::error::Result;
use kernels::shape::Shape;

/// What is added to the number of elements that count, as Keras adds it.
const EPSILON: f64 = 1e-7;

/// Mean and variance of each channel, one number for each along `axis`.
#[track_caller]
pub(super) fn moments(layer: &str, x: &Tensor, axis: usize, mask: Option<&Tensor>) -> Result<(Tensor, Tensor)> {
    let others: Vec<isize> = (0..x.rank()).filter(|&other| other != axis).map(|other| other as isize).collect();
    let Some(mask) = mask else { return engine::try_moments(x, &others[..]) };
    if mask.rank() + 1 != x.rank() {
        let expected = format!("an input of {} dimensions, one more than the mask {} has", mask.rank() + 1, mask.ty());
        return Err(misfit(layer, "the mask has not one dimension less than the input", x.ty(), expected));
    }
    let counts = engine::try_broadcast_to(&mask.try_expand_dims(-1)?, x.shape())?;
    let kept = engine::keep_dims(&others[..]);
    let number = cast_to(&counts, x.dtype())?.try_reduce_sum(kept.clone())?.try_add(EPSILON)?;
    let mean = engine::try_where(&counts, x, 0)?.try_reduce_sum(kept.clone())?.try_divide(&number)?;
    let apart = engine::try_where(&counts, &x.try_subtract(&mean)?, 0)?;
    let variance = apart.try_square()?.try_reduce_sum(kept)?.try_divide(&number)?;
    let channels = Shape::from_dims(&[x.shape().dim(axis)])?;
    Ok((reshape_to(&mean, &channels)?, reshape_to(&variance, &channels)?))
}
