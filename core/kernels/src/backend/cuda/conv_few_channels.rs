//! Gradients of convolutions by filters that are few: tiles of the images go through shared memory, results stay in registers.
//! `conv.rs` asks here before it takes tiles of the results, most of which would lie beside the result.

use super::call::{CudaCall, THREADS, grid};
use super::conv::by_tensor_cores;
use super::product::Sums;
use super::program::{Form, packed};
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

/// Numbers of 32 bits in the shared memory of a block, as the kernels have it: what every device gives without being asked.
const ROOM: usize = 12288;
/// Warps of a block.
const WARPS: usize = 8;
/// The most channels, with which a tile of some rows still fits.
const CHANNELS: usize = 64;
/// Products of two numbers from which a kernel for just this convolution is worth being compiled.
const WORK: usize = 1 << 18;
/// The least pixels of an output image that are worth a tile.
const PIXELS: usize = 32;

/// Numbers from a pixel to the next in shared memory: an odd multiple of eight where a warp reads sixteen or more of each pixel, so that it
/// reads from all banks at once.
fn pitch(channels: usize) -> usize {
    match channels {
        0..16 => channels,
        _ => channels.next_multiple_of(8) + if channels.next_multiple_of(8).is_multiple_of(16) { 8 } else { 0 },
    }
}

/// Numbers that are copied at once: pixels of so many, and memory that begins there.
fn at_once(channels: usize, view: &View) -> usize {
    let fits = |n: &usize| channels.is_multiple_of(*n) && view.ptr.addr().is_multiple_of(4 * n);
    [4, 2].into_iter().find(fits).unwrap_or(1)
}

/// How the results are shared by the warps of a block: groups of warps below and beside each other, and the tiles of 16 x 16 results
/// that each of them has.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Division {
    groups: [usize; 2],
    own: [usize; 2],
}

impl Division {
    /// As few groups as keep their sums in few registers, for so many tiles; none if no division does.
    fn new([down, across]: [usize; 2], most: usize) -> Option<Self> {
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
        wanted(FEW).or_else(|| wanted(most))
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
/// The most tiles that a warp keeps in registers, without tensor cores and with them.
const MOST: [usize; 2] = [8, 9];

/// How output images are cut into tiles, and tiles into shares of blocks.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Walk {
    rows: usize,
    columns: usize,
    down: usize,
    across: usize,
}

/// Input pixels that the windows of some outputs reach.
fn reached(outputs: usize, stride: usize, taps: usize, dilation: usize) -> usize {
    (outputs - 1) * stride + (taps - 1) * dilation + 1
}

impl Walk {
    /// The tiles that should take the least time, if any fit.
    fn new(g: &ConvGeometry, division: &Division) -> Option<Self> {
        let fitting = (1..=g.out_w.min(MOST_ACROSS)).flat_map(|across| {
            let columns = g.out_w.div_ceil(across);
            let downs =
                (1..=g.out_h).filter(move |&down| down == 1 || g.out_h.div_ceil(down) < g.out_h.div_ceil(down - 1));
            downs.map(move |down| Self { rows: g.out_h.div_ceil(down), columns, down, across })
        });
        let fitting = fitting.filter(|walk| walk.rows * walk.columns <= ROOM / 16 && walk.room(g) <= ROOM);
        fitting.take(TRIED).min_by_key(|walk| walk.down * walk.across * walk.cycles(g, division))
    }

    fn inputs(&self, g: &ConvGeometry) -> usize {
        reached(self.rows, g.stride_h, g.k_h, g.dilation_h) * reached(self.columns, g.stride_w, g.k_w, g.dilation_w)
    }

    /// Output pixels of a tile, in whole steps.
    fn outputs(&self) -> usize {
        (self.rows * self.columns).next_multiple_of(8)
    }

    /// Numbers of shared memory: two tiles, and the places of the outputs.
    fn room(&self, g: &ConvGeometry) -> usize {
        let inputs = (self.inputs(g) * pitch(g.in_c)).next_multiple_of(4);
        2 * (inputs + self.outputs() * pitch_of_outputs(g.out_c)) + self.outputs()
    }

    /// What a tile costs a multiprocessor, about: copies, products and waiting.
    fn cycles(&self, g: &ConvGeometry, division: &Division) -> usize {
        let copied = self.inputs(g) * g.in_c + self.outputs() * g.out_c;
        let turns = (self.outputs() / 8).div_ceil(division.shares());
        copied / 8 + turns * WARPS * (division.own() * 5 + 8) + 300
    }
}

/// Tiles side by side, and cuts of an image, that are tried at most: the host should not think for long.
const MOST_ACROSS: usize = 16;
const TRIED: usize = 24;

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
    let Some(division) = Division::new(tiles, MOST[usize::from(tensor)]) else { return Ok(false) };
    let Some(walk) = Walk::new(g, &division) else { return Ok(false) };
    let vectors = [at_once(g.in_c, x), at_once(g.out_c, dy)];
    let function =
        call.gpu.generated(form(g, tensor, vectors), "conv_filter_few", || text(g, tensor, &division, vectors))?;

    let tiles = g.batch * walk.down * walk.across;
    let busy = call.gpu.multiprocessors() as usize * division.blocks();
    // What a block leaves behind is written and read once more: it should have read as much before.
    let least = dw.len().div_ceil(walk.inputs(g) * g.in_c + walk.outputs() * g.out_c);
    let each = tiles.div_ceil(busy).max(least);
    let parts = tiles.div_ceil(each);
    let sums = Sums::new(call, dw, parts)?;
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        let mut all = super::call::Arguments::new();
        all.words(&words(g, &walk, tiles, each));
        all.views(&[x, dy]);
        all.address(sums.address);
        call.start(function, grid(parts, THREADS), &mut all)?;
        sums.finish(call, dw, g.out_c, None)?;
    }
    Ok(true)
}

/// Whether channels are few, work is enough, and sizes fit the kernel's numbers and the form's bits.
fn is_few(g: &ConvGeometry) -> bool {
    let work = g.batch * g.out_h * g.out_w * g.k_h * g.k_w * g.in_c * g.out_c;
    let small = [g.k_h, g.k_w, g.stride_h, g.stride_w, g.dilation_h, g.dilation_w];
    let image = (g.in_h * g.in_w * g.in_c).max(g.out_h * g.out_w * g.out_c);
    work >= WORK
        && g.out_h * g.out_w >= PIXELS
        && g.in_c.max(g.out_c) <= CHANNELS
        && small.iter().all(|&n| n < 256)
        && g.pad_top.max(g.pad_left) < 1 << 16
        && image < 1 << 30
}

/// All that the text depends on.
fn form(g: &ConvGeometry, tensor: bool, vectors: [usize; 2]) -> Form {
    let bytes = |all: &[usize]| all.iter().fold(0, |word, &byte| word << 8 | byte as u64);
    Form {
        of: FILTER.as_ptr().addr(),
        attributes: bytes(&[g.k_h, g.k_w, g.stride_h, g.stride_w, g.dilation_h, g.dilation_w, usize::from(tensor)]),
        types: packed(&[DType::F32]),
        layout: bytes(&[g.in_c, g.out_c, vectors[0], vectors[1]]),
    }
}

fn text(g: &ConvGeometry, tensor: bool, division: &Division, vectors: [usize; 2]) -> String {
    let mut text = String::from("typedef float T0;\ntypedef float A0;\n");
    for (name, value) in [
        ("IN_C", g.in_c),
        ("OUT_C", g.out_c),
        ("K_H", g.k_h),
        ("K_W", g.k_w),
        ("STRIDE_H", g.stride_h),
        ("STRIDE_W", g.stride_w),
        ("DILATION_H", g.dilation_h),
        ("DILATION_W", g.dilation_w),
        ("TENSOR", usize::from(tensor)),
        ("X_PITCH", pitch(g.in_c)),
        ("Y_PITCH", pitch_of_outputs(g.out_c)),
        ("X_VECTOR", vectors[0]),
        ("Y_VECTOR", vectors[1]),
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

/// `struct Walk` of the kernels: ten sizes of 32 bits, then two of 64.
fn words(g: &ConvGeometry, walk: &Walk, tiles: usize, each: usize) -> [i64; 7] {
    let pair = |a: usize, b: usize| (a as u32 as u64 | (b as u64) << 32) as i64;
    [
        pair(g.in_h, g.in_w),
        pair(g.out_h, g.out_w),
        pair(g.pad_top, g.pad_left),
        pair(walk.rows, walk.columns),
        pair(walk.down, walk.across),
        tiles as i64,
        each as i64,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_results_are_shared_by_few_groups() {
        let division = |tiles, most| Division::new(tiles, most).map(|d| (d.groups, d.own));
        assert_eq!(division([1, 1], 9), Some(([1, 1], [1, 1])));
        assert_eq!(division([9, 1], 9), Some(([2, 1], [5, 1])));
        assert_eq!(division([2, 4], 9), Some(([1, 2], [2, 2])));
        assert_eq!(division([18, 4], 9), Some(([4, 2], [5, 2])));
        assert_eq!(division([36, 4], 9), None);
    }
}
