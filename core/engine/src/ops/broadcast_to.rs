//! `broadcast_to`: repeats a tensor over a larger shape, a view without a copy; dx = dy summed over what was repeated.
//! TensorFlow's `tf.broadcast_to`.

use super::public;
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::shape::{IntoShape, MAX_RANK, Shape, broadcast};
use crate::tape::Backward;
use crate::ops::sum_to;
use crate::tensor::{Layout, Tensor, TensorType};
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct BroadcastTo {
    shape: Shape,
}

impl Op for BroadcastTo {
    identity!("broadcast_to", { "shape": Shape = |this| &this.shape });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        let shape = broadcast(cx.shape(0), &self.shape, &mut cx.constraints).map_err(|e| e.in_op("broadcast_to"))?;
        if shape.rank() != self.shape.rank() || (shape.is_known() && self.shape.is_known() && shape != self.shape) {
            return Err(Error::invalid_argument("broadcast_to", "the tensor does not fit into the shape")
                .got(cx.shape(0))
                .expected(format!("a shape that broadcasts to {}", self.shape)));
        }
        cx.output(cx.dtype(0), self.shape);
        Ok(())
    }

    fn view(&self, input: &TensorType, strides: &[isize], output: &TensorType) -> Option<Layout> {
        let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
        let lead = output.shape.rank() - input.shape.rank();
        for (axis, &size) in input.shape.dims().iter().enumerate() {
            if size != 1 {
                layout.strides[lead + axis] = strides[axis];
            }
        }
        Some(layout)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = sum_to(g.dy(0)?, g.input_type(0))?;
        g.give(0, dx);
        Ok(())
    }
}

/// The operation that repeats a tensor over a shape.
pub(crate) fn broadcast_op(shape: &Shape) -> OpRef {
    OpRef::Shared(Arc::new(BroadcastTo { shape: *shape }))
}

/// A tensor repeated over a shape; the same handle if it has it.
#[track_caller]
pub(crate) fn broadcast_to_shape(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    if x.shape() == shape {
        return Ok(x.clone());
    }
    execute1(&BroadcastTo { shape: *shape }, &[x])
}

public! {
    /// The tensor repeated over a larger shape, by the rules of broadcasting. No element is copied.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::broadcast_to(&tf::constant([1, 2]), [3, 2]);
    /// assert_eq!(x.to_vec::<i32>(), [1, 2, 1, 2, 1, 2]);
    /// ```
    pub fn broadcast_to, try_broadcast_to(x, shape: impl IntoShape) -> Tensor {
        broadcast_to_shape(x, &shape.into_shape().map_err(|e| e.in_op("broadcast_to"))?)
    }
}
