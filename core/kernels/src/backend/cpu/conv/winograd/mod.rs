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
use crate::backend::cpu::simd::Float;
pub(super) use gradient::FilterGradient;
use transform::{POINTS, STEP, TAPS};

/// Tiles of a block: so many rows use what is read of the filters from beyond the second-level cache.
const BLOCK: usize = 24;
/// The most chunks of tiles of a group: each has memory for a block of its own.
const CHUNKS: usize = 32;
/// Elements of all of them, beyond which there are fewer, but not less than eight.
const MEMORY: usize = 8 << 20;
/// With fewer chunks of tiles the output channels are shared out as well.
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

    /// The pixel at a row and a column, if the image has it.
    #[inline(always)]
    fn pixel<T>(&self, from: *const T, image: usize, [row, col]: [isize; 2]) -> Option<*const T> {
        let inside = (0..self.rows as isize).contains(&row) && (0..self.cols as isize).contains(&col);
        let pixel = (image * self.rows).wrapping_add_signed(row).wrapping_mul(self.cols).wrapping_add_signed(col);
        inside.then(|| from.wrapping_add(pixel.wrapping_mul(self.pitch)))
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

/// Whether the transforms are faster than `pixels` outputs by plain sums, for so many tiles, where a channel of a tile takes as long as `channel`
/// multiply-adds to transform. In multiply-adds, since all vectors do as many of everything else in the time of one; measured on Zen 4.
fn pays(source: usize, output: usize, pixels: usize, tiles: usize, channel: usize) -> bool {
    /// What it takes to transform one filter, and to read it again from beyond the caches.
    const FILTER: usize = 1300;
    let filters = source.saturating_mul(output);
    if filters.saturating_mul(POINTS) > LARGEST {
        return false;
    }
    let plain = filters.saturating_mul(TAPS * TAPS * pixels);
    let tile = filters.saturating_mul(POINTS).saturating_add((source + output).saturating_mul(channel));
    // A little may be lost to threads that have less to share.
    let whole = tiles.saturating_mul(tile).saturating_add(filters.saturating_mul(FILTER));
    whole.saturating_add(whole / 8) < plain
}

/// Outputs that read a pixel of the image, counted for each tap and divided by the taps: those by plain sums skip what lies outside.
fn pixels(batch: usize, source: Images, output: Images, first: [isize; 2]) -> usize {
    let along = |n: usize, of: usize, first: isize| -> usize {
        let inside = |tap: usize| {
            let low = (-(first + tap as isize)).clamp(0, n as isize);
            let high = (of as isize - first - tap as isize).clamp(low, n as isize);
            (high - low) as usize
        };
        (0..TAPS).map(inside).sum()
    };
    let taps = along(output.rows, source.rows, first[0]) * along(output.cols, source.cols, first[1]);
    batch * taps / (TAPS * TAPS)
}

/// A convolution, seen from its result: that of the forward product or the gradient of its input.
pub(super) struct Winograd<T: 'static> {
    isa: Isa,
    batch: usize,
    groups: usize,
    source: Images,
    output: Images,
    /// The source's row and column that tap 0 of output 0 reads.
    first: [isize; 2],
    /// Whether the filters are turned and their channels have changed places.
    turned: bool,
    kernels: &'static Kernels<T>,
    blocks: Blocks,
    /// Tiles of an image, down and across.
    tiles: [usize; 2],
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
        let tiles = [output.rows, output.cols].map(|n| n.div_ceil(STEP));
        let all = g.batch * tiles[0] * tiles[1];
        let plain = pixels(g.batch, source, output, first);
        if !pays(source.channels, output.channels, plain, all, CHANNEL) {
            return None;
        }
        let kernels = Kernels::of(isa);
        let blocks = Blocks::new(kernels, output.channels);
        let parts = (FEW_CHUNKS / all.div_ceil(BLOCK)).clamp(1, blocks.count);
        Some(Self {
            isa,
            batch: g.batch,
            groups: g.groups,
            source,
            output,
            first,
            turned,
            kernels,
            blocks,
            tiles,
            parts,
        })
    }

    /// Tiles of all images.
    fn count(&self) -> usize {
        self.batch * self.tiles[0] * self.tiles[1]
    }

    /// Chunks of tiles; each part of the output channels has as many.
    fn runs(&self) -> usize {
        self.count().div_ceil(BLOCK).min((MEMORY / self.own()).clamp(8, CHUNKS))
    }

    /// Elements of a group's transformed filters.
    fn panel(&self) -> usize {
        POINTS * self.source.channels * self.blocks.padded()
    }

    /// Elements from one point of a block's pixels to the next, and of its sums.
    fn apart(&self) -> [usize; 2] {
        [self.source.channels, self.blocks.padded()].map(|row| (BLOCK * row).next_multiple_of(APART) + APART)
    }

    /// Elements of a chunk's memory: pixels, sums, and zeros for pixels outside.
    fn own(&self) -> usize {
        let [pixels, sums] = self.apart();
        POINTS * (pixels + sums) + self.source.channels.next_multiple_of(APART)
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
            let run = share(self.count().div_ceil(BLOCK), self.runs(), run);
            let tiles = run.start * BLOCK..self.count().min(run.end * BLOCK);
            self.tiles(source, panel, output, own, tiles, share(self.blocks.count, self.parts, part));
        }
    }

    /// A tile's image, and its row and column among the image's tiles.
    fn place(&self, tile: usize) -> [usize; 3] {
        let [down, across] = self.tiles;
        [tile / (down * across), tile / across % down, tile % across]
    }
}

/// Calls a generic function with the vectors of an instruction set, compiled for it.
macro_rules! with_vectors {
    ($isa:expr, $body:ident::<$t:ident>($($arg:ident: $type:ty),*)) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        unsafe fn avx512<$t: Float>($($arg: $type),*) {
            // SAFETY: called on a CPU with AVX-512 only; the rest is the caller's promise.
            unsafe { $body::<$t::Avx512>($($arg),*) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2<$t: Float>($($arg: $type),*) {
            // SAFETY: called on a CPU with AVX2 and FMA only; the rest is the caller's promise.
            unsafe { $body::<$t::Avx2>($($arg),*) }
        }
        match $isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::<$t>($($arg),*),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::<$t>($($arg),*),
            #[allow(unreachable_patterns, reason = "the other instruction sets exist on one architecture only")]
            _ => $body::<$t::Portable>($($arg),*),
        }
    }};
}
use with_vectors;
