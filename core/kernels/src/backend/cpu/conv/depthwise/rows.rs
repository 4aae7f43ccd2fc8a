//! Rows of an image whose neighbouring outputs share what they read: a pixel is loaded once for all taps of a row of the filter.
//! `Product::run` comes here for `float32` and filters of 2, 3, 5 or 7 columns that move by one pixel, or of 3 or 5 that move by two.

use super::product::Product;
use crate::backend::cpu::simd::{Float, Simd, ask_for};
use std::ops::Range;

/// Outputs of a block: rows of 7, 14, 28, 56, and 112, as image networks have them, are whole blocks.
const BLOCKS: [usize; 2] = [8, 7];
const LINE: usize = 64;

impl<T: Float> Product<T> {
    /// Whether [`Product::row`] computes rows of so many outputs, of `float32`. It may compute some of them twice, so it adds to none.
    #[inline(always)]
    pub(super) fn shares(&self, outputs: usize) -> bool {
        let filters = match self.cols.stride {
            1 => matches!(self.cols.taps, 2 | 3 | 5 | 7),
            2 => matches!(self.cols.taps, 3 | 5),
            _ => false,
        };
        filters && self.cols.dilation == 1 && outputs >= BLOCKS[1] && !self.accumulate
    }

    /// Computes the outputs of these columns in one row.
    ///
    /// # Safety
    /// As for [`Product::run`], where [`Product::shares`].
    #[inline(always)]
    pub(super) unsafe fn row<S: Simd<Elem = T>>(&self, row: usize, cols: Range<usize>) {
        // Whichever computes fewer outputs twice.
        let [eight, seven] = BLOCKS.map(|block| cols.len().div_ceil(block) * block);
        // Eight sums, a pixel and seven taps fill the registers of AVX2, and a sum would go to memory.
        let avx2 = size_of::<S>() == 32;
        // SAFETY: the caller's promise; of seven outputs there are no blocks of eight.
        unsafe {
            match (self.cols.stride, self.cols.taps, eight <= seven) {
                (1, 2, true) => self.row_of::<S, 2, 8, 1>(row, cols),
                (1, 2, false) => self.row_of::<S, 2, 7, 1>(row, cols),
                (1, 3, true) => self.row_of::<S, 3, 8, 1>(row, cols),
                (1, 3, false) => self.row_of::<S, 3, 7, 1>(row, cols),
                (1, 5, true) => self.row_of::<S, 5, 8, 1>(row, cols),
                (1, 5, false) => self.row_of::<S, 5, 7, 1>(row, cols),
                (1, 7, true) if !avx2 => self.row_of::<S, 7, 8, 1>(row, cols),
                (1, 7, _) => self.row_of::<S, 7, 7, 1>(row, cols),
                (2, 3, _) => self.row_of::<S, 3, 7, 2>(row, cols),
                (2, 5, _) => self.row_of::<S, 5, 7, 2>(row, cols),
                _ => unreachable!("a row that shares no pixels"),
            }
        }
    }

    /// The row in blocks of `P` outputs, with filters of `K` columns that move by `STEP`. The last block begins earlier where it would
    /// not be whole. Meanwhile what the next row reads and writes is asked for, line by line: blocks take short pieces of many rows,
    /// which no prefetcher of a processor follows.
    ///
    /// # Safety
    /// As for [`Product::row`], of `P` outputs at least.
    #[inline(always)]
    unsafe fn row_of<S: Simd<Elem = T>, const K: usize, const P: usize, const STEP: usize>(
        &self,
        row: usize,
        cols: Range<usize>,
    ) {
        let down = self.rows.run(row..row + 1).taps;
        let y = if down.is_empty() { 0 } else { self.rows.at(row, down.start) };
        let src = self.src.wrapping_add(y * self.src_row);
        let w = self.w.wrapping_offset(down.start as isize * self.w_steps[0]);
        let out = self.out.wrapping_add(row * self.out_steps[0]);
        let blocks = cols.len().div_ceil(P);
        let turns = blocks * self.channels.div_ceil(S::LANES);
        let read = src.wrapping_add(down.len() * self.rows.dilation * self.src_row).cast::<u8>();
        let written = out.wrapping_add(self.out_steps[0] + cols.start * self.out_steps[1]).cast::<u8>();
        let lines = |elements: usize| (elements * size_of::<T>()).div_ceil(LINE).div_ceil(turns.max(1)) * LINE;
        let (reads, writes) = (lines(self.rows.stride * self.src_row), lines(cols.len() * self.out_steps[1]));
        let mut turn = 0;
        for block in 0..blocks {
            let col = (cols.start + block * P).min(cols.end - P);
            let first = self.cols.start + (col * STEP) as isize;
            let bound = |at: isize| at.clamp(0, (STEP * (P - 1) + K) as isize) as usize;
            let inside = bound(-first)..bound(self.cols.source as isize - first);
            let from = src.wrapping_offset(first * self.channels as isize);
            for c in (0..self.channels).step_by(S::LANES) {
                ask_for(read.wrapping_add(turn * reads), reads);
                ask_for(written.cast_const().wrapping_add(turn * writes), writes);
                turn += 1;
                let lanes = S::LANES.min(self.channels - c);
                let (from, cells) = (from.wrapping_add(c), w.wrapping_add(c));
                // SAFETY: the pixels inside are those of the source; the outputs and channels are the caller's.
                unsafe {
                    let sums = match (lanes == S::LANES, inside.len() == STEP * (P - 1) + K) {
                        (true, true) => {
                            self.block::<S, K, P, STEP, true, true>(from, cells, down.len(), &inside, lanes)
                        }
                        (true, false) => {
                            self.block::<S, K, P, STEP, true, false>(from, cells, down.len(), &inside, lanes)
                        }
                        (false, _) => {
                            self.block::<S, K, P, STEP, false, false>(from, cells, down.len(), &inside, lanes)
                        }
                    };
                    let tail = S::tail(lanes);
                    for (p, sum) in sums.into_iter().enumerate() {
                        let to = out.wrapping_add((col + p) * self.out_steps[1] + c * self.out_steps[2]);
                        self.store(sum, to, tail, lanes);
                    }
                }
            }
        }
    }

    /// The sums of a block for one vector of channels, a `WHOLE` one or a part. Of the pixels in a row that its taps meet, those that lie
    /// inside are read, which may be `ALL`.
    ///
    /// # Safety
    /// As for [`Product::row`]: `down` rows of pixels and of cells, and `lanes` of their channels, lie in the operands.
    #[inline(always)]
    unsafe fn block<
        S: Simd<Elem = T>,
        const K: usize,
        const P: usize,
        const STEP: usize,
        const WHOLE: bool,
        const ALL: bool,
    >(
        &self,
        from: *const T,
        cells: *const T,
        down: usize,
        inside: &Range<usize>,
        lanes: usize,
    ) -> [S; P] {
        // SAFETY: the caller's promise; the tail's mask ends with the channels.
        unsafe {
            let tail = S::tail(lanes);
            let mut sums = [S::zero(); P];
            for a in 0..down {
                let from = from.wrapping_add(a * self.rows.dilation * self.src_row);
                let cells = cells.wrapping_offset(a as isize * self.w_steps[0]);
                // Macros, since places in `taps` and `sums` must be known when this is compiled.
                macro_rules! load {
                    ($at:expr) => {
                        if WHOLE { S::load($at) } else { S::load_tail($at, tail) }
                    };
                }
                let mut taps = [S::zero(); K];
                for (t, tap) in taps.iter_mut().enumerate() {
                    *tap = load!(cells.wrapping_offset(t as isize * self.w_steps[1]));
                }
                macro_rules! pixels {
                    ($($x:literal)*) => {$(
                        if const { $x < STEP * (P - 1) + K } && (ALL || inside.start <= $x && $x < inside.end) {
                            let pixel = load!(from.wrapping_add($x * self.channels));
                            for t in 0..K {
                                if $x >= t && ($x - t) % STEP == 0 && ($x - t) / STEP < P {
                                    sums[($x - t) / STEP] = pixel.fma(taps[t], sums[($x - t) / STEP]);
                                }
                            }
                        }
                    )*};
                }
                pixels!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
            }
            sums
        }
    }
}
