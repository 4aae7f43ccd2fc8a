//! Average pooling and its gradient, vectorised over channels.
//! Called by the pooling ops; a mean is over the cells of the window that lie in the image, as in TensorFlow.

use super::PoolGeometry;
use super::window::{cells, chunk, kernel, windows};
use crate::backend::cpu::conv::Float;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::Simd;

kernel! {
    /// One chunk of average pooling: `y` from `x`.
    ///
    /// # Safety
    /// The CPU must have `isa`, `x` and `y` must hold the tensors of the geometry, and the chunk must be below
    /// [`forward_chunks`](super::forward_chunks), run once.
    avg_pool, forward(g: &PoolGeometry, x: *const T, y: *mut T, index: usize)
}

kernel! {
    /// One chunk of the gradient of average pooling: `dx` from `dy`.
    ///
    /// # Safety
    /// As for [`avg_pool`], with [`gradient_chunks`](super::gradient_chunks).
    avg_pool_gradient, gradient(g: &PoolGeometry, dy: *const T, dx: *mut T, index: usize)
}

/// # Safety
/// As for [`avg_pool`], where the CPU has the instruction set of `S`.
#[inline(always)]
unsafe fn forward<T: Float, S: Simd<Elem = T>>(g: &PoolGeometry, x: *const T, y: *mut T, index: usize) {
    let (images, rows) = chunk(g, g.out_h, g.out_w, index);
    for image in images {
        for oh in rows.clone() {
            let window_rows = cells(oh, g.stride_h, g.k_h, g.pad_top, g.in_h);
            for ow in 0..g.out_w {
                let window_cols = cells(ow, g.stride_w, g.k_w, g.pad_left, g.in_w);
                let share = share::<T>(window_rows.len() * window_cols.len());
                // SAFETY: cells and outputs lie in the tensors, and the tail's mask ends with the channels.
                unsafe {
                    let y = y.add(((image * g.out_h + oh) * g.out_w + ow) * g.channels);
                    let mut c = 0;
                    while c < g.channels {
                        let tail = S::tail(S::LANES.min(g.channels - c));
                        let mut sum = S::splat(T::default());
                        for row in window_rows.clone() {
                            let x = x.add(((image * g.in_h + row) * g.in_w + window_cols.start) * g.channels + c);
                            for col in 0..window_cols.len() {
                                sum = sum.add(S::load_tail(x.add(col * g.channels), tail));
                            }
                        }
                        sum.mul(S::splat(share)).store_tail(y.add(c), tail);
                        c += S::LANES;
                    }
                }
            }
        }
    }
}

/// # Safety
/// As for [`avg_pool_gradient`], where the CPU has the instruction set of `S`.
#[inline(always)]
unsafe fn gradient<T: Float, S: Simd<Elem = T>>(g: &PoolGeometry, dy: *const T, dx: *mut T, index: usize) {
    let (images, band) = chunk(g, g.in_h, g.in_w, index);
    let row_size = g.in_w * g.channels;
    for image in images {
        // SAFETY: the band's rows lie in the image, and are this chunk's.
        unsafe { dx.add((image * g.in_h + band.start) * row_size).write_bytes(0, band.len() * row_size) };
        for oh in windows(&band, g.stride_h, g.k_h, g.pad_top, g.out_h) {
            let rows = cells(oh, g.stride_h, g.k_h, g.pad_top, g.in_h);
            for ow in 0..g.out_w {
                let cols = cells(ow, g.stride_w, g.k_w, g.pad_left, g.in_w);
                let share = share::<T>(rows.len() * cols.len());
                // SAFETY: cells and outputs lie in the tensors, and the tail's mask ends with the channels.
                unsafe {
                    let dy = dy.add(((image * g.out_h + oh) * g.out_w + ow) * g.channels);
                    let mut c = 0;
                    while c < g.channels {
                        let tail = S::tail(S::LANES.min(g.channels - c));
                        let part = S::load_tail(dy.add(c), tail).mul(S::splat(share));
                        for row in rows.start.max(band.start)..rows.end.min(band.end) {
                            let dx = dx.add((image * g.in_h + row) * row_size + cols.start * g.channels + c);
                            for col in 0..cols.len() {
                                let to = dx.add(col * g.channels);
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

/// What one of `n` cells gives to their mean.
#[inline(always)]
fn share<T: Float>(n: usize) -> T {
    if n == 0 { T::default() } else { T::of(n as isize).recip() }
}
