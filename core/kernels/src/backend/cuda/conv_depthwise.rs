//! Convolutions by depth, whose groups have one channel each, and their gradients: threads have some neighbouring channels and results.
//! `conv.rs` asks here before it gives each result a thread of its own.

use super::call::{Arguments, CudaCall, THREADS, grid};
use super::conv::geometry;
use super::driver::Function;
use super::product::Sums;
use super::program::{Form, alone, named, packed};
use crate::backend::cpu::View;
use crate::backend::cpu::conv::ConvGeometry;
use crate::dtype::DType;
use crate::error::Result;
use std::fmt::Write;

const TEXT: &str = concat!(
    include_str!("sums.cuh"),
    include_str!("divided.cuh"),
    include_str!("image.cuh"),
    include_str!("conv_depthwise.cuh")
);

/// Results side by side of a thread, as the kernels have it.
const COLUMNS: usize = 4;
/// The widest filters whose inputs stay in registers, and the most taps, which the filters' gradient adds up there.
const WIDEST: usize = 7;
const TAPS: usize = 49;
/// Numbers that a thread adds up at most, in the filters' gradient.
const KEPT: usize = 64;
/// Blocks of the filters' gradient for each multiprocessor, and the least runs that a thread of one should have.
const BLOCKS: usize = 4;
const RUNS: usize = 4;

/// Which kernel.
#[derive(Clone, Copy)]
enum Direction {
    Forward,
    InputGradient,
    FilterGradient,
}

/// Neighbouring channels of a thread: so many that sums stay in registers, of views that begin where that many may be loaded at once.
fn vector(g: &ConvGeometry, direction: Direction, views: &[&View]) -> usize {
    let most = match direction {
        Direction::FilterGradient => KEPT / (g.k_h * g.k_w),
        _ => 4,
    };
    let fits = |n: &usize| {
        let aligned = |view: &&View| view.ptr.addr().is_multiple_of(n * view.dtype.size());
        *n <= most && g.in_c.is_multiple_of(*n) && views.iter().all(aligned)
    };
    [4, 2].into_iter().find(fits).unwrap_or(1)
}

/// Whether these kernels know the convolution.
fn is_known(g: &ConvGeometry, groups: usize, dtype: DType) -> bool {
    let image = (g.in_h * g.in_w * g.in_c).max(g.out_h * g.out_w * g.out_c);
    dtype.is_floating()
        && groups == g.in_c
        && groups == g.out_c
        && g.k_w <= WIDEST
        && g.k_h * g.k_w <= TAPS
        // A row of the gradient by images begins with the same place of the stride in each run.
        && COLUMNS.is_multiple_of(g.stride_w)
        && (g.dilation_w == 1 || g.k_w == 1)
        && g.pad_left < g.k_w
        && image < 1 << 30
}

/// The kernel for a convolution and results of some dtype.
fn function(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    direction: Direction,
    types: [DType; 2],
    vector: usize,
) -> Result<Function> {
    let name = match direction {
        Direction::Forward => "depthwise_forward",
        Direction::InputGradient => "depthwise_input_gradient",
        Direction::FilterGradient => "depthwise_filter_gradient",
    };
    let values = [g.k_h, g.k_w, g.stride_w, g.pad_left, vector, direction as usize];
    let form = Form {
        of: TEXT.as_ptr().addr(),
        attributes: values.iter().fold(0, |word, &value| word << 8 | value as u64),
        types: packed(&types),
        layout: 0,
    };
    call.gpu.generated(form, name, || {
        let mut text = named(&types);
        for (name, value) in ["K_H", "K_W", "STRIDE_W", "PAD_LEFT", "VECTOR"].iter().zip(values) {
            let _ = writeln!(text, "#define {name} {value}");
        }
        text + &alone(TEXT, name)
    })
}

/// Runs of results in images of this size.
fn runs(batch: usize, h: usize, w: usize) -> usize {
    batch * h * w.div_ceil(COLUMNS)
}

/// Writes the convolution `y` of `x` with filters `w` if it is known here; says whether it was.
///
/// # Safety
/// Dense views of the geometry, valid on the call's device in the order of its stream.
pub(super) unsafe fn forward(call: &CudaCall<'_>, g: &ConvGeometry, groups: usize, views: [&View; 3]) -> Result<bool> {
    // SAFETY: by the caller's promise.
    unsafe { by_runs(call, g, groups, Direction::Forward, views, runs(g.batch, g.out_h, g.out_w)) }
}

/// Writes the gradient by the images `dx`, of filters `w` and the cotangent `dy`, if it is known here; says whether it was.
///
/// # Safety
/// As [`forward`].
pub(super) unsafe fn input_gradient(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    groups: usize,
    views: [&View; 3],
) -> Result<bool> {
    // SAFETY: by the caller's promise.
    unsafe { by_runs(call, g, groups, Direction::InputGradient, views, runs(g.batch, g.in_h, g.in_w)) }
}

/// # Safety
/// As [`forward`].
unsafe fn by_runs(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    groups: usize,
    direction: Direction,
    views: [&View; 3],
    runs: usize,
) -> Result<bool> {
    let to = views[2];
    if !is_known(g, groups, to.dtype) {
        return Ok(false);
    }
    let vector = vector(g, direction, &views);
    let function = function(call, g, direction, [to.dtype; 2], vector)?;
    // SAFETY: by the caller's promise; a run's threads have all channels.
    unsafe {
        call.elements_of(function, runs * (g.in_c / vector), 1, |all| {
            all.words(&geometry(g, groups));
            all.views(&views);
        })?;
    }
    Ok(true)
}

/// How the filters' gradient is shared out: threads of a block side by side, runs of a part, parts, and blocks.
fn shares(busy: usize, packs: usize, runs: usize) -> [usize; 4] {
    let across = packs.next_power_of_two().min(32);
    let pieces = packs.div_ceil(across);
    let down = THREADS as usize / across;
    let parts = (busy / pieces).clamp(1, runs.div_ceil(down * RUNS).max(1));
    let part = runs.div_ceil(parts).max(1);
    let parts = runs.div_ceil(part).max(1);
    [across, part, parts, pieces * parts]
}

/// Writes the gradient by the filters `dw`, of images `x` and the cotangent `dy`, if it is known here; says whether it was.
///
/// # Safety
/// As [`forward`].
pub(super) unsafe fn filter_gradient(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    groups: usize,
    [x, dy, dw]: [&View; 3],
) -> Result<bool> {
    if !is_known(g, groups, dw.dtype) {
        return Ok(false);
    }
    let vector = vector(g, Direction::FilterGradient, &[x, dy, dw]);
    let busy = call.gpu.multiprocessors() as usize * BLOCKS;
    let [across, part, parts, blocks] = shares(busy, g.in_c / vector, runs(g.batch, g.out_h, g.out_w));
    let sums = Sums::new(call, dw, parts)?;
    let function = function(call, g, Direction::FilterGradient, [dw.dtype, sums.dtype], vector)?;
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        let mut all = Arguments::new();
        all.words(&geometry(g, groups));
        all.value(across as i32);
        all.size(part);
        all.views(&[x, dy]);
        all.address(sums.address);
        call.start(function, grid(blocks, THREADS), &mut all)?;
        sums.finish(call, dw, g.out_c, None)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_all_runs_and_fill_the_device() {
        for packs in [1, 3, 8, 24, 32, 33, 240] {
            for runs in [0, 1, 7, 500, 100_000] {
                let [across, part, parts, blocks] = shares(528, packs, runs);
                assert!(across <= 32 && across.is_power_of_two());
                assert!(part * parts >= runs && (parts - 1) * part < runs.max(1), "{packs} {runs}");
                assert_eq!(blocks, packs.div_ceil(across) * parts);
            }
        }
        assert!((500..=528).contains(&shares(528, 24, 65_536)[3]));
    }
}
