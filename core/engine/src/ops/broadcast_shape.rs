//! `broadcast_static_shape` and `broadcast_dynamic_shape`: the shape of two tensors broadcast together, of shapes or of integer vectors.
//! TensorFlow's functions of these names; integers, so no gradient.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Sizes, identity};
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::CpuCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Constraints, Dim, IntoShape, Shape, broadcast};
use std::panic::Location;

/// Inputs: two shapes as vectors.
#[derive(Clone)]
struct BroadcastShape;

impl Op for BroadcastShape {
    identity!("broadcast_dynamic_shape");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn runs_on_host(&self) -> bool {
        true
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::of(&[DType::I32, DType::I64]))?;
        if cx.shape(0).rank() != 1 || cx.shape(1).rank() != 1 {
            return Err(Error::invalid_argument(cx.op(), "a shape is a vector")
                .got(format!("{} and {}", cx.input(0), cx.input(1)))
                .expected("two vectors of sizes"));
        }
        let rank = cx.shape(0).dim(0).max(cx.shape(1).dim(0));
        cx.output(cx.dtype(0), Shape::from_dims(&[rank])?);
        Ok(())
    }

    fn sizes(&self, inputs: &[&Sizes], _: &[&TensorType], _: usize) -> Option<Sizes> {
        let (long, short) =
            if inputs[0].len() < inputs[1].len() { (inputs[1], inputs[0]) } else { (inputs[0], inputs[1]) };
        let mut sizes = long.clone();
        let lead = long.len() - short.len();
        for (size, &other) in sizes[lead..].iter_mut().zip(short) {
            *size = match (*size, other) {
                (a, b) if a == b || b == Dim::ONE => a,
                (Dim::ONE, b) => b,
                // One of them may still turn out to be 1.
                _ => return None,
            };
        }
        Some(sizes)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        // SAFETY: dense views of integers.
        let (a, b) = unsafe { (call.inputs[0].integers(), call.inputs[1].integers()) };
        let out = &call.outputs[0];
        let from_end = |sizes: &[i64], i: usize| sizes.len().checked_sub(i + 1).map_or(1, |at| sizes[at]);
        for i in 0..out.len() {
            let size = match (from_end(&a, i), from_end(&b, i)) {
                (a, b) if a == b || b == 1 => a,
                (1, b) => b,
                _ => {
                    return Err(Error::invalid_argument("broadcast_dynamic_shape", "the shapes do not broadcast")
                        .got(format!("{a:?} and {b:?}"))
                        .expected("sizes that are equal or 1, from the last on"));
                }
            };
            let at = out.len() - 1 - i;
            // SAFETY: inside the output.
            unsafe {
                match out.dtype {
                    DType::I32 => out.ptr.cast::<i32>().add(at).write(size as i32),
                    _ => out.ptr.cast::<i64>().add(at).write(size),
                }
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("sizes are integers")
    }
}

public! {
    /// The shape, as an integer vector, of tensors of two shapes broadcast together.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let shape = tf::broadcast_dynamic_shape(&tf::constant([2, 1, 3]), &tf::constant([5, 1]));
    /// assert_eq!(shape.to_vec::<i32>(), [2, 5, 3]);
    /// ```
    pub fn broadcast_dynamic_shape, try_broadcast_dynamic_shape(shape_x, shape_y: &Tensor) -> Tensor {
        execute1(&BroadcastShape, &[shape_x, shape_y])
    }
}

/// The shape of tensors of two shapes broadcast together.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::broadcast_static_shape([2, 1, 3], [5, 1]), [2, 5, 3]);
/// ```
///
/// # Panics
/// As [`try_broadcast_static_shape`] fails.
#[track_caller]
pub fn broadcast_static_shape(shape_x: impl IntoShape, shape_y: impl IntoShape) -> Shape {
    try_broadcast_static_shape(shape_x, shape_y).or_fail()
}

/// The shape of tensors of two shapes broadcast together.
///
/// # Errors
/// InvalidArgument for shapes that do not broadcast; sizes without numbers must be known to be equal.
#[track_caller]
pub fn try_broadcast_static_shape(shape_x: impl IntoShape, shape_y: impl IntoShape) -> Result<Shape> {
    let here = Location::caller();
    let both = || -> Result<Shape> {
        let (x, y) = (shape_x.into_shape()?, shape_y.into_shape()?);
        let mut constraints = Constraints::default();
        let shape = broadcast(&x, &y, &mut constraints)?;
        if !constraints.is_empty() {
            return Err(Error::invalid_argument("", "whether the shapes broadcast is not known yet")
                .got(format!("{x} and {y}"))
                .help("`broadcast_dynamic_shape` takes shapes whose sizes are known when it runs"));
        }
        Ok(shape)
    };
    both().map_err(|e| e.in_op("broadcast_static_shape").at(here))
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn edges_and_refusals() {
        let none = tf::zeros([0]).cast(tf::DType::I32);
        assert_eq!(tf::broadcast_dynamic_shape(&none, &tf::constant([3])).to_vec::<i32>(), [3]);
        assert_eq!(tf::broadcast_dynamic_shape(&tf::constant([0]), &tf::constant([1])).to_vec::<i32>(), [0]);
        assert!(tf::try_broadcast_dynamic_shape(&tf::constant([2]), &tf::constant([3])).is_err());
        assert!(tf::try_broadcast_dynamic_shape(&tf::constant(2), &tf::constant([3])).is_err());
        let error = tf::try_broadcast_static_shape([2, 3], [2]).unwrap_err().to_string();
        assert!(error.contains("broadcast_static_shape"), "{error}");
    }
}
