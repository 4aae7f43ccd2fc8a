//! What all reductions share: the type rule, the kernel driver, and the way back to the input's shape.
//! The reduction operations' files call it.

use super::{broadcast_to_shape, reshape_to};
use crate::backend::cpu::reduce::{Monoid, Plan};
use crate::backend::cpu::{CpuCall, Work};
use crate::dtype::DTypes;
use crate::error::Result;
use crate::op::Infer;
use crate::shape::{AxisSet, Dim, Shape};
use crate::tensor::Tensor;

/// A fold of axes with a monoid; `mean` divides by the number of elements folded.
pub(crate) struct Reduction {
    pub monoid: Monoid,
    pub axes: AxisSet,
    pub mean: bool,
}

impl Reduction {
    pub fn work(&self, call: &CpuCall<'_>) -> Work {
        Plan::new(&call.inputs[0], self.axes).work()
    }

    /// # Safety
    /// As `Op::cpu`.
    pub unsafe fn cpu(&self, op: &str, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let plan = Plan::new(&call.inputs[0], self.axes);
        // SAFETY: scratch is what `work` asked for; outputs are dense and fresh.
        unsafe {
            plan.run(
                op,
                self.monoid,
                self.mean,
                &call.inputs[0],
                &call.outputs[0],
                call.scratch,
                call.isa,
                phase,
                chunk,
            )
        }
    }
}

/// The shape without the folded axes, or with size 1 in their place.
pub(crate) fn reduced_shape(shape: &Shape, axes: AxisSet, keep: bool) -> Result<Shape> {
    let dims = shape.iter().enumerate().filter(|(i, _)| keep || !axes.contains(*i));
    let dims: smallvec::SmallVec<[Dim; 8]> = dims.map(|(i, d)| if axes.contains(i) { Dim::ONE } else { d }).collect();
    Shape::from_dims(&dims)
}

/// The type rule of reductions that keep the dtype.
pub(crate) fn infer(cx: &mut Infer<'_>, axes: AxisSet, keep: bool, accepts: DTypes) -> Result<()> {
    cx.check_dtype(0, accepts)?;
    let shape = reduced_shape(cx.shape(0), axes, keep)?;
    cx.output(cx.dtype(0), shape);
    Ok(())
}

/// A tensor of the reduced shape as it lies over the input's: repeated along the folded axes, without a copy.
#[track_caller]
pub(crate) fn broadcast_back(dy: &Tensor, shape: &Shape, axes: AxisSet) -> Result<Tensor> {
    let kept = reshape_to(dy, &reduced_shape(shape, axes, true)?)?;
    broadcast_to_shape(&kept, shape)
}
