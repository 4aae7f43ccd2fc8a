//! Gradients of convolutions by filters that are few: tiles of the images go through shared memory, results stay in registers.
//! `conv.rs` asks here before it takes tiles of the results, most of which would lie beside the result.

use super::call::{Arguments, CudaCall, THREADS, grid};
use super::conv::by_tensor_cores;
use super::few_channels::{WARPS, Walk, at_once, defined, form, is_few, pitch};
use super::product::Sums;
use crate::backend::cpu::View;
use crate::backend::cpu::conv::ConvGeometry;
use crate::dtype::DType;
use crate::error::Result;
use std::fmt::Write;

const FILTER: &str = concat!(
    include_str!("sums.cuh"),
    include_str!("tensor.cuh"),
    include_str!("few_channels.cuh"),
    include_str!("conv_filter_few.cuh")
);

/// How the results are shared by the warps of a block: groups of warps below and beside each other, and the tiles of 16 x 16 results
/// that each of them has.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Division {
    groups: [usize; 2],
    own: [usize; 2],
}

impl Division {
    /// As few groups as keep their sums in few registers, for so many tiles; none if no division does.
    fn new([down, across]: [usize; 2]) -> Option<Self> {
        let divided = |below: usize, beside: usize| {
            let groups = [1 << below, 1 << beside];
            Self { groups, own: [down.div_ceil(groups[0]), across.div_ceil(groups[1])] }
        };
        let all = (0..4).flat_map(|both| (0..=both).map(move |below| (both, divided(below, both - below))));
        // What few registers suffice for lets a third block run beside the others.
        let wanted = |limit: usize| {
            let fitting = all.clone().filter(|(_, one)| one.own[0] * one.own[1] <= limit);
            // Squares read the fewest factors for each product.
            fitting.min_by_key(|(both, one)| (*both, one.own[0] + one.own[1])).map(|(_, one)| one)
        };
        wanted(FEW).or_else(|| wanted(MOST))
    }

    fn own(&self) -> usize {
        self.own[0] * self.own[1]
    }

    /// Blocks that a multiprocessor can run at once.
    fn blocks(&self) -> usize {
        if self.own() <= FEW { 3 } else { 2 }
    }

    /// Warps that share the pixels of a tile.
    fn shares(&self) -> usize {
        WARPS / (self.groups[0] * self.groups[1])
    }
}

/// Tiles of 16 x 16 results of a warp with which three blocks run at once.
const FEW: usize = 5;
/// The most tiles that a warp keeps in registers.
const MOST: usize = 8;

/// Output pixels of a tile, in whole steps.
fn outputs(walk: &Walk) -> usize {
    (walk.rows * walk.columns).next_multiple_of(8)
}

/// Numbers of shared memory: two tiles, and the places of the outputs.
fn room(g: &ConvGeometry, walk: &Walk) -> usize {
    let inputs = (walk.inputs(g) * pitch(g.in_c)).next_multiple_of(4);
    2 * (inputs + outputs(walk) * pitch_of_outputs(g.out_c)) + outputs(walk)
}

/// What a tile costs a multiprocessor, about: copies, products and waiting.
fn cycles(g: &ConvGeometry, walk: &Walk, division: &Division) -> usize {
    let copied = walk.inputs(g) * g.in_c + outputs(walk) * g.out_c;
    let turns = (outputs(walk) / 8).div_ceil(division.shares());
    copied / 8 + turns * WARPS * (division.own() * 5 + 8) + 300
}

/// As [`pitch`], with room for whole tiles of columns.
fn pitch_of_outputs(channels: usize) -> usize {
    channels.next_multiple_of(16) + 8
}

/// Writes the gradient by the filters if it is better done so; says whether it was.
///
/// # Safety
/// Dense views of the geometry, without groups, valid on the call's device in the order of its stream.
pub(super) unsafe fn filter_gradient(call: &CudaCall<'_>, g: &ConvGeometry, [x, dy, dw]: [&View; 3]) -> Result<bool> {
    let tensor = by_tensor_cores(call, dw.dtype);
    let depth = g.k_h * g.k_w * g.in_c;
    if dw.dtype != DType::F32 || call.gpu.capability() < (8, 0) || !is_few(g) {
        return Ok(false);
    }
    let tiles = [depth.div_ceil(16), g.out_c.div_ceil(16)];
    let Some(division) = Division::new(tiles) else { return Ok(false) };
    let numbers = 2 * (pitch(g.in_c) + pitch_of_outputs(g.out_c));
    let Some(walk) = Walk::new(g, numbers, |walk| room(g, walk), |walk| cycles(g, walk, &division)) else {
        return Ok(false);
    };
    let vectors = [at_once(g.in_c, x), at_once(g.out_c, dy)];
    let function = call
        .gpu
        .generated(form(FILTER, g, tensor, vectors), "conv_filter_few", || text(g, tensor, &division, vectors))?;

    let tiles = g.batch * walk.down * walk.across;
    let busy = call.gpu.multiprocessors() as usize * division.blocks();
    // What a block leaves behind is written and read once more: it should have read as much before.
    let least = dw.len().div_ceil(walk.inputs(g) * g.in_c + outputs(&walk) * g.out_c);
    let each = tiles.div_ceil(busy).max(least);
    let parts = tiles.div_ceil(each);
    let sums = Sums::new(call, dw, parts)?;
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        let mut all = Arguments::new();
        all.words(&walk.words(g, each));
        all.views(&[x, dy]);
        all.address(sums.address);
        call.start(function, grid(parts, THREADS), &mut all)?;
        sums.finish(call, dw, g.out_c, None)?;
    }
    Ok(true)
}

fn text(g: &ConvGeometry, tensor: bool, division: &Division, vectors: [usize; 2]) -> String {
    let mut text = defined(g, tensor, vectors);
    for (name, value) in [
        ("Y_PITCH", pitch_of_outputs(g.out_c)),
        ("ROW_GROUPS", division.groups[0]),
        ("COLUMN_GROUPS", division.groups[1]),
        ("OWN_ROWS", division.own[0]),
        ("OWN_COLUMNS", division.own[1]),
        ("BLOCKS", division.blocks()),
    ] {
        let _ = writeln!(text, "#define {name} {value}");
    }
    text + FILTER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_results_are_shared_by_few_groups() {
        let division = |tiles| Division::new(tiles).map(|d| (d.groups, d.own));
        assert_eq!(division([1, 1]), Some(([1, 1], [1, 1])));
        assert_eq!(division([9, 1]), Some(([2, 1], [5, 1])));
        assert_eq!(division([2, 4]), Some(([1, 2], [2, 2])));
        assert_eq!(division([14, 3]), Some(([8, 1], [2, 3])));
        assert_eq!(division([18, 4]), None);
    }
}
