//! Weights rearranged for the microkernel: a panel per block of output channels, zero-padded to whole vectors.
//! The forward product packs wide filters; the input gradient always packs, since it needs them transposed.

use super::ConvGeometry;
use super::cells::share;
use super::kernels::{Blocks, Kernels};
use crate::backend::cpu::simd::Float;
use std::ops::Range;

/// Filter rows (of one output pixel's depth) that one chunk of packing takes.
pub(super) fn chunks(rows: usize, columns: usize) -> usize {
    (rows * columns).div_ceil(32 << 10).min(rows)
}

/// Packs a share of the rows of `w`, a matrix of `depth` rows and as many columns as the blocks have channels.
///
/// # Safety
/// `w` must hold the matrix and `panel` `depth * blocks.padded()` elements, those of the share nobody else's.
pub(super) unsafe fn plain<T: Float>(
    kernels: &Kernels<T>,
    blocks: Blocks,
    depth: usize,
    w: *const T,
    panel: *mut T,
    share: Range<usize>,
    columns: usize,
) {
    for i in 0..blocks.count {
        let block = blocks.get(i);
        let width = block.vectors * kernels.lanes;
        let live = width - kernels.lanes + block.lanes;
        for k in share.clone() {
            // SAFETY: row k and the block's columns lie in both matrices.
            unsafe {
                let from = w.add(k * columns + block.start);
                if kernels.dots {
                    for j in 0..live {
                        *panel.add((block.start + j) * depth + k) = *from.add(j);
                    }
                    continue;
                }
                let to = panel.add(block.start * depth + k * width);
                from.copy_to_nonoverlapping(to, live);
                for j in live..width {
                    *to.add(j) = T::default();
                }
            }
        }
    }
}

/// Packs a share of the taps transposed and turned: row `(k_d-1-kd, k_h-1-kh, k_w-1-kw, out channel)`, columns input channels.
///
/// # Safety
/// `w` must hold the filters and `panel` `k_h * k_w * out_c * blocks.padded()` elements, those of the chunk unshared.
pub(super) unsafe fn turned<T: Float>(
    g: &ConvGeometry,
    kernels: &Kernels<T>,
    blocks: Blocks,
    w: *const T,
    panel: *mut T,
    count: usize,
    chunk: usize,
) {
    /// Input channels read side by side: few, since their distance may be one that a cache maps to few places.
    const SIDE: usize = 8;
    /// Output channels at a time: a cache line of each input channel's filters.
    const LINE: usize = 16;
    let taps = g.taps();
    let depth = taps * g.out_c;
    let mut rows = share(depth, count, chunk);
    while !rows.is_empty() {
        let (turned, first) = (rows.start / g.out_c, rows.start % g.out_c);
        let end = rows.end.min((turned + 1) * g.out_c);
        let tap = taps - 1 - turned;
        for i in 0..blocks.count {
            let block = blocks.get(i);
            let width = block.vectors * kernels.lanes;
            let live = width - kernels.lanes + block.lanes;
            // Steps of the panel between rows and between columns: it may have a row for each input channel.
            let (down, across) = if kernels.dots { (1, depth) } else { (width, 1) };
            // SAFETY: the tap, both channels and the packed row lie in their arrays.
            unsafe {
                let to = panel.add(block.start * depth + rows.start * down);
                let from = w.add((tap * g.in_c + block.start) * g.out_pitch() + first);
                let rows = end - rows.start;
                for line in (0..rows).step_by(LINE) {
                    for side in (0..live).step_by(SIDE) {
                        for k in line..rows.min(line + LINE) {
                            for j in side..live.min(side + SIDE) {
                                *to.add(k * down + j * across) = *from.add(j * g.out_pitch() + k);
                            }
                        }
                    }
                }
                for k in 0..rows {
                    for j in live..width {
                        *to.add(k * down + j) = T::default();
                    }
                }
            }
        }
        rows.start = end;
    }
}
