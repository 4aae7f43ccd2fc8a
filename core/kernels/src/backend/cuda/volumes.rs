//! Convolutions of volumes and their gradients on a device: a thread for each result, whatever the groups of channels are.
//! `conv.rs` comes here where filters reach from one plane to another; all else are images to it.

use super::call::{CudaCall, THREADS};
use super::product::Sums;
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::backend::cpu::conv::ConvGeometry;
use crate::error::Result;

const TEXT: &str = concat!(include_str!("sums.cuh"), include_str!("divided.cuh"), include_str!("volumes.cuh"));
static FORWARD: Kernel = Kernel { name: "volumes_forward", text: &[TEXT] };
static INPUT_GRADIENT: Kernel = Kernel { name: "volumes_input_gradient", text: &[TEXT] };
static FILTER_GRADIENT: Kernel = Kernel { name: "volumes_filter_gradient", text: &[TEXT] };

/// Cells of the output that are worth a part of their own in the filters' gradient.
const CELLS: usize = 64;

/// `struct Volumes` of the kernels: nine sizes of 64 bits, then fourteen of 32.
fn geometry(g: &ConvGeometry, groups: usize) -> [i64; 16] {
    let pair = |a: usize, b: usize| (a as u32 as u64 | (b as u64) << 32) as i64;
    let sizes = [g.batch, g.in_d, g.in_h, g.in_w, g.in_c, g.out_d, g.out_h, g.out_w, g.out_c].map(|n| n as i64);
    let mut words = [0; 16];
    words[..9].copy_from_slice(&sizes);
    words[9] = pair(g.k_d, g.k_h);
    words[10] = pair(g.k_w, g.stride_d);
    words[11] = pair(g.stride_h, g.stride_w);
    words[12] = pair(g.dilation_d, g.dilation_h);
    words[13] = pair(g.dilation_w, g.pad_front);
    words[14] = pair(g.pad_top, g.pad_left);
    words[15] = pair(groups, 0);
    words
}

/// # Safety
/// Dense views of the geometry, valid on the call's device in the order of its stream.
unsafe fn by_elements(
    call: &CudaCall<'_>,
    kernel: &'static Kernel,
    g: &ConvGeometry,
    groups: usize,
    [left, right, to]: [&View; 3],
) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe {
        call.elements(kernel, &[to.dtype, to.dtype], to.len(), |all| {
            all.words(&geometry(g, groups));
            all.views(&[left, right, to]);
        })
    }
}

/// The convolution of volumes `x` with filters `w`.
///
/// # Safety
/// Dense views of the geometry, valid on the call's device in the order of its stream.
pub(super) unsafe fn forward(call: &CudaCall<'_>, g: &ConvGeometry, groups: usize, views: [&View; 3]) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe { by_elements(call, &FORWARD, g, groups, views) }
}

/// The gradient by the volumes, of filters `w` and the cotangent `dy`.
///
/// # Safety
/// As [`forward`].
pub(super) unsafe fn input_gradient(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    groups: usize,
    views: [&View; 3],
) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe { by_elements(call, &INPUT_GRADIENT, g, groups, views) }
}

/// The gradient by the filters, of volumes `x` and the cotangent `dy`.
///
/// # Safety
/// As [`forward`].
pub(super) unsafe fn filter_gradient(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    groups: usize,
    [x, dy, dw]: [&View; 3],
) -> Result<()> {
    let cells = g.batch * g.out_d * g.out_h * g.out_w;
    let busy = call.gpu.multiprocessors() as usize * 8 * THREADS as usize;
    let parts = (busy / dw.len()).clamp(1, cells.div_ceil(CELLS).max(1));
    let part = cells.div_ceil(parts).max(1);
    let parts = cells.div_ceil(part).max(1);
    let sums = Sums::new(call, dw, parts)?;
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        call.elements(&FILTER_GRADIENT, &[dw.dtype, sums.dtype], parts * dw.len(), |all| {
            all.words(&geometry(g, groups));
            all.size(part);
            all.views(&[x, dy]);
            all.address(sums.address);
        })?;
        sums.finish(call, dw, g.out_c, None)
    }
}
