//! The loops of a product by depth: for each pixel of the output, the sum over taps of a source pixel times a filter's cell.
//! The forward product and the input gradient run it with axes, steps and filters of their own.

use super::Axis;
use crate::backend::cpu::simd::{Float, Simd};
use std::ops::Range;

/// A product over one image; source pixels have their channels side by side.
pub(super) struct Product<T> {
    pub rows: Axis,
    pub cols: Axis,
    pub channels: usize,
    pub src: *const T,
    /// From a source row to the next.
    pub src_row: usize,
    pub out: *mut T,
    /// From an output row, pixel and channel to the next.
    pub out_steps: [usize; 3],
    pub w: *const T,
    /// From a row tap and a column tap to the next.
    pub w_steps: [isize; 2],
    /// Adds to what the output holds.
    pub accumulate: bool,
    /// Whether these are the last terms of the sums: denormal ones become zero then.
    pub last: bool,
}

/// Pixels at once, at most: enough sums to hide the latency of each, and each cell of a filter is loaded once for all of them.
/// Rows of small images are shorter, so that fewer pixels have loops of their own.
const PIXELS: usize = 6;
// The loops that `run` chooses among.
const _: () = assert!(PIXELS == 6);

impl<T: Float> Product<T> {
    /// Computes the pixels of these rows and columns.
    ///
    /// # Safety
    /// The operands must hold what axes and steps reach, nobody else may use these outputs meanwhile, and the CPU must have the
    /// instruction set of `S`.
    #[inline(always)]
    pub unsafe fn run<S: Simd<Elem = T>>(&self, rows: Range<usize>, cols: Range<usize>) {
        for row in rows {
            // Known to the compiler, which then makes no code of it for other types.
            if const { size_of::<T>() == 4 } && self.shares(cols.len()) {
                // SAFETY: the caller's promise.
                unsafe { self.row::<S>(row, cols.clone()) };
                continue;
            }
            let down = self.rows.run(row..row + 1).taps;
            for run in self.cols.runs(cols.clone()) {
                let across = run.taps;
                let lens = if down.is_empty() || across.is_empty() { [0, 0] } else { [down.len(), across.len()] };
                let mut col = run.outputs.start;
                while col < run.outputs.end {
                    let n = PIXELS.min(run.outputs.end - col);
                    // Without a tap nothing is read, and places would have no meaning.
                    let (src, w) = match lens {
                        [0, _] => (self.src, self.w),
                        _ => {
                            let (y, x) = (self.rows.at(row, down.start), self.cols.at(col, across.start));
                            let first = down.start as isize * self.w_steps[0] + across.start as isize * self.w_steps[1];
                            (self.src.wrapping_add(y * self.src_row + x * self.channels), self.w.wrapping_offset(first))
                        }
                    };
                    let out = self.out.wrapping_add(row * self.out_steps[0] + col * self.out_steps[1]);
                    // SAFETY: the taps are valid for all pixels of the run.
                    unsafe {
                        match n {
                            6 => self.pixels::<S, 6>(src, w, out, lens),
                            5 => self.pixels::<S, 5>(src, w, out, lens),
                            4 => self.pixels::<S, 4>(src, w, out, lens),
                            3 => self.pixels::<S, 3>(src, w, out, lens),
                            2 => self.pixels::<S, 2>(src, w, out, lens),
                            _ => self.pixels::<S, 1>(src, w, out, lens),
                        }
                    }
                    col += n;
                }
            }
        }
    }

    /// Computes `P` neighbouring pixels.
    ///
    /// # Safety
    /// As for [`Product::run`], for so many pixels from `out` on.
    #[inline(always)]
    unsafe fn pixels<S: Simd<Elem = T>, const P: usize>(
        &self,
        src: *const T,
        w: *const T,
        out: *mut T,
        [down, across]: [usize; 2],
    ) {
        let (pixel, step) = (self.cols.stride * self.channels, self.cols.dilation * self.channels);
        let mut c = 0;
        while c < self.channels {
            let lanes = S::LANES.min(self.channels - c);
            // SAFETY: the caller's promise; the tail's mask ends with the channels.
            unsafe {
                let tail = S::tail(lanes);
                let whole = lanes == S::LANES;
                let load = |p: *const T| if whole { S::load(p) } else { S::load_tail(p, tail) };
                let mut sums = [S::zero(); P];
                for a in 0..down {
                    let mut from = src.wrapping_add(a * self.rows.dilation * self.src_row + c);
                    let mut cell = w.wrapping_offset(a as isize * self.w_steps[0]).wrapping_add(c);
                    for _ in 0..across {
                        let factor = load(cell);
                        for (p, sum) in sums.iter_mut().enumerate() {
                            *sum = load(from.wrapping_add(p * pixel)).fma(factor, *sum);
                        }
                        from = from.wrapping_add(step);
                        cell = cell.wrapping_offset(self.w_steps[1]);
                    }
                }
                for (p, sum) in sums.into_iter().enumerate() {
                    let to = out.wrapping_add(p * self.out_steps[1] + c * self.out_steps[2]);
                    self.store(sum, to, tail, lanes);
                }
            }
            c += S::LANES;
        }
    }

    /// # Safety
    /// As for [`Product::run`]: the lanes lie in the output.
    #[inline(always)]
    pub(super) unsafe fn store<S: Simd<Elem = T>>(&self, sum: S, to: *mut T, tail: S::Tail, lanes: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let sum = if self.accumulate { S::load_tail(to, tail).add(sum) } else { sum };
            let sum = if self.last { sum.flushed() } else { sum };
            if self.out_steps[2] == 1 {
                return if lanes == S::LANES { sum.store(to) } else { sum.store_tail(to, tail) };
            }
            // At most the 16 lanes of the widest vector.
            let mut apart = [T::default(); 16];
            sum.store(apart.as_mut_ptr());
            for (i, &x) in apart[..lanes].iter().enumerate() {
                *to.add(i * self.out_steps[2]) = x;
            }
        }
    }
}
