//! Convolutions of stride 1 by filters of 3x3 with a quarter of the multiplications: Winograd's F(4x4, 3x3).
//! `forward`, `input_gradient` and `filter_gradient` ask for it first. Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016.
//!
//! Filters and tiles of 6x6 pixels are transformed to 36 points; at each point the tiles are multiplied with the filters as matrices, and
//! the 36 sums of a tile give 4x4 outputs. A block of tiles goes through all three steps within the caches.

mod filters;
mod gradient;
mod product;
#[cfg(test)]
mod tests;
mod tiles;
mod transform;

use super::ConvGeometry;
use super::cells::share;
use super::kernels::{Blocks, Kernels};
use crate::backend::cpu::Work;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::{Float, ask_for};
pub(super) use gradient::FilterGradient;
use transform::{POINTS, STEP, TAPS, TILE};

/// Tiles of a block: so many rows use what is read of the filters from beyond the second-level cache.
const BLOCK: usize = 24;
/// The most chunks of tiles, of all groups where these are fewer: each has memory for a block of its own.
const CHUNKS: usize = 32;
/// Elements of all of them, beyond which there are fewer.
const MEMORY: usize = 8 << 20;
/// With fewer chunks of tiles the output channels are shared out as well. More of them would transform the tiles once more: 22 chunks in place
/// of 11 took two threads 12 to 18 % longer.
const FEW_CHUNKS: usize = 8;
/// Multiply-adds in the time that a channel of a tile takes to be transformed.
const CHANNEL: usize = 500;
/// Elements of all filters at the points, beyond which they would take too much memory: four times that of the filters.
const LARGEST: usize = 24 << 20;
/// Elements between the points of a block, so that they do not all fall on the same lines of a cache.
const APART: usize = 16;

/// The images that are read or written.
#[derive(Clone, Copy)]
struct Images {
    rows: usize,
    cols: usize,
    channels: usize,
    /// Elements from one pixel to the next.
    pitch: usize,
}

impl Images {
    /// The input's and the output's.
    fn of(g: &ConvGeometry) -> (Self, Self) {
        (
            Self { rows: g.in_h, cols: g.in_w, channels: g.in_c, pitch: g.in_pitch() },
            Self { rows: g.out_h, cols: g.out_w, channels: g.out_c, pitch: g.out_pitch() },
        )
    }

    /// A square of pixels whose first lies at a row and a column; `outside` stands for those that the image does not have.
    #[inline(always)]
    fn square<T, const N: usize>(
        self,
        from: *const T,
        image: usize,
        [top, left]: [isize; 2],
        outside: *const T,
    ) -> [[*const T; N]; N] {
        let mut square = [[outside; N]; N];
        for (y, row) in (top..).zip(&mut square) {
            for (x, at) in (left..).zip(row) {
                if (0..self.rows as isize).contains(&y) && (0..self.cols as isize).contains(&x) {
                    let pixel = (image * self.rows + y as usize) * self.cols + x as usize;
                    *at = from.wrapping_add(pixel * self.pitch);
                }
            }
        }
        square
    }
}

/// The tiles of all images of a batch.
#[derive(Clone, Copy)]
struct Tiles {
    batch: usize,
    /// Tiles of an image.
    down: usize,
    across: usize,
}

impl Tiles {
    fn of(batch: usize, output: Images) -> Self {
        Self { batch, down: output.rows.div_ceil(STEP), across: output.cols.div_ceil(STEP) }
    }

    fn count(self) -> usize {
        self.batch * self.down * self.across
    }

    /// A tile's image, and the row and column of its first output.
    fn place(self, tile: usize) -> (usize, [usize; 2]) {
        let (row, col) = (tile / self.across % self.down, tile % self.across);
        (tile / (self.down * self.across), [row * STEP, col * STEP])
    }
}

/// The source's row and column that an output's first tap reads, where the output lies here and output 0 reads `first`.
fn read_at(first: [isize; 2], output: [usize; 2]) -> [isize; 2] {
    [first[0] + output[0] as isize, first[1] + output[1] as isize]
}

/// Asks for a vector of what the tile to the right reads and this one does not: no prefetcher of a processor foresees it.
#[inline(always)]
fn ask_for_next<T>(tile: &[[*const T; TILE]; TILE], pitch: usize, channel: usize, lanes: usize) {
    for row in tile {
        for pixel in &row[TILE - STEP..] {
            ask_for(pixel.wrapping_add(STEP * pitch + channel).cast(), lanes * size_of::<T>());
        }
    }
}

/// Whether a convolution is one that the transforms are made for.
fn fits(g: &ConvGeometry) -> bool {
    // Outputs that read margins alone are zeros, which the transforms would give but for errors of rounding.
    let reads = |pad: usize, input: usize, output: usize| pad < TAPS && output <= input + pad;
    g.winograd
        && (g.k_h, g.k_w) == (TAPS, TAPS)
        && (g.stride_h, g.stride_w, g.dilation_h, g.dilation_w) == (1, 1, 1, 1)
        && g.is_flat()
        && reads(g.pad_top, g.in_h, g.out_h)
        && reads(g.pad_left, g.in_w, g.out_w)
}

/// Whether the transforms are faster than plain sums. Channels are those of a group; a pair of them has `terms` products by plain sums, and one
/// channel of a tile takes as long to transform as `channel` of these. Measured on Zen 4.
fn pays(groups: usize, source: Images, output: Images, terms: usize, tiles: usize, channel: usize) -> bool {
    /// What it takes to transform one filter, and to read it again from beyond the caches.
    const FILTER: usize = 1300;
    let filters = source.channels.saturating_mul(output.channels);
    if filters.saturating_mul(POINTS * groups) > LARGEST {
        return false;
    }
    let channels = (source.channels + output.channels).saturating_mul(channel);
    let tile = filters.saturating_mul(POINTS).saturating_add(channels);
    let transformed = tiles.saturating_mul(tile).saturating_add(filters.saturating_mul(FILTER));
    // A little may be lost to threads that have less to share.
    transformed.saturating_add(transformed / 8) < filters.saturating_mul(terms)
}

/// Products that plain sums take for a pair of channels: they skip taps that lie outside.
fn terms(batch: usize, source: Images, output: Images, first: [isize; 2]) -> usize {
    let along = |outputs: usize, pixels: usize, first: isize| -> usize {
        let inside = |tap: usize| {
            let at = first + tap as isize;
            let low = (-at).clamp(0, outputs as isize);
            let high = (pixels as isize - at).clamp(low, outputs as isize);
            (high - low) as usize
        };
        (0..TAPS).map(inside).sum()
    };
    batch * along(output.rows, source.rows, first[0]) * along(output.cols, source.cols, first[1])
}

/// A convolution, seen from its result: that of the forward product or the gradient of its input.
pub(super) struct Winograd<T: 'static> {
    isa: Isa,
    groups: usize,
    source: Images,
    output: Images,
    /// The source's row and column that tap 0 of output 0 reads.
    first: [isize; 2],
    /// Whether the filters are turned and their channels have changed places.
    turned: bool,
    kernels: &'static Kernels<T>,
    blocks: Blocks,
    tiles: Tiles,
    /// Parts of the output channels that chunks share out, where there are few tiles.
    parts: usize,
}

impl<T: Float> Winograd<T> {
    /// The forward product, where it pays.
    pub fn forward(g: &ConvGeometry, isa: Isa) -> Option<Self> {
        let (source, output) = Images::of(g);
        Self::new(g, isa, source, output, [g.pad_top, g.pad_left].map(|pad| -(pad as isize)), false)
    }

    /// The gradient of the input, where it pays.
    pub fn input_gradient(g: &ConvGeometry, isa: Isa) -> Option<Self> {
        let (input, output) = Images::of(g);
        let first = [g.pad_top, g.pad_left].map(|pad| pad as isize - (TAPS as isize - 1));
        Self::new(g, isa, output, input, first, true)
    }

    fn new(
        g: &ConvGeometry,
        isa: Isa,
        source: Images,
        output: Images,
        first: [isize; 2],
        turned: bool,
    ) -> Option<Self> {
        if !fits(g) {
            return None;
        }
        let tiles = Tiles::of(g.batch, output);
        let terms = terms(g.batch, source, output, first);
        if !pays(g.groups, source, output, terms, tiles.count(), CHANNEL) {
            return None;
        }
        let kernels = Kernels::of(isa);
        let blocks = Blocks::new(kernels, output.channels);
        let parts = (FEW_CHUNKS / (g.groups * tiles.count().div_ceil(BLOCK))).clamp(1, blocks.count);
        Some(Self { isa, groups: g.groups, source, output, first, turned, kernels, blocks, tiles, parts })
    }

    /// Chunks of a group's tiles; each part of the output channels has as many.
    fn runs(&self) -> usize {
        let all = (MEMORY / self.own()).clamp(FEW_CHUNKS, CHUNKS);
        self.tiles.count().div_ceil(BLOCK).min(all.div_ceil(self.groups))
    }

    /// Elements of a group's transformed filters.
    fn panel(&self) -> usize {
        POINTS * self.source.channels * self.blocks.padded()
    }

    /// Elements from one tile of a block to the next, of pixels and of sums: whole vectors.
    fn pitch(&self) -> [usize; 2] {
        [self.source.channels, self.blocks.padded()].map(|row| row.next_multiple_of(APART))
    }

    /// Elements from one point to the next, of a block's pixels and of its sums.
    fn apart(&self) -> [usize; 2] {
        self.pitch().map(|row| BLOCK * row + APART)
    }

    /// Elements of a chunk's memory: pixels, sums, and zeros for pixels outside.
    fn own(&self) -> usize {
        let [pixels, sums] = self.apart();
        POINTS * (pixels + sums) + self.pitch()[0]
    }

    pub fn work(&self) -> Work {
        let chunks = self.runs() * self.parts;
        let elements = self.groups * (self.panel().next_multiple_of(APART) + chunks * self.own());
        let phases = [self.filter_chunks(), chunks, 0, 0, 0].map(|chunks| self.groups * chunks);
        Work { scratch: elements * size_of::<T>(), phases }
    }

    /// One chunk of a phase: the filters' first, then the tiles'.
    ///
    /// # Safety
    /// As for `forward`, with the phases of [`Self::work`].
    pub unsafe fn run(
        &self,
        source: *const T,
        w: *const T,
        output: *mut T,
        scratch: *mut u8,
        phase: usize,
        chunk: usize,
    ) {
        let scratch = scratch.cast::<T>();
        let chunks = if phase == 0 { self.filter_chunks() } else { self.runs() * self.parts };
        let (group, chunk) = (chunk / chunks, chunk % chunks);
        let panel_size = self.panel().next_multiple_of(APART);
        // SAFETY: the channels of a group begin behind those of the groups before, and so does its part of the scratch.
        unsafe {
            let panel = scratch.add(group * panel_size);
            if phase == 0 {
                let w = w.add(group * if self.turned { self.source.channels } else { self.output.channels });
                return self.filters(w, panel, chunk);
            }
            let own = scratch.add(self.groups * panel_size + (group * chunks + chunk) * self.own());
            let (source, output) = (source.add(group * self.source.channels), output.add(group * self.output.channels));
            let (part, run) = (chunk / self.runs(), chunk % self.runs());
            let run = share(self.tiles.count().div_ceil(BLOCK), self.runs(), run);
            let tiles = run.start * BLOCK..self.tiles.count().min(run.end * BLOCK);
            self.tiles(source, panel, output, own, tiles, share(self.blocks.count, self.parts, part));
        }
    }
}
