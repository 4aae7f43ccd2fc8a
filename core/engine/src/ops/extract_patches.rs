//! `extract_patches` and `extract_volume_patches`: the cells of each window as the channels of one; dx adds up what windows share.
//! TensorFlow's `tf.image.extract_patches` and `tf.extract_volume_patches`; margins and views of windows, axis by axis, and one copy.

use super::functions::DataFormat;
use super::overlap::{Along, windows_along};
use super::pad::{PadMode, try_pad};
use super::sliding::{PerAxis, Sliding};
use super::transpose::permuted;
use super::window::{Padding, Windows, check_batch};
use super::{public, reshape_to};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;

/// The windows of so many cells along the axes behind the batch, with zeros around where `how` asks for them; not copied:
/// `[batch, windows .., cells .., channels]`.
#[track_caller]
pub(super) fn cells(op: &str, x: &Tensor, sizes: &[Dim], how: &Sliding) -> Result<Tensor> {
    let axes = sizes.len();
    let windows = Windows::over(op, axes, how)?;
    let steps = |axis: usize| (windows.strides[axis] as usize, windows.dilations[axis] as usize);
    let mut margins = vec![[Dim::ZERO; 2]; axes + 2];
    let mut counts: SmallVec<[Dim; 3]> = SmallVec::new();
    for (axis, &size) in sizes.iter().enumerate() {
        let (length, (step, rate)) = (x.shape().dim(axis + 1), steps(axis));
        let reach = size * rate + 1 - rate;
        let around = match how.padding {
            Padding::Explicit(around) => around[axis].map(Dim::known),
            Padding::Valid => [Dim::ZERO; 2],
            Padding::Same => {
                // What the windows reach over, beyond the axis; half of it in front.
                let missing = (length.ceil_div(step) * step + reach).max(length + step) - length - step;
                [missing.floor_div(2), missing - missing.floor_div(2)]
            }
        };
        margins[axis + 1] = around;
        let count = match how.padding {
            Padding::Same => length.ceil_div(step),
            _ => (length + around[0] + around[1] + step - reach).floor_div(step),
        };
        // As TensorFlow: none where less than a step is missing, an error where more is.
        if count.valid().is_err() {
            return Err(Error::invalid_argument(op, format!("the window is larger than axis {}", axis + 1))
                .got(format!(
                    "{length} cells with {} and {} around them, for a window of {reach}",
                    around[0], around[1]
                ))
                .expected(format!("at least {reach}"))
                .help("make the window smaller; `Padding::Same` pads what is smaller than the window"));
        }
        counts.push(count);
    }
    let mut y = x.clone();
    if margins.iter().any(|margin| *margin != [Dim::ZERO; 2]) {
        y = try_pad(x, margins, PadMode::Constant)?;
    }
    for axis in (0..axes).rev() {
        let (step, rate) = steps(axis);
        let step = Dim::known(step);
        y = windows_along(&y, &Along { axis: axis + 1, count: counts[axis], size: sizes[axis], step, rate })?;
    }
    // From [batch, (windows, cells) .., channels].
    let mut order: SmallVec<[usize; MAX_RANK]> = SmallVec::new();
    order.push(0);
    order.extend((0..axes).map(|axis| 2 * axis + 1));
    order.extend((0..axes).map(|axis| 2 * axis + 2));
    order.push(2 * axes + 1);
    permuted(&y, &order)
}

#[track_caller]
fn patches(op: &str, x: &Tensor, axes: usize, takes: DTypes, sizes: PerAxis, how: &Sliding) -> Result<Tensor> {
    check_operand(op, x, axes, takes, how)?;
    let sizes: SmallVec<[Dim; 3]> =
        sizes.resolve(op, "sizes", axes)?.iter().map(|&size| Dim::known(size as usize)).collect();
    let y = cells(op, x, &sizes, how)?;
    let channels = sizes.iter().fold(x.shape().dim(axes + 1), |all, &size| all * size);
    let mut dims: SmallVec<[Dim; MAX_RANK]> = y.shape().iter().take(axes + 1).collect();
    dims.push(channels);
    reshape_to(&y, &Shape::from_dims(&dims)?)
}

/// An error unless the input is a batch in a dtype that is taken, with its channels last.
pub(super) fn check_operand(op: &str, x: &Tensor, axes: usize, takes: DTypes, how: &Sliding) -> Result<()> {
    if !takes.has(x.dtype()) {
        return Err(Error::invalid_argument(op, "the input has a dtype this operation does not take")
            .got(x.dtype())
            .expected(format!("one of {takes}")));
    }
    if how.data_format != DataFormat::ChannelsLast {
        return Err(Error::invalid_argument(op, "windows are taken of channels that are last")
            .got(format!("{:?}", how.data_format))
            .expected("`DataFormat::ChannelsLast`")
            .help("`transpose` the input first"));
    }
    check_batch(op, x.shape(), axes)
}

public! {
    /// The `sizes` window of rows and columns at each step, as the channels of one cell: row by row, the image's channels innermost.
    /// `how` has TensorFlow's `strides`, `padding` and, as dilations, `rates`. TensorFlow's `tf.image.extract_patches`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::range(0, 9, 1), [1, 3, 3, 1]);
    /// let y = tf::image::extract_patches(&x, 2, tf::Sliding::new(1, tf::Padding::Valid));
    /// assert_eq!(y.shape(), [1, 2, 2, 4]);
    /// assert_eq!(y.to_vec::<i32>()[4..8], [1, 2, 4, 5]);
    /// ```
    pub fn extract_patches, try_extract_patches(x, sizes: impl Into<PerAxis>, how: Sliding) -> Tensor {
        let takes = DTypes::NUMBERS.and(DTypes::COMPLEX);
        patches("extract_patches", x, 2, takes, sizes.into(), &how).map_err(|e| e.named("extract_patches"))
    }

    /// The `sizes` window of planes, rows and columns at each step, as the channels of one cell. TensorFlow's
    /// `tf.extract_volume_patches`, which has no rates.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::extract_volume_patches(tf::ones([1, 4, 4, 4, 2]), 2, tf::Sliding::new(2, tf::Padding::Same));
    /// assert_eq!(y.shape(), [1, 2, 2, 2, 16]);
    /// ```
    pub fn extract_volume_patches, try_extract_volume_patches(x, sizes: impl Into<PerAxis>, how: Sliding) -> Tensor {
        patches("extract_volume_patches", x, 3, DTypes::NUMBERS, sizes.into(), &how)
            .map_err(|e| e.named("extract_volume_patches"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::{Padding, Sliding};

    #[test]
    fn gradients_of_both_orders() {
        let x = numbers(1, &[2, 5, 4, 2]);
        for (size, how) in [
            ([2, 3], Sliding::new(1, Padding::Same)),
            ([3, 2], Sliding::new([2, 1], Padding::Valid)),
            ([2, 2], Sliding::new([1, 3], Padding::Same).dilations([2, 3])),
            ([2, 2], Sliding::new(2, Padding::Explicit([[1, 0], [2, 3]]))),
        ] {
            check(&|x| tf::extract_patches(&x[0], size, how).square(), std::slice::from_ref(&x));
        }
        let x = numbers(2, &[1, 3, 2, 3, 2]);
        check(&|x| tf::extract_volume_patches(&x[0], [2, 1, 2], Sliding::new([1, 2, 2], Padding::Same)).square(), &[x]);
    }

    #[test]
    fn edges_and_refusals() {
        let x = tf::ones([1, 2, 2, 1]);
        let valid = Sliding::new(1, Padding::Valid);
        assert_eq!(tf::extract_patches(&tf::ones([0, 3, 3, 2]), 2, valid).shape(), [0, 2, 2, 8]);
        assert_eq!(tf::extract_patches(&x, 3, valid).shape(), [1, 0, 0, 9]);
        let refused = [
            tf::try_extract_patches(&x, 4, valid),
            tf::try_extract_patches(&x, 0, valid),
            tf::try_extract_patches(&tf::ones([2, 2, 1]), 1, valid),
            tf::try_extract_patches(&tf::cast(&x, tf::DType::Bool), 1, valid),
            tf::try_extract_patches(&x, 1, valid.data_format(tf::DataFormat::ChannelsFirst)),
        ];
        assert!(refused.into_iter().all(|y| y.unwrap_err().to_string().contains("extract_patches")));
        assert!(tf::try_extract_volume_patches(&x, 1, valid).is_err());
    }
}
