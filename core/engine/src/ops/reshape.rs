//! `reshape`: the same elements under another shape; dx = dy in the input's shape.
//! TensorFlow's `tf.reshape`, `tf.expand_dims`, `tf.squeeze`: views wherever the elements lie dense.

use super::axes::IntoAxes;
use super::public;
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Sizes, Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::shape::{Constraints, Dim, IntoShape, Shape, contiguous_strides, reshape_dims, resolve_axis};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Reshape {
    shape: Shape,
}

impl Op for Reshape {
    identity!("reshape", { "shape": Shape = |this| &this.shape });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL)?;
        let (from, to) = (cx.shape(0).element_count(), self.shape.element_count());
        if from != to {
            if from.is_known() && to.is_known() {
                return Err(Error::invalid_argument("reshape", "the shapes have different numbers of elements")
                    .got(format!("{} to {}", cx.shape(0), self.shape))
                    .expected(format!("{from} elements")));
            }
            cx.constraints.push(from, to);
        }
        cx.output(cx.dtype(0), self.shape);
        Ok(())
    }

    fn view(&self, input: &TensorType, strides: &[isize], output: &TensorType) -> Option<Layout> {
        view_strides(&input.shape, strides, &output.shape)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn sizes(&self, inputs: &[&Sizes], _: &[&TensorType], _: usize) -> Option<Sizes> {
        Some(inputs[0].clone())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = reshape_to(&g.dy(0)?, &g.input_type(0).shape)?;
        g.give(0, dx);
        Ok(())
    }
}

/// Strides for the new shape, if it only adds or drops dimensions of size 1 or the elements lie dense.
fn view_strides(from: &Shape, strides: &[isize], to: &Shape) -> Option<Layout> {
    let mut dense = [0; kernels::shape::MAX_RANK];
    contiguous_strides(from.dims(), &mut dense);
    let real = |i: usize, d: usize| d != 1 && strides[i] != dense[i];
    if !from.dims().iter().enumerate().any(|(i, &d)| real(i, d)) || from.num_elements() == 0 {
        return Some(Tensor::dense_layout(to));
    }
    let mut kept = from.dims().iter().zip(strides).filter(|(d, _)| **d != 1);
    let mut out = [0; kernels::shape::MAX_RANK];
    for (axis, &size) in to.dims().iter().enumerate().filter(|(_, d)| **d != 1) {
        match kept.next() {
            Some((&d, &stride)) if d == size => out[axis] = stride,
            _ => return None,
        }
    }
    kept.next().is_none().then_some(Layout { strides: out, offset: 0 })
}

/// The same elements under a shape; the same handle if it has it.
#[track_caller]
pub(crate) fn reshape_to(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    if x.shape() == shape {
        return Ok(x.clone());
    }
    reshape_always(x, shape)
}

/// As [`reshape_to`], but a new tensor even where the shape stays.
#[track_caller]
pub(crate) fn reshape_always(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    execute1(&Reshape { shape: *shape }, &[x])
}

/// The tensor with one more dimension of size 1 at the end.
#[track_caller]
pub(crate) fn expand_last(x: &Tensor) -> Result<Tensor> {
    reshape_to(x, &x.shape().push(Dim::ONE)?)
}

public! {
    /// The same elements in row-major order under another shape; one size may be -1 to be worked out.
    ///
    /// Sizes are numbers, [`Dim`](crate::Dim)s and integer tensors; those of several types go together in a tuple, or each in a `Dim`.
    /// None of them needs a number while a function is traced:
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::ones([2, 6]);
    /// assert_eq!(tf::reshape(&x, [3, -1]).shape(), [3, 4]);
    /// assert_eq!(tf::reshape(&x, (x.dim(0), -1, 3)).shape(), [2, 2, 3]);
    /// let heads = 3;
    /// let split = x.reshape([x.dim(0), heads.into(), x.dim(1) / heads]);
    /// assert_eq!(split.shape(), [2, 3, 2]);
    /// assert_eq!(tf::reshape(&split, &tf::shape(&x)).shape(), [2, 6]);
    /// ```
    pub fn reshape, try_reshape(x, shape: impl IntoShape) -> Tensor {
        // What stays open is checked when the rule runs again on the numbers of a call.
        let sizes = shape.into_target().map_err(|e| e.in_op("reshape"))?;
        reshape_to(x, &reshape_dims("reshape", x.shape(), &sizes, &mut Constraints::new())?)
    }

    /// A new dimension of size 1 before position `axis` (of the result).
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::expand_dims(&tf::ones([2, 3]), -1).shape(), [2, 3, 1]);
    /// ```
    pub fn expand_dims, try_expand_dims(x, axis: isize) -> Tensor {
        let axis = resolve_axis("expand_dims", axis, x.rank() + 1)?;
        reshape_to(x, &x.shape().insert(axis, Dim::ONE)?)
    }

    /// Without the given dimensions of size 1; all of them for `()`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::squeeze(&tf::ones([1, 3, 1]), 0).shape(), [3, 1]);
    /// ```
    pub fn squeeze, try_squeeze(x, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes();
        let all = axes == ().into_axes();
        let (axes, _) = axes.resolve("squeeze", x.rank())?;
        let mut kept = Vec::new();
        for (i, d) in x.shape().iter().enumerate() {
            if !axes.contains(i) || (all && d != Dim::ONE) {
                kept.push(d);
            } else if d != Dim::ONE {
                return Err(Error::invalid_argument("squeeze", format!("dimension {i} has not size 1"))
                    .got(x.shape())
                    .expected("size 1 at each axis that is dropped"));
            }
        }
        reshape_to(x, &Shape::from_dims(&kept)?)
    }
}

/// All elements as one dimension.
#[track_caller]
pub(crate) fn flatten(x: &Tensor) -> Result<Tensor> {
    reshape_to(x, &Shape::from_dims(&[x.shape().element_count()])?)
}
