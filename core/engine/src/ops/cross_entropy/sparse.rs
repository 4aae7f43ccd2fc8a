//! The cross entropy with labels that are class numbers, and its gradient.
//! The functions in `mod.rs` run it.

use super::{outputs, with_softmax};
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, softmax_rows, View, Work};
use kernels::backend::cuda::{CudaCall, RowKernel, row_kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::ops::multiply::Multiply;
use crate::ops::normalise::{REAL, chunk, part, part_mut, rows_of, work};
use crate::ops::softmax::sum_last;
use crate::ops::{ones_of, reshape, reshape_to};
use crate::tape::Backward;

/// Inputs: class numbers, and logits with one dimension more. Outputs as [`CrossEntropy`].
#[derive(Clone)]
pub(crate) struct SparseCrossEntropy;

/// `(p - one_hot(labels)) * dy`; inputs: softmax, labels, cotangent of the losses.
#[derive(Clone)]
struct SparseCrossEntropyGradient;

/// Dtypes of class numbers.
const LABELS: DTypes = DTypes::of(&[DType::I32, DType::I64]);

impl Op for SparseCrossEntropy {
    identity!("sparse_softmax_cross_entropy_with_logits");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, LABELS)?;
        let labels = *cx.shape(0);
        let loss = outputs(cx, self.name())?;
        if labels.rank() != loss.rank() || labels.iter().zip(loss.iter()).any(|(a, b)| !a.can_equal(b)) {
            return Err(Error::invalid_argument(self.name(), "labels and logits do not fit each other")
                .got(format!("labels {labels}, logits {}", cx.shape(1)))
                .expected("labels with the shape of the logits but for the last dimension")
                .help("for labels that are distributions use `softmax_cross_entropy_with_logits`"));
        }
        labels.iter().zip(loss.iter()).filter(|(a, b)| a != b).for_each(|(a, b)| cx.constraints.push(a, b));
        Ok(())
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
        // SAFETY: dense tensors of the inferred shapes; chunks have rows of their own.
        unsafe {
            let range = if n == 0 { 0..loss.len() } else { range };
            let labels = class_numbers(labels, &range, n)?;
            match p.dtype {
                DType::F64 => {
                    let (logits, loss) = (part(logits, &range, n), part_mut(loss, &range, 1));
                    softmax_rows::sparse_cross_entropy::<f64>(
                        call.isa,
                        n,
                        &labels,
                        logits,
                        loss,
                        part_mut(p, &range, n),
                    );
                }
                _ => {
                    let (logits, loss) = (part(logits, &range, n), part_mut(loss, &range, 1));
                    softmax_rows::sparse_cross_entropy::<f32>(
                        call.isa,
                        n,
                        &labels,
                        logits,
                        loss,
                        part_mut(p, &range, n),
                    );
                }
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: RowKernel = row_kernel!("sparse_cross_entropy", "cross_entropy.cuh");
        let (labels, logits, loss, p) = (&call.inputs[0], &call.inputs[1], &call.outputs[0], &call.outputs[1]);
        let size = [loss.len(), rows_of(p).1];
        let types = [p.dtype, labels.dtype];
        // SAFETY: dense tensors of the inferred shapes; the kernel checks the labels.
        unsafe { call.rows(&KERNEL, &types, size, true, |to| to.views(&[labels, logits, loss, p])) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0]).and(Saves::outputs(&[1]))
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = execute1(&SparseCrossEntropyGradient, &[g.output(1)?, g.input(0)?, &g.dy(0)?])?;
        let dx = with_softmax(g, dx)?;
        g.give(1, dx);
        Ok(())
    }
}

/// The labels of a range of rows, each below the number of classes.
///
/// # Safety
/// The view is valid, dense, and has the range.
unsafe fn class_numbers(labels: &View, range: &std::ops::Range<usize>, classes: usize) -> Result<Vec<usize>> {
    let read = |i: usize| {
        // SAFETY: by the caller's promise.
        unsafe {
            match labels.dtype {
                DType::I32 => i64::from(*labels.as_ptr::<i32>().add(i)),
                _ => *labels.as_ptr::<i64>().add(i),
            }
        }
    };
    range
        .clone()
        .map(|i| match usize::try_from(read(i)) {
            Ok(label) if label < classes => Ok(label),
            _ => Err(Error::invalid_argument(
                "sparse_softmax_cross_entropy_with_logits",
                format!("label number {i} is no class"),
            )
            .got(read(i))
            .expected(format!("0..{classes}"))),
        })
        .collect()
}

impl Op for SparseCrossEntropyGradient {
    identity!("sparse_softmax_cross_entropy_gradient");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, REAL)?;
        cx.check_dtype(1, LABELS)?;
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        work(&call.outputs[0])
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, index: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, index, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        let (p, labels, dy, dx) = (&call.inputs[0], &call.inputs[1], &call.inputs[2], &call.outputs[0]);
        let (range, n) = chunk(dx, index);
        macro_rules! run {
            ($t:ty) => {{
                let (p, dy, dx) = (part::<$t>(p, &range, n), part::<$t>(dy, &range, 1), part_mut(dx, &range, n));
                let rows = p.chunks_exact(n).zip(dx.chunks_exact_mut(n)).zip(dy);
                for (((p, dx), &dy), label) in rows.zip(class_numbers(labels, &range, n)?) {
                    dx.iter_mut().zip(p).for_each(|(dx, &p)| *dx = p * dy);
                    dx[label] = (p[label] - 1.0) * dy;
                }
            }};
        }
        if dx.is_empty() {
            return Ok(());
        }
        // SAFETY: dense tensors of the inferred shapes; chunks have rows of their own.
        unsafe {
            match dx.dtype {
                DType::F64 => run!(f64),
                _ => run!(f32),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: RowKernel = row_kernel!("sparse_cross_entropy_gradient", "cross_entropy.cuh");
        let (p, labels, dy, dx) = (&call.inputs[0], &call.inputs[1], &call.inputs[2], &call.outputs[0]);
        let (rows, n) = rows_of(dx);
        // SAFETY: dense tensors of the inferred shapes; the kernel checks the labels.
        unsafe { call.rows(&KERNEL, &[p.dtype, labels.dtype], [rows, n], true, |to| to.views(&[p, labels, dy, dx])) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        let p = if needs[2] { Saves::inputs(&[0, 1]) } else { Saves::NOTHING };
        let dy = if needs[0] { Saves::inputs(&[2]) } else { Saves::NOTHING };
        p.and(dy)
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let u = g.dy(0)?;
        if g.needs(0) {
            let dp = execute1(&Multiply, &[&u, &reshape::expand_last(g.input(2)?)?])?;
            g.give(0, dp);
        }
        if g.needs(2) {
            let ones = ones_of(g.input_type(2))?;
            let slope = execute1(&SparseCrossEntropyGradient, &[g.input(0)?, g.input(1)?, &ones])?;
            let sum = sum_last(&execute1(&Multiply, &[&u, &slope])?)?;
            g.give(2, reshape_to(&sum, &g.input_type(2).shape)?);
        }
        Ok(())
    }
}
