//! `optimization_barrier`: a tensor as it is, once another one is there, which passes take for neither of them. `recompute_grad` reads
//! its inputs through it, so that what is computed again is not what was computed before. JAX's `optimization_barrier`.

use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::MAX_RANK;

/// Inputs: the tensor, and the one to wait for.
#[derive(Clone)]
struct Barrier;

/// The same tensor, computed when `after` is there.
#[track_caller]
pub(crate) fn barrier(x: &Tensor, after: &Tensor) -> Result<Tensor> {
    execute1(&Barrier, &[x, after])
}

impl Op for Barrier {
    identity!("optimization_barrier", kept);

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn view(&self, _: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
        layout.strides[..strides.len()].copy_from_slice(strides);
        Some(layout)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = g.dy(0)?;
        g.give(0, dx);
        Ok(())
    }
}
