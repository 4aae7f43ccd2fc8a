//! `polyval`: a polynomial at x, the coefficient of the highest power first, by Horner's rule; derivatives are those of its operations.
//! TensorFlow's `tf.math.polyval`.

use super::api::Tensors;
use super::{AsTensor, AsTensors, functions, zeros_of};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use std::panic::Location;

/// The polynomial with these coefficients, that of the highest power first, at each element of `x`; without any it is 0. Coefficients
/// are tensors that broadcast with `x`.
///
/// ```
/// use eagerflow as tf;
/// let coefficients = [tf::constant(2.0), tf::constant(0.0), tf::constant(1.0)];
/// let y = tf::polyval(&coefficients, &tf::constant([1.0, 3.0]));
/// assert_eq!(y.to_vec::<f32>(), [3.0, 19.0]);
/// ```
///
/// # Panics
/// As [`try_polyval`] fails.
#[track_caller]
pub fn polyval(coeffs: impl AsTensors, x: impl AsTensor) -> Tensor {
    try_polyval(coeffs, x).or_fail()
}

/// The polynomial with these coefficients at each element of `x`.
///
/// # Errors
/// InvalidArgument for dtypes that differ and shapes that do not broadcast.
#[track_caller]
pub fn try_polyval(coeffs: impl AsTensors, x: impl AsTensor) -> Result<Tensor> {
    let here = Location::caller();
    value(coeffs, &x.as_tensor()).map_err(|e| e.named("polyval").at(here))
}

#[track_caller]
fn value(coeffs: impl AsTensors, x: &Tensor) -> Result<Tensor> {
    let coeffs = coeffs.as_tensors()?;
    let Tensors::Each(coeffs) = coeffs else {
        return Err(Error::invalid_argument("polyval", "a list that a loop made has no number of coefficients")
            .expected("a slice, an array or a `Vec` of tensors"));
    };
    let Some((first, others)) = coeffs.split_first() else { return zeros_of(x.ty()) };
    let mut sum = (**first).clone();
    for coefficient in others {
        sum = functions::try_add(&**coefficient, &functions::try_multiply(&sum, x)?)?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_edges() {
        check(&|x| tf::polyval(&x[..3], &x[3]).square(), &[1, 2, 3, 4].map(|seed| numbers(seed, &[2])));
        let none: [tf::Tensor; 0] = [];
        assert_eq!(tf::polyval(none, &tf::ones([2])).to_vec::<f32>(), [0.0, 0.0]);
        assert!(tf::try_polyval([tf::constant(1), tf::constant(1)], &tf::ones([2])).is_err());
    }
}
