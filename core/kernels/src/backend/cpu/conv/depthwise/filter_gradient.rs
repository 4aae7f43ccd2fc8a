//! The gradient of filters by depth: for each cell of a filter, the sum over pixels of what it saw times the cotangent.
//! Called by the convolution's gradient; partial sums over fixed parts of the images are added in order at the end.

use super::{APART, ConvGeometry, apart, filter_rows, lay_apart, multiplier, share};
use crate::backend::cpu::Work;
use crate::backend::cpu::conv::forward::{axis_h, axis_w};
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::pool2d::window::kernel;
use crate::backend::cpu::simd::{Float, Simd};

/// Multiply-adds of one part at least.
const PART: usize = 1 << 17;
/// More partial sums than this would cost more to add than they balance.
const MAX_PARTS: usize = 32;
/// Bytes of all partial sums together.
const PARTIALS: usize = 4 << 20;
/// Cells of a filter that have their sums in registers at once.
const CELLS: usize = 9;

/// Parts of all rows of all images, each with sums of its own.
fn parts<T>(g: &ConvGeometry) -> usize {
    let (rows, size) = (g.batch * g.out_h, g.taps() * g.out_c);
    let affordable = (PARTIALS / (size * size_of::<T>()).max(1)).clamp(1, MAX_PARTS);
    (rows * g.out_w * size / PART).clamp(1, affordable).min(rows.max(1))
}

/// Scratch and chunks of [`filter_gradient`].
pub fn filter_gradient_work<T: Float>(g: &ConvGeometry) -> Work {
    let (size, dy) = (g.taps() * g.out_c, g.batch * g.out_h * g.out_w * g.out_c);
    let laid = apart(g, dy);
    let scratch = parts::<T>(g) * size + if laid > 0 { dy } else { 0 };
    Work { scratch: scratch * size_of::<T>(), phases: [laid, parts::<T>(g), size.div_ceil(APART), 0, 0] }
}

kernel! {
    /// One chunk of the filter gradient: `dw` from `x` and `dy`. Phases: the cotangent laid apart, partial sums, their sum.
    ///
    /// # Safety
    /// As for [`forward`](super::forward), with the tensors of these names and [`filter_gradient_work`].
    filter_gradient, run(g: &ConvGeometry, x: *const T, dy: *const T, dw: *mut T, scratch: *mut u8, phase: usize, chunk: usize)
}

/// # Safety
/// As for [`filter_gradient`], where the CPU has the instruction set of `S`.
#[inline(always)]
unsafe fn run<T: Float, S: Simd<Elem = T>>(
    g: &ConvGeometry,
    x: *const T,
    dy: *const T,
    dw: *mut T,
    scratch: *mut u8,
    phase: usize,
    chunk: usize,
) {
    let (m, c, taps, pixels) = (multiplier(g), g.in_c, g.taps(), g.batch * g.out_h * g.out_w);
    let size = taps * g.out_c;
    let sums: *mut T = scratch.cast();
    let owed = sums.wrapping_add(parts::<T>(g) * size);
    // SAFETY: the scratch holds the sums of all parts and the cotangent; chunks write separate parts of them.
    unsafe {
        match phase {
            0 => lay_apart([c, m], pixels, dy, owed, share(pixels, apart(g, pixels * g.out_c), chunk)),
            1 => {
                let to = sums.add(chunk * size);
                to.write_bytes(0, size);
                let dy = if m > 1 { owed.cast_const() } else { dy };
                for row in share(g.batch * g.out_h, parts::<T>(g), chunk) {
                    for j in 0..m {
                        let (dy, to) = (dy.add(j * pixels * c), to.add(j * taps * c));
                        if filter_rows::shares(g) {
                            filter_rows::row_sums::<T, S>(g, x, dy, to, row);
                        } else {
                            row_sums::<T, S>(g, x, dy, to, row);
                        }
                    }
                }
            }
            _ => {
                for i in chunk * APART..size.min((chunk + 1) * APART) {
                    let (tap, channel, j) = (i / g.out_c, i % g.out_c / m, i % m);
                    let at = (j * taps + tap) * c + channel;
                    let sum = (0..parts::<T>(g)).fold(T::default(), |sum, part| sum + *sums.add(part * size + at));
                    *dw.add(i) = sum.flushed();
                }
            }
        }
    }
}

/// Adds what one row of the output gives to the filters, which lie cell by cell.
///
/// # Safety
/// As for [`filter_gradient`]; nobody else may use these sums.
#[inline(always)]
unsafe fn row_sums<T: Float, S: Simd<Elem = T>>(g: &ConvGeometry, x: *const T, dy: *const T, to: *mut T, row: usize) {
    let (v, h, c) = (axis_h(g), axis_w(g), g.in_c);
    let (image, at) = (row / g.out_h, row % g.out_h);
    let down = v.run(at..at + 1).taps;
    let dy = dy.wrapping_add(row * g.out_w * c);
    for run in h.runs(0..g.out_w) {
        let cells = down.len() * run.taps.len();
        let mut first = 0;
        while first < cells {
            let n = CELLS.min(cells - first);
            let (mut from, mut sums) = ([0; CELLS], [0; CELLS]);
            for i in 0..CELLS {
                // Idle places repeat the last cell, and are not stored.
                let cell = first + i.min(n - 1);
                let (a, b) = (down.start + cell / run.taps.len(), run.taps.start + cell % run.taps.len());
                from[i] = ((image * g.in_h + v.at(at, a)) * g.in_w + h.at(run.outputs.start, b)) * c;
                sums[i] = (a * g.k_w + b) * c;
            }
            let dy = dy.wrapping_add(run.outputs.start * c);
            let steps = [h.stride * c, c];
            // SAFETY: these cells read inside the image for all pixels of the run.
            unsafe {
                match n {
                    5.. => cells_of::<T, S, CELLS>(c, x, &from, dy, steps, run.outputs.len(), to, &sums, n),
                    2..=4 => cells_of::<T, S, 4>(c, x, &from, dy, steps, run.outputs.len(), to, &sums, n),
                    _ => cells_of::<T, S, 1>(c, x, &from, dy, steps, run.outputs.len(), to, &sums, n),
                }
            }
            first += n;
        }
    }
}

/// Adds the sums of `n` cells over neighbouring pixels, with steps from one to the next in `x` and `dy`.
///
/// # Safety
/// As for [`row_sums`].
#[inline(always)]
unsafe fn cells_of<T: Float, S: Simd<Elem = T>, const P: usize>(
    channels: usize,
    x: *const T,
    from: &[usize; CELLS],
    dy: *const T,
    [step, owed]: [usize; 2],
    pixels: usize,
    to: *mut T,
    places: &[usize; CELLS],
    n: usize,
) {
    let mut c = 0;
    while c < channels {
        let lanes = S::LANES.min(channels - c);
        // SAFETY: the caller's promise; the tail's mask ends with the channels.
        unsafe {
            let tail = S::tail(lanes);
            let whole = lanes == S::LANES;
            let load = |p: *const T| if whole { S::load(p) } else { S::load_tail(p, tail) };
            let mut sums = [S::zero(); P];
            for pixel in 0..pixels {
                let factor = load(dy.add(pixel * owed + c));
                let x = x.wrapping_add(pixel * step + c);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = load(x.add(from[i])).fma(factor, *sum);
                }
            }
            for (sum, &place) in sums.into_iter().zip(places).take(n) {
                let to = to.add(place + c);
                S::load_tail(to, tail).add(sum).store_tail(to, tail);
            }
        }
        c += S::LANES;
    }
}
