//! The operations of the CTC loss: the loss of each example with its gradient, and the further derivatives of that.
//! `mod.rs` runs the first one.

use super::paths::{Example, Jet, loss_and_gradient};
use super::{NAME, lengths_of};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::ops::functions::{try_add, try_expand_dims, try_multiply};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use smallvec::SmallVec;

/// The most directions of a derivative: each doubles the numbers that are computed with.
const MOST: usize = 4;

/// Inputs: logits `[frames, batch, classes]` of f32 or f64, labels `[batch, length]`, lengths of labels and of logits `[batch]`. Outputs: the losses `[batch]`,
/// and the gradient of each by its logits.
#[derive(Clone)]
pub(super) struct CtcLoss {
    pub blank: i64,
}

/// Inputs: those of the loss, and directions of the logits' shape. Output: the derivative of the loss's gradient along all of them; along one, a
/// cotangent of the gradient, that is the cotangent of the logits through it.
#[derive(Clone)]
struct CtcDerivative {
    blank: i64,
}

/// The blank's class among so many; negative numbers count from the end.
pub(super) fn class_of_blank(blank: i64, classes: usize) -> Result<usize> {
    let class = if blank < 0 { blank + classes as i64 } else { blank };
    match usize::try_from(class) {
        Ok(class) if class < classes => Ok(class),
        _ => Err(Error::invalid_argument(NAME, "the blank is no class")
            .got(blank)
            .expected(format!("a number from {} to below {classes}", -(classes as i64)))),
    }
}

fn check(cx: &mut Infer<'_>) -> Result<()> {
    cx.check_dtype(0, DTypes::of(&[DType::F32, DType::F64]))?;
    (1..4).try_for_each(|i| cx.check_dtype(i, DTypes::of(&[DType::I32, DType::I64])))?;
    let [logits, labels, label_length, logit_length] = [0, 1, 2, 3].map(|i| *cx.shape(i));
    let ranks = [logits.rank(), labels.rank(), label_length.rank(), logit_length.rank()];
    let batch = (ranks == [3, 2, 1, 1]).then(|| logits.dim(1));
    let others = [labels, label_length, logit_length];
    match batch {
        Some(batch) if others.iter().all(|x| x.dim(0).can_equal(batch)) => {
            for x in others.iter().filter(|x| x.dim(0) != batch) {
                cx.constraints.push(x.dim(0), batch);
            }
            Ok(())
        }
        _ => Err(Error::invalid_argument(NAME, "logits, labels and lengths do not fit each other")
            .got(format!("{logits}, {labels}, {label_length} and {logit_length}"))
            .expected("[frames, batch, classes], [batch, length], [batch] and [batch]")),
    }
}

/// A float of a view of any strides.
///
/// # Safety
/// The offset lies in the view, which holds f32 or f64.
unsafe fn read(view: &View, offset: isize) -> f64 {
    // SAFETY: by the caller's promise.
    unsafe {
        match view.dtype {
            DType::F64 => view.ptr.cast::<f64>().offset(offset).read(),
            _ => f64::from(view.ptr.cast::<f32>().offset(offset).read()),
        }
    }
}

/// # Safety
/// As [`read`], and nobody else uses the element.
unsafe fn write(view: &View, offset: isize, value: f64) {
    // SAFETY: by the caller's promise.
    unsafe {
        match view.dtype {
            DType::F64 => view.ptr.cast::<f64>().offset(offset).write(value),
            _ => view.ptr.cast::<f32>().offset(offset).write(value as f32),
        }
    }
}

/// One example of a call: frames, label and blank.
struct Row {
    frames: usize,
    label: Vec<usize>,
    blank: usize,
}

impl Row {
    /// # Safety
    /// The call's views are valid and of the inferred types.
    unsafe fn new(call: &CpuCall<'_>, blank: i64, example: usize) -> Result<Self> {
        let dims = call.inputs[0].dims();
        let classes = dims[2];
        let blank = class_of_blank(blank, classes)?;
        // SAFETY: by the caller's promise; a row of labels, and two numbers.
        unsafe {
            let length = lengths_of(&call.inputs[2], example, call.inputs[1].dims()[1], "label_length")?;
            let frames = lengths_of(&call.inputs[3], example, dims[0], "logit_length")?;
            let row = call.inputs[1].slab(0, example..example + 1).integers();
            let label = row[..length].iter().map(|&label| match usize::try_from(label) {
                Ok(label) if label < classes && label != blank => Ok(label),
                _ => Err(Error::invalid_argument(NAME, "a label is no class, or the blank")
                    .got(label)
                    .expected(format!("a number from 0 to below {classes}, other than {blank}"))),
            });
            Ok(Self { frames, label: label.collect::<Result<_>>()?, blank })
        }
    }
}

/// The offset of an element of `[frames, batch, classes]`.
fn place(view: &View, frame: usize, example: usize, class: usize) -> isize {
    let s = view.strides();
    frame as isize * s[0] + example as isize * s[1] + class as isize * s[2]
}

macro_rules! by_examples {
    () => {
        fn kind(&self) -> Kind {
            Kind::Opaque
        }

        fn takes_strides(&self) -> bool {
            true
        }

        fn runs_on_host(&self) -> bool {
            true
        }

        fn work(&self, call: &CpuCall<'_>) -> Work {
            Work::chunks(call.inputs[0].dims()[1])
        }
    };
}

impl Op for CtcLoss {
    identity!("ctc_loss", { "blank_index": Int = |this| this.blank });
    by_examples!();

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        check(cx)?;
        let logits = *cx.shape(0);
        cx.output(cx.dtype(0), kernels::shape::Shape::from_dims(&[logits.dim(1)])?);
        cx.output(cx.dtype(0), logits);
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, example: usize) -> Result<()> {
        let (from, losses, slopes) = (&call.inputs[0], &call.outputs[0], &call.outputs[1]);
        let &[frames, batch, classes] = from.dims() else { return Ok(()) };
        if example >= batch {
            return Ok(());
        }
        // SAFETY: valid views of the inferred types; each chunk has an example of its own.
        unsafe {
            let row = Row::new(call, self.blank, example)?;
            let logits: Vec<f64> =
                (0..row.frames * classes).map(|i| read(from, place(from, i / classes, example, i % classes))).collect();
            let mut gradient = vec![0.0; logits.len()];
            let all = Example { logits: &logits, classes, label: &row.label, blank: row.blank };
            write(losses, example as isize, loss_and_gradient(&all, &mut gradient));
            for i in 0..frames * classes {
                let value = gradient.get(i).copied().unwrap_or(0.0);
                write(slopes, place(slopes, i / classes, example, i % classes), value);
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0, 1, 2, 3]).and(Saves::outputs(&[1]))
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        if !g.needs(0) {
            return Ok(());
        }
        let mut dx = None;
        if let Some(owed) = g.dy_or_none(0) {
            dx = Some(try_multiply(g.output(1)?, &try_expand_dims(owed, 1)?)?);
        }
        if let Some(owed) = g.dy_or_none(1) {
            let inputs = [g.input(0)?, g.input(1)?, g.input(2)?, g.input(3)?, owed];
            let through = execute1(&CtcDerivative { blank: self.blank }, &inputs)?;
            dx = Some(match dx {
                Some(dx) => try_add(&dx, &through)?,
                None => through,
            });
        }
        if let Some(dx) = dx {
            g.give(0, dx);
        }
        Ok(())
    }
}

impl CtcDerivative {
    /// # Safety
    /// As `Op::cpu`, with as many directions as `N` is a power of 2.
    unsafe fn example<const N: usize>(&self, call: &CpuCall<'_>, example: usize) -> Result<()> {
        let (from, out) = (&call.inputs[0], &call.outputs[0]);
        let &[frames, batch, classes] = from.dims() else { return Ok(()) };
        if example >= batch {
            return Ok(());
        }
        // SAFETY: valid views of the inferred types; each chunk has an example of its own.
        unsafe {
            let row = Row::new(call, self.blank, example)?;
            let at = |view: &View, i: usize| read(view, place(view, i / classes, example, i % classes));
            let number = |i: usize| {
                let mut all = [0.0; N];
                all[0] = at(from, i);
                call.inputs[4..].iter().enumerate().for_each(|(d, along)| all[1 << d] = at(along, i));
                Jet(all)
            };
            let logits: Vec<Jet<N>> = (0..row.frames * classes).map(number).collect();
            let mut gradient = vec![Jet([0.0; N]); logits.len()];
            let all = Example { logits: &logits, classes, label: &row.label, blank: row.blank };
            loss_and_gradient(&all, &mut gradient);
            for i in 0..frames * classes {
                let value = gradient.get(i).map_or(0.0, |slope| slope.0[N - 1]);
                write(out, place(out, i / classes, example, i % classes), value);
            }
        }
        Ok(())
    }
}

impl Op for CtcDerivative {
    identity!("ctc_loss_derivative", { "blank_index": Int = |this| this.blank });
    by_examples!();

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        check(cx)?;
        if cx.len() > 4 + MOST {
            return Err(Error::unimplemented(NAME, "the loss has no derivatives of so high an order")
                .got(cx.len() - 3)
                .expected(format!("at most {}", MOST + 1)));
        }
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, example: usize) -> Result<()> {
        // SAFETY: the same contract.
        unsafe {
            match call.inputs.len() - 4 {
                1 => self.example::<2>(call, example),
                2 => self.example::<4>(call, example),
                3 => self.example::<8>(call, example),
                _ => self.example::<16>(call, example),
            }
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        Saves::inputs(&[0, 1, 2, 3, 4, 5, 6, 7][..needs.len()])
    }

    /// Derivatives are symmetric in their directions, so a cotangent takes the place of one; and the next one has it beside them.
    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        let derivative = |inputs: &[&Tensor]| execute1(&CtcDerivative { blank: self.blank }, inputs);
        for i in (0..g.len()).filter(|&i| i == 0 || i > 3) {
            if !g.needs(i) {
                continue;
            }
            let dx = {
                let mut inputs = (0..g.len()).map(|i| g.input(i)).collect::<Result<SmallVec<[&Tensor; 9]>>>()?;
                match i {
                    0 => inputs.push(&dy),
                    _ => inputs[i] = &dy,
                }
                derivative(&inputs)?
            };
            g.give(i, dx);
        }
        Ok(())
    }
}
