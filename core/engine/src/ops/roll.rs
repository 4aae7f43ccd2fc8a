//! `roll`: the elements moved along axes, those that fall off one end coming back at the other; dx is dy rolled back.
//! TensorFlow's `tf.roll`; two slices and a `concat` for each axis.

use super::{concat_all, public, slice_axis};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Dims, IntoShape, resolve_axis};

/// How far elements go toward the end of an axis of this size, less whole turns.
fn turned(shift: Dim, size: Dim) -> Dim {
    // Nothing moves along an empty axis.
    let size = size.max(Dim::ONE);
    match shift.constant() {
        Some(back) if back < 0 => (size - Dim::known(back.unsigned_abs()) % size) % size,
        _ => shift % size,
    }
}

#[track_caller]
fn rolled(x: &Tensor, shifts: &Dims, axes: &Dims) -> Result<Tensor> {
    if shifts.len() != axes.len() {
        return Err(Error::invalid_argument("roll", "there are not as many shifts as axes")
            .got(format!("{} shifts, {} axes", shifts.len(), axes.len()))
            .expected("one shift for each axis"));
    }
    let mut x = x.clone();
    for (&shift, &axis) in shifts.iter().zip(axes) {
        let Some(number) = axis.constant() else {
            return Err(Error::invalid_argument("roll", "an axis must be a number").got(axis));
        };
        let axis = resolve_axis("roll", number, x.rank())?;
        let size = x.shape().dim(axis);
        let far = turned(shift, size);
        if far == Dim::ZERO {
            continue;
        }
        let (last, first) = (slice_axis(&x, axis, size - far, far)?, slice_axis(&x, axis, Dim::ZERO, size - far)?);
        x = concat_all(&[&last, &first], axis)?;
    }
    Ok(x)
}

public! {
    /// The elements moved by `shift` places toward the end of `axis`; what falls off comes back at the start. Negative shifts go
    /// toward the start. Both are one number, or a list of equally many.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[0, 1, 2], [3, 4, 5]]);
    /// assert_eq!(tf::roll(&x, 1, 1).to_vec::<i32>(), [2, 0, 1, 5, 3, 4]);
    /// assert_eq!(tf::roll(&x, [1, -1], [0, 1]).to_vec::<i32>(), [4, 5, 3, 1, 2, 0]);
    /// ```
    pub fn roll, try_roll(x, shift: impl IntoShape, axis: impl IntoShape) -> Tensor {
        rolled(x, &shift.into_dims()?, &axis.into_dims()?).map_err(|e| e.named("roll"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_turns_and_edges() {
        check(&|x| tf::roll(&x[0], [2, -1], [0, 1]).square(), &[numbers(1, &[3, 4])]);
        let x = tf::range(0, 5, 1);
        for turns in -12_i32..12 {
            let want: Vec<i32> = (0..5).map(|i| (i - turns).rem_euclid(5)).collect();
            assert_eq!(tf::roll(&x, turns, 0).to_vec::<i32>(), want);
        }
        assert_eq!(tf::roll(&tf::zeros([0, 2]), 3, 0).shape(), [0, 2]);
        assert!(tf::try_roll(&x, [1, 2], 0).is_err() && tf::try_roll(&x, 1, 1).is_err());
    }
}
