//! `unstack`: the slices along an axis as tensors without it, views without a copy; dx puts the dy back in their places.
//! TensorFlow's `tf.unstack`.

use super::slice::slice_axis;
use super::{pinned_size, public, reshape_to};
use crate::shape::{Dim, resolve_axis};
use crate::tensor::Tensor;

public! {
    /// The slices along `axis`, each without that axis. No element is copied.
    ///
    /// While a function is recorded, the size along the axis is read as a number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let rows = tf::unstack(&tf::constant([[1, 2], [3, 4]]), 0);
    /// assert_eq!(rows[1].to_vec::<i32>(), [3, 4]);
    /// ```
    pub fn unstack, try_unstack(x, axis: isize) -> Vec<Tensor> {
        let axis = resolve_axis("unstack", axis, x.rank())?;
        let size = pinned_size("unstack", x.shape(), axis)?;
        let shape = x.shape().remove(axis);
        (0..size).map(|i| reshape_to(&slice_axis(x, axis, Dim::known(i), Dim::ONE)?, &shape)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn views_with_gradients() {
        for axis in [0, 1, -1] {
            let f = |x: &[tf::Tensor]| &tf::unstack(&x[0], axis)[1] * &tf::unstack(&x[0], axis)[0];
            check(&f, &[numbers(1, &[2, 3, 2])]);
        }
        let x = tf::ones([20, 30]);
        let rows = tf::unstack(&x, 0);
        assert_eq!(rows[0].data(), x.data());
        assert!(tf::unstack(&tf::ones([0, 3]), 0).is_empty() && tf::try_unstack(&tf::constant(1), 0).is_err());
    }
}
