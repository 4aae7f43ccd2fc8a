//! `matvec`: matrices times vectors. TensorFlow's `tf.linalg.matvec`; the vectors are columns of a `matmul`.

use super::reshape::expand_last;
use super::{AsTensor, functions};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use std::panic::Location;

/// The matrices in the last two axes of `a` times the vectors in the last axis of `b`; the axes before broadcast.
///
/// ```
/// use eagerflow as tf;
/// let a = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(tf::matvec(&a, tf::constant([1.0, 10.0])).to_vec::<f32>(), [21.0, 43.0]);
/// ```
///
/// # Panics
/// As [`try_matvec`] fails.
#[track_caller]
pub fn matvec(a: impl AsTensor, b: impl AsTensor) -> Tensor {
    try_matvec(a, b).or_fail()
}

/// The matrices in the last two axes of `a` times the vectors in the last axis of `b`.
///
/// # Errors
/// InvalidArgument for operands without these axes, sizes or batches that do not fit, or dtypes that differ.
#[track_caller]
pub fn try_matvec(a: impl AsTensor, b: impl AsTensor) -> Result<Tensor> {
    let here = Location::caller();
    product(&a.as_tensor(), &b.as_tensor()).map_err(|e| e.named("matvec").at(here))
}

#[track_caller]
fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.rank() < 2 || b.rank() < 1 {
        return Err(Error::invalid_argument("matvec", "the operands are no matrices and vectors")
            .got(format!("{} and {}", a.ty(), b.ty()))
            .expected("at least two dimensions, and at least one"));
    }
    functions::try_squeeze(&functions::try_matmul(a, &expand_last(b)?)?, -1)
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_refusals() {
        check(&|x| tf::matvec(&x[0], &x[1]), &[numbers(1, &[2, 2, 3]), numbers(2, &[2, 3])]);
        check(&|x| tf::matvec(&x[0], &x[1]), &[numbers(1, &[2, 3]), numbers(2, &[2, 3])]);
        let error = tf::try_matvec(tf::ones([2, 3]), tf::ones([2])).unwrap_err().to_string();
        assert!(error.contains("matvec: "), "{error}");
        assert!(tf::try_matvec(tf::ones([3]), tf::ones([3])).is_err());
    }
}
