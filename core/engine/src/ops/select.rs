//! `where`, also called `select`: x where the condition holds, else y; dy goes to the one that was taken, 0 to the
//! other. TensorFlow's `tf.where(condition, x, y)` with broadcasting, any dtype; the branch not taken adds nothing,
//! not even NaN.

use super::operand::{Operand, ToOperand};
use super::{AsTensor, TensorRef};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OrFail, Result, OnTheWay};
use super::strings::StringWhere;
use crate::execute::{execute1, execute1_reusing};
use crate::op::{Gradient, Infer, Kind, Op, identity};
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;
use std::panic::Location;

#[derive(Clone)]
pub(crate) struct Select;

impl Op for Select {
    identity!("where");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::REAL, direct: None }
    }

    fn mixes_dtypes(&self) -> bool {
        true
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::BOOL)?;
        let dtype = cx.dtype(1);
        cx.check_dtype(1, DTypes::REAL)?;
        if cx.dtype(2) != dtype {
            return Err(Error::invalid_argument(cx.op(), "the two values have different dtypes")
                .got(format!("{dtype} and {}", cx.dtype(2)))
                .expected("one dtype for both")
                .help("convert one of them with `cast`"));
        }
        let shape = cx.broadcast_all()?;
        cx.output(dtype, shape);
        Ok(())
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.select(x[0], x[1], x[2])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(ComplexVal::select(s, x[0].re, x[1], x[2]).into())
    }

    fn picks_elements(&self) -> bool {
        true
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// Runs the operation under the name by which the user called it.
#[track_caller]
fn run<'a>(said: &str, condition: &Tensor, x: impl ToOperand + 'a, y: impl ToOperand + 'a) -> Result<Tensor> {
    let (x, y) = (x.to_operand(), y.to_operand());
    let dtype = Operand::common_dtype(&[&x, &y]);
    let (x, y) = (x.tensor(said, dtype)?, y.tensor(said, dtype)?);
    if x.dtype() == DType::String {
        return execute1(&StringWhere, &[condition, &x, &y]).map_err(|e| e.named(said));
    }
    let owned = |t: &TensorRef<'_>| u32::from(matches!(t, TensorRef::Owned(_)));
    let taken = execute1_reusing(&Select, &[condition, &x, &y], owned(&x) << 1 | owned(&y) << 2);
    taken.map_err(|e| e.named(said))
}

/// The elements of `x` where the condition holds, else those of `y`; all three broadcast.
///
/// The gradient of the value not taken is zero, whatever it is: `select(x.greater(0.0), x.log(), 0.0)` still needs
/// care, because the logarithm's own slope at 0 is infinite and infinity times zero is NaN.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, -2.0]);
/// let chosen = tf::select(tf::greater(&x, 0.0), &x, 0.0);
/// assert_eq!(chosen.to_vec::<f32>(), [1.0, 0.0]);
/// ```
///
/// # Panics
/// Where [`try_select`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn select(condition: impl AsTensor, x: impl ToOperand, y: impl ToOperand) -> Tensor {
    run("select", &condition.as_tensor(), x, y).or_fail()
}

/// [`select`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument if the condition is not `bool`, the values' dtypes differ or the shapes do not broadcast.
#[track_caller]
pub fn try_select(condition: impl AsTensor, x: impl ToOperand, y: impl ToOperand) -> Result<Tensor> {
    let here = Location::caller();
    run("select", &condition.as_tensor(), x, y).map_err(|e| e.at(here))
}

/// TensorFlow's name for [`select`], with an underscore because `where` is a word of Rust.
///
/// ```
/// use eagerflow as tf;
/// let even = tf::constant([true, false]);
/// assert_eq!(tf::where_(even, 1.0, -1.0).to_vec::<f32>(), [1.0, -1.0]);
/// ```
///
/// # Panics
/// Where [`try_where`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn where_(condition: impl AsTensor, x: impl ToOperand, y: impl ToOperand) -> Tensor {
    run("where", &condition.as_tensor(), x, y).or_fail()
}

/// [`where_`] that answers an error instead of panicking.
///
/// # Errors
/// As [`try_select`].
#[track_caller]
pub fn try_where(condition: impl AsTensor, x: impl ToOperand, y: impl ToOperand) -> Result<Tensor> {
    let here = Location::caller();
    run("where", &condition.as_tensor(), x, y).map_err(|e| e.at(here))
}

impl Tensor {
    /// [`select`](crate::select) with this tensor as the condition.
    #[track_caller]
    pub fn select(&self, x: impl ToOperand, y: impl ToOperand) -> Tensor {
        run("select", self, x, y).or_fail()
    }

    /// [`select`](crate::select) with this tensor as the condition; answers an error instead of panicking.
    ///
    /// # Errors
    /// As [`try_select`](crate::try_select).
    #[track_caller]
    pub fn try_select(&self, x: impl ToOperand, y: impl ToOperand) -> Result<Tensor> {
        try_select(self, x, y)
    }
}
