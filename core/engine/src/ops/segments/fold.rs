//! The kernel of segments: rows of data are summed, multiplied, or their greatest or least found, by the segment that each names.
//! `segments.rs` calls it for all of TensorFlow's `segment_*` and `unsorted_segment_*`; rows are taken in their order, in parts where they are many.

use super::super::conj::conjugate;
use super::super::reduction::ties;
use super::super::{cast_to, functions, ones_of, reshape_to, zeros_of};
use super::part::Part;
use super::parts::Parts;
use super::take::rows_at;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Saves, identity};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::indexed_rows::{Changes, Write};
use kernels::backend::cpu::vector::encode;
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{self, CudaCall, Names, Rows};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

/// What is made of a segment's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    Sum,
    Prod,
    Max,
    Min,
}

/// Inputs: data, and ids whose shape is that of its leading axes, which become one axis of segments.
#[derive(Clone)]
pub(super) struct SegmentFold {
    /// How the user called it.
    pub name: &'static str,
    pub fold: Fold,
    /// Whether ids ascend from 0 or more. Others may be negative, which drops their rows.
    pub sorted: bool,
    /// How many segments, as a shape of one dimension so that it may be a symbol.
    pub size: Shape,
}

/// Bytes of a row from which on several chunks are worth that each looks at all ids.
const SHARED: usize = 64;

impl Op for SegmentFold {
    identity!(|this| this.name, {
        "fold": Int = |this| this.fold as i64,
        "sorted": Bool = |this| this.sorted,
        "size": Shape = |this| &this.size,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { size: self.size.bind(lookup)?, ..*self })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, if self.extreme() { DTypes::NUMBERS } else { DTypes::NUMBERS.and(DTypes::COMPLEX) })?;
        let (data, ids) = (*cx.shape(0), *cx.shape(1));
        if self.sorted {
            cx.check_dtype(1, DTypes::of(&[DType::I32, DType::I64]))?;
            if ids.rank() != 1 || data.rank() == 0 || !data.dim(0).can_equal(ids.dim(0)) {
                return Err(Error::invalid_argument(self.name, "the ids do not fit the data")
                    .got(format!("ids {ids} for data {data}"))
                    .expected("a vector of ids, one for each row of the data"));
            }
        } else {
            // As TensorFlow, which has kernels for short ids of sums alone.
            let short = if self.fold == Fold::Sum { DTypes::of(&[DType::I16]) } else { DTypes::NONE };
            cx.check_dtype(1, short.and(DTypes::of(&[DType::I32, DType::I64])))?;
            if ids.rank() > data.rank() || !ids.iter().zip(data.iter()).all(|(a, b)| a.can_equal(b)) {
                return Err(Error::invalid_argument(self.name, "the ids do not fit the data")
                    .got(format!("ids {ids} for data {data}"))
                    .expected("ids whose shape is that of the data's first axes"));
            }
        }
        for (a, b) in ids.iter().zip(data.iter()).filter(|(a, b)| a != b) {
            cx.constraints.push(a, b);
        }
        let rest = data.iter().skip(ids.rank());
        let dims: SmallVec<[Dim; MAX_RANK]> = self.size.iter().chain(rest).collect();
        cx.output(cx.dtype(0), Shape::from_dims(&dims).map_err(|e| e.in_op(self.name))?);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let (data, ids, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let changes = self.changes(ids, out);
        if let Some(parts) = Parts::new(self, &changes) {
            return parts.work();
        }
        let (size, bytes) = (out.dtype.size(), row_of(out) * out.dtype.size());
        // Chunks look at all ids that are not sorted, so that many are worth it for long rows only.
        let moved = if self.sorted || bytes >= SHARED { out.len().max(data.len()) } else { out.len() };
        Work::chunks(changes.chunks(moved * size))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (data, ids, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let changes = self.changes(ids, out);
        if let Some(parts) = Parts::new(self, &changes) {
            // SAFETY: the caller's promises.
            return unsafe { parts.run(self, changes, call, phase, chunk) };
        }
        let part = Part { fold: self, changes, chunk, chunks: self.work(call).phases[0], among: 0..ids.len() };
        // SAFETY: dense views of the inferred types; chunks change disjoint parts of the output.
        unsafe { part.run(data, ids, out) }
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (data, ids, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let segments = Rows {
            write: self.write(),
            to: out,
            rows: out.dims()[0],
            row: row_of(out),
            updates: data,
            count: ids.len(),
            all_or_nothing: false,
        };
        // SAFETY: dense views of the inferred types; the output is fresh.
        unsafe {
            cuda::fill(call, out, self.nothing(out.dtype))?;
            cuda::scatter(call, &Names::Segments { ids, sorted: self.sorted }, &segments)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        match self.fold {
            Fold::Sum => Saves::inputs(&[1]),
            _ => Saves::inputs(&[0, 1]).and(Saves::outputs(&[0])),
        }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let (dy, ids) = (g.dy(0)?, g.input(1)?.clone());
        let dx = match self.fold {
            Fold::Sum => rows_at(&dy, &ids)?,
            Fold::Prod => {
                let (x, y) = (conjugate(g.input(0)?)?, conjugate(g.output(0)?)?);
                functions::try_multiply(&rows_at(&dy, &ids)?, &self.others(&x, &y, &ids)?)?
            }
            Fold::Max | Fold::Min => {
                let chosen = ties(g.input(0)?, &rows_at(g.output(0)?, &ids)?)?;
                let count = execute1(&self.of(Fold::Sum), &[&chosen, &ids])?;
                // No element equals NaN, nor what stands for none: then nothing is shared.
                let share = functions::try_div_no_nan(&dy, &count)?;
                functions::try_multiply(&chosen, &rows_at(&share, &ids)?)?
            }
        };
        let dx = reshape_to(&dx, &g.input_type(0).shape)?;
        g.give(0, dx);
        Ok(())
    }
}

impl SegmentFold {
    /// One that an operation or a gradient is made of, after ids were checked.
    pub(super) fn inner(fold: Fold, size: Dim) -> Result<Self> {
        Ok(Self { name: "unsorted_segment", fold, sorted: false, size: Shape::from_dims(&[size])? })
    }

    /// Another of the same segments.
    fn of(&self, fold: Fold) -> Self {
        Self { name: "unsorted_segment", fold, sorted: false, size: self.size }
    }

    fn changes(&self, ids: &View, out: &View) -> Changes {
        let (write, dtype, row) = (self.write(), out.dtype, row_of(out));
        Changes { write, dtype, count: ids.len(), rows: out.dims()[0], row, sorted: self.sorted }
    }

    pub(super) fn extreme(&self) -> bool {
        matches!(self.fold, Fold::Max | Fold::Min)
    }

    pub(super) fn write(&self) -> Write {
        match self.fold {
            Fold::Sum => Write::Add,
            Fold::Prod => Write::Mul,
            Fold::Max => Write::Greatest,
            Fold::Min => Write::Least,
        }
    }

    /// The bits of what a segment without rows has.
    pub(super) fn nothing(&self, dtype: DType) -> u64 {
        let sign = 1u64 << (8 * dtype.size().min(8) - 1);
        let most = match dtype {
            _ if self.fold == Fold::Prod => return encode(dtype.real_dtype(), 1.0),
            _ if self.fold == Fold::Sum || self.sorted => return 0,
            DType::F16 => 0x7bff,
            DType::BF16 => 0x7f7f,
            DType::F32 => u64::from(f32::MAX.to_bits()),
            DType::F64 => f64::MAX.to_bits(),
            dtype if dtype.is_unsigned() => return if self.fold == Fold::Min { sign | (sign - 1) } else { 0 },
            _ => return if self.fold == Fold::Min { sign - 1 } else { sign },
        };
        if self.fold == Fold::Min { most } else { most | sign }
    }

    /// For each element the product of the others of its segment: the whole divided by it, but where it is the only 0, the product of
    /// those that are not 0. Where there are more zeros all are 0.
    fn others(&self, x: &Tensor, y: &Tensor, ids: &Tensor) -> Result<Tensor> {
        let zero = functions::try_equal(x, &zeros_of(&TensorType::new(x.dtype(), Shape::SCALAR))?)?;
        let one = ones_of(&TensorType::new(x.dtype(), Shape::SCALAR))?;
        let safe = functions::try_select(&zero, &one, x)?;
        let zeros = execute1(&self.of(Fold::Sum), &[&cast_to(&zero, DType::I32)?, ids])?;
        let rest = execute1(&self.of(Fold::Prod), &[&safe, ids])?;
        let none = zeros_of(&TensorType::new(x.dtype(), Shape::SCALAR))?;
        let rest = functions::try_select(&functions::try_less_equal(&zeros, 1)?, &rest, &none)?;
        let divided = functions::try_divide(&rows_at(y, ids)?, &safe)?;
        functions::try_select(&zero, &rows_at(&rest, ids)?, &divided)
    }
}

/// Elements of a segment's row.
fn row_of(out: &View) -> usize {
    out.dims()[1..].iter().product()
}
