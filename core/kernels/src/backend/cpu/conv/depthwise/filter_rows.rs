//! Sums of products of pixels and cotangents for filters of 3, 5 or 7 columns that move by one pixel.
//! `filter_gradient.rs` comes here with each row of the output: a pixel is loaded once for all taps of a row of the filter, a cotangent once
//! for some rows.

use super::ConvGeometry;
use crate::backend::cpu::conv::forward::{axis_h, axis_w};
use crate::backend::cpu::simd::{Float, Simd, ask_for};

const LINE: usize = 64;

/// Whether [`row_sums`] has loops for these filters.
pub(super) fn shares(g: &ConvGeometry) -> bool {
    g.stride_w == 1 && g.dilation_w == 1 && matches!(g.k_w, 3 | 5 | 7)
}

/// One row of the output: what it reads, and the sums of some rows of the filter.
struct Row<T> {
    /// The first pixel of the row that the first of these rows of the filter meets, and how far apart such rows lie.
    x: *const T,
    apart: usize,
    /// The cotangents of the row.
    dy: *const T,
    /// The sums of the first of these rows of the filter.
    to: *mut T,
    channels: usize,
    /// Pixels and outputs of a row.
    pixels: usize,
    outputs: usize,
    /// The pixel that the first tap of the first output meets.
    start: isize,
    /// What is asked for meanwhile, and how many bytes of each with every vector of channels.
    next: [*const u8; 2],
    bytes: [usize; 2],
}

/// Adds what one row of the output gives to the filters, which lie cell by cell, where [`shares`].
///
/// # Safety
/// As for [`filter_gradient`](super::filter_gradient); nobody else may use these sums.
#[inline(always)]
pub(super) unsafe fn row_sums<T: Float, S: Simd<Elem = T>>(
    g: &ConvGeometry,
    x: *const T,
    dy: *const T,
    to: *mut T,
    row: usize,
) {
    let (v, h, channels) = (axis_h(g), axis_w(g), g.in_c);
    let (image, at) = (row / g.out_h, row % g.out_h);
    let down = v.run(at..at + 1).taps;
    if down.is_empty() {
        return;
    }
    let line = g.in_w * channels;
    let from = |tap: usize| x.wrapping_add((image * g.in_h + v.at(at, tap)) * line);
    let dy = dy.wrapping_add(row * g.out_w * channels);
    // The next row of the output reads these rows of pixels, and its own cotangents: vectors of channels take short pieces of many pixels,
    // which no prefetcher of a processor follows.
    let turns = channels.div_ceil(S::LANES).max(1);
    let lines = |elements: usize| (elements * size_of::<T>()).div_ceil(LINE).div_ceil(turns) * LINE;
    let next = [from(down.end - 1).wrapping_add(line).cast(), dy.wrapping_add(g.out_w * channels).cast()];
    let mut bytes = [lines(v.stride * line), lines(g.out_w * channels)];
    let mut tap = down.start;
    while tap < down.end {
        let left = down.end - tap;
        // As many rows of the filter as have their sums in 16 registers.
        let n = match g.k_w {
            3 if left >= 3 => 3,
            5 if left >= 2 => 2,
            _ => 1,
        };
        let some = Row {
            x: from(tap),
            apart: v.dilation * line,
            dy,
            to: to.wrapping_add(tap * g.k_w * channels),
            channels,
            pixels: g.in_w,
            outputs: g.out_w,
            start: h.start,
            next,
            bytes,
        };
        // SAFETY: these rows of the filter meet rows of the image.
        unsafe {
            match (g.k_w, n) {
                (3, 3) => some.add::<S, 3, 3>(),
                (3, _) => some.add::<S, 3, 1>(),
                (5, 2) => some.add::<S, 5, 2>(),
                (5, _) => some.add::<S, 5, 1>(),
                _ => some.add::<S, 7, 1>(),
            }
        }
        // Once is enough.
        bytes = [0; 2];
        tap += n;
    }
}

impl<T: Float> Row<T> {
    /// Adds the sums of `R` rows of `K` taps.
    ///
    /// # Safety
    /// As for [`row_sums`], where these rows of the filter meet rows of the image.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "constant indices into an array of registers")]
    unsafe fn add<S: Simd<Elem = T>, const K: usize, const R: usize>(&self) {
        for (turn, c) in (0..self.channels).step_by(S::LANES).enumerate() {
            for (next, bytes) in self.next.into_iter().zip(self.bytes) {
                ask_for(next.wrapping_add(turn * bytes), bytes);
            }
            let lanes = S::LANES.min(self.channels - c);
            // SAFETY: the caller's promise; the tail's mask ends with the channels.
            unsafe {
                let sums = self.sums::<S, K, R>(c, lanes);
                let tail = S::tail(lanes);
                for r in 0..R {
                    for b in 0..K {
                        let to = self.to.wrapping_add((r * K + b) * self.channels + c);
                        S::load_tail(to, tail).add(sums[r][b]).store_tail(to, tail);
                    }
                }
            }
        }
    }

    /// The sums of one vector of channels, tap by tap.
    ///
    /// In turn `p` the cotangent of output `p` comes, and the pixel that its first tap meets, which tap `b` of output `p - b` meets as well.
    ///
    /// # Safety
    /// As for [`Row::add`], of `lanes` channels from `c` on.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "constant indices into an array of registers")]
    unsafe fn sums<S: Simd<Elem = T>, const K: usize, const R: usize>(&self, c: usize, lanes: usize) -> [[S; K]; R] {
        let (x, dy) = (self.x.wrapping_add(c), self.dy.wrapping_add(c));
        // SAFETY: the caller's promise; pixels and outputs of these numbers lie in their rows.
        unsafe {
            let tail = S::tail(lanes);
            let mut sums = [[S::zero(); K]; R];
            // Output `p` in place `p % K`.
            let mut owed = [S::zero(); K];
            macro_rules! load {
                ($edge:literal, $at:expr) => {
                    if $edge { S::load_tail($at, tail) } else { S::load($at) }
                };
            }
            // A macro, since places in `owed` must be known when this is compiled.
            macro_rules! turns {
                ($edge:literal, $first:ident, $($i:literal)*) => {$(
                    if const { $i < K } {
                        let p = $first + $i;
                        let pixel = p as isize + self.start;
                        if !$edge || p < self.outputs {
                            owed[$i % K] = load!($edge, dy.wrapping_add(p * self.channels));
                        }
                        if !$edge || (0..self.pixels as isize).contains(&pixel) {
                            for r in 0..R {
                                let at = r * self.apart + pixel as usize * self.channels;
                                let pixel = load!($edge, x.wrapping_add(at));
                                for b in 0..K {
                                    if !$edge || p >= b && p - b < self.outputs {
                                        sums[r][b] = pixel.fma(owed[($i + K - b) % K], sums[r][b]);
                                    }
                                }
                            }
                        }
                    }
                )*};
            }
            for first in (0..self.outputs + K - 1).step_by(K) {
                let pixel = first as isize + self.start;
                let inside = first + 1 >= K && first + K <= self.outputs && pixel >= 0;
                if inside && pixel as usize + K <= self.pixels && lanes == S::LANES {
                    turns!(false, first, 0 1 2 3 4 5 6);
                } else {
                    turns!(true, first, 0 1 2 3 4 5 6);
                }
            }
            sums
        }
    }
}
