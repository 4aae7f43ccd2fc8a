//! The convolution itself: output from input and filters.
//! Called by the convolution ops for their value, chunk by chunk.

use super::ConvGeometry;
use super::axis::Axis;
use super::cells::{Cell, share};
use super::few_pixels::FewPixels;
use super::kernels::{Blocks, Kernels};
use super::pack;
use super::product::{Chunks, Product, volumes};
use super::winograd::Winograd;
use crate::backend::cpu::Work;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::Float;

/// How a geometry is computed.
struct ForwardPlan<T: 'static> {
    g: ConvGeometry,
    blocks: Blocks,
    kernels: &'static Kernels<T>,
    /// Chunks of packing; 0 = the filters already are a panel, since they fit one block.
    packing: usize,
    chunks: Chunks,
}

impl<T: Float> ForwardPlan<T> {
    fn new(g: &ConvGeometry, isa: Isa) -> Self {
        let g = g.flattened();
        let kernels = Kernels::<T>::for_product(isa, g.taps(), g.in_c, g.out_c);
        let blocks = Blocks::new(kernels, g.out_c);
        let packing = if blocks.count > 1 || kernels.dots { pack::chunks(g.depth(), g.out_c) } else { 0 };
        let chunks = Chunks::new(g.batch * g.out_d, g.out_h, g.out_w, g.depth(), blocks.padded(), blocks.count);
        Self { g, blocks, kernels, packing, chunks }
    }

    /// Elements of a group's packed filters.
    fn panel(&self) -> usize {
        self.g.depth() * self.blocks.padded()
    }
}

/// Scratch and chunks of [`forward`].
pub fn forward_work<T: Float>(g: &ConvGeometry, isa: Isa) -> Work {
    if let Some(few) = FewPixels::new::<T>(g, isa) {
        return few.work();
    }
    if let Some(winograd) = Winograd::<T>::forward(g, isa) {
        return winograd.work();
    }
    let plan = ForwardPlan::<T>::new(g, isa);
    let chunks = g.groups * plan.chunks.count();
    if plan.packing == 0 {
        return Work { scratch: 0, phases: [chunks, 0, 0, 0, 0] };
    }
    Work { scratch: g.groups * plan.panel() * size_of::<T>(), phases: [g.groups * plan.packing, chunks, 0, 0, 0] }
}

/// One chunk of the convolution: `y = x * w`.
///
/// # Safety
/// The CPU must have `isa`. `x`, `w` and `y` must hold the tensors of the geometry, `scratch` the bytes of
/// [`forward_work`] for the same `isa`, and `phase` and `chunk` must be of its ranges, each chunk run once and after
/// all chunks of the phase before.
pub unsafe fn forward<T: Float>(
    isa: Isa,
    g: &ConvGeometry,
    x: *const T,
    w: *const T,
    y: *mut T,
    scratch: *mut u8,
    phase: usize,
    chunk: usize,
) {
    if let Some(few) = FewPixels::new::<T>(g, isa) {
        // SAFETY: the caller's promise.
        return unsafe { few.run(x, w, y, scratch, phase, chunk) };
    }
    if let Some(winograd) = Winograd::<T>::forward(g, isa) {
        // SAFETY: the caller's promise.
        return unsafe { winograd.run(x, w, y, scratch, phase, chunk) };
    }
    let plan = ForwardPlan::<T>::new(g, isa);
    let packs = plan.packing > 0 && phase == 0;
    let own = if packs { plan.packing } else { plan.chunks.count() };
    let (group, chunk) = (chunk / own, chunk % own);
    let panel = scratch.cast::<T>().wrapping_add(group * plan.panel());
    let ForwardPlan { g, blocks, kernels, packing, chunks } = plan;
    // SAFETY: the channels of a group begin behind those of the groups before.
    let (x, w, y) = unsafe { (x.add(group * g.in_c), w.add(group * g.out_c), y.add(group * g.out_c)) };
    if packs {
        let rows = share(g.depth(), packing, chunk);
        // SAFETY: the scratch holds the packed filters, and this chunk owns these rows.
        return unsafe { pack::plain(kernels, blocks, g.depth(), w, panel, rows, g.out_pitch()) };
    }
    let (in_row, out_row) = (g.in_w * g.in_pitch(), g.out_w * g.out_pitch());
    let (in_image, out_image) = (g.in_h * in_row, g.out_h * out_row);
    let mut product = Product {
        kernels,
        rows: axis_h(&g),
        cols: axis_w(&g),
        channels: g.in_c,
        src: x,
        src_step: [in_image, in_row, g.in_pitch()],
        out: y,
        out_step: [out_image, out_row, g.out_pitch()],
        blocks,
        panel: if packing > 0 { panel } else { w },
        panel_depth: g.depth(),
        panel_first: 0,
        panel_taps: [g.k_w * g.in_c, g.in_c],
        panel_width: (packing == 0).then_some(g.out_pitch()),
        accumulate: false,
        last: true,
    };
    let (cell, blocks) = chunks.get(chunk);
    if g.is_flat() {
        // SAFETY: the tensors are those of the geometry, and chunks have separate outputs.
        return unsafe { product.run(cell, blocks) };
    }
    let (axis, rows) = (axis_d(&g), product.rows);
    product.src_step[0] *= g.stride_d;
    for (volume, planes) in volumes(cell.images.clone(), g.out_d) {
        for run in axis.runs(planes) {
            // Planes that see nothing are zeros, which a product without taps writes.
            let taps = if run.taps.is_empty() { 0..1 } else { run.taps.clone() };
            for tap in taps.clone() {
                let from = if run.taps.is_empty() { 0 } else { axis.at(run.outputs.start, tap) };
                product.rows.taps = if run.taps.is_empty() { 0 } else { rows.taps };
                product.accumulate = tap > taps.start;
                product.last = tap + 1 == taps.end;
                product.panel_first = tap * g.k_h * g.k_w * g.in_c;
                let cell = Cell { images: 0..run.outputs.len(), ..cell.clone() };
                // SAFETY: the planes of this run and tap lie in the tensors, and chunks have separate outputs.
                unsafe {
                    product.src = x.add((volume * g.in_d + from) * in_image);
                    product.out = y.add((volume * g.out_d + run.outputs.start) * out_image);
                    product.run(cell, blocks.clone())
                }
            }
        }
    }
}

/// The axis of planes, seen from the output.
pub(super) fn axis_d(g: &ConvGeometry) -> Axis {
    Axis { source: g.in_d, start: -(g.pad_front as isize), stride: g.stride_d, taps: g.k_d, dilation: g.dilation_d }
}

/// The vertical axis, seen from the output.
pub(super) fn axis_h(g: &ConvGeometry) -> Axis {
    Axis { source: g.in_h, start: -(g.pad_top as isize), stride: g.stride_h, taps: g.k_h, dilation: g.dilation_h }
}

/// The horizontal axis, seen from the output.
pub(super) fn axis_w(g: &ConvGeometry) -> Axis {
    Axis { source: g.in_w, start: -(g.pad_left as isize), stride: g.stride_w, taps: g.k_w, dilation: g.dilation_w }
}
