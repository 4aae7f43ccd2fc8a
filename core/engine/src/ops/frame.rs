//! `frame` and `overlap_and_add`: a signal as frames that may overlap, and frames added up to a signal; each is the other's gradient.
//! TensorFlow's `tf.signal.frame` and `tf.signal.overlap_and_add`. Frames are a view of the signal, so both cost what they give.

use super::functions::try_pad_value;
use super::overlap::{Along, overlapped, windows_along};
use super::pad::pad_axis;
use super::public;
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, IntoDim, resolve_axis};

/// How [`frame_with`](fn@crate::frame_with) takes frames. TensorFlow's defaults: whole frames alone, along the last axis.
///
/// ```
/// use eagerflow::{self as tf, signal::Framing};
/// let how = Framing { pad_end: true, ..Framing::default() };
/// let y = tf::signal::frame_with(tf::range(0, 5, 1), 4, 3, &how);
/// assert_eq!(y.to_vec::<i32>(), [0, 1, 2, 3, 3, 4, 0, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct Framing {
    /// Whether frames go on to the end of the signal, with what is missing behind it filled up.
    pub pad_end: bool,
    /// What stands there, a scalar of the signal's dtype; zero without it.
    pub pad_value: Option<Tensor>,
    /// The axis that becomes two.
    pub axis: isize,
}

impl Default for Framing {
    fn default() -> Self {
        Self { pad_end: false, pad_value: None, axis: -1 }
    }
}

/// An error for a number of samples that is negative, or 0 where that cannot be.
pub(super) fn samples(op: &str, what: &str, size: Dim, least: usize) -> Result<Dim> {
    match size.constant() {
        Some(number) if number < least as isize => {
            Err(Error::invalid_argument(op, format!("`{what}` is out of range")).got(number).expected(format!("at least {least}")))
        }
        None => size.valid(),
        _ => Ok(size),
    }
}

/// Frames along an axis, the end filled up if asked for.
#[track_caller]
pub(super) fn frames(op: &str, x: &Tensor, size: Dim, step: Dim, how: &Framing) -> Result<Tensor> {
    let (size, step) = (samples(op, "frame_length", size, 0)?, samples(op, "frame_step", step, 1)?);
    let axis = resolve_axis(op, how.axis, x.rank())?;
    if !DTypes::ALL.has(x.dtype()) {
        return Err(Error::invalid_argument(op, "the signal has a dtype this operation does not take").got(x.dtype()));
    }
    let length = x.shape().dim(axis);
    let (signal, count);
    if how.pad_end {
        count = (length + step - 1).floor_div_dim(step);
        // Frames may also end before the signal does.
        let missing = (size + step * count).max(step + length) - step - length;
        signal = match &how.pad_value {
            None if missing == Dim::ZERO => x.clone(),
            None => pad_axis(x, axis, Dim::ZERO, missing)?,
            Some(value) => {
                let mut paddings = vec![[Dim::ZERO; 2]; x.rank()];
                paddings[axis][1] = missing;
                try_pad_value(x, paddings, super::functions::try_stop_gradient(value)?)?
            }
        };
    } else {
        // None where the signal is shorter than a frame.
        count = ((length + step).max(size) - size).floor_div_dim(step);
        signal = x.clone();
    }
    windows_along(&signal, &Along { axis, count, size, step, rate: 1 })
}

/// Frames of the last two axes added up.
#[track_caller]
pub(super) fn added(op: &str, x: &Tensor, step: Dim) -> Result<Tensor> {
    let step = samples(op, "frame_step", step, 1)?;
    let Some(axis) = x.rank().checked_sub(2) else {
        return Err(Error::invalid_argument(op, "the tensor holds no frames")
            .got(x.shape())
            .expected("at least two axes: frames, and the samples of each"));
    };
    let (count, size) = (x.shape().dim(axis), x.shape().dim(axis + 1));
    // Without frames, what is left is as TensorFlow has it: a step less than a frame.
    let length = (size + step * count).max(step) - step;
    // A step that is known only later must not be 0 then: this divides by it.
    let length = if step.is_known() { length } else { length * (step * 2 - 1).floor_div_dim(step) };
    overlapped(x, axis, length, step)
}

public! {
    /// Frames of `frame_length` samples along the last axis, each `frame_step` behind the one before: `[.., frames, frame_length]`.
    /// A signal that is shorter than a frame has none. TensorFlow's `tf.signal.frame`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::frame(tf::range(0, 7, 1), 3, 2);
    /// assert_eq!(y.to_vec::<i32>(), [0, 1, 2, 2, 3, 4, 4, 5, 6]);
    /// ```
    pub fn frame, try_frame(x, frame_length: impl IntoDim, frame_step: impl IntoDim) -> Tensor {
        let (size, step) = (frame_length.into_dim()?, frame_step.into_dim()?);
        frames("frame", x, size, step, &Framing::default()).map_err(|e| e.named("frame"))
    }

    /// [`frame`](fn@frame) along any axis, with the end of the signal filled up or not.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::Framing};
    /// let x = tf::reshape(&tf::range(0, 6, 1), [3, 2]);
    /// let y = tf::signal::frame_with(&x, 2, 1, &Framing { axis: 0, ..Framing::default() });
    /// assert_eq!(y.shape(), [2, 2, 2]);
    /// ```
    pub fn frame_with, try_frame_with(x, frame_length: impl IntoDim, frame_step: impl IntoDim, how: &Framing) -> Tensor {
        let (size, step) = (frame_length.into_dim()?, frame_step.into_dim()?);
        frames("frame", x, size, step, how).map_err(|e| e.named("frame"))
    }

    /// The frames `[.., frames, frame_length]` added up, each `frame_step` samples behind the one before. TensorFlow's
    /// `tf.signal.overlap_and_add`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::overlap_and_add(tf::constant([[1, 2, 3], [10, 20, 30]]), 2);
    /// assert_eq!(y.to_vec::<i32>(), [1, 2, 13, 20, 30]);
    /// ```
    pub fn overlap_and_add, try_overlap_and_add(x, frame_step: impl IntoDim) -> Tensor {
        added("overlap_and_add", x, frame_step.into_dim()?).map_err(|e| e.named("overlap_and_add"))
    }
}

#[cfg(test)]
mod tests {
    use super::Framing;
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        let x = [numbers(1, &[2, 11])];
        for (size, step) in [(4, 2), (3, 3), (2, 5), (20, 1)] {
            for pad_end in [false, true] {
                for axis in [0, -1] {
                    let how = Framing { pad_end, axis, ..Framing::default() };
                    check(&|x| tf::frame_with(&x[0], size, step, &how).square(), &x);
                }
            }
        }
        for step in [1, 2, 3, 5] {
            check(&|x| tf::overlap_and_add(&x[0], step).square(), &[numbers(2, &[2, 4, 3])]);
        }
        let z = tf::complex(&numbers(1, &[9]), &numbers(2, &[9]));
        let back = tf::overlap_and_add(&tf::frame(&z, 3, 3), 3);
        assert_eq!(back.to_vec::<tf::Complex<f64>>(), z.to_vec::<tf::Complex<f64>>());
    }

    #[test]
    fn edges_and_refusals() {
        let x = tf::range(0, 5, 1);
        assert_eq!(tf::frame(&x, 6, 1).shape(), [0, 6]);
        assert_eq!(tf::frame(&x, 60, 7).shape(), [0, 60]);
        let nine = Framing { pad_end: true, pad_value: Some(tf::constant(9)), ..Framing::default() };
        assert_eq!(tf::frame_with(&x, 3, 4, &nine).to_vec::<i32>(), [0, 1, 2, 4, 9, 9]);
        assert_eq!(tf::frame_with(&tf::zeros([2, 0]), 3, 4, &Framing { pad_end: true, ..Framing::default() }).shape(), [2, 0, 3]);
        assert_eq!(tf::overlap_and_add(&tf::ones([0, 3, 4]), 2).shape(), [0, 8]);
        let refused = [
            tf::try_frame(&x, -1, 1),
            tf::try_frame(&x, 2, 0),
            tf::try_frame(&x, 2, -3),
            tf::try_frame(&tf::constant(1), 2, 1),
            tf::try_frame_with(&x, 2, 1, &Framing { axis: 1, ..Framing::default() }),
            tf::try_frame_with(&tf::ones([3]), 2, 1, &nine),
        ];
        assert!(refused.into_iter().all(|y| y.unwrap_err().to_string().contains("frame")));
        assert!(tf::try_overlap_and_add(&x, 1).is_err() && tf::try_overlap_and_add(&tf::ones([2, 2]), 0).is_err());
    }
}
