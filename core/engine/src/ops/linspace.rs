//! `linspace`: numbers in equal steps from a start to a stop, both included; dstart and dstop are dy weighted by nearness.
//! TensorFlow's `tf.linspace`: integers give floats, and vectors of starts and stops are spaced along a new axis.

use super::operand::{Operand, ToOperand};
use super::{cast_to, reshape_to};
use kernels::backend::cpu::{CpuCall, vector};
use kernels::backend::cuda::{CudaCall, Kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OrFail, Result, OnTheWay};
use crate::execute::execute1;
use crate::meaning::{joined, parts};
use crate::op::{Gradient, Infer, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use kernels::shape::{Dim, Shape, resolve_axis};
use crate::tensor::Tensor;
use std::panic::Location;

/// start * (1 - weight) + stop * weight: exact at both ends.
#[derive(Clone)]
struct Between;

impl Op for Between {
    identity!("between");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let [start, stop, weight] = [x[0], x[1], x[2]];
        s.add(s.mul(start, s.sub(s.number(weight, 1.0), weight)), s.mul(stop, weight))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// The numbers i / (n - 1): how near each element is to the stop.
#[derive(Clone)]
struct Weights {
    num: usize,
    dtype: DType,
}

impl Op for Weights {
    identity!("linspace_weights", { "num": Int = |this| this.num as i64, "dtype": DType = |this| this.dtype });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.output(self.dtype, Shape::new(&[self.num]).map_err(|e| e.in_op("linspace"))?);
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let (out, size) = (call.outputs[0].ptr, self.dtype.size());
        let last = self.num.saturating_sub(1).max(1) as f64;
        for i in 0..self.num {
            // SAFETY: inside a dense fresh output of this dtype.
            unsafe { vector::fill(size, out.add(i * size), vector::encode(self.dtype, i as f64 / last), 1) };
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        // SAFETY: a dense fresh output of this dtype and length.
        unsafe {
            call.elements(&WEIGHTS, &[self.dtype], self.num, |arguments| {
                arguments.view(&call.outputs[0]);
                arguments.value(self.num.saturating_sub(1).max(1) as f64);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a constant depends on nothing")
    }
}

static WEIGHTS: Kernel = Kernel {
    name: "linspace_weights",
    text: &[r#"
extern "C" __global__ void linspace_weights(index_t count, T0* to, double last) {
  ELEMENTS(i, count) to[i] = narrow<T0>((A0)__ddiv_rn((double)i, last));
}
"#],
};

/// `num` numbers in equal steps from `start` to `stop`, both included. Integers give `float64`, those of 8 and 16 bits
/// `float32`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::linspace(0.0, 1.0, 5).to_vec::<f32>(), [0.0, 0.25, 0.5, 0.75, 1.0]);
/// ```
///
/// # Panics
/// As [`try_linspace`] fails.
#[track_caller]
pub fn linspace(start: impl ToOperand, stop: impl ToOperand, num: usize) -> Tensor {
    try_linspace(start, stop, num, 0).or_fail()
}

/// As [`linspace`], with the spacing along a new axis at position `axis` for starts and stops that are not scalars.
///
/// # Errors
/// InvalidArgument for `num` 0, starts and stops of different shapes or dtypes, or an axis that cannot be.
#[track_caller]
pub fn try_linspace(start: impl ToOperand, stop: impl ToOperand, num: usize, axis: isize) -> Result<Tensor> {
    let here = Location::caller();
    spaced(start.to_operand(), stop.to_operand(), num, axis).map_err(|e| e.named("linspace").at(here))
}

#[track_caller]
fn spaced(start: Operand<'_>, stop: Operand<'_>, num: usize, axis: isize) -> Result<Tensor> {
    let dtype = Operand::common_dtype(&[&start, &stop]);
    let (start, stop) = (start.tensor("linspace", dtype)?, stop.tensor("linspace", dtype)?);
    // Sizes without numbers yet are compared when the two meet.
    let fits = |(a, b): (Dim, Dim)| a.can_equal(b) && (a != Dim::ONE || b == Dim::ONE) && (b != Dim::ONE || a == Dim::ONE);
    let same = start.rank() == stop.rank() && start.shape().iter().zip(stop.shape().iter()).all(fits);
    if num == 0 || !same || start.dtype() != stop.dtype() || dtype == DType::Bool {
        return Err(Error::invalid_argument("linspace", "the ends do not span a range")
            .got(format!("{} to {}, {num} numbers", start.ty(), stop.ty()))
            .expected("two numbers of one dtype and shape, and at least one number between them"));
    }
    if dtype.is_complex() {
        let ((a, b), (c, d)) = (parts(&start)?, parts(&stop)?);
        let re = spaced(Operand::Owned(a), Operand::Owned(c), num, axis)?;
        return joined(&re, &spaced(Operand::Owned(b), Operand::Owned(d), num, axis)?);
    }
    let to = match dtype.size() {
        _ if dtype.is_floating() => dtype,
        1 | 2 => DType::F32,
        _ => DType::F64,
    };
    let axis = resolve_axis("linspace", axis, start.rank() + 1)?;
    let ends = start.shape().insert(axis, Dim::ONE)?;
    let (start, stop) = (reshape_to(&cast_to(&start, to)?, &ends)?, reshape_to(&cast_to(&stop, to)?, &ends)?);
    let mut along = [Dim::ONE; kernels::shape::MAX_RANK];
    along[axis] = Dim::known(num);
    let weights = execute1(&Weights { num, dtype: to }, &[])?;
    let weights = reshape_to(&weights, &Shape::from_dims(&along[..ends.rank()])?)?;
    execute1(&Between, &[&start, &stop, &weights])
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::DType;

    #[test]
    fn ends_are_exact_and_gradients_flow() {
        let f = |x: &[tf::Tensor]| tf::try_linspace(&x[0], &x[1], 4, 1).unwrap().square();
        check(&f, &[numbers(1, &[3]), numbers(2, &[3])]);
        assert_eq!(tf::linspace(0.1, 0.7, 7).to_vec::<f32>()[6], 0.7);
        assert_eq!(tf::linspace(-1.5, 2.0, 1).to_vec::<f32>(), [-1.5]);
        assert_eq!(tf::linspace(0, 1, 3).to_vec::<f64>(), [0.0, 0.5, 1.0]);
        assert_eq!(tf::linspace(&tf::constant_of(0, DType::I8), 1, 2).dtype(), DType::F32);
        assert!(tf::try_linspace(0.0, 1.0, 0, 0).is_err() && tf::try_linspace(0.0, 1.0, 2, 1).is_err());
        assert!(
            tf::try_linspace(&tf::constant([0.0]), 1.0, 2, 0).is_err() && tf::try_linspace(true, false, 2, 0).is_err()
        );
    }
}
