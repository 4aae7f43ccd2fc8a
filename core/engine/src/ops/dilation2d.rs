//! `dilation2d` and `erosion2d`: the greatest of input plus filter over each window, and the least of input minus filter.
//! TensorFlow's `tf.nn.dilation2d` and `tf.nn.erosion2d`, channels last; dy goes to the first place of the greatest sum, as there.

use super::argmax::try_argmax_as;
use super::extract_patches::{cells, check_operand};
use super::fill::fill_with;
use super::functions::{try_add, try_expand_dims, try_neg};
use super::gather::try_gather_batched;
use super::reverse::reverse_axes;
use super::select::try_select;
use super::sliding::Sliding;
use super::transpose::permuted;
use super::window::{Padding, check_window};
use super::{AsTensor, public, reshape_to};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{AxisSet, Dim, Shape};

/// A number that is less than all sums.
fn lowest(dtype: DType) -> f64 {
    match dtype {
        DType::I8 => f64::from(i8::MIN),
        DType::I16 => f64::from(i16::MIN),
        DType::I32 => f64::from(i32::MIN),
        DType::I64 => i64::MIN as f64,
        dtype if dtype.is_integer() => 0.0,
        _ => f64::NEG_INFINITY,
    }
}

#[track_caller]
fn dilated(op: &str, x: &Tensor, filters: &Tensor, takes: DTypes, how: &Sliding) -> Result<Tensor> {
    check_operand(op, x, 2, takes, how)?;
    let depth = x.shape().dim(3);
    if filters.rank() != 3 || filters.dtype() != x.dtype() || !filters.shape().dim(2).can_equal(depth) {
        return Err(Error::invalid_argument(op, "the filters do not fit the images")
            .got(format!("{} and filters {}", x.ty(), filters.ty()))
            .expected(format!("{} of three dimensions: rows, columns, {depth} channels", x.dtype())));
    }
    let sizes = [filters.shape().dim(0), filters.shape().dim(1)];
    check_window(op, &sizes)?;
    let mut sums = try_add(&cells(op, x, &sizes, how)?, filters)?;
    if how.padding != Padding::Valid {
        // Cells outside of the images do not count, whatever their filter adds to them.
        let image = Shape::from_dims(&[Dim::ONE, x.shape().dim(1), x.shape().dim(2), Dim::ONE])?;
        let inside = cells(op, &fill_with(&TensorType::new(DType::Bool, image), 1.0)?, &sizes, how)?;
        let outside = fill_with(&TensorType::scalar(x.dtype()), lowest(x.dtype()))?;
        sums = try_select(&inside, &sums, &outside)?;
    }
    let mut dims: Vec<Dim> = sums.shape().iter().take(3).collect();
    dims.push(depth);
    let result = Shape::from_dims(&dims)?;
    dims.push(sizes[0] * sizes[1]);
    let sums = reshape_to(&permuted(&sums, &[0, 1, 2, 5, 3, 4])?, &Shape::from_dims(&dims)?)?;
    let places = try_expand_dims(&try_argmax_as(&sums, 4, DType::I32)?, -1)?;
    reshape_to(&try_gather_batched(&sums, &places, 4, 4)?, &result)
}

public! {
    /// The greatest sum of input and filter over each window of rows and columns, channel by channel; `filters` are rows, columns,
    /// channels. Cells outside of the images do not count.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::constant([1.0, 5.0, 2.0]), [1, 1, 3, 1]);
    /// let y = tf::nn::dilation2d(&x, tf::zeros([1, 2, 1]), tf::Sliding::new(1, tf::Padding::Valid));
    /// assert_eq!(y.to_vec::<f32>(), [5.0, 5.0]);
    /// ```
    pub fn dilation2d, try_dilation2d(x, filters: impl AsTensor, how: Sliding) -> Tensor {
        dilated("dilation2d", x, &filters.as_tensor(), DTypes::NUMBERS, &how).map_err(|e| e.named("dilation2d"))
    }

    /// The least difference of input and filter over each window: [`dilation2d`] of what is negative, with filters turned by half a
    /// turn. Signed numbers only.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::constant([1.0, 5.0, 2.0]), [1, 1, 3, 1]);
    /// let y = tf::nn::erosion2d(&x, tf::zeros([1, 2, 1]), tf::Sliding::new(1, tf::Padding::Valid));
    /// assert_eq!(y.to_vec::<f32>(), [1.0, 2.0]);
    /// ```
    pub fn erosion2d, try_erosion2d(x, filters: impl AsTensor, how: Sliding) -> Tensor {
        let signed = DTypes::FLOATING.and(DTypes::of(&[DType::I8, DType::I16, DType::I32, DType::I64]));
        let filters = filters.as_tensor();
        check_operand("erosion2d", x, 2, signed, &how)?;
        let turned = match filters.rank() {
            3 => reverse_axes(&filters, AxisSet::of(&[0, 1]))?,
            _ => filters.clone(),
        };
        try_neg(x)
            .and_then(|x| dilated("erosion2d", &x, &turned, signed, &how))
            .and_then(|y| try_neg(&y))
            .map_err(|e| e.named("erosion2d"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::{Padding, Sliding};

    #[test]
    fn gradients_and_refusals() {
        let (x, w) = (numbers(1, &[1, 4, 5, 2]), numbers(2, &[2, 3, 2]));
        let how = Sliding::new([1, 2], Padding::Same).dilations([2, 1]);
        check(&|x| tf::dilation2d(&x[0], &x[1], how).square(), &[x.clone(), w.clone()]);
        check(&|x| tf::erosion2d(&x[0], &x[1], how).square(), &[x.clone(), w.clone()]);
        let refused = [
            tf::try_dilation2d(&x, tf::zeros([2, 3, 2]), how),
            tf::try_dilation2d(&x, numbers(2, &[2, 3, 1]), how),
            tf::try_dilation2d(&x, numbers(2, &[0, 3, 2]), how),
            tf::try_dilation2d(&x, numbers(2, &[2, 2]), how),
            tf::try_dilation2d(&x, &w, how.data_format(tf::DataFormat::ChannelsFirst)),
        ];
        assert!(refused.into_iter().all(|y| y.unwrap_err().to_string().contains("dilation2d")));
        let small = |x: &tf::Tensor| tf::cast(x, tf::DType::U8);
        assert!(tf::try_erosion2d(small(&x), small(&w), how).unwrap_err().to_string().contains("erosion2d"));
    }
}
