//! `sum_to`: the sum over the axes along which an operand was broadcast, where only the numbers of a run tell which these
//! are; dx = dy, repeated along them. The tape records it for operands with open sizes that may be 1.

use super::broadcast_to::{broadcast_op, broadcast_to_shape};
use super::reduce_sum::sum_op;
use crate::execute::execute1;
use crate::meaning::each_part;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Outputs, identity};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::Result;
use kernels::shape::{AxisSet, Dim, Shape};
use std::sync::Arc;

#[derive(Clone)]
struct SumTo {
    from: Shape,
    /// Of the same rank: each size is that of `from`, or 1.
    to: Shape,
}

impl Op for SumTo {
    identity!("sum_to", { "from": Shape = |this| &this.from, "to": Shape = |this| &this.to });

    /// With numbers it is a sum over axes that are known, or nothing at all.
    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        let (from, to) = (self.from.bind(lookup)?, self.to.bind(lookup)?);
        let (Some(sizes), Some(results)) = (from.known_dims(), to.known_dims()) else {
            return Ok(OpRef::Shared(Arc::new(Self { from, to })));
        };
        let summed = (0..sizes.len()).filter(|&axis| results[axis] == 1 && sizes[axis] != 1);
        let axes = summed.fold(AxisSet::default(), AxisSet::with);
        Ok(if axes.is_empty() { broadcast_op(&to) } else { sum_op(axes, true) })
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::NUMBERS)?;
        cx.output(cx.dtype(0), self.to);
        Ok(())
    }

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        each_part(self, inputs[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = broadcast_to_shape(&g.dy(0)?, &g.input_type(0).shape)?;
        g.give(0, dx);
        Ok(())
    }
}

/// The sum over those of some axes that have size 1 in `ty`; the others stay as they are. `ty` may have fewer axes.
pub(crate) fn sum_undecided(x: &Tensor, axes: AxisSet, ty: &Shape) -> Result<Tensor> {
    if axes.is_empty() {
        return Ok(x.clone());
    }
    let leading = x.rank() - ty.rank();
    let size = |axis: usize| if axes.contains(axis) { ty.dim(axis - leading) } else { x.shape().dim(axis) };
    let sizes: Vec<Dim> = (0..x.rank()).map(size).collect();
    execute1(&SumTo { from: *x.shape(), to: Shape::from_dims(&sizes)? }, &[x])
}
