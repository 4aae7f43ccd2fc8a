//! The filters at the points of Winograd's transform, packed for the microkernel: a panel per block of output channels.
//! The first phase of `Winograd::run` comes here, chunk by chunk.

use super::super::cells::share;
use super::super::kernels::Block;
use super::super::pack;
use super::Winograd;
use super::transform::{POINTS, TAPS, filter};
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::pool2d::window::kernel;
use crate::backend::cpu::simd::{Float, Simd, ask_for};
use std::ops::Range;

/// Channels of a square of turned filters: what is read of them are whole cache lines.
const SIDE: usize = 16;
/// How far ahead they are asked for.
const AHEAD: usize = 2 * SIDE;

impl<T: Float> Winograd<T> {
    /// Chunks that transform a group's filters: they share out source channels, of turned filters vectors of output channels, so that each
    /// reads whole rows of memory.
    pub(super) fn filter_chunks(&self) -> usize {
        match self.turned {
            true => self.blocks.padded() / self.kernels.lanes,
            false => pack::chunks(self.source.channels, TAPS * TAPS * self.output.channels),
        }
    }

    /// Transforms the filters of a chunk.
    ///
    /// # Safety
    /// `w` holds the filters of the group, the panel is large enough, and nobody else uses this chunk's part of it.
    pub(super) unsafe fn filters(&self, w: *const T, panel: *mut T, chunk: usize) {
        // SAFETY: the caller's promise, on a CPU that has this instruction set.
        unsafe {
            if self.turned {
                return turned(self.isa, self, w, panel, chunk);
            }
            plain(self.isa, self, w, panel, share(self.source.channels, self.filter_chunks(), chunk));
        }
    }

    /// Where the panel has a source channel's row of a block at a point.
    fn panel_row(&self, block: &Block, point: usize, channel: usize) -> usize {
        let width = block.vectors * self.kernels.lanes;
        block.start * POINTS * self.source.channels + (point * self.source.channels + channel) * width
    }
}

kernel! {
    /// Filters as they lie: output channels are neighbours in memory, and vectors run along them.
    ///
    /// # Safety
    /// As for [`Winograd::filters`], on a CPU with the instruction set.
    plain, plain_body(this: &Winograd<T>, w: *const T, panel: *mut T, channels: Range<usize>)
}

#[inline(always)]
unsafe fn plain_body<T: Float, S: Simd<Elem = T>>(
    this: &Winograd<T>,
    w: *const T,
    panel: *mut T,
    channels: Range<usize>,
) {
    let (pitch, lanes) = (this.output.pitch, this.kernels.lanes);
    let tap = this.source.channels * pitch;
    for i in 0..this.blocks.count {
        let block = this.blocks.get(i);
        for c in channels.clone() {
            for v in 0..block.vectors {
                let live = if v + 1 == block.vectors { block.lanes } else { lanes };
                // SAFETY: the row's live channels are the filters'; all of its lanes are the panel's.
                unsafe {
                    let tail = S::tail(live);
                    let from = w.add(c * pitch + block.start + v * lanes);
                    let mut g = [[S::zero(); TAPS]; TAPS];
                    for (at, g) in g.as_flattened_mut().iter_mut().enumerate() {
                        *g = S::load_tail(from.add(at * tap), tail);
                    }
                    for (point, u) in filter(g).as_flattened().iter().enumerate() {
                        u.store(panel.add(this.panel_row(&block, point, c) + v * lanes));
                    }
                }
            }
        }
    }
}

kernel! {
    /// Filters that are turned, of one vector of output channels: source channels are neighbours in memory, so squares of them and output
    /// channels are transposed first.
    ///
    /// # Safety
    /// As for [`Winograd::filters`], on a CPU with the instruction set.
    turned, turned_body(this: &Winograd<T>, w: *const T, panel: *mut T, vector: usize)
}

#[inline(always)]
unsafe fn turned_body<T: Float, S: Simd<Elem = T>>(this: &Winograd<T>, w: *const T, panel: *mut T, vector: usize) {
    let (pitch, lanes, channels) = (this.source.pitch, this.kernels.lanes, this.source.channels);
    let (tap, output) = (this.output.channels * pitch, vector * lanes);
    let live = lanes.min(this.output.channels - output);
    let holds = |block: &Block| output < block.start + block.vectors * lanes;
    let Some(block) = (0..this.blocks.count).map(|i| this.blocks.get(i)).find(holds) else { return };
    // Taps, source channels, output channels.
    let mut square = [[[T::default(); SIDE]; SIDE]; TAPS * TAPS];
    debug_assert!(lanes <= SIDE);
    for first in (0..channels).step_by(SIDE) {
        let side = SIDE.min(channels - first);
        for (at, square) in square.iter_mut().enumerate() {
            for k in 0..live {
                let column = (TAPS * TAPS - 1 - at) * tap + (output + k) * pitch + first;
                // Too many runs for a prefetcher of the processor.
                ask_for(w.wrapping_add(column + AHEAD).cast(), SIDE * size_of::<T>());
                for (c, row) in square[..side].iter_mut().enumerate() {
                    // SAFETY: tap and channels are the filters'.
                    row[k] = unsafe { *w.add(column + c) };
                }
            }
        }
        for c in 0..side {
            // SAFETY: a row of the square has room for a vector, of which the live lanes count; all lanes are the panel's.
            unsafe {
                let tail = S::tail(live);
                let mut g = [[S::zero(); TAPS]; TAPS];
                for (g, square) in g.as_flattened_mut().iter_mut().zip(&square) {
                    *g = S::load_tail(square[c].as_ptr(), tail);
                }
                for (point, u) in filter(g).as_flattened().iter().enumerate() {
                    u.store(panel.add(this.panel_row(&block, point, first + c) + output - block.start));
                }
            }
        }
    }
}
