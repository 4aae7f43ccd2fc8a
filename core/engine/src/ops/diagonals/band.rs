//! The diagonals of a band: which there are, how long each is, and where it lies in its row.
//! The operations on diagonals ask it, for their shapes and in their kernels.

use super::DiagonalAlign;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use std::fmt;

/// Diagonals from the lowest to the highest, and to which side the shorter ones are moved.
#[derive(Clone, Copy)]
pub(super) struct Band {
    pub low: i64,
    pub high: i64,
    pub align: DiagonalAlign,
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_one() {
            true => write!(f, "diagonal {}", self.low),
            false => write!(f, "diagonals {} to {}", self.low, self.high),
        }
    }
}

impl Band {
    pub fn new(op: &str, (low, high): (i64, i64), align: DiagonalAlign) -> Result<Self> {
        if [low, high].into_iter().any(|k| i32::try_from(k).is_err()) {
            return Err(Error::invalid_argument(op, "no matrix has such a diagonal")
                .got(format!("k = ({low}, {high})"))
                .expected("numbers of 32 bits"));
        }
        if low > high {
            return Err(Error::invalid_argument(op, "the lowest diagonal of the band is above the highest")
                .got(format!("k = ({low}, {high})"))
                .expected("the lowest first"));
        }
        Ok(Self { low, high, align })
    }

    /// A band of one has no axis of its own.
    pub fn is_one(&self) -> bool {
        self.low == self.high
    }

    pub fn count(&self) -> usize {
        (self.high - self.low + 1) as usize
    }

    /// Rows above all diagonals, and columns before them.
    fn margins(&self) -> (usize, usize) {
        ((-self.high).max(0) as usize, self.low.max(0) as usize)
    }

    /// The length of the longest diagonal.
    pub fn longest(&self, rows: Dim, cols: Dim) -> Dim {
        let (above, before) = self.margins();
        (rows - above).min(cols - before)
    }

    /// An error unless matrices of these sizes have the diagonals, as far as the sizes are known. The main one they all have.
    pub fn check(&self, op: &str, rows: Dim, cols: Dim) -> Result<()> {
        for k in [self.low, self.high] {
            let within = |size: Dim, k: i64| size.known_value().is_none_or(|size| k < size as i64);
            if k != 0 && !(within(rows, -k) && within(cols, k)) {
                return Err(Error::invalid_argument(op, "the matrices have no such diagonal")
                    .got(format!("{k} for matrices of {rows} rows and {cols} columns"))
                    .expected("more than minus the rows, and less than the columns"));
            }
        }
        Ok(())
    }

    /// What the axis of a band should have counted.
    pub fn miscounted(&self, op: &str, count: Dim) -> Error {
        Error::invalid_argument(op, "the diagonals are not as many as the band has")
            .got(format!("{count} for {self}"))
            .expected(self.count())
    }

    /// The sizes of a matrix with diagonals of which the longest is given, where they may be told.
    pub fn sizes(&self, op: &str, longest: Dim, rows: Option<Dim>, cols: Option<Dim>) -> Result<(Dim, Dim)> {
        let (above, before) = self.margins();
        let (fewest_rows, fewest_cols) = (longest + above, longest + before);
        for (what, given, fewest) in [("rows", rows, fewest_rows), ("columns", cols, fewest_cols)] {
            let Some(given) = given else { continue };
            let few = matches!((given.known_value(), fewest.known_value()), (Some(given), Some(fewest)) if given < fewest);
            if few || given.valid().is_err() {
                return Err(Error::invalid_argument(op, format!("the {what} are too few for the diagonals"))
                    .got(format!("{given} for {self} of length {longest}"))
                    .expected(format!("at least {fewest}")));
            }
        }
        match (rows, cols) {
            (None, None) => {
                let size = longest + above.max(before);
                Ok((size, size))
            }
            (Some(rows), None) => Ok((rows, fewest_cols)),
            (None, Some(cols)) => Ok((fewest_rows, cols)),
            (Some(rows), Some(cols)) => match rows.can_equal(fewest_rows) || cols.can_equal(fewest_cols) {
                true => Ok((rows, cols)),
                false => Err(Error::invalid_argument(op, "neither size fits the diagonals, which would be longer")
                    .got(format!("{rows} rows and {cols} columns for {self} of length {longest}"))
                    .expected(format!("{fewest_rows} rows or {fewest_cols} columns"))),
            },
        }
    }

    /// The diagonals of matrices of a shape as a tensor: rows of the longest one's length, one for each.
    pub fn shape_of(&self, matrices: &Shape) -> Result<Shape> {
        let axis = matrices.rank() - 2;
        let longest = self.longest(matrices.dim(axis), matrices.dim(axis + 1));
        match self.is_one() {
            true => matrices.remove(axis + 1).with(axis, longest),
            false => matrices.with(axis, self.count())?.with(axis + 1, longest),
        }
    }

    /// The band in matrices of known sizes.
    pub fn within(&self, rows: usize, cols: usize) -> Lines {
        let right = match self.align {
            DiagonalAlign::RightLeft => (true, false),
            DiagonalAlign::LeftRight => (false, true),
            DiagonalAlign::LeftLeft => (false, false),
            DiagonalAlign::RightRight => (true, true),
        };
        let (above, before) = self.margins();
        let longest = rows.saturating_sub(above).min(cols.saturating_sub(before));
        Lines { rows: rows as i64, cols: cols as i64, low: self.low, high: self.high, longest: longest as i64, right }
    }

    /// The attributes as one list.
    pub fn words(&self) -> [i64; 3] {
        [self.low, self.high, self.align as i64]
    }
}

/// The diagonals of a band in matrices of known sizes.
pub(super) struct Lines {
    pub rows: i64,
    pub cols: i64,
    pub low: i64,
    pub high: i64,
    pub longest: i64,
    /// Whether those above the main one, and those below it, end where the longest does.
    right: (bool, bool),
}

impl Lines {
    pub fn length(&self, d: i64) -> i64 {
        (self.cols - d.max(0)).min(self.rows + d.min(0)).max(0)
    }

    /// The places before a diagonal in its row.
    pub fn before(&self, d: i64) -> i64 {
        let right = d >= 0 && self.right.0 || d <= 0 && self.right.1;
        if right { self.longest - self.length(d) } else { 0 }
    }

    /// As `struct Lines` of `lines.cuh`.
    pub fn words(&self) -> [i64; 6] {
        let right = i64::from(self.right.0) | i64::from(self.right.1) << 1;
        [self.rows, self.cols, self.low, self.high, self.longest, right]
    }
}

/// Where entry `batch` of the leading axes begins in a tensor, of which the last `tail` axes are no part of them.
pub(super) fn begin_of(view: &kernels::backend::cpu::View, tail: usize, mut batch: usize) -> isize {
    let leading = view.rank() - tail;
    let mut at = 0;
    for (&size, &stride) in view.dims()[..leading].iter().zip(view.strides()).rev() {
        at += (batch % size) as isize * stride;
        batch /= size;
    }
    at
}
