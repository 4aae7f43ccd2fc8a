//! `complex`: complex numbers of their real and imaginary parts, which broadcast; dre and dim are the parts of dy.
//! TensorFlow's `tf.complex`, `float32` and `float64`. The operation itself lies in `meaning`, where every complex result is made.

use super::broadcast_to_shape;
use super::operand::{Operand, ToOperand};
use crate::meaning::joined;
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Constraints, broadcast};
use std::panic::Location;

#[track_caller]
fn of_operands(re: Operand<'_>, im: Operand<'_>) -> Result<Tensor> {
    let dtype = Operand::common_dtype(&[&re, &im]);
    let (re, im) = (re.tensor("complex", dtype)?, im.tensor("complex", dtype)?);
    if re.dtype() != im.dtype() || !matches!(re.dtype(), kernels::dtype::DType::F32 | kernels::dtype::DType::F64) {
        return Err(Error::invalid_argument("complex", "the parts must be of one type, `float32` or `float64`")
            .got(format!("{} and {}", re.dtype(), im.dtype()))
            .help("convert them with `cast`"));
    }
    let shape = broadcast(re.shape(), im.shape(), &mut Constraints::default()).map_err(|e| e.in_op("complex"))?;
    joined(&broadcast_to_shape(&re, &shape)?, &broadcast_to_shape(&im, &shape)?).map_err(|e| e.named("complex"))
}

/// Complex numbers of their real and imaginary parts, `float32` or `float64`; shapes broadcast.
///
/// ```
/// use eagerflow::{self as tf, Complex};
/// let z = tf::complex(&tf::constant([1.0, 2.0]), &tf::constant([0.0, -1.0]));
/// assert_eq!(z.dtype(), tf::complex64);
/// assert_eq!(z.to_vec::<Complex<f32>>(), [Complex::new(1.0, 0.0), Complex::new(2.0, -1.0)]);
/// ```
///
/// # Panics
/// Where [`try_complex`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn complex(re: impl ToOperand, im: impl ToOperand) -> Tensor {
    try_complex(re, im).or_fail()
}

/// [`complex`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument for parts of other types, or of two, and shapes that do not broadcast.
#[track_caller]
pub fn try_complex(re: impl ToOperand, im: impl ToOperand) -> Result<Tensor> {
    let here = Location::caller();
    of_operands(re.to_operand(), im.to_operand()).map_err(|e| e.at(here))
}
