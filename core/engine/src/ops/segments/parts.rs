//! Sums of many short rows by few segments: parts of the rows have sums of their own, which are added in order at the end.
//! `fold.rs` asks for it first. Otherwise one chunk reads all rows, or every chunk all ids.

use super::fold::{Fold, SegmentFold};
use super::part::Part;
use kernels::backend::cpu::indexed_rows::{Changes, LONG_ROW, Write, change};
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::error::Result;

/// Bytes of the rows of a part, at least.
const PART: usize = 1 << 20;
/// The rows have so many times the bytes of all sums of parts, at least.
const MORE: usize = 8;
/// Parts, at most.
const MOST: usize = 16;
/// Bytes of sums that one chunk adds, about.
const CHUNK: usize = 128 << 10;

/// How a sum is cut: by sizes alone.
pub(super) struct Parts {
    parts: usize,
    /// Bytes of all segments.
    bytes: usize,
}

impl Parts {
    /// Where it pays.
    pub(super) fn new(fold: &SegmentFold, changes: &Changes) -> Option<Self> {
        let row = changes.row * changes.dtype.size();
        let (bytes, data) = (changes.rows * row, changes.count * row);
        if fold.fold != Fold::Sum || fold.sorted || row >= LONG_ROW || bytes == 0 {
            return None;
        }
        let parts = (data / PART).min(data / MORE / bytes).min(MOST);
        (parts > 1).then_some(Self { parts, bytes })
    }

    /// Phase 0 sums up the parts, phase 1 their sums.
    pub(super) fn work(&self) -> Work {
        let adding = (self.parts * self.bytes).div_ceil(CHUNK).min(64);
        Work { scratch: self.parts * self.bytes, phases: [self.parts, adding, 0, 0, 0] }
    }

    /// Runs one chunk.
    ///
    /// # Errors
    /// InvalidArgument for an id that names no segment.
    ///
    /// # Safety
    /// As `Op::cpu` of the fold, with the work that [`Parts::work`] says.
    pub(super) unsafe fn run(
        &self,
        fold: &SegmentFold,
        changes: Changes,
        call: &CpuCall<'_>,
        phase: usize,
        chunk: usize,
    ) -> Result<()> {
        let (data, ids, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let sums = |part: usize| call.scratch.wrapping_add(part * self.bytes);
        if phase == 0 {
            let ids_of_part = part(ids.len(), chunk, self.parts, 1);
            let part = Part { fold, changes, chunk: 0, chunks: 1, among: ids_of_part };
            // SAFETY: by the caller's promise; the scratch has room for the sums of each part, of which this is one.
            return unsafe { part.run(data, ids, &out.at(sums(chunk))) };
        }
        let (dtype, size) = (out.dtype, out.dtype.size());
        let own = part(out.len(), chunk, self.work().phases[1], 64);
        for part in 0..self.parts {
            let write = if part == 0 { Write::Set } else { Write::Add };
            let (to, from) = (out.ptr.wrapping_add(own.start * size), sums(part).wrapping_add(own.start * size));
            // SAFETY: elements of the output that no other chunk has, and those of a part's sums, which phase 0 wrote.
            unsafe { change(write, dtype, to, from, own.len()) };
        }
        Ok(())
    }
}
