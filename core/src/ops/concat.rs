//! `concat`: tensors one after another along an axis; each dx is its slice of dy.
//! TensorFlow's `tf.concat`.

use super::slice::slice_axis;
use crate::backend::cpu::{CpuCall, View, copy};
use crate::dtype::DTypes;
use crate::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::ops::AsTensor;
use crate::shape::{Dim, resolve_axis};
use crate::tape::Backward;
use crate::tensor::Tensor;
use std::panic::Location;

#[derive(Clone)]
pub(crate) struct Concat {
    axis: usize,
}

impl Op for Concat {
    identity!("concat", { "axis": Int = |this| this.axis as i64 });

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::ALL)?;
        let mut shape = *cx.shape(0);
        let mut total = Dim::ZERO;
        for i in 0..cx.len() {
            let other = cx.shape(i);
            if other.rank() != shape.rank() {
                return Err(Error::invalid_argument("concat", "the tensors have different ranks")
                    .got(format!("{shape} and {other}"))
                    .expected("equal ranks"));
            }
            for axis in (0..shape.rank()).filter(|&a| a != self.axis) {
                let (a, b) = (shape.dim(axis), other.dim(axis));
                match (a.known_value(), b.known_value()) {
                    (Some(a), Some(b)) if a != b => {
                        return Err(Error::invalid_argument("concat", format!("the tensors differ in dimension {axis}"))
                            .got(format!("{} and {other}", cx.shape(0)))
                            .expected(format!("equal sizes everywhere but along axis {}", self.axis)));
                    }
                    _ if a != b => cx.constraints.push(a, b),
                    _ => {}
                }
            }
            total = total + other.dim(self.axis);
        }
        shape = shape.with(self.axis, total)?;
        cx.output(cx.dtype(0), shape);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let out = &call.outputs[0];
        let mut at = 0isize;
        for input in call.inputs {
            let offset = at * out.strides()[self.axis] * out.dtype.size() as isize;
            // SAFETY: each input has its own part of the dense output.
            unsafe { copy::copy(input, &View::new(out.ptr.offset(offset), out.dtype, input.dims(), out.strides())) };
            at += input.dims()[self.axis] as isize;
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        let mut at = Dim::ZERO;
        for i in 0..g.len() {
            let size = g.input_type(i).shape.dim(self.axis);
            if g.needs(i) {
                let dx = slice_axis(&dy, self.axis, at, size)?;
                g.give(i, dx);
            }
            at = at + size;
        }
        Ok(())
    }
}

/// Tensors one after another along an axis that exists.
#[track_caller]
pub(crate) fn concat_all(tensors: &[&Tensor], axis: usize) -> Result<Tensor> {
    match tensors {
        [one] => Ok((*one).clone()),
        _ => execute1(&Concat { axis }, tensors),
    }
}

/// Tensors one after another along an axis; all other sizes are equal.
///
/// ```
/// use eagerflow as tf;
/// let (a, b) = (tf::constant([[1, 2]]), tf::constant([[3, 4], [5, 6]]));
/// assert_eq!(tf::concat(&[&a, &b], 0).to_vec::<i32>(), [1, 2, 3, 4, 5, 6]);
/// ```
///
/// # Panics
/// As [`try_concat`] fails.
#[track_caller]
pub fn concat<T: AsTensor>(tensors: &[T], axis: isize) -> Tensor {
    try_concat(tensors, axis).or_fail()
}

/// Tensors one after another along an axis.
///
/// # Errors
/// InvalidArgument for no tensors, different dtypes or ranks, sizes that differ, or an axis that does not exist.
#[track_caller]
pub fn try_concat<T: AsTensor>(tensors: &[T], axis: isize) -> Result<Tensor> {
    let here = Location::caller();
    let held: Vec<_> = tensors.iter().map(T::as_tensor).collect();
    let list: Vec<&Tensor> = held.iter().map(|t| &**t).collect();
    let Some(first) = list.first() else {
        return Err(Error::invalid_argument("concat", "there are no tensors").expected("at least one").at(here));
    };
    resolve_axis("concat", axis, first.rank()).and_then(|axis| concat_all(&list, axis)).map_err(|e| e.at(here))
}
