//! The filters at the points of Winograd's transform, packed for the microkernel: a panel per block of output channels.
//! The first phase of `Winograd::run` comes here, chunk by chunk.

use super::super::cells::share;
use super::super::kernels::Block;
use super::transform::{POINTS, TAPS, filter};
use super::{Winograd, with_vectors};
use crate::backend::cpu::isa::Isa;
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
        if self.turned {
            return self.blocks.padded() / self.kernels.lanes;
        }
        (self.source.channels * self.output.channels).div_ceil(4 << 10).min(self.source.channels)
    }

    /// Transforms the filters of a chunk.
    ///
    /// # Safety
    /// `w` holds the filters of the group, the panel is large enough, and nobody else uses this chunk's part of it.
    pub(super) unsafe fn filters(&self, w: *const T, panel: *mut T, chunk: usize) {
        let share = match self.turned {
            true => chunk..chunk + 1,
            false => share(self.source.channels, self.filter_chunks(), chunk),
        };
        let this = self;
        // SAFETY: the caller's promise, on a CPU that has this instruction set.
        unsafe {
            with_vectors!(self.isa, pack::<T>(this: &Winograd<T>, w: *const T, panel: *mut T, share: Range<usize>));
        }
    }

    /// Where the panel has a source channel's row of a block at a point.
    fn panel_row(&self, block: &Block, point: usize, channel: usize) -> usize {
        let width = block.vectors * self.kernels.lanes;
        block.start * POINTS * self.source.channels + (point * self.source.channels + channel) * width
    }
}

/// A share of the filters: of their source channels, or of turned ones a vector of output channels.
///
/// # Safety
/// As for [`Winograd::filters`], on a CPU with the instruction set of `S`.
#[inline(always)]
unsafe fn pack<S: Simd>(this: &Winograd<S::Elem>, w: *const S::Elem, panel: *mut S::Elem, share: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe {
        if this.turned {
            turned::<S>(this, w, panel, share);
        } else {
            plain::<S>(this, w, panel, share);
        }
    }
}

/// Filters as they lie: output channels are neighbours in memory, and vectors run along them.
#[inline(always)]
unsafe fn plain<S: Simd>(this: &Winograd<S::Elem>, w: *const S::Elem, panel: *mut S::Elem, channels: Range<usize>) {
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

/// A share of the filters that are turned, by output vectors: source channels are neighbours in memory, so squares of them and output
/// channels are transposed first.
#[inline(always)]
unsafe fn turned<S: Simd>(this: &Winograd<S::Elem>, w: *const S::Elem, panel: *mut S::Elem, vectors: Range<usize>) {
    let (pitch, lanes) = (this.source.pitch, this.kernels.lanes);
    let (channels, tap) = (this.source.channels, this.output.channels * pitch);
    // Taps, source channels, output channels.
    let mut square = [[[S::Elem::default(); SIDE]; SIDE]; TAPS * TAPS];
    debug_assert!(lanes <= SIDE);
    for i in 0..this.blocks.count {
        let block = this.blocks.get(i);
        for v in (0..block.vectors).filter(|v| vectors.contains(&(block.start / lanes + v))) {
            let live = if v + 1 == block.vectors { block.lanes } else { lanes };
            for first in (0..channels).step_by(SIDE) {
                let side = SIDE.min(channels - first);
                for (at, square) in square.iter_mut().enumerate() {
                    for k in 0..live {
                        let column = (TAPS * TAPS - 1 - at) * tap + (block.start + v * lanes + k) * pitch + first;
                        // Too many runs for a prefetcher of the processor.
                        ask_for(w.wrapping_add(column + AHEAD).cast(), SIDE * size_of::<S::Elem>());
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
                            u.store(panel.add(this.panel_row(&block, point, first + c) + v * lanes));
                        }
                    }
                }
            }
        }
    }
}
