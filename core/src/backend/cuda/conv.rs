//! Convolutions and their gradients on a device, as products by tiles that read images as they need them.
//! The `conv2d` operations run here; filters of one cell over all pixels are plain products.

use super::call::{CudaCall, THREADS, grid};
use super::patches::Groups;
use super::product::{Sums, cut, product, tiles};
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::backend::cpu::conv::ConvGeometry;
use crate::error::Result;

const TEXT: &str = concat!(include_str!("tiles.cuh"), include_str!("conv.cuh"));
static FORWARD: Kernel = Kernel { name: "conv_forward", text: TEXT };
static FILTER_GRADIENT: Kernel = Kernel { name: "conv_filter_gradient", text: TEXT };
static INPUT_GRADIENT: Kernel = Kernel { name: "conv_input_gradient", text: TEXT };

/// `struct Conv` of the kernels: seven sizes of 64 bits, then eight of 32.
pub(super) fn geometry(g: &ConvGeometry) -> [i64; 11] {
    let pair = |a: usize, b: usize| (a as u32 as u64 | (b as u64) << 32) as i64;
    let sizes = [g.batch, g.in_h, g.in_w, g.in_c, g.out_h, g.out_w, g.out_c].map(|n| n as i64);
    let mut words = [0; 11];
    words[..7].copy_from_slice(&sizes);
    words[7] = pair(g.k_h, g.k_w);
    words[8] = pair(g.stride_h, g.stride_w);
    words[9] = pair(g.dilation_h, g.dilation_w);
    words[10] = pair(g.pad_top, g.pad_left);
    words
}

/// Whether each output pixel reads its own input pixel alone, so that the convolution is a product of matrices.
fn is_product(g: &ConvGeometry) -> bool {
    g.k_h * g.k_w == 1
        && (g.stride_h, g.stride_w) == (1, 1)
        && (g.pad_top, g.pad_left) == (0, 0)
        && (g.in_h, g.in_w) == (g.out_h, g.out_w)
}

/// A dense matrix over the elements of a view.
pub(super) fn matrix(view: &View, rows: usize, columns: usize) -> View {
    View::dense(view.ptr, view.dtype, &[rows, columns])
}

/// The same matrix with rows and columns exchanged.
pub(super) fn turned(view: &View, rows: usize, columns: usize) -> View {
    View::new(view.ptr, view.dtype, &[columns, rows], &[1, columns as isize])
}

/// The convolution of images `x` with filters `w`.
///
/// # Safety
/// Dense views of the geometry, valid on the call's device in the order of its stream.
pub(crate) unsafe fn conv_forward(call: &CudaCall<'_>, g: &ConvGeometry, [x, w, y]: [&View; 3]) -> Result<()> {
    let pixels = g.batch * g.out_h * g.out_w;
    if y.len() == 0 {
        return Ok(());
    }
    // SAFETY: by the caller's promise.
    unsafe {
        if is_product(g) {
            let (x, w) = (matrix(x, pixels, g.in_c), matrix(w, g.in_c, g.out_c));
            return product(call, &x, &w, &matrix(y, pixels, g.out_c), None);
        }
        if let Some(groups) = Groups::new(call, g, y) {
            return groups.forward([x, w, y]);
        }
        split(call, &FORWARD, g, [x, w, y], [pixels, g.out_c], g.k_h * g.k_w * g.in_c)
    }
}

/// The gradient by the filters, of images `x` and the cotangent `dy`.
///
/// # Safety
/// As [`conv_forward`].
pub(crate) unsafe fn conv_filter_gradient(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    [x, dy, dw]: [&View; 3],
) -> Result<()> {
    let (pixels, depth) = (g.batch * g.out_h * g.out_w, g.k_h * g.k_w * g.in_c);
    if dw.len() == 0 {
        return Ok(());
    }
    // SAFETY: by the caller's promise.
    unsafe {
        if is_product(g) {
            let (x, dy) = (turned(x, pixels, g.in_c), matrix(dy, pixels, g.out_c));
            return product(call, &x, &dy, &matrix(dw, g.in_c, g.out_c), None);
        }
        if let Some(groups) = Groups::new(call, g, dw) {
            return groups.filter_gradient([x, dy, dw]);
        }
        split(call, &FILTER_GRADIENT, g, [x, dy, dw], [depth, g.out_c], pixels)
    }
}

/// Runs a kernel whose steps may be cut into parts, for a result of this size.
///
/// # Safety
/// As [`conv_forward`].
unsafe fn split(
    call: &CudaCall<'_>,
    kernel: &'static Kernel,
    g: &ConvGeometry,
    [left, right, to]: [&View; 3],
    [rows, columns]: [usize; 2],
    steps: usize,
) -> Result<()> {
    let tiles = tiles(rows, columns);
    let (part, parts) = cut(call, tiles, steps);
    let sums = Sums::new(call, to, parts)?;
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        call.launch(kernel, &[to.dtype, sums.dtype], grid(tiles * parts, THREADS), |all| {
            all.words(&geometry(g));
            all.sizes(&[part, parts]);
            all.views(&[left, right]);
            all.address(sums.address);
        })?;
        sums.finish(call, to, columns, None)
    }
}

/// The gradient by the images, of filters `w` and the cotangent `dy`: each pixel gathers what it owes.
///
/// # Safety
/// As [`conv_forward`].
pub(crate) unsafe fn conv_input_gradient(call: &CudaCall<'_>, g: &ConvGeometry, [w, dy, dx]: [&View; 3]) -> Result<()> {
    if dx.len() == 0 {
        return Ok(());
    }
    let pixels = g.batch * g.out_h * g.out_w;
    // SAFETY: by the caller's promise.
    unsafe {
        if is_product(g) {
            let (dy, w) = (matrix(dy, pixels, g.out_c), turned(w, g.in_c, g.out_c));
            return product(call, &dy, &w, &matrix(dx, pixels, g.in_c), None);
        }
        if let Some(groups) = Groups::new(call, g, dx) {
            return groups.input_gradient([w, dy, dx]);
        }
        let rows = g.batch * g.in_h.div_ceil(g.stride_h) * g.in_w.div_ceil(g.stride_w);
        let classes = g.stride_h * g.stride_w;
        call.launch(&INPUT_GRADIENT, &[dx.dtype, dx.dtype], grid(tiles(rows, g.in_c) * classes, THREADS), |all| {
            all.words(&geometry(g));
            all.views(&[w, dy, dx]);
        })
    }
}
