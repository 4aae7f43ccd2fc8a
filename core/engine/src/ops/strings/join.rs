//! `join` puts strings of several tensors together place by place, `reduce_join` those of one tensor along axes.
//! TensorFlow's `tf.strings.join` and `tf.strings.reduce_join`.

use super::{string_fn, string_op};
use crate::execute::execute1;
use crate::op::Outputs;
use crate::ops::{AsTensors, Tensors, reshape_to};
use crate::tensor::Tensor;
use crate::tensor::strings::{Builder, Strings};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Dim, MAX_RANK, Shape, resolve_axis};
use smallvec::{SmallVec, smallvec};
use std::panic::Location;
use std::sync::Arc;

/// Inputs: strings of one shape, and scalars.
#[derive(Clone)]
struct StringJoin {
    separator: Arc<str>,
}

string_op!(StringJoin, "string_join", { "separator": Text = |this| &this.separator }, may_fail: false,
    infer: |_this, cx| {
        let mut whole: Option<Shape> = None;
        for i in 0..cx.len() {
            cx.check_dtype(i, DTypes::STRING)?;
            let shape = *cx.shape(i);
            match whole {
                _ if shape.rank() == 0 => {}
                None => whole = Some(shape),
                Some(first) => {
                    let fits = first.rank() == shape.rank() && first.iter().zip(shape.iter()).all(|(a, b)| a.can_equal(b));
                    if !fits {
                        return Err(Error::invalid_argument("string_join", "the tensors have different shapes")
                            .got(format!("{first} and {shape}"))
                            .expected("one shape for all that are no scalars"));
                    }
                    first.iter().zip(shape.iter()).for_each(|(a, b)| cx.constraints.push(a, b));
                }
            }
        }
        cx.output(DType::String, whole.unwrap_or(Shape::SCALAR));
        Ok(())
    },
    run: |this, inputs| this.join(inputs)
);

impl StringJoin {
    fn join(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        let shape = inputs.iter().map(|t| *t.shape()).find(|shape| shape.rank() > 0).unwrap_or(Shape::SCALAR);
        let all = inputs.iter().map(|input| Strings::of(input, "string_join")).collect::<Result<Vec<_>>>()?;
        let columns = all.iter().map(|strings| strings.broadcast(&shape)).collect::<Result<Vec<_>>>()?;
        let mut out = Builder::with_capacity(shape.num_elements(), 0);
        for i in 0..shape.num_elements() {
            out.push_with(|bytes| {
                joined(columns.iter().map(|column| column[i]), &self.separator, bytes);
                Ok(())
            })?;
        }
        Ok(smallvec![out.finish(&shape)?])
    }
}

/// Appends strings with the separator between them.
fn joined<'a>(rows: impl Iterator<Item = &'a [u8]>, separator: &str, out: &mut Vec<u8>) {
    for (i, row) in rows.enumerate() {
        if i > 0 {
            out.extend_from_slice(separator.as_bytes());
        }
        out.extend_from_slice(row);
    }
}

/// Strings along the last axis put together.
#[derive(Clone)]
struct JoinLast {
    separator: Arc<str>,
}

string_op!(JoinLast, "reduce_join", { "separator": Text = |this| &this.separator }, may_fail: false,
    infer: |_this, cx| {
        cx.check_dtype(0, DTypes::STRING)?;
        let shape = cx.shape(0).remove(cx.shape(0).rank() - 1);
        cx.output(DType::String, shape);
        Ok(())
    },
    run: |this, inputs| this.join(inputs[0])
);

impl JoinLast {
    fn join(&self, input: &Tensor) -> Result<Outputs> {
        let rows = Strings::of(input, "reduce_join")?.rows()?;
        let (last, shape) = (input.rank() - 1, input.shape());
        let (size, shape) = (shape[last], shape.remove(last));
        let mut out = Builder::with_capacity(shape.num_elements(), 0);
        for i in 0..shape.num_elements() {
            out.push_with(|bytes| {
                joined(rows[i * size..][..size].iter().copied(), &self.separator, bytes);
                Ok(())
            })?;
        }
        Ok(smallvec![out.finish(&shape)?])
    }
}

/// The strings of several tensors put together place by place, with a separator between them; scalars stand for every place.
///
/// ```
/// use eagerflow as tf;
/// let (a, b) = (tf::constant(["a", "b"]), tf::constant("x"));
/// assert_eq!(tf::strings::join(&[&a, &b, &a], "-").to_strings(), ["a-x-a", "b-x-b"]);
/// ```
///
/// # Panics
/// As [`try_join`] fails.
#[track_caller]
pub fn join<L: AsTensors + ?Sized>(tensors: &L, separator: &str) -> Tensor {
    try_join(tensors, separator).or_fail()
}

/// [`join`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument for tensors that hold no strings, or of different shapes; nothing broadcasts but scalars, as in TensorFlow.
#[track_caller]
pub fn try_join<L: AsTensors + ?Sized>(tensors: &L, separator: &str) -> Result<Tensor> {
    let here = Location::caller();
    let joined = match tensors.as_tensors() {
        Ok(Tensors::Each(held)) => {
            let refs: Vec<&Tensor> = held.iter().map(|t| &**t).collect();
            execute1(&StringJoin { separator: separator.into() }, &refs)
        }
        Ok(Tensors::List(..)) => {
            crate::ops::functions::try_stack(tensors, 0).and_then(|all| along(&all, &[0], separator))
        }
        Err(error) => Err(error),
    };
    joined.map_err(|e| e.at(here))
}

/// Joins along these axes in turn, which are resolved.
#[track_caller]
fn along(x: &Tensor, axes: &[usize], separator: &str) -> Result<Tensor> {
    if axes.is_empty() {
        return crate::ops::functions::try_identity(x);
    }
    // The first axis named varies fastest in the result, so it comes last.
    let mut order: SmallVec<[isize; MAX_RANK]> =
        (0..x.rank()).filter(|axis| !axes.contains(axis)).map(|axis| axis as isize).collect();
    let kept = order.len();
    order.extend(axes.iter().rev().map(|&axis| axis as isize));
    let turned = crate::ops::functions::try_transpose(x, &order[..])?;
    let mut sizes: SmallVec<[Dim; MAX_RANK]> = turned.shape().iter().take(kept).collect();
    let joined = turned.shape().iter().skip(kept).collect::<SmallVec<[Dim; MAX_RANK]>>();
    sizes.push(Shape::from_dims(&joined)?.element_count());
    let flat = reshape_to(&turned, &Shape::from_dims(&sizes)?)?;
    execute1(&JoinLast { separator: separator.into() }, &[&flat])
}

#[track_caller]
fn reduced(x: &Tensor, axes: &[isize], keep: bool, separator: &str) -> Result<Tensor> {
    let mut resolved: SmallVec<[usize; MAX_RANK]> = SmallVec::new();
    for &axis in axes {
        let axis = resolve_axis("reduce_join", axis, x.rank())?;
        if resolved.contains(&axis) {
            return Err(Error::invalid_argument("reduce_join", "an axis is named twice").got(axis));
        }
        resolved.push(axis);
    }
    let joined = along(x, &resolved, separator)?;
    if !keep {
        return Ok(joined);
    }
    let size = |(axis, size)| if resolved.contains(&axis) { Dim::ONE } else { size };
    let sizes: SmallVec<[Dim; MAX_RANK]> = x.shape().iter().enumerate().map(size).collect();
    reshape_to(&joined, &Shape::from_dims(&sizes)?)
}

string_fn! {
    /// All strings put together in row-major order, with a separator between them: a scalar.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([["a", "b"], ["c", "d"]]);
    /// assert_eq!(tf::strings::reduce_join(&x, "-").item_string(), "a-b-c-d");
    /// ```
    pub fn reduce_join, try_reduce_join(x, separator: &str) -> Tensor {
        let axes: SmallVec<[isize; MAX_RANK]> = (0..x.rank() as isize).rev().collect();
        reduced(x, &axes, false, separator)
    }

    /// The strings along some axes put together, in the order in which the axes are named; they stay with size 1 where `keep` says so.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([["a", "b"], ["c", "d"]]);
    /// assert_eq!(tf::strings::reduce_join_with(&x, &[0], "-", false).to_strings(), ["a-c", "b-d"]);
    /// assert_eq!(tf::strings::reduce_join_with(&x, &[0, 1], "", true).to_strings(), ["acbd"]);
    /// ```
    pub fn reduce_join_with, try_reduce_join_with(x, axes: &[isize], separator: &str, keep: bool) -> Tensor {
        reduced(x, axes, keep, separator)
    }
}
