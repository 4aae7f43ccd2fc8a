//! From one number per example to the loss: weights, masks and the reduction, and the ranks that Keras makes equal.
//! Every loss ends here, and metrics weigh their values by the same rules.

use super::Reduction;
use engine::Tensor;
use engine::library::{cast_to, reshape_to};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;

/// Two tensors of one rank, if one has a last dimension of size 1 too many: it goes, or the other vector gets one.
#[track_caller]
pub(crate) fn same_rank(a: &Tensor, b: &Tensor, expand: bool) -> Result<(Tensor, Tensor)> {
    if a.rank() == b.rank() + 1 && is_column(a) {
        return match expand && b.rank() == 1 {
            true => Ok((a.clone(), engine::try_expand_dims(b, -1)?)),
            false => Ok((without_last(a)?, b.clone())),
        };
    }
    if b.rank() == a.rank() + 1 && is_column(b) {
        return match expand && a.rank() == 1 {
            true => Ok((engine::try_expand_dims(a, -1)?, b.clone())),
            false => Ok((a.clone(), without_last(b)?)),
        };
    }
    Ok((a.clone(), b.clone()))
}

/// Whether the last dimension has size 1.
pub(crate) fn is_column(x: &Tensor) -> bool {
    x.rank() > 0 && x.shape().dim(x.rank() - 1).known_value() == Some(1)
}

/// A tensor without its last dimension, which has size 1.
#[track_caller]
pub(crate) fn without_last(x: &Tensor) -> Result<Tensor> {
    reshape_to(x, &x.shape().remove(x.rank() - 1))
}

/// A mask as truth values.
#[track_caller]
pub(crate) fn truth(mask: &Tensor) -> Result<Tensor> {
    cast_to(mask, DType::Bool)
}

/// The losses of the examples, weighted, masked and reduced.
#[track_caller]
pub(super) fn weighted(
    loss: &str,
    values: &Tensor,
    weight: Option<&Tensor>,
    mask: Option<&Tensor>,
    reduction: Reduction,
) -> Result<Tensor> {
    let Some(weight) = joined(loss, weight, mask, values.dtype(), reduction)? else {
        return reduced(values, None, reduction);
    };
    let (values, weight) = same_rank(values, &weight, true)?;
    if !stretches_to(weight.shape(), values.shape()) {
        let error = Error::invalid_argument(loss, "the weights or the mask do not fit the losses of the examples");
        return Err(error
            .got(format!("{} for losses {}", weight.shape(), values.shape()))
            .expected("one weight per loss, a size of 1 for all along an axis, or a scalar")
            .help("`expand_dims(-1)` makes a weight per example one for all of its numbers"));
    }
    reduced(&values.try_multiply(&weight)?, Some(&weight), reduction)
}

/// Whether a tensor may stand for one of another shape: a scalar, or of the same rank with equal sizes or ones.
fn stretches_to(from: &Shape, to: &Shape) -> bool {
    let one_or_equal =
        |(a, b): (kernels::shape::Dim, kernels::shape::Dim)| a.known_value() == Some(1) || a.can_equal(b);
    from.rank() == 0 || (from.rank() == to.rank() && from.iter().zip(to.iter()).all(one_or_equal))
}

/// Weights and mask as weights. What a mask leaves is raised so that the mean is over what is left.
#[track_caller]
pub(crate) fn joined(
    owner: &str,
    weight: Option<&Tensor>,
    mask: Option<&Tensor>,
    dtype: DType,
    reduction: Reduction,
) -> Result<Option<Tensor>> {
    let weight = match weight {
        Some(weight) => Some(cast_to(weight, dtype)?),
        None => None,
    };
    let Some(mask) = mask else { return Ok(weight) };
    let kept = cast_to(&truth(mask)?, dtype)?;
    let kept = match reduction {
        Reduction::SumOverBatchSize | Reduction::Mean => {
            let raised = engine::try_div_no_nan(&count(mask, dtype)?, &kept.try_reduce_sum(())?)?;
            kept.try_multiply(&raised)?
        }
        Reduction::Sum | Reduction::MeanWithSampleWeight | Reduction::None => kept,
    };
    let Some(weight) = weight else { return Ok(Some(kept)) };
    let (kept, weight) = same_rank(&kept, &weight, true)?;
    if !stretches_to(weight.shape(), kept.shape()) && !stretches_to(kept.shape(), weight.shape()) {
        return Err(Error::invalid_argument(owner, "weights and mask do not fit each other")
            .got(format!("weights {} and a mask {}", weight.shape(), kept.shape()))
            .expected("one shape for both, or sizes of 1"));
    }
    Ok(Some(weight.try_multiply(&kept)?))
}

#[track_caller]
fn reduced(values: &Tensor, weight: Option<&Tensor>, reduction: Reduction) -> Result<Tensor> {
    if reduction == Reduction::None || values.rank() == 0 {
        return Ok(values.clone());
    }
    let dtype = values.dtype();
    match (reduction, weight) {
        (Reduction::Sum, _) => values.try_reduce_sum(()),
        (Reduction::MeanWithSampleWeight, Some(weight)) => {
            engine::try_div_no_nan(&values.try_reduce_sum(())?, &weight.try_reduce_sum(())?)
        }
        _ if values.shape().element_count().at_least(1) => values.try_reduce_mean(()),
        // A batch that may be empty has the loss 0.
        _ => engine::try_div_no_nan(&values.try_reduce_sum(())?, &count(values, dtype)?),
    }
}

/// The number of elements, also where a graph does not know it yet.
#[track_caller]
pub(crate) fn count(x: &Tensor, dtype: DType) -> Result<Tensor> {
    cast_to(&engine::size(x), dtype)
}
