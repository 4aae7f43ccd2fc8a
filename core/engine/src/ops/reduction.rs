//! What all reductions share: the type rule, the kernel driver, and the way back to the input's shape.
//! The reduction operations' files call it.

use super::divide::Divide;
use super::{broadcast_to_shape, reshape_to};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::reduce::{Monoid, ReducePlan};
use kernels::backend::cpu::{CpuCall, Work};
use kernels::dtype::DTypes;
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use kernels::shape::{AxisSet, Dim, MAX_RANK, Shape};

/// A fold of axes with a monoid; `mean` divides by the number of elements folded.
pub(crate) struct Reduction {
    pub monoid: Monoid,
    pub axes: AxisSet,
    pub mean: bool,
}

impl Reduction {
    pub fn work(&self, call: &CpuCall<'_>) -> Work {
        ReducePlan::new(&call.inputs[0], self.axes).work()
    }

    /// # Safety
    /// As `Op::cpu`.
    pub unsafe fn cpu(&self, op: &str, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let plan = ReducePlan::new(&call.inputs[0], self.axes);
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
    let (mut dims, mut rank) = ([Dim::ONE; MAX_RANK], 0);
    for (i, size) in shape.iter().enumerate().filter(|(i, _)| keep || !axes.contains(*i)) {
        if !axes.contains(i) {
            dims[rank] = size;
        }
        rank += 1;
    }
    Shape::from_dims(&dims[..rank])
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

/// Writes the parts of an `impl Op` that every fold has: kind, type rule and kernel.
macro_rules! fold {
    ($accepts:expr, |$this:ident| $reduction:expr) => {
        fn kind(&self) -> $crate::op::Kind {
            $crate::op::Kind::Reduction
        }

        fn infer(&self, cx: &mut $crate::op::Infer<'_>) -> $crate::Result<()> {
            $crate::ops::reduction::infer(cx, self.axes, self.keep, $accepts)
        }

        fn takes_strides(&self) -> bool {
            true
        }

        fn reduction(&self) -> Option<(kernels::backend::cpu::reduce::Monoid, kernels::shape::AxisSet, bool)> {
            let $this = self;
            let fold = $reduction;
            Some((fold.monoid, fold.axes, fold.mean))
        }

        fn work(&self, call: &kernels::backend::cpu::CpuCall<'_>) -> kernels::backend::cpu::Work {
            let $this = self;
            $reduction.work(call)
        }

        unsafe fn cpu(
            &self,
            call: &kernels::backend::cpu::CpuCall<'_>,
            phase: usize,
            chunk: usize,
        ) -> $crate::Result<()> {
            let $this = self;
            // SAFETY: the same contract.
            unsafe { $reduction.cpu(self.name(), call, phase, chunk) }
        }
    };
}
pub(crate) use fold;

/// 1 where two tensors are equal, else 0, in their own dtype: who shares an extreme.
#[derive(Clone)]
struct Ties;

impl Op for Ties {
    identity!("ties");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.select(s.eq(x[0], x[1]), s.number(x[0], 1.0), s.number(x[0], 0.0))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("which elements are largest does not change with small changes")
    }
}

/// 1 where two tensors of floats are equal, else 0.
#[track_caller]
pub(crate) fn ties(x: &Tensor, best: &Tensor) -> Result<Tensor> {
    execute1(&Ties, &[x, best])
}

/// The rule of `reduce_max` and `reduce_min`, which save input and output: equal elements share the cotangent equally.
///
/// A row with NaN has no equal elements, and its share is NaN, as TensorFlow's.
pub(crate) fn share_among_ties(g: &mut Backward<'_>, axes: AxisSet) -> Result<()> {
    let shape = g.input_type(0).shape;
    let best = broadcast_back(g.output(0)?, &shape, axes)?;
    let ties = execute1(&Ties, &[g.input(0)?, &best])?;
    let count = super::sum_axes(&ties, axes, true)?;
    let dy = reshape_to(&g.dy(0)?, count.shape())?;
    let share = execute1(&Divide, &[&dy, &count])?;
    let dx = super::run_binary(&super::multiply::Multiply, &ties, &share)?;
    g.give(0, dx);
    Ok(())
}
