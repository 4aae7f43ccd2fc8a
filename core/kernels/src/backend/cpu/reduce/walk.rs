//! Where the elements of a strided view lie that a reduction keeps or folds, in their logical order.
//! The plans of reductions make one walk for each kind of axis.

use crate::shape::MAX_RANK;
use std::ops::Range;

/// Merged dimensions of one kind, kept or reduced, in plain arrays: plans are made on every call.
pub(super) struct Odometer {
    pub rank: usize,
    pub dims: [usize; MAX_RANK],
    pub strides: [isize; MAX_RANK],
}

impl Odometer {
    pub const NONE: Self = Self { rank: 0, dims: [1; MAX_RANK], strides: [0; MAX_RANK] };

    /// Adds an inner dimension, merged with the last where one stride describes both.
    pub fn push(&mut self, dim: usize, stride: isize) {
        if dim == 1 {
            return;
        }
        if self.rank > 0 && self.strides[self.rank - 1] == stride * dim as isize {
            self.dims[self.rank - 1] *= dim;
            self.strides[self.rank - 1] = stride;
            return;
        }
        self.dims[self.rank] = dim;
        self.strides[self.rank] = stride;
        self.rank += 1;
    }

    pub fn count(&self) -> usize {
        self.dims[..self.rank].iter().product()
    }

    /// The innermost dimension and its stride; one element if there is none.
    pub fn inner(&self) -> (usize, isize) {
        let last = self.rank.saturating_sub(1);
        (self.dims[last], self.strides[last])
    }

    /// The offset of a flat index.
    pub fn offset(&self, flat: usize) -> isize {
        if self.rank <= 1 {
            return flat as isize * self.strides[0];
        }
        let mut rest = flat;
        let mut offset = 0;
        for axis in (0..self.rank).rev() {
            offset += (rest % self.dims[axis]) as isize * self.strides[axis];
            rest /= self.dims[axis];
        }
        offset
    }

    /// The elements from a flat index on that one stride describes, at most `most` of them.
    pub fn run(&self, first: usize, most: usize) -> Run {
        let (row, stride) = self.inner();
        Run { first, len: (row - first % row).min(most), stride, offset: self.offset(first) }
    }

    /// A range of flat indices in such runs.
    pub fn runs(&self, range: Range<usize>) -> impl Iterator<Item = Run> {
        let mut at = range.start;
        std::iter::from_fn(move || {
            let run = (at < range.end).then(|| self.run(at, range.end - at))?;
            at += run.len;
            Some(run)
        })
    }
}

/// Neighbouring elements of a walk at equal distances.
pub(super) struct Run {
    /// The flat index of the first.
    pub first: usize,
    pub len: usize,
    pub stride: isize,
    /// Where the first lies.
    pub offset: isize,
}
