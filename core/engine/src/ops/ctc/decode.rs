//! The operations that decode logits into labels, and those that tidy rows of labels up; no gradient flows.
//! `mod.rs` runs them.

use super::beams::{greedy, search};
use super::{lengths_of, loss::class_of_blank};
use crate::op::{Gradient, Infer, Kind, Op, identity};
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// Inputs: logits `[frames, batch, classes]` and lengths `[batch]`. Outputs: labels `[batch, paths, frames]`, -1 behind their ends; their lengths
/// and scores `[batch, paths]`.
#[derive(Clone)]
pub(super) struct CtcDecode {
    /// Prefixes that are kept; 0 takes the best class of each frame.
    pub width: i64,
    pub paths: i64,
    pub merge: bool,
    pub blank: i64,
}

/// What is done to each row of labels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tidy {
    /// Different labels in the order of their first places, zeros behind them; and each label's number among those.
    Unique,
    /// Labels that are not what stands before them, zeros behind them; and how many.
    Collapse,
}

/// Inputs: labels `[batch, length]`, and for [`Tidy::Collapse`] lengths `[batch]`.
#[derive(Clone)]
pub(super) struct TidyLabels {
    pub how: Tidy,
}

impl Op for CtcDecode {
    identity!("ctc_decode", {
        "beam_width": Int = |this| this.width,
        "top_paths": Int = |this| this.paths,
        "merge_repeated": Bool = |this| this.merge,
        "blank_index": Int = |this| this.blank,
    });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::of(&[DType::F32, DType::F64]))?;
        cx.check_dtype(1, DTypes::of(&[DType::I32, DType::I64]))?;
        let (logits, lengths) = (*cx.shape(0), *cx.shape(1));
        if logits.rank() != 3 || lengths.rank() != 1 || !lengths.dim(0).can_equal(logits.dim(1)) {
            return Err(Error::invalid_argument(self.name(), "logits and lengths do not fit each other")
                .got(format!("{logits} and {lengths}"))
                .expected("[frames, batch, classes] and [batch]"));
        }
        if lengths.dim(0) != logits.dim(1) {
            cx.constraints.push(lengths.dim(0), logits.dim(1));
        }
        let paths = Dim::known(self.paths as usize);
        let each = Shape::from_dims(&[logits.dim(1), paths])?;
        cx.output(DType::I64, each.push(logits.dim(0))?);
        cx.output(DType::I64, each);
        cx.output(cx.dtype(0), each);
        Ok(())
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

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, example: usize) -> Result<()> {
        let from = &call.inputs[0];
        let &[frames, batch, classes] = from.dims() else { return Ok(()) };
        if example >= batch {
            return Ok(());
        }
        let blank = class_of_blank(self.blank, classes)?;
        let paths = self.paths as usize;
        // SAFETY: valid views of the inferred types; each chunk has an example of its own, whose parts of the outputs are dense.
        unsafe {
            let length = lengths_of(&call.inputs[1], example, frames, "sequence_length")?;
            let own = from.slab(1, example..example + 1).slab(0, 0..length);
            let logits = floats(&own);
            let found = match self.width {
                0 => vec![greedy(&logits, classes, blank, self.merge)],
                width => search(&logits, classes, width as usize, paths),
            };
            let labels = call.outputs[0].ptr.cast::<i64>().add(example * paths * frames);
            let labels = std::slice::from_raw_parts_mut(labels, paths * frames);
            labels.fill(-1);
            for path in 0..paths {
                let none = (Vec::new(), f64::NEG_INFINITY);
                let (label, score) = found.get(path).unwrap_or(&none);
                labels[path * frames..path * frames + label.len()].copy_from_slice(label);
                let place = example * paths + path;
                *call.outputs[1].ptr.cast::<i64>().add(place) = label.len() as i64;
                match call.outputs[2].dtype {
                    DType::F64 => *call.outputs[2].ptr.cast::<f64>().add(place) = *score,
                    _ => *call.outputs[2].ptr.cast::<f32>().add(place) = *score as f32,
                }
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("labels are whole numbers, and the scores are for comparing them")
    }
}

/// The numbers of a view of any strides, in order.
///
/// # Safety
/// The view is valid and holds f32 or f64.
unsafe fn floats(view: &View) -> Vec<f64> {
    let mut all = Vec::with_capacity(view.len());
    kernels::backend::cpu::merge_dims::for_each_offset(view.dims(), view.strides(), |offset| {
        // SAFETY: by the caller's promise; the offset lies in the view.
        all.push(unsafe {
            match view.dtype {
                DType::F64 => view.ptr.cast::<f64>().offset(offset).read(),
                _ => f64::from(view.ptr.cast::<f32>().offset(offset).read()),
            }
        });
    });
    all
}

impl Op for TidyLabels {
    identity!("tidy_labels", { "how": Text = |this| if this.how == Tidy::Unique { "unique" } else { "collapse" } });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let accepts = DTypes::of(&[DType::I32, DType::I64]);
        (0..cx.len()).try_for_each(|i| cx.check_dtype(i, accepts))?;
        let labels = *cx.shape(0);
        if labels.rank() != 2
            || cx.len() == 2 && (cx.shape(1).rank() != 1 || !cx.shape(1).dim(0).can_equal(labels.dim(0)))
        {
            return Err(Error::invalid_argument(self.name(), "labels are rows, and lengths one number for each")
                .got(cx.input(0))
                .expected("[batch, length], and [batch]"));
        }
        match self.how {
            Tidy::Unique => {
                cx.output(DType::I64, labels);
                cx.output(DType::I32, labels);
            }
            Tidy::Collapse => {
                if cx.shape(1).dim(0) != labels.dim(0) {
                    cx.constraints.push(cx.shape(1).dim(0), labels.dim(0));
                }
                cx.output(cx.dtype(0), labels);
                cx.output(cx.dtype(1), *cx.shape(1));
            }
        }
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn runs_on_host(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let &[batch, length] = call.inputs[0].dims() else { return Ok(()) };
        for example in 0..batch {
            // SAFETY: valid views of the inferred types, dense outputs.
            unsafe {
                let row = call.inputs[0].slab(0, example..example + 1).integers();
                match self.how {
                    Tidy::Unique => {
                        let mut seen: Vec<i64> = Vec::new();
                        for (i, &label) in row.iter().enumerate() {
                            let number = seen.iter().position(|&other| other == label).unwrap_or(seen.len());
                            if number == seen.len() {
                                seen.push(label);
                            }
                            put(&call.outputs[1], example * length + i, number as i64);
                        }
                        for i in 0..length {
                            put(&call.outputs[0], example * length + i, seen.get(i).copied().unwrap_or(0));
                        }
                    }
                    Tidy::Collapse => {
                        let own = lengths_of(&call.inputs[1], example, length, "seq_length")?;
                        let mut kept = row[..own].to_vec();
                        kept.dedup();
                        for i in 0..length {
                            put(&call.outputs[0], example * length + i, kept.get(i).copied().unwrap_or(0));
                        }
                        put(&call.outputs[1], example, kept.len() as i64);
                    }
                }
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("labels are whole numbers")
    }
}

/// Writes an element of a dense output.
///
/// # Safety
/// The output has the element and holds i32 or i64.
unsafe fn put(out: &View, place: usize, value: i64) {
    // SAFETY: by the caller's promise.
    unsafe {
        match out.dtype {
            DType::I64 => out.ptr.cast::<i64>().add(place).write(value),
            _ => out.ptr.cast::<i32>().add(place).write(value as i32),
        }
    }
}
