//! The cross entropy with labels that are distributions, and its gradient.
//! The functions in `mod.rs` run it.

use super::{losses, outputs, with_softmax};
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, softmax_rows, Work};
use kernels::backend::cuda::{CudaCall, RowKernel, row_kernel};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::ops::multiply::Multiply;
use crate::ops::log_softmax::LogSoftmax;
use crate::ops::normalise::{REAL, axis_last, check, chunk, part, part_mut, rows_of, work};
use crate::ops::subtract::Subtract;
use crate::ops::{broadcast_to_shape, reshape, zeros_of};
use kernels::scalar::{Scalar, Val};
use kernels::shape::{Constraints, broadcast};
use crate::tape::Backward;
use crate::tensor::Tensor;

/// Inputs: labels and logits of one shape. Outputs: the loss of each row, and the softmax for the gradient.
#[derive(Clone)]
pub(crate) struct CrossEntropy;

/// `(p - labels) * dy`: one pass, differentiated by its meaning.
#[derive(Clone)]
struct CrossEntropyGradient;

impl Op for CrossEntropy {
    identity!("softmax_cross_entropy_with_logits");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        outputs(cx, "softmax_cross_entropy_with_logits").map(drop)
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        work(&call.outputs[1])
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, index: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, index, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        let (labels, logits, loss, p) = (&call.inputs[0], &call.inputs[1], &call.outputs[0], &call.outputs[1]);
        let (range, n) = chunk(p, index);
        macro_rules! run {
            ($t:ty) => {{
                let loss = if n == 0 { part_mut::<$t>(loss, &(0..loss.len()), 1) } else { part_mut(loss, &range, 1) };
                if n == 0 {
                    loss.fill(0.0);
                }
                let (labels, logits) = (part(labels, &range, n), part(logits, &range, n));
                softmax_rows::cross_entropy::<$t>(call.isa, n, labels, logits, loss, part_mut(p, &range, n));
            }};
        }
        // SAFETY: dense tensors of the inferred shapes; chunks have rows of their own.
        unsafe {
            match p.dtype {
                DType::F64 => run!(f64),
                _ => run!(f32),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: RowKernel = row_kernel!("cross_entropy", "cross_entropy.cuh");
        let (labels, logits, loss, p) = (&call.inputs[0], &call.inputs[1], &call.outputs[0], &call.outputs[1]);
        let size = [loss.len(), rows_of(p).1];
        // The kernels beside it have class numbers.
        let types = [p.dtype, DType::I64];
        // SAFETY: dense tensors of the inferred shapes; rows without classes lose nothing.
        unsafe { call.rows(&KERNEL, &types, size, false, |to| to.views(&[labels, logits, loss, p])) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        let logits = if needs[0] { Saves::inputs(&[1]) } else { Saves::NOTHING };
        let p = if needs[1] { Saves::inputs(&[0]).and(Saves::outputs(&[1])) } else { Saves::NOTHING };
        logits.and(p)
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = reshape::expand_last(&g.dy(0)?)?;
        if g.needs(0) {
            let logits = g.input(1)?;
            let log = execute1(&LogSoftmax { axis: logits.rank() - 1 }, &[logits])?;
            let product = execute1(&Multiply, &[&log, &dy])?;
            let dx = execute1(&Subtract, &[&zeros_of(g.input_type(0))?, &product])?;
            g.give(0, dx);
        }
        if g.needs(1) {
            let dx = execute1(&CrossEntropyGradient, &[g.output(1)?, g.input(0)?, &dy])?;
            let dx = with_softmax(g, dx)?;
            g.give(1, dx);
        }
        Ok(())
    }
}

impl Op for CrossEntropyGradient {
    identity!("softmax_cross_entropy_gradient");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: REAL, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.mul(s.sub(x[0], x[1]), x[2])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

#[track_caller]
pub(super) fn dense(labels: &Tensor, logits: &Tensor, axis: isize) -> Result<Tensor> {
    const NAME: &str = "softmax_cross_entropy_with_logits";
    check(NAME, logits)?;
    if labels.dtype() != logits.dtype() {
        return Err(Error::invalid_argument(NAME, "labels and logits have different dtypes")
            .got(format!("{} and {}", labels.dtype(), logits.dtype()))
            .help("`cast` one of them; for class numbers use `sparse_softmax_cross_entropy_with_logits`"));
    }
    let shape = broadcast(labels.shape(), logits.shape(), &mut Constraints::default()).map_err(|e| e.in_op(NAME))?;
    let labels = if *labels.shape() == shape { labels.clone() } else { broadcast_to_shape(labels, &shape)? };
    let logits = if *logits.shape() == shape { logits.clone() } else { broadcast_to_shape(logits, &shape)? };
    let labels = axis_last(NAME, &labels, axis)?;
    let logits = axis_last(NAME, &logits, axis)?;
    losses(&CrossEntropy, &labels, &logits)
}
