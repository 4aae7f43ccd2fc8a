//! The gradient of the input: a product of the output gradient with the filters turned and transposed.
//! Called by the convolution's gradient, and by transposed convolution for its value.

use super::ConvGeometry;
use super::axis::Axis;
use super::cells::Cell;
use super::kernels::{Blocks, Kernels};
use super::pack;
use super::product::{Chunks, Product, volumes};
use super::winograd::Winograd;
use crate::backend::cpu::Work;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::Float;

/// With stride s an input row is reached by every s-th tap only: rows fall into s classes, and within a class the
/// gradient is a convolution of stride 1 over the output gradient.
pub(super) struct Class {
    /// Rows of the class.
    pub len: usize,
    pub axis: Axis,
    /// The turned tap of the class's tap 0, and from one tap to the next.
    pub tap: usize,
    pub tap_step: usize,
}

impl Class {
    /// The class of the input indices `first, first + stride, ..`.
    pub fn new(
        first: usize,
        input: usize,
        output: usize,
        kernel: usize,
        stride: usize,
        dilation: usize,
        pad: usize,
    ) -> Self {
        let gcd = gcd(stride, dilation);
        let tap_step = stride / gcd;
        let place = first + pad;
        // Tap k of the filter comes from output (place - k * dilation) / stride, where that is whole.
        let lowest = (0..kernel.min(tap_step)).find(|k| (k * dilation) % stride == place % stride);
        let taps = lowest.map_or(0, |k| (kernel - k).div_ceil(tap_step));
        let last = lowest.unwrap_or(0) + taps.saturating_sub(1) * tap_step;
        let axis = Axis {
            source: output,
            // Exact for a tap of the class.
            start: (place as isize - (last * dilation) as isize).div_euclid(stride as isize),
            stride: 1,
            taps,
            dilation: dilation / gcd,
        };
        Self { len: input.saturating_sub(first).div_ceil(stride), axis, tap: kernel.saturating_sub(1 + last), tap_step }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

struct InputGradientPlan<T: 'static> {
    g: ConvGeometry,
    blocks: Blocks,
    kernels: &'static Kernels<T>,
    packing: usize,
    chunks: Chunks,
}

impl<T: Float> InputGradientPlan<T> {
    fn new(g: &ConvGeometry, isa: Isa) -> Self {
        let g = g.flattened();
        let kernels = Kernels::<T>::for_product(isa, g.taps(), g.out_c, g.in_c);
        let blocks = Blocks::new(kernels, g.in_c);
        // Chunks count pixels of one class; each runs through all classes.
        let (rows, cols) = (g.in_h.div_ceil(g.stride_h), g.in_w.div_ceil(g.stride_w));
        let planes = g.in_d.div_ceil(g.stride_d);
        let chunks = Chunks::new(g.batch * planes, rows, cols, g.taps() * g.out_c, blocks.padded(), blocks.count);
        let packing = pack::chunks(g.taps() * g.out_c, g.in_c);
        Self { g, blocks, kernels, packing, chunks }
    }

    /// Elements of a group's packed filters.
    fn panel(&self) -> usize {
        self.g.taps() * self.g.out_c * self.blocks.padded()
    }
}

/// Scratch and chunks of [`input_gradient`].
pub fn input_gradient_work<T: Float>(g: &ConvGeometry, isa: Isa) -> Work {
    if let Some(winograd) = Winograd::<T>::input_gradient(g, isa) {
        return winograd.work();
    }
    let plan = InputGradientPlan::<T>::new(g, isa);
    let scratch = g.groups * plan.panel() * size_of::<T>();
    Work { scratch, phases: [plan.packing, plan.chunks.count(), 0, 0, 0].map(|chunks| g.groups * chunks) }
}

/// One chunk of the input gradient: `dx` from `dy` and `w`.
///
/// # Safety
/// As for `forward`, with the tensors of these names and [`input_gradient_work`].
pub unsafe fn input_gradient<T: Float>(
    isa: Isa,
    g: &ConvGeometry,
    dy: *const T,
    w: *const T,
    dx: *mut T,
    scratch: *mut u8,
    phase: usize,
    chunk: usize,
) {
    if let Some(winograd) = Winograd::<T>::input_gradient(g, isa) {
        // SAFETY: the caller's promise.
        return unsafe { winograd.run(dy, w, dx, scratch, phase, chunk) };
    }
    let plan = InputGradientPlan::<T>::new(g, isa);
    let own = if phase == 0 { plan.packing } else { plan.chunks.count() };
    let (of, chunk) = (chunk / own, chunk % own);
    let panel = scratch.cast::<T>().wrapping_add(of * plan.panel());
    let InputGradientPlan { g, blocks, kernels, packing, chunks } = plan;
    // SAFETY: the channels of a group begin behind those of the groups before.
    let (dy, w, dx) = unsafe { (dy.add(of * g.out_c), w.add(of * g.out_c), dx.add(of * g.in_c)) };
    if phase == 0 {
        // SAFETY: the scratch holds the packed filters, and this chunk owns its rows.
        return unsafe { pack::turned(&g, kernels, blocks, w, panel, packing, chunk) };
    }
    let (cell, group) = chunks.get(chunk);
    let (row, out_row) = (g.in_w * g.in_pitch(), g.out_w * g.out_pitch());
    let (image, out_image) = (g.in_h * row, g.out_h * out_row);
    for y in 0..g.stride_h.min(g.in_h) {
        let v = Class::new(y, g.in_h, g.out_h, g.k_h, g.stride_h, g.dilation_h, g.pad_top);
        for x in 0..g.stride_w.min(g.in_w) {
            let h = Class::new(x, g.in_w, g.out_w, g.k_w, g.stride_w, g.dilation_w, g.pad_left);
            let mut cell = cell.clone();
            cell.rows.end = cell.rows.end.min(v.len);
            cell.cols.end = cell.cols.end.min(h.len);
            let tap = if v.axis.taps * h.axis.taps > 0 { v.tap * g.k_w + h.tap } else { 0 };
            let mut product = Product {
                kernels,
                rows: v.axis,
                cols: h.axis,
                channels: g.out_c,
                src: dy,
                src_step: [out_image, out_row, g.out_pitch()],
                // SAFETY: the first pixel of the class lies in the image.
                out: unsafe { dx.add(y * row + x * g.in_pitch()) },
                out_step: [image, g.stride_h * row, g.stride_w * g.in_pitch()],
                blocks,
                panel,
                panel_depth: g.taps() * g.out_c,
                panel_first: tap * g.out_c,
                panel_taps: [v.tap_step * g.k_w * g.out_c, h.tap_step * g.out_c],
                panel_width: None,
                accumulate: false,
                last: true,
            };
            if g.is_flat() {
                // SAFETY: the tensors are those of the geometry, and chunks have separate outputs.
                unsafe { product.run(cell, group.clone()) }
                continue;
            }
            product.out_step[0] *= g.stride_d;
            let (first, taps, out) = (product.panel_first, product.rows.taps, product.out);
            for z in 0..g.stride_d.min(g.in_d) {
                let d = Class::new(z, g.in_d, g.out_d, g.k_d, g.stride_d, g.dilation_d, g.pad_front);
                for (volume, planes) in volumes(cell.images.clone(), g.in_d.div_ceil(g.stride_d)) {
                    for run in d.axis.runs(planes.start..planes.end.min(d.len)) {
                        // Planes that give nothing to any output have a gradient of zeros, which a product without taps writes.
                        let none = run.taps.is_empty();
                        let own = if none { 0..1 } else { run.taps.clone() };
                        for tap in own.clone() {
                            let from = if none { 0 } else { d.axis.at(run.outputs.start, tap) };
                            let to = z + run.outputs.start * g.stride_d;
                            product.rows.taps = if none { 0 } else { taps };
                            product.accumulate = tap > own.start;
                            product.last = tap + 1 == own.end;
                            let plane = if none { 0 } else { d.tap + tap * d.tap_step };
                            product.panel_first = first + plane * g.k_h * g.k_w * g.out_c;
                            let cell = Cell { images: 0..run.outputs.len(), ..cell.clone() };
                            // SAFETY: the planes of this run and tap lie in the tensors, and chunks have separate outputs.
                            unsafe {
                                product.src = dy.add((volume * g.out_d + from) * out_image);
                                product.out = out.add((volume * g.in_d + to) * image);
                                product.run(cell, group.clone())
                            }
                        }
                    }
                }
            }
        }
    }
}
