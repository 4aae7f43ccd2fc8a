//! The gradient of the filters: for each tap, a product of input pixels (transposed) with the output gradient.
//! Called by the convolution's gradient; partial sums over fixed parts of the batch are added in order at the end.

use super::cells::{Cell, Cells, share};
use super::filter_product::product;
use super::forward::{axis_d, axis_h, axis_w};
use super::kernels::{Block, Blocks, Kernels, choose};
use super::partials::{SUM, pad, sum};
use super::product::volumes;
use super::tile::{MAX_ROWS, Tile};
use super::winograd::FilterGradient;
use super::{ConvGeometry, dtype_of};
use crate::backend::cpu::Work;
use crate::backend::cpu::gemm::{self, Addend};
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::Float;
use std::ops::Range;

/// Multiply-adds of one chunk at least; there are up to [`MAX_PARTS`] chunks.
const CHUNK: usize = 1 << 19;
/// Bytes of input and output gradient that stay in the second-level cache while all tiles pass over them. Smaller
/// cells would fit the first level, but load and store the sums more often than that gains.
const CELL: usize = 256 << 10;
/// Bytes of all partial sums together.
const PARTIALS: usize = 4 << 20;
/// More partial sums than this would cost more to add than they balance.
const MAX_PARTS: usize = 32;
/// With fewer input channels than this a tile must span taps to be full.
const FEW: usize = 8;

/// Rows of the gradient that one tile column works on: channels of one tap, or any rows where no tap is cut off.
struct Slab {
    /// First and last tap + 1 of the rows' origin, and rows within them.
    tap: Option<(usize, usize)>,
    rows: Range<usize>,
}

struct FilterGradientPlan {
    /// The geometry, with the padded copy of the input in place of the input where there is one.
    g: ConvGeometry,
    /// The input as the caller has it.
    input: ConvGeometry,
    /// Input and output gradient have changed places, and so have the channels of the sum; its taps are turned.
    swapped: bool,
    /// Elements of the padded copy, and chunks that fill it.
    copy: usize,
    copies: usize,
    /// Elements from one pixel of the input, or of its copy, to the next.
    pitch: usize,
    /// Taps may be cut off at borders, so each tap has its own rectangle of pixels.
    cut: bool,
    blocks: Blocks,
    cells: Cells,
    /// Parts of the cells, each with its own partial sum; 1 = the sum itself.
    parts: usize,
    /// Slabs of rows of each tap (or of all taps, if none is cut), and the groups that slabs times blocks form.
    slabs: usize,
    groups: usize,
}

impl FilterGradientPlan {
    fn new<T: Float>(g: &ConvGeometry, isa: Isa) -> Self {
        let kernels = Kernels::<T>::of(isa);
        let input = g.flattened();
        let turned = turned(&input);
        // Few output channels would leave most of a vector idle, where many input channels fill it.
        let swapped = turned.is_some() && 2 * g.out_c <= kernels.lanes.min(g.in_c);
        let input = turned.filter(|_| swapped).unwrap_or(input);
        let mut g = input;
        let blocks = Blocks::new(kernels, g.out_c);
        let reach = |out: usize, stride: usize, k: usize, dilation: usize| {
            (out.max(1) - 1) * stride + (k.max(1) - 1) * dilation + 1
        };
        let (h, w) = (reach(g.out_h, g.stride_h, g.k_h, g.dilation_h), reach(g.out_w, g.stride_w, g.k_w, g.dilation_w));
        let mut cut = g.pad_top > 0 || g.pad_left > 0 || h > g.in_h || w > g.in_w;
        let (mut copy, mut copies, mut pitch) = (0, 0, g.in_pitch());
        if cut && g.in_c < FEW {
            (g.in_h, g.in_w, g.pad_top, g.pad_left) = (h, w, 0, 0);
            copy = g.batch * g.in_d * h * w * g.in_c;
            copies = copy.div_ceil(64 << 10).min(g.batch * g.in_d);
            pitch = g.in_c;
            cut = false;
        }
        let pixel = (g.stride_h * g.stride_w * g.in_c + g.out_c).max(1) * size_of::<T>();
        let cells = Cells::new(g.batch * g.out_d, g.out_h, g.out_w, (CELL / pixel).max(64));

        let size = g.depth() * g.out_c;
        let chunks = g.batch * g.out_d * g.out_h * g.out_w * size / CHUNK;
        let chunks = chunks.clamp(1, MAX_PARTS);
        let affordable = (PARTIALS / (size * size_of::<T>()).max(1)).clamp(1, MAX_PARTS);
        let parts = chunks.min(affordable).min(cells.count()).max(1);
        let vectors = if blocks.count > 0 { blocks.get(blocks.count - 1).vectors } else { 1 };
        let height = 4 * kernels.columns[vectors - 1][0].0;
        let slabs = if cut { g.k_h * g.k_w * g.in_c.div_ceil(height) } else { plane(&g).div_ceil(height) };
        // A chunk that had fewer rows would read all pixels for a part of their channels.
        let groups = (chunks / parts).max(1).min(slabs * blocks.count);
        Self { g, input, swapped, copy, copies, pitch, cut, blocks, cells, parts, slabs, groups }
    }

    /// The `i`-th slab.
    fn slab(&self, i: usize) -> Slab {
        if !self.cut {
            return Slab { tap: None, rows: share(plane(&self.g), self.slabs, i) };
        }
        let per_tap = self.slabs / (self.g.k_h * self.g.k_w);
        let tap = i / per_tap;
        Slab { tap: Some((tap / self.g.k_w, tap % self.g.k_w)), rows: share(self.g.in_c, per_tap, i % per_tap) }
    }

    fn size(&self) -> usize {
        self.g.depth() * self.g.out_c
    }

    /// Whether the sums of the parts are in scratch, for a last phase to bring them to their place.
    fn gathers(&self) -> bool {
        self.parts > 1 || self.swapped
    }

    /// Elements of scratch memory that a group of channels needs.
    fn scratch(&self) -> usize {
        self.copy + if self.gathers() { self.parts * self.size() } else { 0 }
    }

    /// Elements from one row of the sums of a part to the next.
    fn row(&self) -> usize {
        if self.gathers() { self.g.out_c } else { self.g.out_pitch() }
    }

    /// Chunks of a group of channels.
    fn phases(&self) -> [usize; 5] {
        [self.copies, self.parts * self.groups, self.sums(), 0, 0]
    }

    /// Chunks of the last phase.
    fn sums(&self) -> usize {
        if self.gathers() { self.size().div_ceil(SUM) } else { 0 }
    }
}

/// Rows of the gradient that belong to one plane of a filter.
fn plane(g: &ConvGeometry) -> usize {
    g.k_h * g.k_w * g.in_c
}

/// The convolution of stride 1 over the output gradient that has the same products; its taps are in reverse order.
fn turned(g: &ConvGeometry) -> Option<ConvGeometry> {
    if !g.is_flat() || (g.stride_h, g.stride_w) != (1, 1) || g.k_h * g.k_w == 0 {
        return None;
    }
    Some(ConvGeometry {
        in_h: g.out_h,
        in_w: g.out_w,
        in_c: g.out_c,
        out_h: g.in_h,
        out_w: g.in_w,
        out_c: g.in_c,
        pad_top: ((g.k_h - 1) * g.dilation_h).checked_sub(g.pad_top)?,
        pad_left: ((g.k_w - 1) * g.dilation_w).checked_sub(g.pad_left)?,
        ..*g
    })
}

/// Scratch and chunks of [`filter_gradient`].
pub fn filter_gradient_work<T: Float>(g: &ConvGeometry, isa: Isa) -> Work {
    if let Some(product) = product::<T>(g, isa) {
        return gemm::work(&product, dtype_of::<T>(), isa);
    }
    if let Some(winograd) = FilterGradient::<T>::new(g, isa) {
        return winograd.work();
    }
    let plan = FilterGradientPlan::new::<T>(g, isa);
    Work { scratch: g.groups * plan.scratch() * size_of::<T>(), phases: plan.phases().map(|chunks| g.groups * chunks) }
}

/// One chunk of the filter gradient: `dw` from `x` and `dy`. Phases: padded copy, partial sums, their sum.
///
/// # Safety
/// As for `forward`, with the tensors of these names and [`filter_gradient_work`].
pub unsafe fn filter_gradient<T: Float>(
    isa: Isa,
    g: &ConvGeometry,
    x: *const T,
    dy: *const T,
    dw: *mut T,
    scratch: *mut u8,
    phase: usize,
    chunk: usize,
) {
    if let Some(product) = product::<T>(g, isa) {
        let (a, b, c) = (x.cast(), dy.cast(), dw.cast());
        // SAFETY: the caller's promise; the product is of these tensors.
        return unsafe { gemm::run(&product, dtype_of::<T>(), isa, a, b, c, Addend::NONE, scratch, phase, chunk) };
    }
    if let Some(winograd) = FilterGradient::<T>::new(g, isa) {
        // SAFETY: the caller's promise.
        return unsafe { winograd.run(x, dy, dw, scratch, phase, chunk) };
    }
    let plan = FilterGradientPlan::new::<T>(g, isa);
    let own = plan.phases()[phase];
    let (of, chunk) = (chunk / own, chunk % own);
    let copy = scratch.cast::<T>().wrapping_add(of * plan.scratch());
    // SAFETY: the channels of a group begin behind those of the groups before.
    let (x, dy, dw) = unsafe { (x.add(of * g.in_c), dy.add(of * g.out_c), dw.add(of * g.out_c)) };
    let (x, dy) = if plan.swapped { (dy, x) } else { (x, dy) };
    // SAFETY: the scratch holds the copy and then the partial sums; chunks write separate parts of them.
    unsafe {
        let partials = copy.add(plan.copy);
        match phase {
            0 => pad(&plan.input, &plan.g, x, copy, share(plan.g.batch * plan.g.in_d, plan.copies, chunk)),
            1 => {
                let (part, group) = (chunk % plan.parts, chunk / plan.parts);
                let x = if plan.copy > 0 { copy.cast_const() } else { x };
                let to = if plan.gathers() { partials.add(part * plan.size()) } else { dw };
                partial(&plan, Kernels::of(isa), x, dy, to, part, group);
            }
            _ => {
                let range = chunk * SUM..plan.size().min((chunk + 1) * SUM);
                sum(&plan.g, plan.swapped, plan.parts, partials, range, dw);
            }
        }
    }
}

/// The sum over the cells of one part, for the slabs and blocks of one group.
///
/// # Safety
/// The tensors must be those of the plan's geometry, and nobody else may use these rows and columns of `dw`.
unsafe fn partial<T: Float>(
    plan: &FilterGradientPlan,
    kernels: &'static Kernels<T>,
    x: *const T,
    dy: *const T,
    dw: *mut T,
    part: usize,
    group: usize,
) {
    let g = &plan.g;
    let units = || share(plan.slabs * plan.blocks.count, plan.groups, group);
    // What a slab and a block have of the gradient.
    let each_row = |unit: usize, change: &dyn Fn(*mut T, usize)| {
        let (slab, block) = (plan.slab(unit / plan.blocks.count), plan.blocks.get(unit % plan.blocks.count));
        let first = slab.tap.map_or(0, |(h, w)| (h * g.k_w + w) * g.in_c);
        let width = (block.vectors - 1) * kernels.lanes + block.lanes;
        for plane in (0..g.k_d).map(|d| d * plane(g)) {
            for row in slab.rows.clone() {
                change(dw.wrapping_add((plane + first + row) * plan.row() + block.start), width);
            }
        }
    };
    // SAFETY: the row and its columns lie in the gradient, and nobody else uses them.
    let clear = |row: *mut T, width| unsafe { row.write_bytes(0, width) };
    units().for_each(|unit| each_row(unit, &clear));
    for cell in share(plan.cells.count(), plan.parts, part) {
        let cell = plan.cells.get(cell);
        for unit in units() {
            let (slab, block) = (plan.slab(unit / plan.blocks.count), plan.blocks.get(unit % plan.blocks.count));
            if g.is_flat() {
                // SAFETY: the caller's promise.
                unsafe { slab_cell(plan, kernels, x, dy, dw, &slab, &block, cell.clone()) }
                continue;
            }
            let axis = axis_d(g);
            for (volume, planes) in volumes(cell.images.clone(), g.out_d) {
                for tap in 0..g.k_d {
                    let planes = axis.outputs(tap, planes.clone());
                    if planes.is_empty() {
                        continue;
                    }
                    let (from, to) = (volume * g.in_d + axis.at(planes.start, tap), volume * g.out_d + planes.start);
                    let cell = Cell { images: 0..planes.len(), ..cell.clone() };
                    // SAFETY: the caller's promise; the planes that this tap reads lie in the volume.
                    unsafe {
                        let x = x.add(from * g.in_h * g.in_w * plan.pitch);
                        let dy = dy.add(to * g.out_h * g.out_w * g.out_pitch());
                        slab_cell(plan, kernels, x, dy, dw.add(tap * plane(g) * plan.row()), &slab, &block, cell)
                    }
                }
            }
        }
    }
    if !plan.gathers() {
        let finish = |row: *mut T, width| {
            // SAFETY: as above, and all of it was written.
            unsafe { std::slice::from_raw_parts_mut(row, width) }.iter_mut().for_each(|sum| *sum = sum.flushed());
        };
        units().for_each(|unit| each_row(unit, &finish));
    }
}

/// Adds what one cell gives to one slab of rows.
///
/// # Safety
/// As for [`partial`].
unsafe fn slab_cell<T: Float>(
    plan: &FilterGradientPlan,
    kernels: &'static Kernels<T>,
    x: *const T,
    dy: *const T,
    dw: *mut T,
    slab: &Slab,
    block: &Block,
    mut cell: Cell,
) {
    let g = &plan.g;
    let (v, h) = (axis_h(g), axis_w(g));
    let (pitch, out_pitch) = (plan.pitch, g.out_pitch());
    let (in_row, out_row) = (g.in_w * pitch, g.out_w * out_pitch);
    let (in_image, out_image) = (g.in_h * in_row, g.out_h * out_row);
    let (kh, kw) = slab.tap.unwrap_or((0, 0));
    if slab.tap.is_some() {
        cell.rows = v.outputs(kh, cell.rows);
        cell.cols = h.outputs(kw, cell.cols);
    }
    if cell.images.is_empty() || cell.rows.is_empty() || cell.cols.is_empty() {
        return;
    }
    let source = cell.images.start * in_image + v.at(cell.rows.start, kh) * in_row + h.at(cell.cols.start, kw) * pitch;
    let target = cell.images.start * out_image + cell.rows.start * out_row + cell.cols.start * out_pitch + block.start;
    let first = (kh * g.k_w + kw) * g.in_c;
    let mut tile = Tile {
        // SAFETY: the first pixel of the cell is in the images, and so is the one its tap reads.
        src: unsafe { x.add(source) },
        // SAFETY: as above.
        panel: unsafe { dy.add(target) },
        // SAFETY: a block starts inside the gradient's row.
        out: unsafe { dw.add(block.start) },
        offs: [0; MAX_ROWS],
        outs: [0; MAX_ROWS],
        live: 0,
        len: [cell.images.len(), cell.rows.len(), cell.cols.len()],
        src_step: [g.stride_d * in_image, g.stride_h * in_row, g.stride_w * pitch],
        panel_step: [out_image, out_row, out_pitch],
        lanes: block.lanes,
        accumulate: true,
        last: false,
    };
    let column = kernels.columns[block.vectors - 1];
    let mut row = slab.rows.start;
    while row < slab.rows.end {
        let (height, call) = choose(column, slab.rows.end - row);
        tile.live = height.min(slab.rows.end - row);
        for p in 0..height {
            let row = row + p.min(tile.live - 1);
            tile.outs[p] = (first + row) * plan.row();
            tile.offs[p] = if slab.tap.is_some() {
                row
            } else {
                let (tap, channel) = (row / g.in_c, row % g.in_c);
                tap / g.k_w * g.dilation_h * in_row + tap % g.k_w * g.dilation_w * pitch + channel
            };
        }
        // SAFETY: taps of these rows read inside the images for all pixels of the cell.
        unsafe { call(&tile) }
        row += tile.live;
    }
}
