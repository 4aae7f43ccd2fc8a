//! What one chunk does of a fold over segments on the CPU: its part of the segments, whose rows it finds by their ids.
//! `fold.rs` calls it. Ids are checked on the way, some hundred at a time, so that no list of checked ones comes and goes through memory.

use super::fold::SegmentFold;
use kernels::backend::cpu::indexed_rows::{self as rows, Changes, Share, Write};
use kernels::backend::cpu::vector::fill;
use kernels::backend::cpu::{View, part};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::ops::Range;

/// Ids that are looked at together.
const TOGETHER: usize = 256;

/// One chunk of a fold.
pub(super) struct Part<'a> {
    pub fold: &'a SegmentFold,
    pub changes: Changes,
    pub chunk: usize,
    pub chunks: usize,
    /// The ids that are looked at, where they come in any order.
    pub among: Range<usize>,
}

/// An id that is refused: where it stands, and the one before if ids ascend.
struct Refused {
    at: usize,
    id: i64,
    before: Option<i64>,
}

impl Part<'_> {
    /// Folds the rows of the segments that the chunk has.
    ///
    /// # Errors
    /// InvalidArgument for an id that names no segment, or is less than the one before where they ascend. Of all chunks' errors that of the
    /// first is the one of the first such id.
    ///
    /// # Safety
    /// Dense views of the types that the fold infers; nobody else has the chunk's part of the output.
    pub(super) unsafe fn run(&self, data: &View, ids: &View, out: &View) -> Result<()> {
        // SAFETY: by the caller's promise.
        let done = unsafe {
            match ids.dtype {
                DType::I16 => self.fold_by(ids.as_slice::<i16>(), data, out),
                DType::I32 => self.fold_by(ids.as_slice::<i32>(), data, out),
                _ => self.fold_by(ids.as_slice::<i64>(), data, out),
            }
        };
        done.map_err(|refused| self.error(&refused))
    }

    /// # Safety
    /// As [`Part::run`].
    unsafe fn fold_by<I: Copy + Into<i64>>(&self, ids: &[I], data: &View, out: &View) -> Result<(), Refused> {
        let own = self.changes.share(self.chunk, self.chunks);
        let among = match self.fold.sorted {
            true => {
                self.check_order(ids)?;
                let below = |bound: usize| ids.partition_point(|&id| id.into() < bound as i64);
                let from = below(own.rows.start);
                // Where another chunk meets an id out of order, the answer is its error.
                from..below(own.rows.end).max(from)
            }
            false => self.among.clone(),
        };
        // SAFETY: by the caller's promise; numbers outside of the chunk's rows change nothing.
        unsafe {
            self.clear(&own, out);
            let mut numbers = [0; TOGETHER];
            let mut before = None;
            for first in among.clone().step_by(TOGETHER) {
                let ids = &ids[first..among.end.min(first + TOGETHER)];
                let numbers = &mut numbers[..ids.len()];
                // Sorted ids are checked by the chunk that each belongs to.
                if let Err(at) = self.numbers(ids, numbers)
                    && !self.fold.sorted
                {
                    return Err(Refused { at: first + at, id: ids[at].into(), before: None });
                }
                let from = data.ptr.add(first * self.changes.row * data.dtype.size());
                match self.fold.sorted && self.fold.extreme() {
                    true => self.extremes(&own, numbers, before, out.ptr, from),
                    false => self.changes.run(&own, numbers, out.ptr, from),
                }
                before = numbers.last().copied();
            }
        }
        Ok(())
    }

    /// Writes what a segment without rows has.
    ///
    /// # Safety
    /// As [`Part::run`].
    unsafe fn clear(&self, own: &Share, out: &View) {
        let (row, size, nothing) = (self.changes.row, out.dtype.size(), self.fold.nothing(out.dtype));
        // SAFETY: by the caller's promise, elements of the chunk's part.
        unsafe {
            match own.columns.len() == row {
                true => fill(size, out.ptr.add(own.rows.start * row * size), nothing, own.rows.len() * row),
                false => own.rows.clone().for_each(|at| {
                    fill(size, out.ptr.add((at * row + own.columns.start) * size), nothing, own.columns.len());
                }),
            }
        }
    }

    /// Writes ids as numbers of rows: a negative one, whose row is dropped, as one that no tensor has. The first beyond the segments is
    /// the error.
    #[inline]
    fn numbers<I: Copy + Into<i64>>(&self, ids: &[I], numbers: &mut [usize]) -> Result<(), usize> {
        let last = self.changes.rows as i64 - 1;
        // Signs, and no way out on the way, which the compiler makes vectors of.
        let mut signs = 0;
        for (number, &id) in numbers.iter_mut().zip(ids) {
            let id: i64 = id.into();
            signs |= last.wrapping_sub(id);
            *number = id as usize;
        }
        match signs < 0 {
            // The lowest numbers wrap, and are no error.
            true => ids.iter().position(|&id| id.into() > last).map_or(Ok(()), Err),
            false => Ok(()),
        }
    }

    /// Looks at this chunk's part of sorted ids.
    fn check_order<I: Copy + Into<i64>>(&self, ids: &[I]) -> Result<(), Refused> {
        let own = part(ids.len(), self.chunk, self.chunks, 1);
        let mut before = own.start.checked_sub(1).map(|at| ids[at].into());
        for at in own {
            let id: i64 = ids[at].into();
            if id >= self.changes.rows as i64 || id < before.unwrap_or(0) {
                return Err(Refused { at, id, before });
            }
            before = Some(id);
        }
        Ok(())
    }

    /// Greatest or least rows of sorted segments: the first row of each is its extreme so far, whatever stands for none.
    ///
    /// # Safety
    /// As [`Part::run`]; `from` has a row for each number, and `before` is the number of the row in front of them.
    unsafe fn extremes(&self, own: &Share, numbers: &[usize], before: Option<usize>, to: *mut u8, from: *const u8) {
        let (row, dtype) = (self.changes.row, self.changes.dtype);
        let mut before = before;
        for (i, &number) in numbers.iter().enumerate().filter(|(_, number)| own.rows.contains(number)) {
            let write = if before == Some(number) { self.changes.write } else { Write::Set };
            let bytes = row * dtype.size();
            // SAFETY: by the caller's promise, and the number is one of the chunk's rows.
            unsafe { rows::change(write, dtype, to.add(number * bytes), from.add(i * bytes), row) };
            before = Some(number);
        }
    }

    #[cold]
    fn error(&self, &Refused { at, id, before }: &Refused) -> Error {
        let size = self.changes.rows;
        let refused = |what: &str| Error::invalid_argument(self.fold.name, format!("id number {at} {what}")).got(id);
        match before {
            Some(before) if id < before => refused("is less than the one before")
                .expected(format!("at least {before}"))
                .help("`unsorted_segment_sum` and its kind take ids in any order"),
            _ => refused("names no segment").expected(format!("0..{size}")),
        }
    }
}
