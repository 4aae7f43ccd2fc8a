//! The gradient of filters of 3x3 by the transposed transforms: pixels and output gradients meet at 36 points, which give nine taps.
//! `filter_gradient` asks for it first.
//!
//! A chunk has one row of six points for a part of the tiles: sums at all points would not stay in the caches. They stay apart until a
//! last phase adds the parts in order and brings them to the taps.

use super::super::ConvGeometry;
use super::super::cells::share;
use super::super::kernels::{Blocks, Kernels};
use super::product::Product;
use super::transform::{POINTS, STEP, TILE, gradients_row, pixels_row, taps};
use super::{APART, Images, with_vectors};
use crate::backend::cpu::Work;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::{Float, Simd, ask_for};
use std::ops::Range;

/// Tiles of a block.
const BLOCK: usize = 64;
/// Bytes of all parts' sums, beyond which there are no more parts.
const SUMS: usize = 8 << 20;
/// Multiply-adds in the time that a channel of a tile takes to be transformed, once for each row of points.
const CHANNEL: usize = 1300;
/// The most parts.
const PARTS: usize = 8;

/// The gradient of the filters.
pub(in super::super) struct FilterGradient<T: 'static> {
    isa: Isa,
    batch: usize,
    groups: usize,
    input: Images,
    output: Images,
    first: [isize; 2],
    kernels: &'static Kernels<T>,
    blocks: Blocks,
    tiles: [usize; 2],
    parts: usize,
}

impl<T: Float> FilterGradient<T> {
    /// Where it pays.
    pub fn new(g: &ConvGeometry, isa: Isa) -> Option<Self> {
        if !super::fits(g) {
            return None;
        }
        let (input, output) = Images::of(g);
        let tiles = [output.rows, output.cols].map(|n| n.div_ceil(STEP));
        let all = g.batch * tiles[0] * tiles[1];
        let first = [g.pad_top, g.pad_left].map(|pad| -(pad as isize));
        let plain = super::pixels(g.batch, input, output, first);
        if !super::pays(input.channels, output.channels, plain, all, CHANNEL) {
            return None;
        }
        let kernels = Kernels::of(isa);
        let blocks = Blocks::new(kernels, output.channels);
        let sums = POINTS * input.channels * blocks.padded() * size_of::<T>();
        let parts = (SUMS / sums).min(all / (2 * BLOCK)).clamp(1, PARTS);
        Some(Self { isa, batch: g.batch, groups: g.groups, input, output, first, kernels, blocks, tiles, parts })
    }

    fn count(&self) -> usize {
        self.batch * self.tiles[0] * self.tiles[1]
    }

    /// Elements from one tile of a block to the next, of pixels and of gradients. Not a power of two, so that they do not all fall on the
    /// same lines of a cache.
    fn pitch(&self) -> [usize; 2] {
        [self.input.channels, self.blocks.padded()].map(|row| row.next_multiple_of(APART) + APART)
    }

    /// Elements of a chunk's sums.
    fn sums(&self) -> usize {
        TILE * self.input.channels * self.blocks.padded()
    }

    /// Elements of a chunk's memory: pixels, gradients, and zeros for what lies outside.
    fn own(&self) -> usize {
        let [pixels, gradients] = self.pitch();
        TILE * BLOCK * (pixels + gradients) + pixels.max(gradients)
    }

    fn last_chunks(&self) -> usize {
        (self.input.channels * self.output.channels).div_ceil(4 << 10).min(self.input.channels)
    }

    pub fn work(&self) -> Work {
        let chunks = self.groups * self.parts * TILE;
        let sums = self.sums().next_multiple_of(APART);
        Work {
            scratch: chunks * (sums + self.own()) * size_of::<T>(),
            phases: [chunks, self.groups * self.last_chunks(), 0, 0, 0],
        }
    }

    /// One chunk of a phase: the products at points first, then the taps.
    ///
    /// # Safety
    /// As for `filter_gradient`, with the phases of [`Self::work`].
    pub unsafe fn run(&self, x: *const T, dy: *const T, dw: *mut T, scratch: *mut u8, phase: usize, chunk: usize) {
        let scratch = scratch.cast::<T>();
        let (sums, each) = (self.sums().next_multiple_of(APART), self.parts * TILE);
        let this = self;
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
            with_vectors!(self.isa, finish::<T>(this: &FilterGradient<T>, from: *const T, dw: *mut T, channels: Range<usize>));
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
            let this = self;
            let tiles = share(self.count(), self.parts, part);
            for start in tiles.clone().step_by(BLOCK) {
                let block = start..tiles.end.min(start + BLOCK);
                let of = block.clone();
                with_vectors!(self.isa, gather::<T>(this: &FilterGradient<T>, x: *const T, dy: *const T, zeros: *const T, pixels: *mut T, gradients: *mut T, of: Range<usize>, row: usize));
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

/// Pixels and gradients of a block of tiles at one row of points.
///
/// # Safety
/// As for [`FilterGradient::points`], on a CPU with the instruction set of `S`.
#[inline(always)]
unsafe fn gather<S: Simd>(
    this: &FilterGradient<S::Elem>,
    x: *const S::Elem,
    dy: *const S::Elem,
    zeros: *const S::Elem,
    pixels: *mut S::Elem,
    gradients: *mut S::Elem,
    tiles: Range<usize>,
    row: usize,
) {
    let [pixel_pitch, gradient_pitch] = this.pitch();
    let [down, across] = this.tiles;
    for (i, tile) in tiles.enumerate() {
        let image = tile / (down * across);
        let [top, left] = [tile / across % down, tile % across].map(|at| (at * STEP) as isize);
        let at: [[_; TILE]; TILE] = std::array::from_fn(|y| {
            std::array::from_fn(|c| {
                let at = [this.first[0] + top + y as isize, this.first[1] + left + c as isize];
                this.input.pixel(x, image, at).unwrap_or(zeros)
            })
        });
        let dy_at: [[_; STEP]; STEP] = std::array::from_fn(|y| {
            std::array::from_fn(|c| {
                this.output.pixel(dy, image, [top + y as isize, left + c as isize]).unwrap_or(zeros)
            })
        });
        // SAFETY: what lies inside is the images', what lies outside are zeros; the block has room for the tile.
        unsafe {
            let to = pixels.add(i * pixel_pitch);
            for c in (0..this.input.channels).step_by(S::LANES) {
                let lanes = S::LANES.min(this.input.channels - c);
                for row in &at {
                    for p in &row[TILE - STEP..] {
                        ask_for(p.wrapping_add(STEP * this.input.pitch + c).cast(), 64);
                    }
                }
                let tail = S::tail(lanes);
                let d = match lanes == S::LANES {
                    true => pixels_row::<S, true>(&at, row, c, tail),
                    false => pixels_row::<S, false>(&at, row, c, tail),
                };
                for (point, d) in d.into_iter().enumerate() {
                    d.store(to.add(point * BLOCK * pixel_pitch + c));
                }
            }
            let to = gradients.add(i * gradient_pitch);
            for c in (0..this.output.channels).step_by(S::LANES) {
                let lanes = S::LANES.min(this.output.channels - c);
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

/// Adds the parts' sums in order, and brings them to the taps of these input channels.
///
/// # Safety
/// All sums are finished, `dw` holds the filters, and nobody else uses these channels of them; on a CPU with the instruction set of `S`.
#[inline(always)]
unsafe fn finish<S: Simd>(
    this: &FilterGradient<S::Elem>,
    from: *const S::Elem,
    dw: *mut S::Elem,
    channels: Range<usize>,
) {
    let (pitch, outputs) = (this.output.pitch, this.blocks.padded());
    let each = this.sums().next_multiple_of(APART);
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
                    if lanes == S::LANES { w.store(to) } else { w.store_tail(to, S::tail(lanes)) }
                }
            }
        }
    }
}
