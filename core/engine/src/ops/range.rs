//! `range`: numbers from a start up to a limit in equal steps, start + i * step; no gradient flows, as in TensorFlow.
//! TensorFlow's `tf.range` for floats, `int32` and `int64`, with each operation rounded in the dtype.

use super::operand::{Operand, ToOperand};
use kernels::backend::cpu::{CpuCall, View, Work, part};
use kernels::backend::cuda::{CudaCall, Kernel};
use kernels::dtype::{DType, DTypes, bf16, f16};
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use kernels::shape::{Dim, IntoDim, Shape};
use crate::tensor::Tensor;
use std::panic::Location;

/// Inputs: start, limit and step as scalars of one dtype.
#[derive(Clone)]
pub(crate) struct Range;

/// Elements one chunk writes.
const CHUNK: usize = 32 * 1024;

impl Op for Range {
    identity!("range");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::FLOATING.and(DTypes::of(&[DType::I32, DType::I64])))?;
        if let Some(i) = (0..3).find(|&i| cx.shape(i).rank() != 0) {
            return Err(Error::invalid_argument("range", "start, limit and step must be scalars").got(cx.input(i)));
        }
        let len = match (cx.value(0), cx.value(1), cx.value(2)) {
            // SAFETY: the views are valid scalars.
            (Some(start), Some(limit), Some(step)) => Dim::known(unsafe { length(&start, &limit, &step)? }),
            _ => match steps_of_one(cx) {
                Some(len) => len,
                None => cx.unknown_dim(),
            },
        };
        cx.output(cx.dtype(0), Shape::from_dims(&[len])?);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(call.outputs[0].len().div_ceil(CHUNK))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let out = &call.outputs[0];
        let elements = part(out.len(), chunk, out.len().div_ceil(CHUNK).max(1), 1);
        let (start, step) = (&call.inputs[0], &call.inputs[2]);
        macro_rules! write {
            ($t:ty, |$a:ident, $b:ident, $i:ident| $value:expr) => {{
                // SAFETY: scalars of this dtype, and a part of a dense output of it.
                let ($a, $b, to) = unsafe { (*start.ptr.cast::<$t>(), *step.ptr.cast::<$t>(), out.ptr.cast::<$t>()) };
                for $i in elements {
                    // SAFETY: inside the output.
                    unsafe { to.add($i).write($value) };
                }
            }};
        }
        match out.dtype {
            DType::F32 => write!(f32, |a, b, i| a + i as f32 * b),
            DType::F64 => write!(f64, |a, b, i| a + i as f64 * b),
            DType::F16 => write!(f16, |a, b, i| a + f16::from_f64(i as f64) * b),
            DType::BF16 => write!(bf16, |a, b, i| a + bf16::from_f64(i as f64) * b),
            DType::I64 => write!(i64, |a, b, i| a.wrapping_add((i as i64).wrapping_mul(b))),
            _ => write!(i32, |a, b, i| a.wrapping_add((i as i32).wrapping_mul(b))),
        }
        Ok(())
    }

    fn takes_from_host(&self, _: usize) -> bool {
        true
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let out = &call.outputs[0];
        // SAFETY: scalars of this dtype, and a dense fresh output of it.
        unsafe {
            call.elements(&RANGE, &[out.dtype], out.len(), |arguments| {
                arguments.view(out);
                arguments.number_or_place(call, 0);
                arguments.number_or_place(call, 2);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("TensorFlow defines no gradient of `range`")
    }
}

/// Each step is rounded to the dtype, as on the CPU.
static RANGE: Kernel = Kernel {
    name: "range",
    text: &[r#"
extern "C" __global__ void range(index_t count, T0* to, T0 start, const T0* start_place, T0 step, const T0* step_place) {
  if (start_place) start = *start_place;
  if (step_place) step = *step_place;
  ELEMENTS(i, count) {
    A0 far = wide(narrow<T0>(times(wide(narrow<T0>((A0)i)), wide(step))));
    to[i] = narrow<T0>(plus(wide(start), far));
  }
}
"#],
};

/// How many integers there are from one size up to another.
fn steps_of_one(cx: &Infer<'_>) -> Option<Dim> {
    // SAFETY: scalars of an integer dtype, as the rule has found.
    let number = |i: usize| cx.dtype(i).is_integer().then(|| cx.value(i)).flatten().map(|view| unsafe { view.integers()[0] });
    if number(2)? != 1 {
        return None;
    }
    let size = |i: usize| number(i).map_or_else(|| cx.size(i), |number| number.into_dim().ok());
    let len = size(1)? - size(0)?;
    // A limit below the start is an error of the run, which a length must not hide.
    len.at_least(0).then_some(len)
}

/// How many numbers there are.
///
/// # Safety
/// The views are valid scalars of one dtype.
unsafe fn length(start: &View, limit: &View, step: &View) -> Result<usize> {
    // SAFETY: by the caller's promise.
    let (size, ascends, arrives, is_zero) = unsafe {
        if start.dtype.is_integer() {
            let [a, b, s] = [start, limit, step].map(|v| i128::from(v.integers()[0]));
            let size = if s == 0 { 0.0 } else { ((b - a).unsigned_abs().div_ceil(s.unsigned_abs())) as f64 };
            (size, s > 0, (b - a).signum(), s == 0)
        } else {
            let [a, b, s] = [float(start), float(limit), float(step)];
            let sign = if b > a { 1 } else { -i128::from(b < a) };
            let size = rounded(start.dtype, rounded(start.dtype, b - a) / s).abs().ceil();
            (size, s > 0.0, sign, s == 0.0)
        }
    };
    let refuse = |what: &str, expected: &str| Err(Error::invalid_argument("range", what).expected(expected));
    if is_zero {
        return refuse("the step is 0", "a step other than 0");
    }
    if arrives != 0 && ascends != (arrives > 0) {
        return refuse(
            "the step leads away from the limit",
            "a limit above the start for a positive step, or below for a negative one",
        );
    }
    match size {
        // Written so that NaN is refused as well.
        s if s <= (isize::MAX >> 4) as f64 => Ok(s as usize),
        _ => refuse("there are too many numbers, or one that is not finite", "finite numbers"),
    }
}

/// A number rounded to a dtype: the length is worked out in the dtype, as TensorFlow does it.
fn rounded(dtype: DType, value: f64) -> f64 {
    match dtype {
        DType::F32 => f64::from(value as f32),
        DType::F16 => f16::from_f64(value).to_f64(),
        DType::BF16 => bf16::from_f64(value).to_f64(),
        _ => value,
    }
}

/// # Safety
/// The view is a valid floating-point scalar.
unsafe fn float(view: &View) -> f64 {
    // SAFETY: by the caller's promise.
    unsafe {
        match view.dtype {
            DType::F32 => f64::from(*view.ptr.cast::<f32>()),
            DType::F16 => (*view.ptr.cast::<f16>()).to_f64(),
            DType::BF16 => (*view.ptr.cast::<bf16>()).to_f64(),
            _ => *view.ptr.cast::<f64>(),
        }
    }
}

/// The numbers `start`, `start + step`, ... that come before `limit`, as a vector.
///
/// Numbers or scalar tensors; plain numbers take the dtype of a tensor among them, else `int32` or `float32`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::range(0, 5, 2).to_vec::<i32>(), [0, 2, 4]);
/// assert_eq!(tf::range(1.0, 0.0, -0.5).to_vec::<f32>(), [1.0, 0.5]);
/// ```
///
/// # Panics
/// As [`try_range`] fails.
#[track_caller]
pub fn range(start: impl ToOperand, limit: impl ToOperand, step: impl ToOperand) -> Tensor {
    try_range(start, limit, step).or_fail()
}

/// The numbers `start`, `start + step`, ... that come before `limit`, as a vector.
///
/// # Errors
/// InvalidArgument for a step of 0 or away from the limit, different dtypes, or a dtype without ranges.
#[track_caller]
pub fn try_range(start: impl ToOperand, limit: impl ToOperand, step: impl ToOperand) -> Result<Tensor> {
    let here = Location::caller();
    counted(start.to_operand(), limit.to_operand(), step.to_operand()).map_err(|e| e.at(here))
}

#[track_caller]
fn counted(start: Operand<'_>, limit: Operand<'_>, step: Operand<'_>) -> Result<Tensor> {
    let dtype = Operand::common_dtype(&[&start, &limit, &step]);
    let [start, limit, step] =
        [start.tensor("range", dtype)?, limit.tensor("range", dtype)?, step.tensor("range", dtype)?];
    execute1(&Range, &[&start, &limit, &step])
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use tf::DType;

    #[test]
    fn lengths_and_refusals() {
        assert_eq!(tf::range(5, -4, -3).to_vec::<i32>(), [5, 2, -1]);
        assert_eq!(tf::range(3, 3, 1).shape(), [0]);
        let start = tf::constant_of(0, DType::I64);
        assert_eq!(tf::range(&start, 2, 1).to_vec::<i64>(), [0, 1]);
        let half = tf::range(&tf::constant_of(-1.0, DType::F16), 1.0, 0.1);
        assert_eq!(half.shape(), [20]);
        assert_eq!(tf::cast(&half, DType::F32).to_vec::<f32>()[10], 0.0);
        for (a, b, s) in [(0.0, 1.0, 0.0), (0.0, 1.0, -1.0), (0.0, f64::INFINITY, 1.0), (f64::NAN, 1.0, 1.0)] {
            assert!(tf::try_range(a, b, s).is_err(), "{a} {b} {s}");
        }
        assert!(tf::try_range(&tf::constant([1]), 2, 1).is_err());
        assert!(tf::try_range(&tf::constant_of(1, DType::U8), 2, 1).is_err());
    }
}
