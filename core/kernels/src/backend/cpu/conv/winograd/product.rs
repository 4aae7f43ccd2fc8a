//! A product of matrices whose rows and steps lie evenly apart, by the microkernel of all convolutions.
//! `tiles` and `gradient` call it at each point.

use super::super::kernels::{Kernels, choose};
use super::super::tile::{MAX_ROWS, Tile};
use crate::backend::cpu::simd::Float;

/// `out[i][j] (+)= sum over k of src[i][k] * panel[k][j]`, for the columns of one block.
pub(super) struct Product<T> {
    pub src: *const T,
    pub panel: *const T,
    pub out: *mut T,
    pub rows: usize,
    /// Elements from a row to the next, of what is read and of the result.
    pub row_steps: [usize; 2],
    /// Terms of a sum.
    pub depth: usize,
    /// Elements from a term to the next, of both factors.
    pub depth_steps: [usize; 2],
    /// Adds to what the result holds.
    pub accumulate: bool,
}

impl<T: Float> Product<T> {
    /// Computes all rows of so many vectors of columns.
    ///
    /// # Safety
    /// Rows, terms and whole vectors lie in the operands, and nobody else uses the result.
    pub unsafe fn run(&self, kernels: &Kernels<T>, vectors: usize) {
        let mut tile = Tile {
            src: self.src,
            panel: self.panel,
            out: self.out,
            offs: [0; MAX_ROWS],
            outs: [0; MAX_ROWS],
            live: 0,
            len: [1, 1, self.depth],
            src_step: [0, 0, self.depth_steps[0]],
            panel_step: [0, 0, self.depth_steps[1]],
            lanes: kernels.lanes,
            whole: true,
            accumulate: self.accumulate,
            last: false,
        };
        let mut row = 0;
        while row < self.rows {
            let (height, call) = choose(kernels.columns[vectors - 1], self.rows - row);
            tile.live = height.min(self.rows - row);
            for p in 0..height {
                let at = row + p.min(tile.live - 1);
                (tile.offs[p], tile.outs[p]) = (at * self.row_steps[0], at * self.row_steps[1]);
            }
            // SAFETY: the caller's promise; idle rows repeat a live one.
            unsafe { call(&tile) };
            row += tile.live;
        }
    }
}
