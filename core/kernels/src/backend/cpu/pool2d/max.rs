//! Maximum pooling and its gradient, vectorised over channels.
//! Called by the pooling ops; the gradient finds the maxima again instead of keeping their places.
//!
//! The first of equal maxima in row order gets the gradient, as in TensorFlow's kernel. A NaN wins over numbers, and
//! the first NaN over later ones.

use super::PoolGeometry;
use super::window::{cells, chunk, kernel, windows};
use crate::backend::cpu::conv::Float;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::Simd;
use std::ops::Range;

kernel! {
    /// One chunk of maximum pooling: `y` from `x`.
    ///
    /// # Safety
    /// The CPU must have `isa`, `x` and `y` must hold the tensors of the geometry, and the chunk must be below
    /// [`forward_chunks`](super::forward_chunks), run once.
    max_pool, forward(g: &PoolGeometry, x: *const T, y: *mut T, index: usize)
}

kernel! {
    /// One chunk of the gradient of maximum pooling: `dx` from `x` and `dy`.
    ///
    /// # Safety
    /// As for [`max_pool`], with [`gradient_chunks`](super::gradient_chunks).
    max_pool_gradient, gradient(g: &PoolGeometry, x: *const T, dy: *const T, dx: *mut T, index: usize)
}

/// # Safety
/// As for [`max_pool`], where the CPU has the instruction set of `S`.
#[inline(always)]
unsafe fn forward<T: Float, S: Simd<Elem = T>>(g: &PoolGeometry, x: *const T, y: *mut T, index: usize) {
    let (images, rows) = chunk(g, g.out_h, g.out_w, index);
    for image in images {
        for oh in rows.clone() {
            let window_rows = cells(oh, g.stride_h, g.k_h, g.pad_top, g.in_h);
            for ow in 0..g.out_w {
                let window_cols = cells(ow, g.stride_w, g.k_w, g.pad_left, g.in_w);
                // SAFETY: cells and outputs lie in the tensors, and the tail's mask ends with the channels.
                unsafe {
                    let y = y.add(((image * g.out_h + oh) * g.out_w + ow) * g.channels);
                    let mut c = 0;
                    while c < g.channels {
                        let tail = S::tail(S::LANES.min(g.channels - c));
                        best::<T, S>(g, x, image, &window_rows, &window_cols, c, tail).0.store_tail(y.add(c), tail);
                        c += S::LANES;
                    }
                }
            }
        }
    }
}

/// The maxima of a window for one vector of channels, and the number of the cell where each is: counted in floats,
/// which hold more cells exactly than any window has.
///
/// # Safety
/// The image, the cells and the channels must lie in `x`, and the CPU have the instruction set of `S`.
#[inline(always)]
unsafe fn best<T: Float, S: Simd<Elem = T>>(
    g: &PoolGeometry,
    x: *const T,
    image: usize,
    rows: &Range<usize>,
    cols: &Range<usize>,
    channel: usize,
    tail: S::Tail,
) -> (S, S) {
    // SAFETY: the caller's promise.
    unsafe {
        let one = S::splat(T::of(1));
        let (mut best, mut place) = (S::splat(T::LOWEST), S::splat(T::default()));
        let mut number = place;
        for row in rows.clone() {
            let x = x.add(((image * g.in_h + row) * g.in_w + cols.start) * g.channels + channel);
            for col in 0..cols.len() {
                let here = S::load_tail(x.add(col * g.channels), tail);
                // The first cell stands even if it is the lowest of all, or minus infinity.
                let first = row == rows.start && col == 0;
                let wins = here.beats(best);
                best = if first { here } else { S::select(wins, here, best) };
                place = if first { place } else { S::select(wins, number, place) };
                number = number.add(one);
            }
        }
        (best, place)
    }
}

/// # Safety
/// As for [`max_pool_gradient`], where the CPU has the instruction set of `S`.
#[inline(always)]
unsafe fn gradient<T: Float, S: Simd<Elem = T>>(g: &PoolGeometry, x: *const T, dy: *const T, dx: *mut T, index: usize) {
    let (images, band) = chunk(g, g.in_h, g.in_w, index);
    let row_size = g.in_w * g.channels;
    for image in images {
        // SAFETY: the band's rows lie in the image, and are this chunk's.
        unsafe { dx.add((image * g.in_h + band.start) * row_size).write_bytes(0, band.len() * row_size) };
        // Windows across the border of two bands are searched in both, and each band takes what falls into it.
        for oh in windows(&band, g.stride_h, g.k_h, g.pad_top, g.out_h) {
            let rows = cells(oh, g.stride_h, g.k_h, g.pad_top, g.in_h);
            for ow in 0..g.out_w {
                let cols = cells(ow, g.stride_w, g.k_w, g.pad_left, g.in_w);
                // SAFETY: cells and outputs lie in the tensors, and the tail's mask ends with the channels.
                unsafe {
                    let dy = dy.add(((image * g.out_h + oh) * g.out_w + ow) * g.channels);
                    let mut c = 0;
                    while c < g.channels {
                        let tail = S::tail(S::LANES.min(g.channels - c));
                        let (_, place) = best::<T, S>(g, x, image, &rows, &cols, c, tail);
                        let (dy, zero) = (S::load_tail(dy.add(c), tail), S::splat(T::default()));
                        for row in rows.start.max(band.start)..rows.end.min(band.end) {
                            let dx = dx.add((image * g.in_h + row) * row_size + cols.start * g.channels + c);
                            for col in 0..cols.len() {
                                let number = S::splat(T::of(((row - rows.start) * cols.len() + col) as isize));
                                let to = dx.add(col * g.channels);
                                let part = S::select(number.equals(place), dy, zero);
                                S::load_tail(to, tail).add(part).store_tail(to, tail);
                            }
                        }
                        c += S::LANES;
                    }
                }
            }
        }
    }
}
