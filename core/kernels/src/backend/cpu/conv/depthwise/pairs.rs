//! Rows of an input gradient whose filters move by two pixels: even and odd columns at once, since both read the same cotangents.
//! `input_gradient` comes here for `float32` and filters of 3 or 5 columns; each kind of column has every second tap of a row.

use super::Axis;
use super::ConvGeometry;
use crate::backend::cpu::simd::{Float, Simd, ask_for};
use std::ops::Range;

/// Columns of a block, where sums, taps and a pixel have registers: 32 with AVX-512. Rows of 14, 28, 56 and 112 are whole blocks of 14.
const WIDE: [usize; 2] = [16, 14];
/// With 16 registers.
const NARROW: usize = 8;
const LINE: usize = 64;

/// Whether [`Pairs`] computes such rows. It may compute some columns twice, so it adds to none.
#[inline(always)]
pub(super) fn pairs<T: Float, S: Simd<Elem = T>>(g: &ConvGeometry) -> bool {
    let block = if wide::<S>() { WIDE[1] } else { NARROW };
    let filters = g.stride_w == 2 && g.dilation_w == 1 && matches!(g.k_w, 3 | 5);
    // The size of a type is known to the compiler, which makes no code for the others.
    size_of::<T>() == 4 && filters && g.out_c == g.in_c && g.in_w >= block
}

#[inline(always)]
fn wide<S>() -> bool {
    size_of::<S>() == 64
}

/// Cotangents before the one that tap `odd` of a block's first column meets, for taps of the same kind.
const fn reach(taps: usize, odd: usize) -> usize {
    (taps - 1 - odd) / 2
}

/// Cotangents in a row that all taps of a block meet.
const fn met(taps: usize, columns: usize, odd: usize) -> usize {
    reach(taps, odd) + (columns - 1 + odd) / 2 + 1
}

/// The rows of one class, with all of their columns, in one image.
pub(super) struct Pairs<T> {
    /// Rows of cotangents that a row meets.
    pub rows: Axis,
    pub channels: usize,
    pub src: *const T,
    /// Pixels of a row of cotangents, and columns of zeros left of the image.
    pub source: usize,
    pub pad: usize,
    pub out: *mut T,
    /// From a row of the class to the next, and the columns of a row.
    pub out_row: usize,
    pub columns: usize,
    /// The filter's row that the first tap of `rows` takes, from one of its rows to the next, and columns of the filter.
    pub w: *const T,
    pub w_row: isize,
    pub taps: usize,
}

/// The block of a row that is computed.
struct Block {
    /// The first column, and the cotangent that its tap 0 or 1 meets.
    column: usize,
    first: isize,
    /// How many rows of cotangents are met.
    down: usize,
}

impl<T: Float> Pairs<T> {
    /// Computes a row.
    ///
    /// # Safety
    /// Where [`pairs`]; the operands must hold what axes and steps reach, nobody else may use these outputs meanwhile, and the CPU must
    /// have the instruction set of `S`.
    #[inline(always)]
    pub unsafe fn row<S: Simd<Elem = T>>(&self, row: usize) {
        let [sixteen, fourteen] = WIDE.map(|block| self.columns.div_ceil(block) * block);
        // SAFETY: the caller's promise; there are as many columns as a block has.
        unsafe {
            match (self.taps, wide::<S>()) {
                (3, false) => self.row_of::<S, 3, NARROW>(row),
                (5, false) => self.row_of::<S, 5, NARROW>(row),
                (3, true) if sixteen < fourteen && self.columns >= WIDE[0] => self.row_of::<S, 3, { WIDE[0] }>(row),
                (3, true) => self.row_of::<S, 3, { WIDE[1] }>(row),
                (5, true) if sixteen < fourteen && self.columns >= WIDE[0] => self.row_of::<S, 5, { WIDE[0] }>(row),
                (5, true) => self.row_of::<S, 5, { WIDE[1] }>(row),
                _ => unreachable!("filters of other columns"),
            }
        }
    }

    /// The row in blocks of `P` columns, of which the last begins earlier where it would not be whole. Meanwhile the next row's
    /// memory is asked for, as in `rows.rs`.
    ///
    /// # Safety
    /// As for [`Pairs::row`], of `P` columns at least.
    #[inline(always)]
    unsafe fn row_of<S: Simd<Elem = T>, const K: usize, const P: usize>(&self, row: usize) {
        let down = self.rows.run(row..row + 1).taps;
        let y = if down.is_empty() { 0 } else { self.rows.at(row, down.start) };
        let line = self.source * self.channels;
        let src = self.src.wrapping_add(y * line);
        let w = self.w.wrapping_offset(down.start as isize * self.w_row);
        let out = self.out.wrapping_add(row * self.out_row);
        let blocks = self.columns.div_ceil(P);
        let turns = blocks * self.channels.div_ceil(S::LANES);
        let read = src.wrapping_add(down.len() * self.rows.dilation * line).cast::<u8>();
        let written = out.wrapping_add(self.out_row).cast::<u8>();
        let lines = |elements: usize| (elements * size_of::<T>()).div_ceil(LINE).div_ceil(turns.max(1)) * LINE;
        let (reads, writes) = (lines(self.rows.stride * line), lines(self.columns * self.channels));
        let mut turn = 0;
        for block in 0..blocks {
            let column = (block * P).min(self.columns - P);
            let place = column + self.pad;
            let block = Block { column, first: (place / 2) as isize, down: down.len() };
            for c in (0..self.channels).step_by(S::LANES) {
                ask_for(read.wrapping_add(turn * reads), reads);
                ask_for(written.cast_const().wrapping_add(turn * writes), writes);
                turn += 1;
                let (src, w, out) = (src.wrapping_add(c), w.wrapping_add(c), out.wrapping_add(c));
                // SAFETY: the outputs and channels are the caller's.
                unsafe {
                    if place % 2 == 1 {
                        self.block::<S, K, P, 1>(&block, src, w, out, self.channels - c);
                    } else {
                        self.block::<S, K, P, 0>(&block, src, w, out, self.channels - c);
                    }
                }
            }
        }
    }

    /// One vector of channels in a block whose first column meets the even taps, or the `ODD` ones.
    ///
    /// # Safety
    /// As for [`Pairs::row`]: of the channels from these pointers on there are `left`.
    #[inline(always)]
    unsafe fn block<S: Simd<Elem = T>, const K: usize, const P: usize, const ODD: usize>(
        &self,
        block: &Block,
        src: *const T,
        w: *const T,
        out: *mut T,
        left: usize,
    ) {
        let (reach, met) = const { (reach(K, ODD), met(K, P, ODD)) };
        let first = block.first - reach as isize;
        let bound = |at: isize| at.clamp(0, met as isize) as usize;
        let inside = bound(-first)..bound(self.source as isize - first);
        let from = src.wrapping_offset(first * self.channels as isize);
        let all = inside.len() == met;
        let lanes = S::LANES.min(left);
        // SAFETY: the pixels inside are those of the source; the outputs and channels are the caller's.
        unsafe {
            let sums = match (lanes == S::LANES, all) {
                (true, true) => self.sums::<S, K, P, ODD, true, true>(from, w, block.down, &inside, lanes),
                (true, false) => self.sums::<S, K, P, ODD, true, false>(from, w, block.down, &inside, lanes),
                (false, _) => self.sums::<S, K, P, ODD, false, false>(from, w, block.down, &inside, lanes),
            };
            let tail = S::tail(lanes);
            for (p, sum) in sums.into_iter().enumerate() {
                let to = out.wrapping_add((block.column + p) * self.channels);
                if lanes == S::LANES { sum.flushed().store(to) } else { sum.flushed().store_tail(to, tail) }
            }
        }
    }

    /// The sums of a block, from a `WHOLE` vector of channels or a part. Of the cotangents in a row those inside are read, which may be
    /// `ALL`. Each sum has its terms in the order of the columns, as where classes of columns are computed one by one.
    ///
    /// # Safety
    /// As for [`Pairs::row`]: `down` rows of cotangents and of taps, and `lanes` of their channels, lie in the operands.
    #[inline(always)]
    unsafe fn sums<
        S: Simd<Elem = T>,
        const K: usize,
        const P: usize,
        const ODD: usize,
        const WHOLE: bool,
        const ALL: bool,
    >(
        &self,
        from: *const T,
        w: *const T,
        down: usize,
        inside: &Range<usize>,
        lanes: usize,
    ) -> [S; P] {
        // SAFETY: the caller's promise; the tail's mask ends with the channels.
        unsafe {
            let tail = S::tail(lanes);
            let mut sums = [S::zero(); P];
            for a in 0..down {
                let from = from.wrapping_add(a * self.rows.dilation * self.source * self.channels);
                let w = w.wrapping_offset(a as isize * self.w_row);
                // Macros, since places in `taps` and `sums` must be known when this is compiled.
                macro_rules! load {
                    ($at:expr) => {
                        if WHOLE { S::load($at) } else { S::load_tail($at, tail) }
                    };
                }
                let mut taps = [S::zero(); K];
                for (t, tap) in taps.iter_mut().enumerate() {
                    *tap = load!(w.wrapping_add(t * self.channels));
                }
                macro_rules! pixels {
                    ($($x:literal)*) => {$(
                        if const { $x < met(K, P, ODD) }
                            && (ALL || inside.start <= $x && $x < inside.end)
                        {
                            let pixel = load!(from.wrapping_add($x * self.channels));
                            for t in 0..K {
                                // Tap t of this pixel adds to column 2 (x - reach) + t - ODD.
                                let column = 2 * $x + t;
                                let before = const { 2 * reach(K, ODD) + ODD };
                                if column >= before && column - before < P {
                                    sums[column - before] = pixel.fma(taps[t], sums[column - before]);
                                }
                            }
                        }
                    )*};
                }
                pixels!(0 1 2 3 4 5 6 7 8 9);
            }
            sums
        }
    }
}
