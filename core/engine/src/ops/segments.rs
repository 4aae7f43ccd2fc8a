//! `segment_sum`, `segment_mean` and so on, and the `unsorted_segment_` ones: rows of data folded by the segment that each names.
//! TensorFlow's `tf.math.segment_*` and `tf.math.unsorted_segment_*`; NaN wins in a greatest or least, where TensorFlow's depends on order.

mod fold;
mod part;
mod parts;
mod take;
#[cfg(test)]
mod tests;

use super::size_from::size_from;
use super::{AsTensor, cast_to, concat_all, functions, ones_of, public, reshape_to, slice_axis};
use crate::constant::try_constant_of;
use crate::execute::execute1;
use crate::tensor::{Tensor, TensorType};
use fold::{Fold, SegmentFold};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, IntoDim, MAX_RANK, Shape};
use smallvec::SmallVec;

/// A fold of rows whose ids ascend: there are as many segments as the last id needs.
#[track_caller]
fn sorted(name: &'static str, fold: Fold, data: &Tensor, ids: &Tensor) -> Result<Tensor> {
    let size = segments_of(name, ids).map_err(|e| e.named(name))?;
    execute1(&SegmentFold { name, fold, sorted: true, size }, &[data, ids]).map_err(|e| e.named(name))
}

#[track_caller]
fn segments_of(name: &str, ids: &Tensor) -> Result<Shape> {
    if ids.rank() != 1 || !DTypes::of(&[DType::I32, DType::I64]).has(ids.dtype()) {
        return Err(Error::invalid_argument(name, "the ids are no vector of `int32` or `int64`")
            .got(ids.ty())
            .expected("one id for each row of the data"));
    }
    // What stands before the ids is the last of none. Ids that are negative have no place, and are refused when they are read.
    let none = try_constant_of([-1], ids.dtype())?;
    let last = slice_axis(&concat_all(&[&none, ids], 0)?, 0, ids.shape().dim(0), Dim::ONE)?;
    let last = cast_to(&reshape_to(&last, &Shape::SCALAR)?, DType::I64)?;
    Shape::from_dims(&[size_from(&functions::try_maximum(&functions::try_add(&last, 1)?, 0)?)?])
}

/// A fold of rows whose ids are in any order, into so many segments.
#[track_caller]
fn unsorted(name: &'static str, fold: Fold, data: &Tensor, ids: &Tensor, size: Dim) -> Result<Tensor> {
    let size = Shape::from_dims(&[size])?;
    execute1(&SegmentFold { name, fold, sorted: false, size }, &[data, ids]).map_err(|e| e.named(name))
}

/// How many rows each segment has, but at least one, with axes of size 1 for those of `sum`'s rows, in its dtype.
#[track_caller]
fn counts_for(sum: &Tensor, ids: &Tensor) -> Result<Tensor> {
    let ones = ones_of(&TensorType::new(DType::I32, *ids.shape()))?;
    let counts = execute1(&SegmentFold::inner(Fold::Sum, sum.shape().dim(0))?, &[&ones, ids])?;
    let counts = functions::try_maximum(&counts, 1)?;
    let mut dims: SmallVec<[Dim; MAX_RANK]> = SmallVec::from_elem(Dim::ONE, sum.rank());
    dims[0] = sum.shape().dim(0);
    cast_to(&reshape_to(&counts, &Shape::from_dims(&dims)?)?, sum.dtype())
}

#[track_caller]
fn sorted_mean(data: &Tensor, ids: &Tensor) -> Result<Tensor> {
    let sum = sorted("segment_mean", Fold::Sum, data, ids)?;
    let counts = counts_for(&sum, ids)?;
    match sum.dtype().is_integer() {
        true => functions::try_truncatediv(&sum, &counts),
        false => functions::try_divide(&sum, &counts),
    }
}

/// Sums by segment, divided by the number of rows or by its root.
#[track_caller]
fn unsorted_mean(name: &'static str, data: &Tensor, ids: &Tensor, size: Dim, root: bool) -> Result<Tensor> {
    let taken = if root { DTypes::FLOATING } else { DTypes::NUMBERS };
    if !taken.has(data.dtype()) {
        return Err(Error::invalid_argument(name, "the dtype is not taken")
            .got(data.dtype())
            .expected(format!("one of {taken}")));
    }
    let sum = unsorted(name, Fold::Sum, data, ids, size)?;
    let counts = counts_for(&sum, ids)?;
    match root {
        true => functions::try_divide(&sum, &functions::try_sqrt(&counts)?),
        false => functions::try_truediv(&sum, &counts),
    }
}

public! {
    /// The sums of the rows of `data` that name the same segment. Ids ascend; segments that no row names have 0.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let data = tf::constant([[1, 2], [3, 4], [5, 6]]);
    /// assert_eq!(tf::math::segment_sum(&data, &tf::constant([0, 0, 2])).to_vec::<i32>(), [4, 6, 0, 0, 5, 6]);
    /// ```
    pub fn segment_sum, try_segment_sum(data, segment_ids: impl AsTensor) -> Tensor {
        sorted("segment_sum", Fold::Sum, data, &segment_ids.as_tensor())
    }

    /// The means of the rows of `data` that name the same segment, 0 where none does. Means of integers are cut off towards 0.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let data = tf::constant([1.0, 2.0, 6.0]);
    /// assert_eq!(tf::math::segment_mean(&data, &tf::constant([0, 0, 2])).to_vec::<f32>(), [1.5, 0.0, 6.0]);
    /// ```
    pub fn segment_mean, try_segment_mean(data, segment_ids: impl AsTensor) -> Tensor {
        sorted_mean(data, &segment_ids.as_tensor()).map_err(|e| e.named("segment_mean"))
    }

    /// The products of the rows of `data` that name the same segment, 1 where none does. Where two or more elements of a
    /// segment are zero, the gradient is right and its own derivative is not, as in TensorFlow.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let data = tf::constant([2, 3, 4]);
    /// assert_eq!(tf::math::segment_prod(&data, &tf::constant([0, 0, 2])).to_vec::<i32>(), [6, 1, 4]);
    /// ```
    pub fn segment_prod, try_segment_prod(data, segment_ids: impl AsTensor) -> Tensor {
        sorted("segment_prod", Fold::Prod, data, &segment_ids.as_tensor())
    }

    /// The greatest elements of the rows of `data` that name the same segment, 0 where none does. NaN is the greatest.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let data = tf::constant([[1, 8], [3, 4], [5, 6]]);
    /// assert_eq!(tf::math::segment_max(&data, &tf::constant([0, 0, 2])).to_vec::<i32>(), [3, 8, 0, 0, 5, 6]);
    /// ```
    pub fn segment_max, try_segment_max(data, segment_ids: impl AsTensor) -> Tensor {
        sorted("segment_max", Fold::Max, data, &segment_ids.as_tensor())
    }

    /// The least elements of the rows of `data` that name the same segment, 0 where none does. NaN is the least.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let data = tf::constant([[1, 8], [3, 4], [5, 6]]);
    /// assert_eq!(tf::math::segment_min(&data, &tf::constant([0, 0, 2])).to_vec::<i32>(), [1, 4, 0, 0, 5, 6]);
    /// ```
    pub fn segment_min, try_segment_min(data, segment_ids: impl AsTensor) -> Tensor {
        sorted("segment_min", Fold::Min, data, &segment_ids.as_tensor())
    }

    /// The sums of the rows of `data` that name the same of `num_segments` segments. Negative ids name none.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (data, ids) = (tf::constant([1, 2, 3, 4]), tf::constant([2, 0, -1, 2]));
    /// assert_eq!(tf::math::unsorted_segment_sum(&data, &ids, 3).to_vec::<i32>(), [2, 0, 5]);
    /// ```
    pub fn unsorted_segment_sum, try_unsorted_segment_sum(data, segment_ids: impl AsTensor, num_segments: impl IntoDim) -> Tensor {
        unsorted("unsorted_segment_sum", Fold::Sum, data, &segment_ids.as_tensor(), num_segments.into_dim()?)
    }

    /// The means of the rows of `data` that name the same of `num_segments` segments, 0 where none does. Those of integers are floats.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (data, ids) = (tf::constant([1, 2, 3, 4]), tf::constant([2, 0, -1, 2]));
    /// assert_eq!(tf::math::unsorted_segment_mean(&data, &ids, 3).to_vec::<f64>(), [2.0, 0.0, 2.5]);
    /// ```
    pub fn unsorted_segment_mean, try_unsorted_segment_mean(data, segment_ids: impl AsTensor, num_segments: impl IntoDim) -> Tensor {
        let size = num_segments.into_dim()?;
        unsorted_mean("unsorted_segment_mean", data, &segment_ids.as_tensor(), size, false).map_err(|e| e.named("unsorted_segment_mean"))
    }

    /// The products of the rows of `data` that name the same of `num_segments` segments, 1 where none does. Its second
    /// derivative as for [`segment_prod`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (data, ids) = (tf::constant([1, 2, 3, 4]), tf::constant([2, 0, -1, 2]));
    /// assert_eq!(tf::math::unsorted_segment_prod(&data, &ids, 3).to_vec::<i32>(), [2, 1, 4]);
    /// ```
    pub fn unsorted_segment_prod, try_unsorted_segment_prod(data, segment_ids: impl AsTensor, num_segments: impl IntoDim) -> Tensor {
        unsorted("unsorted_segment_prod", Fold::Prod, data, &segment_ids.as_tensor(), num_segments.into_dim()?)
    }

    /// The greatest elements of the rows of `data` that name the same of `num_segments` segments; the dtype's least finite value
    /// where none does.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (data, ids) = (tf::constant([1, 2, 3, 4]), tf::constant([2, 0, -1, 2]));
    /// assert_eq!(tf::math::unsorted_segment_max(&data, &ids, 3).to_vec::<i32>(), [2, i32::MIN, 4]);
    /// ```
    pub fn unsorted_segment_max, try_unsorted_segment_max(data, segment_ids: impl AsTensor, num_segments: impl IntoDim) -> Tensor {
        unsorted("unsorted_segment_max", Fold::Max, data, &segment_ids.as_tensor(), num_segments.into_dim()?)
    }

    /// The least elements of the rows of `data` that name the same of `num_segments` segments; the dtype's greatest finite value
    /// where none does.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (data, ids) = (tf::constant([1, 2, 3, 4]), tf::constant([2, 0, -1, 2]));
    /// assert_eq!(tf::math::unsorted_segment_min(&data, &ids, 3).to_vec::<i32>(), [2, i32::MAX, 1]);
    /// ```
    pub fn unsorted_segment_min, try_unsorted_segment_min(data, segment_ids: impl AsTensor, num_segments: impl IntoDim) -> Tensor {
        unsorted("unsorted_segment_min", Fold::Min, data, &segment_ids.as_tensor(), num_segments.into_dim()?)
    }

    /// The sums of the rows of `data` that name the same of `num_segments` segments, divided by the root of how many do.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (data, ids) = (tf::constant([1.0, 2.0, 3.0, 5.0]), tf::constant([1, 1, 1, 1]));
    /// assert_eq!(tf::math::unsorted_segment_sqrt_n(&data, &ids, 2).to_vec::<f32>(), [0.0, 5.5]);
    /// ```
    pub fn unsorted_segment_sqrt_n, try_unsorted_segment_sqrt_n(data, segment_ids: impl AsTensor, num_segments: impl IntoDim) -> Tensor {
        let size = num_segments.into_dim()?;
        unsorted_mean("unsorted_segment_sqrt_n", data, &segment_ids.as_tensor(), size, true).map_err(|e| e.named("unsorted_segment_sqrt_n"))
    }
}
