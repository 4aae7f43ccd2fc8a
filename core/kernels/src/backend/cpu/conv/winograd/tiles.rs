//! A chunk of tiles: their pixels are transformed, multiplied with the filters at each point, and the sums become outputs.
//! The second phase of `Winograd::run` comes here.

use super::product::Product;
use super::transform::{POINTS, STEP, TILE, pixels, sums};
use super::{BLOCK, Winograd, with_vectors};
use crate::backend::cpu::isa::Isa;
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
            std::slice::from_raw_parts_mut(zeros, self.source.channels).fill(T::default());
            let zeros = zeros.cast_const();
            let this = self;
            let end = |blocks: &Range<usize>| self.output.channels.min(self.blocks.start(blocks.end));
            let channels = self.blocks.start(blocks.start)..end(&blocks);
            for start in tiles.clone().step_by(BLOCK) {
                let block = start..tiles.end.min(start + BLOCK);
                let (tiles, channels) = (block.clone(), channels.clone());
                with_vectors!(self.isa, gather::<T>(
                    this: &Winograd<T>, source: *const T, zeros: *const T, pixels: *mut T, tiles: Range<usize>
                ));
                self.multiply(pixels, panel, sums, block.len(), blocks.clone());
                with_vectors!(self.isa, scatter::<T>(
                    this: &Winograd<T>, sums: *const T, output: *mut T, block: Range<usize>, channels: Range<usize>
                ));
            }
        }
    }

    /// At each point, the tiles times the filters of some blocks.
    ///
    /// # Safety
    /// Pixels and panel hold what the block and the filters have at all points; `sums` has room for as much.
    unsafe fn multiply(&self, pixels: *const T, panel: *const T, sums: *mut T, tiles: usize, blocks: Range<usize>) {
        let [pixels_apart, sums_apart] = self.apart();
        let (channels, outputs) = (self.source.channels, self.blocks.padded());
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
                        row_steps: [channels, outputs],
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

/// The pixels of a block of tiles at all points.
///
/// # Safety
/// As for [`Winograd::tiles`], on a CPU with the instruction set of `S`.
#[inline(always)]
unsafe fn gather<S: Simd>(
    this: &Winograd<S::Elem>,
    source: *const S::Elem,
    zeros: *const S::Elem,
    pixels_at: *mut S::Elem,
    tiles: Range<usize>,
) {
    let images = this.source;
    let [apart, _] = this.apart();
    let whole = images.channels / S::LANES * S::LANES;
    for (i, tile) in tiles.enumerate() {
        let [image, down, across] = this.place(tile);
        let [top, left] = [down, across].map(|at| (at * STEP) as isize);
        let at: [[*const S::Elem; TILE]; TILE] = std::array::from_fn(|y| {
            std::array::from_fn(|x| {
                let at = [this.first[0] + top + y as isize, this.first[1] + left + x as isize];
                images.pixel(source, image, at).unwrap_or(zeros)
            })
        });
        // SAFETY: the pixels inside are the source's, those outside are zeros; the block has room for the tile.
        unsafe {
            let to = pixels_at.add(i * images.channels);
            let mut c = 0;
            while c < whole {
                for row in &at {
                    for p in &row[TILE - STEP..] {
                        ask_for(p.wrapping_add(STEP * images.pitch + c).cast(), 64);
                    }
                }
                let mut d = [[S::zero(); TILE]; TILE];
                for (d, at) in d.as_flattened_mut().iter_mut().zip(at.as_flattened()) {
                    *d = S::load(at.add(c));
                }
                for (point, d) in pixels(d).as_flattened().iter().enumerate() {
                    d.store(to.add(point * apart + c));
                }
                c += S::LANES;
            }
            if c < images.channels {
                let tail = S::tail(images.channels - c);
                let mut d = [[S::zero(); TILE]; TILE];
                for (d, at) in d.as_flattened_mut().iter_mut().zip(at.as_flattened()) {
                    *d = S::load_tail(at.add(c), tail);
                }
                for (point, d) in pixels(d).as_flattened().iter().enumerate() {
                    d.store_tail(to.add(point * apart + c), tail);
                }
            }
        }
    }
}

/// The outputs of a block of tiles from their sums.
///
/// # Safety
/// As for [`Winograd::tiles`], on a CPU with the instruction set of `S`.
#[inline(always)]
unsafe fn scatter<S: Simd>(
    this: &Winograd<S::Elem>,
    sums_at: *const S::Elem,
    output: *mut S::Elem,
    tiles: Range<usize>,
    channels: Range<usize>,
) {
    let images = this.output;
    let [_, apart] = this.apart();
    for (i, tile) in tiles.enumerate() {
        let [image, down, across] = this.place(tile);
        let [top, left] = [down, across].map(|at| at * STEP);
        let (rows, cols) = (STEP.min(images.rows - top), STEP.min(images.cols - left));
        for c in channels.clone().step_by(S::LANES) {
            let lanes = S::LANES.min(channels.end - c);
            // SAFETY: the sums are padded to whole vectors; rows, columns and channels are the output's.
            unsafe {
                let from = sums_at.add(i * this.blocks.padded() + c);
                let mut m = [[S::zero(); TILE]; TILE];
                for (point, m) in m.as_flattened_mut().iter_mut().enumerate() {
                    *m = S::load(from.add(point * apart));
                }
                for row in 0..rows {
                    for col in 0..cols {
                        let pixel = (image * images.rows + top + row) * images.cols + left + col + STEP;
                        ask_for(output.wrapping_add(pixel * images.pitch + c).cast_const().cast(), 64);
                    }
                }
                for (row, y) in sums(m).iter().enumerate().take(rows) {
                    for (col, y) in y.iter().enumerate().take(cols) {
                        let pixel = (image * images.rows + top + row) * images.cols + left + col;
                        let to = output.add(pixel * images.pitch + c);
                        if lanes == S::LANES { y.store(to) } else { y.store_tail(to, S::tail(lanes)) }
                    }
                }
            }
        }
    }
}
