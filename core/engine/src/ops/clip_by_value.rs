//! `clip_by_value`: max(min(x, high), low); dy goes to x within the bounds (they included), else to the bound that
//! held. TensorFlow's `tf.clip_by_value`, numbers; at NaN the result is NaN and dy goes to `low`, as in TensorFlow.

use super::operand::{Operand, ToOperand};
use super::{AsTensor, TensorRef};
use kernels::dtype::DTypes;
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1_reusing;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use crate::tensor::Tensor;
use std::panic::Location;

#[derive(Clone)]
pub(crate) struct ClipByValue;

impl Op for ClipByValue {
    identity!("clip_by_value");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::NUMBERS)?;
        let shape = cx.broadcast_all()?;
        let own = cx.shape(0);
        let fits = shape.rank() == own.rank() && shape.iter().zip(own.iter()).all(|(wide, size)| wide.can_equal(size));
        if !fits {
            return Err(Error::invalid_argument(cx.op(), "the bounds are larger than the tensor")
                .got(format!("bounds that broadcast it to {shape}"))
                .expected(format!("bounds that broadcast to {own}")));
        }
        for (wide, size) in shape.iter().zip(own.iter()) {
            cx.constraints.push(wide, size);
        }
        cx.output(cx.dtype(0), *own);
        Ok(())
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.max(s.min(x[0], x[2]), x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

#[track_caller]
fn run<'a>(x: &Tensor, low: impl ToOperand + 'a, high: impl ToOperand + 'a) -> Result<Tensor> {
    let bound = |operand: Operand<'a>| operand.tensor("clip_by_value", x.dtype());
    let (low, high): (TensorRef<'_>, TensorRef<'_>) = (bound(low.to_operand())?, bound(high.to_operand())?);
    execute1_reusing(&ClipByValue, &[x, &low, &high], 0)
}

/// Each element, moved to the nearest value between `low` and `high`.
///
/// The bounds are numbers or tensors that broadcast to the shape of `x`; where they cross, `low` wins. At a bound the
/// gradient still flows to `x`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([-3.0, 0.5, 3.0]);
/// assert_eq!(tf::clip_by_value(&x, -1.0, 1.0).to_vec::<f32>(), [-1.0, 0.5, 1.0]);
/// ```
///
/// # Panics
/// Where [`try_clip_by_value`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn clip_by_value(x: impl AsTensor, low: impl ToOperand, high: impl ToOperand) -> Tensor {
    run(&x.as_tensor(), low, high).or_fail()
}

/// [`clip_by_value`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument for dtypes that differ or are not numbers, and bounds that do not broadcast to the shape of `x`.
#[track_caller]
pub fn try_clip_by_value(x: impl AsTensor, low: impl ToOperand, high: impl ToOperand) -> Result<Tensor> {
    let here = Location::caller();
    run(&x.as_tensor(), low, high).map_err(|e| e.at(here))
}

impl Tensor {
    /// [`clip_by_value`](crate::clip_by_value) of this tensor.
    #[track_caller]
    pub fn clip_by_value(&self, low: impl ToOperand, high: impl ToOperand) -> Tensor {
        run(self, low, high).or_fail()
    }

    /// [`clip_by_value`](crate::clip_by_value) of this tensor; answers an error instead of panicking.
    ///
    /// # Errors
    /// As [`try_clip_by_value`](crate::try_clip_by_value).
    #[track_caller]
    pub fn try_clip_by_value(&self, low: impl ToOperand, high: impl ToOperand) -> Result<Tensor> {
        try_clip_by_value(self, low, high)
    }
}
