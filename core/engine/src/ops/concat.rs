//! `concat`: tensors one after another along an axis; each dx is its slice of dy.
//! TensorFlow's `tf.concat`.

mod device;

use super::{AsTensors, Tensors, reshape_to};
use super::slice::slice_axis;
use kernels::backend::cpu::{CpuCall, View, Work, copy, part};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::DTypes;
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::{Sizes, Gradient, Infer, Kind, Op, identity};
use crate::lists::concat::ConcatList;
use kernels::shape::{Dim, resolve_axis};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
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

    fn sizes(&self, inputs: &[&Sizes], _: &[&TensorType], _: usize) -> Option<Sizes> {
        Some(inputs.iter().flat_map(|sizes| sizes.iter().copied()).collect())
    }

    fn may_fail(&self) -> bool {
        false
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
                        return Err(Error::invalid_argument(
                            "concat",
                            format!("the tensors differ in dimension {axis}"),
                        )
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

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(chunks(call).1)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let out = &call.outputs[0];
        let (all, chunks) = chunks(call);
        let own = part(all, chunk, chunks, 1);
        let (mut at, mut first) = (0, 0);
        for input in call.inputs {
            let count = slabs(input);
            let own = own.start.clamp(first, first + count) - first..own.end.clamp(first, first + count) - first;
            if !own.is_empty() {
                let step = out.strides()[self.axis] * out.dtype.size() as isize;
                let place = View::new(out.ptr.wrapping_offset(at * step), out.dtype, input.dims(), out.strides());
                let slab = |i: usize| part(input.dims()[lead(input)], i, count, 1);
                let rows = slab(own.start).start..slab(own.end - 1).end;
                let slab = |view: &View| view.slab(lead(input), rows.clone());
                // SAFETY: each slab of each input has its own part of the dense output.
                unsafe { copy::copy(&slab(input), &slab(&place)) };
            }
            first += count;
            at += input.dims()[self.axis] as isize;
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let out = &call.outputs[0];
        let (mut dense, mut at): (Vec<(&View, usize)>, usize) = (Vec::new(), 0);
        for input in call.inputs {
            let step = out.strides()[self.axis] * out.dtype.size() as isize;
            let first = out.ptr.wrapping_offset(at as isize * step);
            if !input.is_empty() && input.is_dense() {
                dense.push((input, at));
            } else if !input.is_empty() {
                // SAFETY: each input has its own part of the dense output.
                unsafe { cuda::copy_to(call, input, &View::new(first, out.dtype, input.dims(), out.strides()))? };
            }
            at += input.dims()[self.axis];
        }
        for some in dense.chunks(device::PARTS) {
            // SAFETY: as above.
            unsafe { self.join(call, some)? };
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
                // Sizes that must be equal may have different names.
                let dx = reshape_to(&dx, &g.input_type(i).shape)?;
                g.give(i, dx);
            }
            at = at + size;
        }
        Ok(())
    }
}

/// Bytes that one chunk copies, about.
const CHUNK: usize = 256 * 1024;

/// Enough for the threads of any processor to share.
const MOST_CHUNKS: usize = 256;

/// The outermost axis along which there is something to cut.
fn lead(input: &View) -> usize {
    input.dims().iter().position(|&d| d > 1).unwrap_or(0)
}

/// The number of slabs of all inputs, and that of chunks. Thousands of small inputs are one chunk: each chunk looks at all
/// inputs.
fn chunks(call: &CpuCall<'_>) -> (usize, usize) {
    let slabs = call.inputs.iter().map(slabs).sum::<usize>();
    let bytes = call.outputs[0].len() * call.outputs[0].dtype.size();
    (slabs, (bytes / CHUNK).clamp(1, slabs.clamp(1, MOST_CHUNKS)))
}

/// The number of slabs that an input is copied in.
fn slabs(input: &View) -> usize {
    (input.len() * input.dtype.size() / CHUNK).clamp(1, input.dims()[lead(input)].max(1))
}

#[cold]
pub(crate) fn no_tensors(op: &str) -> Error {
    Error::invalid_argument(op, "there are no tensors").expected("at least one")
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
pub fn concat<L: AsTensors + ?Sized>(tensors: &L, axis: isize) -> Tensor {
    try_concat(tensors, axis).or_fail()
}

/// Tensors one after another along an axis.
///
/// # Errors
/// InvalidArgument for no tensors, different dtypes or ranks, sizes that differ, or an axis that does not exist.
#[track_caller]
pub fn try_concat<L: AsTensors + ?Sized>(tensors: &L, axis: isize) -> Result<Tensor> {
    let here = Location::caller();
    let held = match tensors.as_tensors().map_err(|e| e.in_op("concat").at(here))? {
        Tensors::Each(held) => held,
        Tensors::List(list, item) => return concat_list(list, item, axis).map_err(|e| e.at(here)),
    };
    let list: Vec<&Tensor> = held.iter().map(|t| &**t).collect();
    let Some(first) = list.first() else {
        return Err(no_tensors("concat").at(here));
    };
    let axis = resolve_axis("concat", axis, first.rank()).map_err(|e| e.at(here))?;
    concat_all(&list, axis).map_err(|e| e.at(here))
}

/// The items of a list of the graph.
#[track_caller]
fn concat_list(list: &Tensor, item: TensorType, axis: isize) -> Result<Tensor> {
    let axis = resolve_axis("concat", axis, item.shape.rank())?;
    execute1(&ConcatList { item, axis }, &[list, list])
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients() {
        let (a, b) = (numbers(1, &[2, 3, 2]), numbers(2, &[2, 1, 2]));
        check(&|x| tf::concat(&[&x[0], &x[1], &x[0]], 1).square(), &[a, b]);
    }

    #[test]
    fn large_ones_agree_with_a_plain_loop() {
        let (a, b) = (numbers(3, &[300, 40, 30]), numbers(4, &[30, 40, 300]));
        let turned = tf::transpose(&b, []);
        let b = turned.to_vec::<f64>();
        let values = a.to_vec::<f64>();
        for axis in 0..3 {
            let got = tf::concat(&[&a, &turned], axis as isize).to_vec::<f64>();
            let inner: usize = [300, 40, 30][axis..].iter().product();
            for (i, got) in got.into_iter().enumerate() {
                let (row, at) = (i / (2 * inner), i % (2 * inner));
                let want = if at < inner { values[row * inner + at] } else { b[row * inner + at - inner] };
                assert_eq!(got, want);
            }
        }
    }

    #[test]
    fn operands_of_all_sizes_in_one_call() {
        // Small ones, a large one of several slabs, empty ones, and small ones again: chunks begin inside operands.
        let rows: Vec<usize> = (0..400).map(|i| if i == 150 { 90_000 } else { i % 4 }).collect();
        let parts: Vec<tf::Tensor> = (0..).zip(&rows).map(|(i, &n)| numbers(i, &[n, 3])).collect();
        let want: Vec<f64> = parts.iter().flat_map(|part| part.to_vec::<f64>()).collect();
        assert!(tf::concat(&parts, 0).to_vec::<f64>() == want);
        let turned: Vec<tf::Tensor> = parts.iter().map(|part| tf::transpose(part, [])).collect();
        assert!(tf::transpose(tf::concat(&turned, 1), []).to_vec::<f64>() == want);
    }

    #[test]
    fn edges_and_refusals() {
        let x = tf::constant([[1, 2]]);
        assert_eq!(tf::concat(&[&x, &tf::cast(&tf::zeros([0, 2]), tf::DType::I32)], 0).to_vec::<i32>(), [1, 2]);
        assert!(tf::try_concat(&[&x, &tf::constant([[1, 2, 3]])], 0).is_err());
        assert!(tf::try_concat(&[&tf::constant(1), &tf::constant(2)], 0).is_err());
        assert!(tf::try_concat(&[&x, &tf::ones([1, 2])], 0).is_err() && tf::try_concat(&[&x, &x], 2).is_err());
    }
}
