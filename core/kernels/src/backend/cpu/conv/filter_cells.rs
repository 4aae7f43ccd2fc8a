//! What filter gradients read over and over, copied for tiles: the output gradient in panels, and a few channels of the input's pixels.
//! `filter_gradient` copies panels in its first phase and the pixels of a cell on the way, where there are enough channels to pay for it.

use super::ConvGeometry;
use super::cells::{Cell, Cells};
use super::kernels::{Block, Blocks, Kernels};
use crate::backend::cpu::simd::Float;
use std::ops::Range;

/// Bytes of a block's panel of one cell: it stays in the first-level cache while the tiles of a slab pass over it.
const PANEL: usize = 24 << 10;
/// Channels of the input at least, and of the output, for all of which an input pixel is copied once: with fewer, copies cost more than they gain. Pixels that
/// lie next to each other gain less; `docs/performance.md` has the shapes.
const FEWEST_INPUTS: usize = 64;
const FEWEST_OUTPUTS: usize = 64;
const FEWEST_OF_EVERY_PIXEL: usize = 128;

/// The cells of a gradient whose operands are copied, or `None` where they are better read where they lie.
pub(super) fn cells<T: Float>(g: &ConvGeometry, kernels: &Kernels<T>, blocks: Blocks) -> Option<Cells> {
    let fewest = if g.stride_w > 1 { FEWEST_OUTPUTS } else { FEWEST_OF_EVERY_PIXEL };
    if !g.is_flat() || g.out_c < fewest || g.in_c < FEWEST_INPUTS {
        return None;
    }
    let row = blocks.get(0).vectors * kernels.lanes * size_of::<T>();
    Some(Cells::new(g.batch, g.out_h, g.out_w, PANEL / row))
}

/// Copies the output gradient of some cells: of each cell its blocks, of each block its pixels in order, with zeros behind the last channel.
///
/// # Safety
/// `dy` must hold the gradient of the geometry, and `to` all its pixels with the channels of the blocks, those of these cells nobody else's.
pub(super) unsafe fn panels<T: Float>(
    g: &ConvGeometry,
    kernels: &Kernels<T>,
    blocks: Blocks,
    cells: Cells,
    dy: *const T,
    to: *mut T,
    range: Range<usize>,
) {
    for i in range {
        let cell = cells.get(i);
        let mut at = 0;
        for image in cell.images.clone() {
            for row in cell.rows.clone() {
                for col in cell.cols.clone() {
                    let from = ((image * g.out_h + row) * g.out_w + col) * g.out_pitch();
                    for i in 0..blocks.count {
                        let block = blocks.get(i);
                        let width = block.vectors * kernels.lanes;
                        let live = width - kernels.lanes + block.lanes;
                        // SAFETY: the pixel lies in the gradient, and its place in the panel of its block.
                        unsafe {
                            let to = to.add(panel(blocks, cells, &cell, &block) + at * width);
                            to.copy_from_nonoverlapping(dy.add(from + block.start), live);
                            to.add(live).write_bytes(0, width - live);
                        }
                    }
                    at += 1;
                }
            }
        }
    }
}

/// Where the panel of a block begins, for the pixels of a cell from its first one on.
pub(super) fn panel(blocks: Blocks, cells: Cells, cell: &Cell, block: &Block) -> usize {
    cells.before(cell) * blocks.padded() + cell.pixels() * block.start
}

/// Copies `count` channels of pixels: `len` of them along images, rows and columns, which lie `step` elements apart, one after the other.
///
/// # Safety
/// The pixels must lie in what `from` points to, and `to` must have room for them.
pub(super) unsafe fn pixels<T: Float>(from: *const T, step: [usize; 3], len: [usize; 3], count: usize, to: *mut T) {
    const RUN: usize = 8;
    let whole = count / RUN * RUN;
    let mut to = to;
    for image in 0..len[0] {
        for row in 0..len[1] {
            for col in 0..len[2] {
                // SAFETY: the channels of this pixel, and its place.
                unsafe {
                    let from = from.add(image * step[0] + row * step[1] + col * step[2]);
                    for at in (0..whole).step_by(RUN) {
                        to.add(at).cast::<[T; RUN]>().write_unaligned(from.add(at).cast::<[T; RUN]>().read_unaligned());
                    }
                    for at in whole..count {
                        *to.add(at) = *from.add(at);
                    }
                    to = to.add(count);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::filter_plan::FilterGradientPlan;
    use super::super::tests::{Random, check, isas};
    use super::*;

    /// Borders on all sides, taps that read nothing, holes, several images and bands of one, channels that fill no vector, and groups.
    #[test]
    fn copied_cells_match_the_definition() {
        let mut random = Random(19);
        let g = ConvGeometry {
            batch: 3,
            in_d: 1,
            in_h: 9,
            in_w: 8,
            in_c: 67,
            out_d: 1,
            out_h: 5,
            out_w: 4,
            out_c: 73,
            k_d: 1,
            k_h: 3,
            k_w: 3,
            stride_d: 1,
            stride_h: 2,
            stride_w: 2,
            dilation_d: 1,
            dilation_h: 1,
            dilation_w: 1,
            pad_front: 0,
            pad_top: 1,
            pad_left: 1,
            groups: 1,
            winograd: false,
        };
        let every_pixel = ConvGeometry { in_h: 5, in_w: 4, out_c: 130, stride_h: 1, stride_w: 1, ..g };
        let bands = ConvGeometry { batch: 1, in_h: 41, in_w: 39, in_c: 100, out_h: 21, out_w: 20, out_c: 64, ..g };
        for g in [
            g,
            every_pixel,
            bands,
            ConvGeometry { in_w: 7, ..g },
            ConvGeometry { stride_h: 1, out_h: 9, ..g },
            ConvGeometry { k_h: 1, k_w: 1, pad_top: 0, pad_left: 0, ..g },
            ConvGeometry { k_w: 4, pad_left: 3, dilation_w: 2, ..g },
            // Columns 0 to 2 of the filter lie beside the image for all pixels.
            ConvGeometry { in_w: 1, out_w: 1, k_w: 5, pad_left: 3, stride_w: 7, ..g },
            ConvGeometry { groups: 2, ..g },
        ] {
            for isa in isas() {
                assert!(FilterGradientPlan::new::<f32>(&g, isa).copied, "{isa:?}, {g:?}");
            }
            check::<f32>(&mut random, &g, [1.0; 3]);
            check::<f64>(&mut random, &g, [1.0; 3]);
        }
    }
}
