//! Convolutions with few channels by tensor cores: tiles of the images go through shared memory, filters stay in registers.
//! `conv.rs` asks here for convolutions and for their gradients by the images, which are convolutions of the cotangent.

use super::call::{Arguments, CudaCall, THREADS, grid};
use super::conv::by_tensor_cores;
use super::few_channels::{WARPS, Walk, at_once, defined, form, is_few, pitch};
use crate::backend::cpu::View;
use crate::backend::cpu::conv::ConvGeometry;
use crate::dtype::DType;
use crate::error::Result;
use std::fmt::Write;

const FORWARD: &str =
    concat!(include_str!("tensor.cuh"), include_str!("few_channels.cuh"), include_str!("conv_few.cuh"));
/// The same text at an address of its own, by which filters that are turned are found.
const TURNED: &str = concat!(
    "#define TURNED 1\n",
    include_str!("tensor.cuh"),
    include_str!("few_channels.cuh"),
    include_str!("conv_few.cuh")
);

/// Numbers that a thread keeps in registers at most: filters and sums.
const KEPT: usize = 88;
/// Blocks that a multiprocessor runs at once.
const BLOCKS: usize = 2;

/// The groups of warps that share the output channels, and the tiles of 16 channels of each; none if registers do not suffice.
fn division(g: &ConvGeometry) -> Option<[usize; 2]> {
    let (steps, tiles) = ((g.k_h * g.k_w * g.in_c).div_ceil(8), g.out_c.div_ceil(16));
    let divided = [1, 2, 4].map(|groups: usize| [groups, tiles.div_ceil(groups)]);
    divided.into_iter().find(|[groups, own]| *groups <= tiles && own * (4 * steps + 8) <= KEPT)
}

/// Output pixels of a tile, in whole tiles of the products.
fn outputs(walk: &Walk) -> usize {
    (walk.rows * walk.columns).next_multiple_of(16)
}

/// Numbers of shared memory: two tiles, two for each output, and the places of steps.
fn room(g: &ConvGeometry, walk: &Walk) -> usize {
    let inputs = (walk.inputs(g) * pitch(g.in_c)).next_multiple_of(4);
    2 * inputs + 2 * outputs(walk) + (g.k_h * g.k_w * g.in_c).next_multiple_of(8)
}

/// What a tile costs a multiprocessor, about: copies, products and waiting.
fn cycles(g: &ConvGeometry, walk: &Walk, [groups, own]: [usize; 2]) -> usize {
    let copied = walk.inputs(g) * g.in_c + outputs(walk) * g.out_c;
    let turns = (outputs(walk) / 16).div_ceil(WARPS / groups);
    let steps = (g.k_h * g.k_w * g.in_c).div_ceil(8);
    copied / 8 + turns * WARPS * (steps * (4 * own + 3) + 10) + 300
}

/// Writes the convolution `y` of `x` with filters `w` if it is better done so; says whether it was.
///
/// # Safety
/// Dense views of the geometry, without groups, valid on the call's device in the order of its stream.
pub(super) unsafe fn forward(call: &CudaCall<'_>, g: &ConvGeometry, views: [&View; 3]) -> Result<bool> {
    // SAFETY: by the caller's promise.
    unsafe { run(call, g, false, views) }
}

/// Writes the gradient by the images `dx`, of filters `w` and the cotangent `dy`, if it is better done so; says whether it was.
///
/// # Safety
/// As [`forward`].
pub(super) unsafe fn input_gradient(call: &CudaCall<'_>, g: &ConvGeometry, [w, dy, dx]: [&View; 3]) -> Result<bool> {
    // What a window reaches beyond the padding is what the cotangent is padded with.
    let pad = |taps: usize, dilation: usize, pad: usize| ((taps - 1) * dilation).checked_sub(pad);
    let (Some(pad_top), Some(pad_left)) = (pad(g.k_h, g.dilation_h, g.pad_top), pad(g.k_w, g.dilation_w, g.pad_left))
    else {
        return Ok(false);
    };
    if (g.stride_h, g.stride_w) != (1, 1) {
        return Ok(false);
    }
    let back = ConvGeometry {
        in_h: g.out_h,
        in_w: g.out_w,
        in_c: g.out_c,
        out_h: g.in_h,
        out_w: g.in_w,
        out_c: g.in_c,
        pad_top,
        pad_left,
        ..*g
    };
    // SAFETY: by the caller's promise.
    unsafe { run(call, &back, true, [dy, w, dx]) }
}

/// # Safety
/// As [`forward`], for the geometry that is walked.
unsafe fn run(call: &CudaCall<'_>, g: &ConvGeometry, turned: bool, [x, w, y]: [&View; 3]) -> Result<bool> {
    // Without tensor cores the other tiles do as well.
    if y.dtype != DType::F32 || !by_tensor_cores(call, y.dtype) || !is_few(g) {
        return Ok(false);
    }
    let Some(division) = division(g) else { return Ok(false) };
    let Some(walk) = Walk::new(g, 2 * pitch(g.in_c) + 2, |walk| room(g, walk), |walk| cycles(g, walk, division)) else {
        return Ok(false);
    };
    let vectors = [at_once(g.in_c, x), at_once(g.out_c, y)];
    let whole = if turned { TURNED } else { FORWARD };
    let function = call.gpu.generated(form(whole, g, true, vectors), "conv_few", || {
        let mut text = defined(g, true, vectors);
        let _ = writeln!(text, "#define COLUMN_GROUPS {}\n#define OWN_COLUMNS {}", division[0], division[1]);
        text + if turned { "" } else { "#define TURNED 0\n" } + whole
    })?;
    let tiles = walk.tiles(g);
    let each = tiles.div_ceil(call.gpu.multiprocessors() as usize * BLOCKS);
    // SAFETY: by the caller's promise.
    unsafe {
        let mut all = Arguments::new();
        all.words(&walk.words(g, each));
        all.views(&[x, w, y]);
        call.start(function, grid(tiles.div_ceil(each), THREADS), &mut all)?;
    }
    Ok(true)
}
