//! The gradient of filters of 3x3 by the transposed transforms: pixels and output gradients meet at 36 points, which give nine taps.
//! `filter_gradient` asks for it first.
//!
//! A chunk has one row of six points for a part of the tiles: sums at all points would not stay in the caches. They stay apart until a
//! last phase adds the parts in order and brings them to the taps.

use super::super::ConvGeometry;
use super::super::cells::share;
use super::super::kernels::{Blocks, Kernels};
use super::super::pack;
use super::product::Product;
use super::transform::{POINTS, TAPS, TILE, gradients_row, pixels_row, taps};
use super::{APART, Images, Tiles, ask_for_next, fits, pays, read_at, terms};
use crate::backend::cpu::Work;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::pool2d::window::kernel;
use crate::backend::cpu::simd::{Float, Simd};
use std::ops::Range;

/// Tiles of a block.
const BLOCK: usize = 64;
/// Bytes of the sums of all parts, beyond which there are no more parts.
const SUMS: usize = 8 << 20;
/// Multiply-adds in the time that a channel of a tile takes to be transformed, once for each row of points.
const CHANNEL: usize = 1300;
/// The most parts, of all groups where these are fewer.
const PARTS: usize = 8;

/// The gradient of the filters.
pub(in super::super) struct FilterGradient<T: 'static> {
    isa: Isa,
    groups: usize,
    input: Images,
    output: Images,
    first: [isize; 2],
    kernels: &'static Kernels<T>,
    blocks: Blocks,
    tiles: Tiles,
    /// Parts of the tiles, each with sums of its own.
    parts: usize,
}

impl<T: Float> FilterGradient<T> {
    /// Where it pays.
    pub fn new(g: &ConvGeometry, isa: Isa) -> Option<Self> {
        if !fits(g) {
            return None;
        }
        let (input, output) = Images::of(g);
        let tiles = Tiles::of(g.batch, output);
        let first = [g.pad_top, g.pad_left].map(|pad| -(pad as isize));
        let terms = terms(g.batch, input, output, first);
        if !pays(g.groups, input, output, terms, tiles.count(), CHANNEL) {
            return None;
        }
        let kernels = Kernels::of(isa);
        let blocks = Blocks::new(kernels, output.channels);
        let sums = g.groups * POINTS * input.channels * blocks.padded() * size_of::<T>();
        let most = PARTS.div_ceil(g.groups).min(tiles.count() / (2 * BLOCK));
        let parts = (SUMS / sums).min(most).max(1);
        Some(Self { isa, groups: g.groups, input, output, first, kernels, blocks, tiles, parts })
    }

    /// Elements from one tile of a block to the next, of pixels and of gradients. Not a power of two, so that they do not all fall on the
    /// same lines of a cache.
    fn pitch(&self) -> [usize; 2] {
        [self.input.channels, self.blocks.padded()].map(|row| row.next_multiple_of(APART) + APART)
    }

    /// Elements of a chunk's sums.
    fn sums(&self) -> usize {
        (TILE * self.input.channels * self.blocks.padded()).next_multiple_of(APART)
    }

    /// Elements of a chunk's memory: pixels, gradients, and zeros for what lies outside.
    fn own(&self) -> usize {
        let [pixels, gradients] = self.pitch();
        TILE * BLOCK * (pixels + gradients) + pixels.max(gradients)
    }

    /// Chunks of a group's input channels, whose taps are finished.
    fn last_chunks(&self) -> usize {
        pack::chunks(self.input.channels, TAPS * TAPS * self.output.channels)
    }

    pub fn work(&self) -> Work {
        let chunks = self.groups * self.parts * TILE;
        Work {
            scratch: chunks * (self.sums() + self.own()) * size_of::<T>(),
            phases: [chunks, self.groups * self.last_chunks(), 0, 0, 0],
        }
    }

    /// One chunk of a phase: the products at points first, then the taps.
    ///
    /// # Safety
    /// As for `filter_gradient`, with the phases of [`Self::work`].
    pub unsafe fn run(&self, x: *const T, dy: *const T, dw: *mut T, scratch: *mut u8, phase: usize, chunk: usize) {
        let scratch = scratch.cast::<T>();
        let (sums, each) = (self.sums(), self.parts * TILE);
        // SAFETY: the channels of a group begin behind those of the groups before, and so do its sums.
        unsafe {
            if phase == 0 {
                let (group, own) = (chunk / each, scratch.add(self.groups * each * sums + chunk * self.own()));
                let (x, dy) = (x.add(group * self.input.channels), dy.add(group * self.output.channels));
                return self.points(x, dy, scratch.add(chunk * sums), own, chunk % each);
            }
            let (group, chunk) = (chunk / self.last_chunks(), chunk % self.last_chunks());
            let channels = share(self.input.channels, self.last_chunks(), chunk);
            let (from, dw) = (scratch.add(group * each * sums).cast_const(), dw.add(group * self.output.channels));
            finish(self.isa, self, from, dw, channels);
        }
    }

    /// The sums of a part of the tiles at one row of points.
    ///
    /// # Safety
    /// Images and gradients are a group's; the sums and `own` are this chunk's.
    unsafe fn points(&self, x: *const T, dy: *const T, sums: *mut T, own: *mut T, chunk: usize) {
        let (part, row) = (chunk / TILE, chunk % TILE);
        let [pixel_pitch, gradient_pitch] = self.pitch();
        // SAFETY: the parts lie one behind the other in the chunk's memory.
        unsafe {
            let pixels = own;
            let gradients = pixels.add(TILE * BLOCK * pixel_pitch);
            let zeros = gradients.add(TILE * BLOCK * gradient_pitch);
            std::slice::from_raw_parts_mut(zeros, pixel_pitch.max(gradient_pitch)).fill(T::default());
            let zeros = zeros.cast_const();
            let tiles = share(self.tiles.count(), self.parts, part);
            for start in tiles.clone().step_by(BLOCK) {
                let block = start..tiles.end.min(start + BLOCK);
                gather(self.isa, self, x, dy, zeros, pixels, gradients, block.clone(), row);
                self.multiply(pixels, gradients, sums, block.len(), start > tiles.start);
            }
        }
    }

    /// At each point of the row, the pixels of all tiles times their gradients, a sum for each pair of channels.
    ///
    /// # Safety
    /// As for [`Self::points`].
    unsafe fn multiply(&self, pixels: *const T, gradients: *const T, sums: *mut T, tiles: usize, accumulate: bool) {
        let [pixel_pitch, gradient_pitch] = self.pitch();
        let (channels, outputs) = (self.input.channels, self.blocks.padded());
        for point in 0..TILE {
            for i in 0..self.blocks.count {
                let block = self.blocks.get(i);
                // SAFETY: point and block lie in their arrays.
                let (src, panel, out) = unsafe {
                    (
                        pixels.add(point * BLOCK * pixel_pitch),
                        gradients.add(point * BLOCK * gradient_pitch + block.start),
                        sums.add(point * channels * outputs + block.start),
                    )
                };
                // SAFETY: the rows are channels, and so are all columns of the padded sums.
                unsafe {
                    Product {
                        src,
                        panel,
                        out,
                        rows: channels,
                        row_steps: [1, outputs],
                        depth: tiles,
                        depth_steps: [pixel_pitch, gradient_pitch],
                        accumulate,
                    }
                    .run(self.kernels, block.vectors);
                }
            }
        }
    }
}

kernel! {
    /// Pixels and gradients of a block of tiles at one row of points.
    ///
    /// # Safety
    /// As for [`FilterGradient::points`], on a CPU with the instruction set.
    gather, gather_body(
        this: &FilterGradient<T>,
        x: *const T,
        dy: *const T,
        zeros: *const T,
        pixels: *mut T,
        gradients: *mut T,
        tiles: Range<usize>,
        row: usize
    )
}

#[inline(always)]
unsafe fn gather_body<T: Float, S: Simd<Elem = T>>(
    this: &FilterGradient<T>,
    x: *const T,
    dy: *const T,
    zeros: *const T,
    pixels: *mut T,
    gradients: *mut T,
    tiles: Range<usize>,
    row: usize,
) {
    let (input, output) = (this.input, this.output);
    let [pixel_pitch, gradient_pitch] = this.pitch();
    for (i, tile) in tiles.enumerate() {
        let (image, at) = this.tiles.place(tile);
        let x_at = input.square(x, image, read_at(this.first, at), zeros);
        let dy_at = output.square(dy, image, at.map(|at| at as isize), zeros);
        // SAFETY: what lies inside is the images', what lies outside are zeros; the block has room for the tile.
        unsafe {
            let to = pixels.add(i * pixel_pitch);
            for c in (0..input.channels).step_by(S::LANES) {
                let lanes = S::LANES.min(input.channels - c);
                ask_for_next(&x_at, input.pitch, c, S::LANES);
                let tail = S::tail(lanes);
                let d = match lanes == S::LANES {
                    true => pixels_row::<S, true>(&x_at, row, c, tail),
                    false => pixels_row::<S, false>(&x_at, row, c, tail),
                };
                for (point, d) in d.into_iter().enumerate() {
                    d.store(to.add(point * BLOCK * pixel_pitch + c));
                }
            }
            let to = gradients.add(i * gradient_pitch);
            for c in (0..output.channels).step_by(S::LANES) {
                let lanes = S::LANES.min(output.channels - c);
                let tail = S::tail(lanes);
                let d = match lanes == S::LANES {
                    true => gradients_row::<S, true>(&dy_at, row, c, tail),
                    false => gradients_row::<S, false>(&dy_at, row, c, tail),
                };
                for (point, d) in d.into_iter().enumerate() {
                    d.store(to.add(point * BLOCK * gradient_pitch + c));
                }
            }
        }
    }
}

kernel! {
    /// Adds the parts' sums in order, and brings them to the taps of these input channels.
    ///
    /// # Safety
    /// All sums are finished, `dw` holds the filters, and nobody else uses these channels of them; on a CPU with the instruction set.
    finish, finish_body(this: &FilterGradient<T>, from: *const T, dw: *mut T, channels: Range<usize>)
}

#[inline(always)]
unsafe fn finish_body<T: Float, S: Simd<Elem = T>>(
    this: &FilterGradient<T>,
    from: *const T,
    dw: *mut T,
    channels: Range<usize>,
) {
    let (pitch, outputs) = (this.output.pitch, this.blocks.padded());
    let each = this.sums();
    for c in channels {
        for k in (0..this.output.channels).step_by(S::LANES) {
            let lanes = S::LANES.min(this.output.channels - k);
            // SAFETY: the sums are padded to whole vectors; the live lanes are the filters'.
            unsafe {
                let mut u = [[S::zero(); TILE]; TILE];
                for (row, u) in u.iter_mut().enumerate() {
                    for (point, u) in u.iter_mut().enumerate() {
                        let at = from.add(row * each + (point * this.input.channels + c) * outputs + k);
                        *u = S::load(at);
                        for part in 1..this.parts {
                            *u = u.add(S::load(at.add(part * TILE * each)));
                        }
                    }
                }
                for (tap, w) in taps(u).as_flattened().iter().enumerate() {
                    let to = dw.add((tap * this.input.channels + c) * pitch + k);
                    let w = w.flushed();
                    if lanes == S::LANES { w.store(to) } else { w.store_tail(to, S::tail(lanes)) }
                }
            }
        }
    }
}
