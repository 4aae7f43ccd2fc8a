//! `local_response_normalization`: x / (bias + alpha * sum of the squares of neighbouring channels) ^ beta; its gradient is that of its parts.
//! TensorFlow's `tf.nn.local_response_normalization` and `tf.nn.lrn`, floats; composed, the neighbours being a view. Theirs refuses `float64`.

use super::clip_by_norm::check_floating;
use super::functions::{try_add, try_divide, try_multiply, try_pow, try_square};
use super::overlap::{Along, windows_along};
use super::pad::{PadMode, try_pad};
use super::window::check_images;
use super::{public, sum_axes};
use crate::ops::cast_to;
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{AxisSet, Dim};

#[track_caller]
fn normalised(x: &Tensor, radius: i64, bias: f64, alpha: f64, beta: f64) -> Result<Tensor> {
    let op = "local_response_normalization";
    check_floating(op, x)?;
    check_images(op, x.shape())?;
    let radius = usize::try_from(radius).ok().filter(|n| *n <= i32::MAX as usize).ok_or_else(|| {
        Error::invalid_argument(op, "the radius must be a number of channels").got(radius).expected("0 or more")
    })?;
    // Neighbours farther than all channels would only be zeros.
    let channels = x.shape().dim(3);
    let radius = Dim::known(radius).min(channels.max(Dim::ONE) - 1);
    // Squares of 16-bit floats overflow, and their sums lose what is small.
    let wide = cast_to(x, x.dtype().compute())?;
    let none = [Dim::ZERO; 2];
    let padded = try_pad(&try_square(&wide)?, [none, none, none, [radius, radius]], PadMode::Constant)?;
    let along = Along { axis: 3, count: channels, size: radius * 2 + 1, step: Dim::ONE, rate: 1 };
    let sums = sum_axes(&windows_along(&padded, &along)?, AxisSet::of(&[4]), false)?;
    let below = try_pow(&try_add(&try_multiply(&sums, alpha)?, bias)?, beta)?;
    cast_to(&try_divide(&wide, &below)?, x.dtype())
}

public! {
    /// Each number divided by `(bias + alpha * sum) ^ beta`, where the sum is of the squares of the channels at most `depth_radius` away.
    /// TensorFlow's `tf.nn.local_response_normalization`, whose defaults are 5, 1, 1 and 0.5.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::constant([3.0, 4.0, 0.0]), [1, 1, 1, 3]);
    /// let y = tf::nn::local_response_normalization(&x, 1, 0.0, 1.0, 0.5);
    /// assert_eq!(y.to_vec::<f32>(), [0.6, 0.8, 0.0]);
    /// ```
    pub fn local_response_normalization, try_local_response_normalization(
        x,
        depth_radius: i64,
        bias: f64,
        alpha: f64,
        beta: f64
    ) -> Tensor {
        normalised(x, depth_radius, bias, alpha, beta).map_err(|e| e.named("local_response_normalization"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::numbers;

    #[test]
    fn agrees_with_a_loop_for_all_radii() {
        let x = tf::cast(&numbers(1, &[2, 1, 3, 7]), tf::DType::F32);
        let values = x.to_vec::<f32>();
        for radius in [0, 1, 3, 6, 7, 100] {
            let y = tf::local_response_normalization(&x, radius, 1.5, 0.5, 0.75).to_vec::<f32>();
            for (row, got) in values.chunks(7).zip(y.chunks(7)) {
                for c in 0..7_usize {
                    let near = &row[c.saturating_sub(radius as usize)..(c + radius as usize + 1).min(7)];
                    let sum: f32 = near.iter().map(|v| v * v).sum();
                    assert!((got[c] - row[c] / (1.5 + 0.5 * sum).powf(0.75)).abs() < 1e-5, "{radius}");
                }
            }
        }
    }

    #[test]
    fn edges_and_refusals() {
        let x = tf::ones([1, 1, 1, 3]);
        assert_eq!(tf::local_response_normalization(&tf::ones([1, 2, 1, 0]), 2, 1.0, 1.0, 0.5).shape(), [1, 2, 1, 0]);
        let refused = [
            tf::try_local_response_normalization(&x, -1, 1.0, 1.0, 0.5),
            tf::try_local_response_normalization(&tf::ones([2, 3]), 1, 1.0, 1.0, 0.5),
            tf::try_local_response_normalization(&tf::cast(&x, tf::DType::I32), 1, 1.0, 1.0, 0.5),
        ];
        assert!(refused.into_iter().all(|y| y.unwrap_err().to_string().contains("local_response_normalization")));
    }
}
