//! A chunk of tiles: their pixels are transformed, multiplied with the filters at each point, and the sums become outputs.
//! The second phase of `Winograd::run` comes here.

use super::product::Product;
use super::transform::{POINTS, STEP, TILE, pixels_at, sums};
use super::{BLOCK, Winograd, ask_for_next, read_at};
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::pool2d::window::kernel;
use crate::backend::cpu::simd::{Float, Simd, ask_for};
use std::ops::Range;

impl<T: Float> Winograd<T> {
    /// Computes the outputs of a range of tiles.
    ///
    /// # Safety
    /// Source, output and panel are those of a group; `own` has the elements of [`Winograd::own`], and nobody else uses it or these outputs.
    pub(super) unsafe fn tiles(
        &self,
        source: *const T,
        panel: *const T,
        output: *mut T,
        own: *mut T,
        tiles: Range<usize>,
        blocks: Range<usize>,
    ) {
        let [pixels_apart, sums_apart] = self.apart();
        // SAFETY: the parts lie one behind the other in the chunk's memory.
        unsafe {
            let pixels = own;
            let sums = pixels.add(POINTS * pixels_apart);
            let zeros = sums.add(POINTS * sums_apart);
            std::slice::from_raw_parts_mut(zeros, self.pitch()[0]).fill(T::default());
            let zeros = zeros.cast_const();
            let channels = self.blocks.start(blocks.start)..self.output.channels.min(self.blocks.start(blocks.end));
            for start in tiles.clone().step_by(BLOCK) {
                let block = start..tiles.end.min(start + BLOCK);
                gather(self.isa, self, source, zeros, pixels, block.clone());
                self.multiply(pixels, panel, sums, block.len(), blocks.clone());
                scatter(self.isa, self, sums, output, block, channels.clone());
            }
        }
    }

    /// At each point, the tiles times the filters of some blocks.
    ///
    /// # Safety
    /// Pixels and panel hold what the block and the filters have at all points; `sums` has room for as much.
    unsafe fn multiply(&self, pixels: *const T, panel: *const T, sums: *mut T, tiles: usize, blocks: Range<usize>) {
        let ([pixels_apart, sums_apart], row_steps) = (self.apart(), self.pitch());
        let channels = self.source.channels;
        for point in 0..POINTS {
            for i in blocks.clone() {
                let block = self.blocks.get(i);
                let width = block.vectors * self.kernels.lanes;
                // SAFETY: point and block lie in their arrays.
                let (src, panel, out) = unsafe {
                    (
                        pixels.add(point * pixels_apart),
                        panel.add(block.start * POINTS * channels + point * channels * width),
                        sums.add(point * sums_apart + block.start),
                    )
                };
                // SAFETY: the rows are the block's, and so are all columns of the padded sums.
                unsafe {
                    Product {
                        src,
                        panel,
                        out,
                        rows: tiles,
                        row_steps,
                        depth: channels,
                        depth_steps: [1, width],
                        accumulate: false,
                    }
                    .run(self.kernels, block.vectors);
                }
            }
        }
    }
}

kernel! {
    /// The pixels of a block of tiles at all points.
    ///
    /// # Safety
    /// As for [`Winograd::tiles`], on a CPU with the instruction set.
    gather, gather_body(this: &Winograd<T>, source: *const T, zeros: *const T, pixels: *mut T, tiles: Range<usize>)
}

#[inline(always)]
unsafe fn gather_body<T: Float, S: Simd<Elem = T>>(
    this: &Winograd<T>,
    source: *const T,
    zeros: *const T,
    pixels: *mut T,
    tiles: Range<usize>,
) {
    let (images, [pitch, _], [apart, _]) = (this.source, this.pitch(), this.apart());
    for (i, tile) in tiles.enumerate() {
        let (image, output) = this.tiles.place(tile);
        let at = images.square(source, image, read_at(this.first, output), zeros);
        for c in (0..images.channels).step_by(S::LANES) {
            ask_for_next(&at, images.pitch, c, S::LANES);
            let lanes = S::LANES.min(images.channels - c);
            // SAFETY: the pixels inside are the source's, those outside are zeros; the block has room for whole vectors of the tile.
            unsafe {
                let tail = S::tail(lanes);
                let d = match lanes == S::LANES {
                    true => pixels_at::<S, true>(&at, c, tail),
                    false => pixels_at::<S, false>(&at, c, tail),
                };
                for (point, d) in d.as_flattened().iter().enumerate() {
                    d.store(pixels.add(point * apart + i * pitch + c));
                }
            }
        }
    }
}

kernel! {
    /// The outputs of a block of tiles from their sums, of some channels.
    ///
    /// # Safety
    /// As for [`Winograd::tiles`], on a CPU with the instruction set.
    scatter, scatter_body(this: &Winograd<T>, from: *const T, output: *mut T, tiles: Range<usize>, channels: Range<usize>)
}

#[inline(always)]
unsafe fn scatter_body<T: Float, S: Simd<Elem = T>>(
    this: &Winograd<T>,
    from: *const T,
    output: *mut T,
    tiles: Range<usize>,
    channels: Range<usize>,
) {
    let (images, [_, pitch], [_, apart]) = (this.output, this.pitch(), this.apart());
    for (i, tile) in tiles.enumerate() {
        let (image, [top, left]) = this.tiles.place(tile);
        let (rows, cols) = (STEP.min(images.rows - top), STEP.min(images.cols - left));
        for c in channels.clone().step_by(S::LANES) {
            let lanes = S::LANES.min(channels.end - c);
            // SAFETY: the sums are padded to whole vectors; rows, columns and channels are the output's.
            unsafe {
                let mut m = [[S::zero(); TILE]; TILE];
                for (point, m) in m.as_flattened_mut().iter_mut().enumerate() {
                    *m = S::load(from.add(point * apart + i * pitch + c));
                }
                let tail = S::tail(lanes);
                for (row, y) in sums(m).iter().enumerate().take(rows) {
                    for (col, y) in y.iter().enumerate().take(cols) {
                        let pixel = (image * images.rows + top + row) * images.cols + left + col;
                        let to = output.add(pixel * images.pitch + c);
                        // What the tile to the right writes is asked for before.
                        ask_for(to.wrapping_add(STEP * images.pitch).cast_const().cast(), S::LANES * size_of::<T>());
                        let y = y.flushed();
                        if lanes == S::LANES { y.store(to) } else { y.store_tail(to, tail) }
                    }
                }
            }
        }
    }
}
