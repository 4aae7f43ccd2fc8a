//! Convolution of each channel with filters of its own: the forward product and the gradients of input and filters.
//! The convolution ops call it where every channel is a group; vectors run along the channels, and nothing is gathered.
//!
//! Input channel `c` gives output channels `c * m` to `(c + 1) * m`, for `m` filters of each channel. For `m` > 1 filters and
//! cotangents are laid apart in scratch memory, one after the other of the `m`, so that all loops are those of `m` = 1.

mod filter_gradient;
mod filter_rows;
mod pairs;
mod product;
mod rows;
#[cfg(test)]
mod tests;

pub use filter_gradient::{filter_gradient, filter_gradient_work};

use super::ConvGeometry;
use super::axis::Axis;
use super::cells::share;
use super::forward::{axis_h, axis_w};
use super::input_gradient::Class;
use crate::backend::cpu::Work;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::pool2d::window::kernel;
use crate::backend::cpu::simd::{Float, Simd};
use pairs::{Pairs, pairs};
use product::Product;
use std::ops::Range;

/// Multiply-adds of one chunk, about.
const CHUNK: usize = 1 << 18;
/// Elements that one chunk lays apart.
const APART: usize = 64 << 10;

/// Filters of each channel.
fn multiplier(g: &ConvGeometry) -> usize {
    g.out_c / g.in_c
}

/// Bands of `rows` rows in each image, and chunks of all images: what one takes is about the same work.
fn bands(g: &ConvGeometry, rows: usize, cols: usize) -> (usize, usize) {
    let row = (cols * g.taps() * g.out_c).max(1);
    let bands = (rows * row / CHUNK).clamp(1, rows.max(1));
    // Small images go together.
    let images = if bands > 1 { 1 } else { (CHUNK / (rows * row).max(1)).clamp(1, g.batch.max(1)) };
    (bands, g.batch.div_ceil(images) * bands)
}

/// The images and the rows of a chunk.
fn part(g: &ConvGeometry, rows: usize, cols: usize, chunk: usize) -> (Range<usize>, Range<usize>) {
    let (bands, chunks) = bands(g, rows, cols);
    (share(g.batch, chunks / bands, chunk / bands), share(rows, bands, chunk % bands))
}

/// Chunks that lay `n` elements apart; none if they need not be.
fn apart(g: &ConvGeometry, n: usize) -> usize {
    if multiplier(g) > 1 { n.div_ceil(APART) } else { 0 }
}

/// Lays rows of `channels * m` elements apart: `to` has those of the first filter of all channels in all rows, then the next.
///
/// # Safety
/// `from` and `to` hold `rows` rows, and nobody else uses those of the share in `to`.
unsafe fn lay_apart<T: Float>([channels, m]: [usize; 2], rows: usize, from: *const T, to: *mut T, share: Range<usize>) {
    for row in share {
        for j in 0..m {
            for c in 0..channels {
                // SAFETY: the row lies in both.
                unsafe { *to.add((j * rows + row) * channels + c) = *from.add((row * channels + c) * m + j) };
            }
        }
    }
}

/// Scratch and chunks of [`forward`].
pub fn forward_work<T: Float>(g: &ConvGeometry) -> Work {
    let filters = g.taps() * g.out_c;
    let (packing, (_, chunks)) = (apart(g, filters), bands(g, g.out_h, g.out_w));
    let chunks = if g.out_h * g.out_w == 0 { 0 } else { chunks };
    Work { scratch: if packing > 0 { filters * size_of::<T>() } else { 0 }, phases: [packing, chunks, 0, 0, 0] }
}

kernel! {
    /// One chunk of the convolution: `y` from `x` and `w`.
    ///
    /// # Safety
    /// The CPU must have `isa`. The pointers must hold the tensors of the geometry, which has one plane and channels of the output
    /// for each of the input; `scratch` the bytes of [`forward_work`], and `phase` and `chunk` be of its ranges, each run once and
    /// after all chunks of the phase before.
    forward, run_forward(g: &ConvGeometry, x: *const T, w: *const T, y: *mut T, scratch: *mut u8, phase: usize, chunk: usize)
}

/// # Safety
/// As for [`forward`], where the CPU has the instruction set of `S`.
#[inline(always)]
unsafe fn run_forward<T: Float, S: Simd<Elem = T>>(
    g: &ConvGeometry,
    x: *const T,
    w: *const T,
    y: *mut T,
    scratch: *mut u8,
    phase: usize,
    chunk: usize,
) {
    let (m, taps, packed) = (multiplier(g), g.taps(), scratch.cast::<T>());
    if phase == 0 {
        let rows = share(taps, apart(g, taps * g.out_c), chunk);
        // SAFETY: the scratch holds the filters, and this chunk owns its rows.
        return unsafe { lay_apart([g.in_c, m], taps, w, packed, rows) };
    }
    let (images, rows) = part(g, g.out_h, g.out_w, chunk);
    let w = if m > 1 { packed.cast_const() } else { w };
    for image in images {
        for j in 0..m {
            // SAFETY: the image and its filters lie in the tensors, and chunks have separate outputs.
            unsafe {
                Product {
                    rows: axis_h(g),
                    cols: axis_w(g),
                    channels: g.in_c,
                    src: x.add(image * g.in_h * g.in_w * g.in_c),
                    src_row: g.in_w * g.in_c,
                    out: y.add(image * g.out_h * g.out_w * g.out_c + j),
                    out_steps: [g.out_w * g.out_c, g.out_c, m],
                    w: w.add(j * taps * g.in_c),
                    w_steps: [(g.k_w * g.in_c) as isize, g.in_c as isize],
                    accumulate: false,
                    last: true,
                }
                .run::<S>(rows.clone(), 0..g.out_w)
            }
        }
    }
}

/// Scratch and chunks of [`input_gradient`].
pub fn input_gradient_work<T: Float>(g: &ConvGeometry) -> Work {
    let (filters, dy) = (g.taps() * g.out_c, g.batch * g.out_h * g.out_w * g.out_c);
    let chunks = if g.in_h * g.in_w == 0 { 0 } else { bands(g, g.in_h.div_ceil(g.stride_h), g.in_w).1 };
    let packing = apart(g, filters);
    let scratch = if packing > 0 { (filters + dy) * size_of::<T>() } else { 0 };
    Work { scratch, phases: [packing + apart(g, dy), chunks, 0, 0, 0] }
}

kernel! {
    /// One chunk of the input gradient: `dx` from `dy` and `w`.
    ///
    /// # Safety
    /// As for [`forward`], with the tensors of these names and [`input_gradient_work`].
    input_gradient, run_input_gradient(g: &ConvGeometry, dy: *const T, w: *const T, dx: *mut T, scratch: *mut u8, phase: usize, chunk: usize)
}

/// # Safety
/// As for [`input_gradient`], where the CPU has the instruction set of `S`.
#[inline(always)]
unsafe fn run_input_gradient<T: Float, S: Simd<Elem = T>>(
    g: &ConvGeometry,
    dy: *const T,
    w: *const T,
    dx: *mut T,
    scratch: *mut u8,
    phase: usize,
    chunk: usize,
) {
    let (m, taps, c) = (multiplier(g), g.taps(), g.in_c);
    let pixels = g.batch * g.out_h * g.out_w;
    let packed: *mut T = scratch.cast();
    let owed = packed.wrapping_add(taps * g.out_c);
    if phase == 0 {
        let packing = apart(g, taps * g.out_c);
        // SAFETY: the scratch holds the filters and the cotangent, and this chunk owns its rows.
        return unsafe {
            match chunk.checked_sub(packing) {
                None => lay_apart([c, m], taps, w, packed, share(taps, packing, chunk)),
                Some(chunk) => lay_apart([c, m], pixels, dy, owed, share(pixels, apart(g, pixels * g.out_c), chunk)),
            }
        };
    }
    let (w, dy) = if m > 1 { (packed.cast_const(), owed.cast_const()) } else { (w, dy) };
    let (images, rows) = part(g, g.in_h.div_ceil(g.stride_h), g.in_w, chunk);
    for image in images {
        for a in 0..g.stride_h.min(g.in_h) {
            let v = Class::new(a, g.in_h, g.out_h, g.k_h, g.stride_h, g.dilation_h, g.pad_top);
            let rows = rows.start..rows.end.min(v.len);
            let out = dx.wrapping_add((image * g.in_h + a) * g.in_w * c);
            // Taps of a class run backwards through the filter.
            let (first, w_row) = (g.k_h - 1 - v.tap, -((v.tap_step * g.k_w * c) as isize));
            let src = dy.wrapping_add(image * g.out_h * g.out_w * c);
            if pairs::<T, S>(g) {
                let (w, out_row) = (w.wrapping_add(first * g.k_w * c), g.stride_h * g.in_w * c);
                let (source, columns, pad, taps) = (g.out_w, g.in_w, g.pad_left, g.k_w);
                let pairs =
                    Pairs { rows: v.axis, channels: c, src, source, pad, out, out_row, columns, w, w_row, taps };
                for row in rows {
                    // SAFETY: the image, its class and its filters lie in the tensors, and chunks have separate outputs.
                    unsafe { pairs.row::<S>(row) };
                }
                continue;
            }
            for (b, j) in (0..g.stride_w.min(g.in_w)).flat_map(|b| (0..m).map(move |j| (b, j))) {
                let h = Class::new(b, g.in_w, g.out_w, g.k_w, g.stride_w, g.dilation_w, g.pad_left);
                let some = v.axis.taps * h.axis.taps > 0;
                let first = if some { first * g.k_w + (g.k_w - 1 - h.tap) } else { 0 };
                // SAFETY: as above.
                unsafe {
                    Product {
                        rows: v.axis,
                        cols: Axis { taps: if some { h.axis.taps } else { 0 }, ..h.axis },
                        channels: c,
                        src: src.wrapping_add(j * pixels * c),
                        src_row: g.out_w * c,
                        out: out.wrapping_add(b * c),
                        out_steps: [g.stride_h * g.in_w * c, g.stride_w * c, 1],
                        w: w.add((j * taps + first) * c),
                        w_steps: [w_row, -((h.tap_step * c) as isize)],
                        accumulate: j > 0,
                        last: j + 1 == m,
                    }
                    .run::<S>(rows.clone(), 0..h.len)
                }
            }
        }
    }
}
