//! Convolutions and their gradients on a device, as products by tiles that read images as they need them.
//! The `conv2d` operations run here; filters of one cell over all pixels are plain products.

use super::call::{CudaCall, THREADS, grid};
use super::im2col::Groups;
use super::product::{Sums, cut, product};
use super::program::Kernel;
use super::volumes;
use super::{conv_depthwise, conv_few_forward, conv_filter_few};
use crate::backend::cpu::View;
use crate::backend::cpu::conv::ConvGeometry;
use crate::dtype::DType;
use crate::error::Result;

/// The kernels of one name for tiles of 16, 32 and 64 columns, in full precision and by tensor cores.
type Tiles = [[Kernel; 3]; 2];

macro_rules! kernels {
    ($name:literal) => {
        [kernels!("0" $name, "16" "32" "64"), kernels!("1" $name, "16" "32" "64")]
    };
    ($tensor:literal $name:literal, $($width:literal)*) => {
        [$(Kernel {
            name: $name,
            text: &[concat!("#define WIDTH ", $width, "\n#define TENSOR ", $tensor, "\n"), include_str!("sums.cuh"),
                include_str!("image.cuh"), include_str!("tensor.cuh"), include_str!("runs.cuh"), include_str!("conv.cuh")],
        }),*]
    };
}

static FORWARD: Tiles = kernels!("conv_forward");
static FILTER_GRADIENT: Tiles = kernels!("conv_filter_gradient");
static INPUT_GRADIENT: Tiles = kernels!("conv_input_gradient");

/// Whether tensor cores may compute with elements of a dtype: those of 16 bits are exact in TF32.
pub(super) fn by_tensor_cores(call: &CudaCall<'_>, dtype: DType) -> bool {
    let exact = matches!(dtype, DType::F16 | DType::BF16);
    let rounds = dtype == DType::F32 && crate::config::tensor_float_32_execution_enabled();
    (exact || rounds) && call.gpu.capability() >= (8, 0)
}

const GROUPED: &str = concat!(
    include_str!("sums.cuh"),
    include_str!("divided.cuh"),
    include_str!("image.cuh"),
    include_str!("conv_groups.cuh")
);
static GROUPED_FORWARD: Kernel = Kernel { name: "grouped_forward", text: &[GROUPED] };
static GROUPED_FILTER_GRADIENT: Kernel = Kernel { name: "grouped_filter_gradient", text: &[GROUPED] };
static GROUPED_INPUT_GRADIENT: Kernel = Kernel { name: "grouped_input_gradient", text: &[GROUPED] };

/// Channels of a group from which a tile of the group is worth more than a thread for each result.
const BY_TILES: usize = 16;

/// The kernel for a result of so many columns, and how many tiles of it there are.
fn tiles_of(
    call: &CudaCall<'_>,
    kernels: &'static Tiles,
    dtype: DType,
    [rows, columns]: [usize; 2],
) -> (&'static Kernel, usize) {
    let at = usize::from(columns > 16) + usize::from(columns > 32);
    let width = 16 << at;
    (&kernels[usize::from(by_tensor_cores(call, dtype))][at], rows.div_ceil(4096 / width) * columns.div_ceil(width))
}

/// `struct Conv` of the kernels: seven sizes of 64 bits, then ten of 32.
pub(super) fn geometry(g: &ConvGeometry, groups: usize) -> [i64; 12] {
    let pair = |a: usize, b: usize| (a as u32 as u64 | (b as u64) << 32) as i64;
    let sizes = [g.batch, g.in_h, g.in_w, g.in_c, g.out_h, g.out_w, g.out_c].map(|n| n as i64);
    let mut words = [0; 12];
    words[..7].copy_from_slice(&sizes);
    words[7] = pair(g.k_h, g.k_w);
    words[8] = pair(g.stride_h, g.stride_w);
    words[9] = pair(g.dilation_h, g.dilation_w);
    words[10] = pair(g.pad_top, g.pad_left);
    words[11] = pair(groups, 0);
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
pub unsafe fn conv_forward(call: &CudaCall<'_>, g: &ConvGeometry, groups: usize, [x, w, y]: [&View; 3]) -> Result<()> {
    if y.is_empty() {
        return Ok(());
    }
    let g = &g.planes();
    if !g.is_flat() {
        // SAFETY: by the caller's promise.
        return unsafe { volumes::forward(call, g, groups, [x, w, y]) };
    }
    let pixels = g.batch * g.out_h * g.out_w;
    let (own, outs) = (g.in_c / groups, g.out_c / groups);
    // SAFETY: by the caller's promise.
    unsafe {
        if groups > 1 && conv_depthwise::forward(call, g, groups, [x, w, y])? {
            return Ok(());
        }
        if groups > 1 && outs < BY_TILES {
            return by_elements(call, &GROUPED_FORWARD, g, groups, [x, w, y]);
        }
        if groups == 1 && is_product(g) {
            let (x, w) = (matrix(x, pixels, g.in_c), matrix(w, g.in_c, g.out_c));
            return product(call, &x, &w, &matrix(y, pixels, g.out_c), None);
        }
        if groups == 1 && conv_few_forward::forward(call, g, [x, w, y])? {
            return Ok(());
        }
        if groups == 1
            && let Some(parts) = Groups::new(call, g, y)
        {
            return parts.forward([x, w, y]);
        }
        split(call, &FORWARD, g, groups, [x, w, y], [pixels, outs], g.k_h * g.k_w * own)
    }
}

/// The gradient by the filters, of images `x` and the cotangent `dy`.
///
/// # Safety
/// As [`conv_forward`].
pub unsafe fn conv_filter_gradient(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    groups: usize,
    [x, dy, dw]: [&View; 3],
) -> Result<()> {
    if dw.is_empty() {
        return Ok(());
    }
    let g = &g.planes();
    if !g.is_flat() {
        // SAFETY: by the caller's promise.
        return unsafe { volumes::filter_gradient(call, g, groups, [x, dy, dw]) };
    }
    let (own, outs) = (g.in_c / groups, g.out_c / groups);
    let (pixels, depth) = (g.batch * g.out_h * g.out_w, g.k_h * g.k_w * own);
    // SAFETY: by the caller's promise.
    unsafe {
        if groups > 1 && conv_depthwise::filter_gradient(call, g, groups, [x, dy, dw])? {
            return Ok(());
        }
        if groups > 1 && outs < BY_TILES {
            return grouped_filter_gradient(call, g, groups, [x, dy, dw]);
        }
        if groups == 1 && is_product(g) {
            let (x, dy) = (turned(x, pixels, g.in_c), matrix(dy, pixels, g.out_c));
            return product(call, &x, &dy, &matrix(dw, g.in_c, g.out_c), None);
        }
        if groups == 1 && conv_filter_few::filter_gradient(call, g, [x, dy, dw])? {
            return Ok(());
        }
        if groups == 1
            && let Some(parts) = Groups::new(call, g, dw)
        {
            return parts.filter_gradient([x, dy, dw]);
        }
        split(call, &FILTER_GRADIENT, g, groups, [x, dy, dw], [depth, outs], pixels)
    }
}

/// A thread for each element of the result, for groups of few channels.
///
/// # Safety
/// As [`conv_forward`].
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

/// Output pixels that are worth a part of their own in the filters' gradient by elements.
const PIXELS: usize = 64;

/// # Safety
/// As [`conv_forward`].
unsafe fn grouped_filter_gradient(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    groups: usize,
    [x, dy, dw]: [&View; 3],
) -> Result<()> {
    let pixels = g.batch * g.out_h * g.out_w;
    let busy = call.gpu.multiprocessors() as usize * 8 * THREADS as usize;
    let parts = (busy / dw.len()).clamp(1, pixels.div_ceil(PIXELS).max(1));
    let part = pixels.div_ceil(parts).max(1);
    let parts = pixels.div_ceil(part).max(1);
    let sums = Sums::new(call, dw, parts)?;
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        call.elements(&GROUPED_FILTER_GRADIENT, &[dw.dtype, sums.dtype], parts * dw.len(), |all| {
            all.words(&geometry(g, groups));
            all.size(part);
            all.views(&[x, dy]);
            all.address(sums.address);
        })?;
        sums.finish(call, dw, g.out_c, None)
    }
}

/// Runs a kernel whose steps may be cut into parts, for a result of this size in each group.
///
/// # Safety
/// As [`conv_forward`].
unsafe fn split(
    call: &CudaCall<'_>,
    kernels: &'static Tiles,
    g: &ConvGeometry,
    groups: usize,
    [left, right, to]: [&View; 3],
    size: [usize; 2],
    steps: usize,
) -> Result<()> {
    let (kernel, tiles) = tiles_of(call, kernels, to.dtype, size);
    let tiles = tiles * groups;
    let (part, parts) = cut(call, tiles, steps);
    let sums = Sums::new(call, to, parts)?;
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        call.launch(kernel, &[to.dtype, sums.dtype], grid(tiles * parts, THREADS), |all| {
            all.words(&geometry(g, groups));
            all.sizes(&[part, parts]);
            all.views(&[left, right]);
            all.address(sums.address);
        })?;
        sums.finish(call, to, g.out_c, None)
    }
}

/// The gradient by the images, of filters `w` and the cotangent `dy`: each pixel gathers what it owes.
///
/// # Safety
/// As [`conv_forward`].
pub unsafe fn conv_input_gradient(
    call: &CudaCall<'_>,
    g: &ConvGeometry,
    groups: usize,
    [w, dy, dx]: [&View; 3],
) -> Result<()> {
    if dx.is_empty() {
        return Ok(());
    }
    let g = &g.planes();
    if !g.is_flat() {
        // SAFETY: by the caller's promise.
        return unsafe { volumes::input_gradient(call, g, groups, [w, dy, dx]) };
    }
    let pixels = g.batch * g.out_h * g.out_w;
    let own = g.in_c / groups;
    // SAFETY: by the caller's promise.
    unsafe {
        if groups > 1 && conv_depthwise::input_gradient(call, g, groups, [w, dy, dx])? {
            return Ok(());
        }
        if groups > 1 && own < BY_TILES {
            return by_elements(call, &GROUPED_INPUT_GRADIENT, g, groups, [w, dy, dx]);
        }
        if groups == 1 && is_product(g) {
            let (dy, w) = (matrix(dy, pixels, g.out_c), turned(w, g.in_c, g.out_c));
            return product(call, &dy, &w, &matrix(dx, pixels, g.in_c), None);
        }
        if groups == 1 && conv_few_forward::input_gradient(call, g, [w, dy, dx])? {
            return Ok(());
        }
        if groups == 1
            && let Some(parts) = Groups::new(call, g, dx)
        {
            return parts.input_gradient([w, dy, dx]);
        }
        let rows = g.batch * g.in_h.div_ceil(g.stride_h) * g.in_w.div_ceil(g.stride_w);
        let (kernel, tiles) = tiles_of(call, &INPUT_GRADIENT, dx.dtype, [rows, own]);
        let blocks = tiles * g.stride_h * g.stride_w * groups;
        call.launch(kernel, &[dx.dtype, dx.dtype], grid(blocks, THREADS), |all| {
            all.words(&geometry(g, groups));
            all.views(&[w, dy, dx]);
        })
    }
}
