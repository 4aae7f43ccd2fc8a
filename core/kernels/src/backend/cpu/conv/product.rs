//! The driver of the forward product and of the input gradient: output pixels times blocks of output channels.
//! Both are sums of source pixels times a panel of weights; they differ in axes, strides and packing only.

use super::axis::Axis;
use super::cells::{Cell, Cells, share};
use super::kernels::{Blocks, Kernels, choose};
use super::tile::{MAX_ROWS, Tile};
use crate::backend::cpu::simd::Float;
use std::ops::Range;

/// Multiply-adds of one chunk: long enough to hide the cost of handing it out, short enough to balance threads.
const CHUNK: usize = 1 << 20;
/// Bytes of panel that stay in the second-level cache while pixels stream by.
const PANEL: usize = 256 << 10;

/// The chunks of a product: cells of pixels times groups of channel blocks.
#[derive(Clone, Copy)]
pub(super) struct Chunks {
    cells: Cells,
    blocks: usize,
    groups: usize,
}

impl Chunks {
    /// For `depth` values per sum and `channels` output channels in `blocks` blocks, what fills vectors included.
    pub fn new(batch: usize, rows: usize, cols: usize, depth: usize, channels: usize, blocks: usize) -> Self {
        let per_pixel = (depth * channels).max(1);
        // Fewer pixels would reload the panel for too little work.
        let target = (CHUNK / per_pixel).max(128);
        let cells = Cells::new(batch, rows, cols, target);
        // Where even that is a lot of work, channels are shared out as well.
        let per_cell = target.min(batch * rows * cols) * per_pixel;
        Self { cells, blocks, groups: (per_cell / (4 * CHUNK)).clamp(1, blocks.max(1)) }
    }

    pub fn count(self) -> usize {
        if self.blocks == 0 { 0 } else { self.cells.count() * self.groups }
    }

    /// The pixels and the blocks of a chunk.
    pub fn get(self, i: usize) -> (Cell, Range<usize>) {
        // Cells vary fastest, so that threads share the panels in the common cache.
        let n = self.cells.count();
        (self.cells.get(i % n), share(self.blocks, self.groups, i / n))
    }
}

/// Steps between images, rows and pixels of a tensor, in elements.
pub(super) type Steps = [usize; 3];

/// A product: for each pixel of the output, the sum over taps and source channels.
pub(super) struct Product<T: 'static> {
    pub kernels: &'static Kernels<T>,
    pub rows: Axis,
    pub cols: Axis,
    /// Channels of a source pixel, contiguous.
    pub channels: usize,
    pub src: *const T,
    pub src_step: Steps,
    pub out: *mut T,
    pub out_step: Steps,
    /// Blocks of output channels.
    pub blocks: Blocks,
    pub panel: *const T,
    /// Where the weights of row tap 0 and column tap 0 are, in source channels.
    pub panel_first: usize,
    /// From a block to the next: packed columns times this.
    pub panel_depth: usize,
    /// From a tap to the next, in source channels: row taps, column taps.
    pub panel_taps: [usize; 2],
    /// Columns of the panel: `None` = those of each block, packed. Without meaning for dot products, whose panel has
    /// `panel_depth` columns and a row for each output channel.
    pub panel_width: Option<usize>,
    /// Adds to what the output holds.
    pub accumulate: bool,
    /// Whether these are the last terms of the sums.
    pub last: bool,
}

impl<T: Float> Product<T> {
    /// Computes the pixels of a cell for a range of blocks.
    ///
    /// # Safety
    /// The operands must hold what axes, steps and blocks reach, and nobody else may use these outputs meanwhile.
    pub unsafe fn run(&self, cell: Cell, blocks: Range<usize>) {
        for block in blocks {
            let block = self.blocks.get(block);
            let width = self.panel_width.unwrap_or(block.vectors * self.kernels.lanes);
            // From one source channel to the next, and along the tile's last panel axis.
            let (width, across) = if self.kernels.dots { (1, self.panel_depth) } else { (width, width) };
            let taps = self.rows.taps * self.cols.taps;
            let slab = (PANEL / (width * size_of::<T>() * taps).max(1)).max(16);
            let mut tile = Tile {
                src: self.src,
                panel: self.panel,
                // SAFETY: a block starts inside the channels of the first output pixel.
                out: unsafe { self.out.add(block.start) },
                offs: [0; MAX_ROWS],
                outs: [0; MAX_ROWS],
                live: 0,
                len: [0; 3],
                src_step: [self.rows.dilation * self.src_step[1], self.cols.dilation * self.src_step[2], 1],
                panel_step: [self.panel_taps[0] * width, self.panel_taps[1] * width, across],
                lanes: block.lanes,
                // Packed blocks have zeros behind their last channel.
                whole: self.panel_width.is_none() || block.lanes == self.kernels.lanes,
                accumulate: self.accumulate,
                last: false,
            };
            // SAFETY: the panel holds `panel_depth` rows of each block, block after block.
            let panel = unsafe { self.panel.add(block.start * self.panel_depth) };
            let mut start = 0;
            loop {
                let end = self.channels.min(start + slab);
                tile.last = self.last && end == self.channels;
                for rows in self.rows.runs(cell.rows.clone()) {
                    for cols in self.cols.runs(cell.cols.clone()) {
                        let tap = self.panel_first
                            + rows.taps.start * self.panel_taps[0]
                            + cols.taps.start * self.panel_taps[1];
                        // SAFETY: taps and channels are inside the panel of the block.
                        tile.panel = unsafe { panel.add((tap + start) * width) };
                        tile.len = [rows.taps.len(), cols.taps.len(), end - start];
                        // Neighbouring taps that follow each other in both operands are one longer loop.
                        let joined = tile.len[2] == self.channels
                            && tile.src_step[1] == self.channels
                            && self.panel_taps[1] == self.channels;
                        if joined {
                            tile.len = [tile.len[0], 1, tile.len[1] * tile.len[2]];
                        }
                        let mut walk = TapWalk::new(cell.images.clone(), rows.outputs.clone(), cols.outputs.clone());
                        let tap = (rows.taps.start, cols.taps.start);
                        // SAFETY: the runs hold valid taps only, so every address lies in the operands.
                        unsafe { self.walk(&mut tile, &mut walk, tap, start, block.vectors) }
                    }
                }
                start = end;
                tile.accumulate = true;
                if start >= self.channels {
                    break;
                }
            }
        }
    }

    /// Runs tiles over the pixels of one run of rows and columns.
    ///
    /// # Safety
    /// As for [`Product::run`]; the tap must be valid for all pixels of the walk, with the lengths of the tile.
    unsafe fn walk(&self, tile: &mut Tile<T>, walk: &mut TapWalk, tap: (usize, usize), channel: usize, vectors: usize) {
        let column = self.kernels.columns[vectors - 1];
        // Without a valid tap nothing is read, and offsets would be meaningless.
        let reads = !tile.len.contains(&0);
        let src_pixel = self.cols.stride * self.src_step[2];
        while walk.left > 0 {
            let (height, call) = choose(column, walk.left);
            let live = height.min(walk.left);
            let mut filled = 0;
            while filled < live {
                let (image, row, col, n) = walk.take(live - filled);
                let out = image * self.out_step[0] + row * self.out_step[1] + col * self.out_step[2];
                let src = if reads {
                    let (y, x) = (self.rows.at(row, tap.0), self.cols.at(col, tap.1));
                    image * self.src_step[0] + y * self.src_step[1] + x * self.src_step[2] + channel
                } else {
                    0
                };
                let src_pixel = if reads { src_pixel } else { 0 };
                let (mut src, mut out) = (src, out);
                let rows = filled..filled + n;
                for (at, to) in tile.offs[rows.clone()].iter_mut().zip(&mut tile.outs[rows]) {
                    (*at, *to) = (src, out);
                    src += src_pixel;
                    out += self.out_step[2];
                }
                filled += n;
            }
            for p in live..height {
                tile.offs[p] = tile.offs[live - 1];
                tile.outs[p] = tile.outs[live - 1];
            }
            tile.live = live;
            // SAFETY: the caller's promise, for the offsets of these pixels.
            unsafe { call(tile) }
        }
    }
}

/// The parts of a range of planes that lie in one volume each, for `planes` planes in a volume.
pub(super) fn volumes(range: Range<usize>, planes: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut rest = range;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let volume = rest.start / planes;
        let end = rest.end.min((volume + 1) * planes);
        let own = rest.start - volume * planes..end - volume * planes;
        rest.start = end;
        Some((volume, own))
    })
}

/// Pixels of a box in order, taken row by row.
struct TapWalk {
    rows: Range<usize>,
    cols: Range<usize>,
    at: (usize, usize, usize),
    left: usize,
}

impl TapWalk {
    fn new(images: Range<usize>, rows: Range<usize>, cols: Range<usize>) -> Self {
        let left = images.len() * rows.len() * cols.len();
        Self { at: (images.start, rows.start, cols.start), rows, cols, left }
    }

    /// Image, row and column of the next pixel, and how many pixels of its row to take, at most `most`.
    #[inline]
    fn take(&mut self, most: usize) -> (usize, usize, usize, usize) {
        let (image, row, col) = self.at;
        let n = most.min(self.cols.end - col);
        self.left -= n;
        self.at.2 += n;
        if self.at.2 == self.cols.end {
            self.at = (image, row + 1, self.cols.start);
            if self.at.1 == self.rows.end {
                self.at = (image + 1, self.rows.start, self.cols.start);
            }
        }
        (image, row, col, n)
    }
}
