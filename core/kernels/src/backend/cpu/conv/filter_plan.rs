//! How the gradient of filters is cut: into slabs of its rows, blocks of its columns, cells of pixels and parts of those.
//! `filter_gradient` asks for it, for the scratch and the chunks that it needs as well as for each chunk.

use super::ConvGeometry;
use super::cells::{Cells, share};
use super::filter_cells;
use super::kernels::{Blocks, Kernels};
use super::partials::SUM;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::Float;
use std::ops::Range;

/// Multiply-adds of one chunk at least; there are up to [`MAX_PARTS`] chunks.
const CHUNK: usize = 1 << 19;
/// Bytes of input and output gradient that stay in the second-level cache while all tiles pass over them, where they are not copied. Smaller
/// cells would fit the first level, but load and store the sums more often than that gains.
const CELL: usize = 256 << 10;
/// Bytes of all partial sums together.
const PARTIALS: usize = 4 << 20;
/// More partial sums than this would cost more to add than they balance.
const MAX_PARTS: usize = 32;
/// With fewer input channels than this a tile must span taps to be full.
const FEW: usize = 8;

/// Rows of the gradient that one tile column works on: channels of one tap, or any rows where no tap is cut off.
pub(super) struct Slab {
    /// Row and column of the tap, and channels of it; without a tap, rows of all taps.
    pub tap: Option<(usize, usize)>,
    pub rows: Range<usize>,
}

pub(super) struct FilterGradientPlan {
    /// The geometry, with the padded copy of the input in place of the input where there is one.
    pub g: ConvGeometry,
    /// The input as the caller has it.
    pub input: ConvGeometry,
    /// Input and output gradient have changed places, and so have the channels of the sum; its taps are turned.
    pub swapped: bool,
    /// Whether tiles read copies of the output gradient and of pixels: see `filter_cells`.
    pub copied: bool,
    /// Elements of the padded copy, or of the output gradient's panels, and chunks that fill it.
    pub copy: usize,
    pub copies: usize,
    /// Elements that a chunk copies pixels to.
    pub pixels: usize,
    /// Elements from one pixel of the input, or of its copy, to the next.
    pub pitch: usize,
    /// Taps may be cut off at borders, so each tap has its own rectangle of pixels.
    cut: bool,
    pub blocks: Blocks,
    pub cells: Cells,
    /// Parts of the cells, each with its own partial sum; 1 = the sum itself.
    pub parts: usize,
    /// The most rows of a slab, slabs of each tap (or of all taps, if none is cut), and the groups that slabs times blocks form.
    height: usize,
    pub slabs: usize,
    pub groups: usize,
}

impl FilterGradientPlan {
    pub fn new<T: Float>(g: &ConvGeometry, isa: Isa) -> Self {
        let kernels = Kernels::<T>::of(isa);
        let input = g.flattened();
        let turned = turned(&input);
        // Few output channels would leave most of a vector idle, where many input channels fill it.
        let swapped = turned.is_some() && 2 * g.out_c <= kernels.lanes.min(g.in_c);
        let input = turned.filter(|_| swapped).unwrap_or(input);
        let mut g = input;
        let blocks = Blocks::new(kernels, g.out_c);
        let reach = |out: usize, stride: usize, k: usize, dilation: usize| {
            (out.max(1) - 1) * stride + (k.max(1) - 1) * dilation + 1
        };
        let (h, w) = (reach(g.out_h, g.stride_h, g.k_h, g.dilation_h), reach(g.out_w, g.stride_w, g.k_w, g.dilation_w));
        let mut cut = g.pad_top > 0 || g.pad_left > 0 || h > g.in_h || w > g.in_w;
        let (mut copy, mut copies, mut pitch) = (0, 0, g.in_pitch());
        if cut && g.in_c < FEW {
            (g.in_h, g.in_w, g.pad_top, g.pad_left) = (h, w, 0, 0);
            copy = g.batch * g.in_d * h * w * g.in_c;
            copies = copy.div_ceil(64 << 10).min(g.batch * g.in_d);
            pitch = g.in_c;
            cut = false;
        }
        let pixel = (g.stride_h * g.stride_w * g.in_c + g.out_c).max(1) * size_of::<T>();
        let copied = filter_cells::cells(&g, kernels, blocks);
        if let Some(cells) = copied {
            // Each tap has its own pixels, cut off or not.
            cut = true;
            copy = g.batch * g.out_h * g.out_w * blocks.padded();
            copies = copy.div_ceil(64 << 10).min(cells.count());
        }
        let cells = copied.unwrap_or_else(|| Cells::new(g.batch * g.out_d, g.out_h, g.out_w, (CELL / pixel).max(64)));
        let copied = copied.is_some();

        let size = g.depth() * g.out_c;
        let chunks = g.batch * g.out_d * g.out_h * g.out_w * size / CHUNK;
        let chunks = chunks.clamp(1, MAX_PARTS);
        let affordable = (PARTIALS / (size * size_of::<T>()).max(1)).clamp(1, MAX_PARTS);
        let parts = chunks.min(affordable).min(cells.count()).max(1);
        let vectors = if blocks.count > 0 { blocks.get(blocks.count - 1).vectors } else { 1 };
        let height = 4 * kernels.columns[vectors - 1][0].0;
        let slabs = if cut { g.k_h * g.k_w * g.in_c.div_ceil(height) } else { plane(&g).div_ceil(height) };
        // A chunk that had fewer rows would read all pixels for a part of their channels.
        let groups = (chunks / parts).max(1).min(slabs * blocks.count);
        let pixels = if copied { cells.most_pixels() * height } else { 0 };
        Self {
            g,
            input,
            swapped,
            copied,
            copy,
            copies,
            pixels,
            pitch,
            cut,
            blocks,
            cells,
            parts,
            height,
            slabs,
            groups,
        }
    }

    /// The `i`-th slab.
    pub fn slab(&self, i: usize) -> Slab {
        if !self.cut {
            return Slab { tap: None, rows: share(plane(&self.g), self.slabs, i) };
        }
        let taps = self.g.k_h * self.g.k_w;
        let per_tap = self.slabs / taps;
        // Taps that follow each other read many of the same pixels, and whole slabs are copied in whole runs.
        let (tap, rows) = if self.copied {
            let first = i / taps * self.height;
            (i % taps, first..self.g.in_c.min(first + self.height))
        } else {
            (i / per_tap, share(self.g.in_c, per_tap, i % per_tap))
        };
        Slab { tap: Some((tap / self.g.k_w, tap % self.g.k_w)), rows }
    }

    pub fn size(&self) -> usize {
        self.g.depth() * self.g.out_c
    }

    /// Whether the sums of the parts are in scratch, for a last phase to bring them to their place.
    pub fn gathers(&self) -> bool {
        self.parts > 1 || self.swapped
    }

    /// Elements of scratch memory that a group of channels needs.
    pub fn scratch(&self) -> usize {
        let partials = if self.gathers() { self.parts * self.size() } else { 0 };
        self.copy + self.parts * self.groups * self.pixels + partials
    }

    /// Elements from one row of the sums of a part to the next.
    pub fn row(&self) -> usize {
        if self.gathers() { self.g.out_c } else { self.g.out_pitch() }
    }

    /// Chunks of a group of channels.
    pub fn phases(&self) -> [usize; 5] {
        [self.copies, self.parts * self.groups, self.sums(), 0, 0]
    }

    /// Chunks of the last phase.
    fn sums(&self) -> usize {
        if self.gathers() { self.size().div_ceil(SUM) } else { 0 }
    }
}

/// Rows of the gradient that belong to one plane of a filter.
pub(super) fn plane(g: &ConvGeometry) -> usize {
    g.k_h * g.k_w * g.in_c
}

/// The convolution of stride 1 over the output gradient that has the same products; its taps are in reverse order.
fn turned(g: &ConvGeometry) -> Option<ConvGeometry> {
    if !g.is_flat() || (g.stride_h, g.stride_w) != (1, 1) || g.k_h * g.k_w == 0 {
        return None;
    }
    Some(ConvGeometry {
        in_h: g.out_h,
        in_w: g.out_w,
        in_c: g.out_c,
        out_h: g.in_h,
        out_w: g.in_w,
        out_c: g.in_c,
        pad_top: ((g.k_h - 1) * g.dilation_h).checked_sub(g.pad_top)?,
        pad_left: ((g.k_w - 1) * g.dilation_w).checked_sub(g.pad_left)?,
        ..*g
    })
}
