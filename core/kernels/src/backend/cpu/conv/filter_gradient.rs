//! The gradient of the filters: for each tap, a product of input pixels (transposed) with the output gradient.
//! Called by the convolution's gradient; partial sums over fixed parts of the batch are added in order at the end.

use super::cells::{Cell, share};
use super::filter_cells;
use super::filter_plan::{FilterGradientPlan, Slab, plane};
use super::filter_product::product;
use super::forward::{axis_d, axis_h, axis_w};
use super::kernels::{Block, Column, Kernels, choose};
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
        let pixels = copy.add(plan.copy);
        let partials = pixels.add(plan.parts * plan.groups * plan.pixels);
        match phase {
            0 if plan.copied => {
                let cells = share(plan.cells.count(), plan.copies, chunk);
                filter_cells::panels(&plan.g, Kernels::of(isa), plan.blocks, plan.cells, dy, copy, cells)
            }
            0 => pad(&plan.input, &plan.g, x, copy, share(plan.g.batch * plan.g.in_d, plan.copies, chunk)),
            1 => {
                let (part, group) = (chunk % plan.parts, chunk / plan.parts);
                let copy = copy.cast_const();
                let (x, dy) = match (plan.copied, plan.copy > 0) {
                    (true, _) => (x, copy),
                    (false, true) => (copy, dy),
                    (false, false) => (x, dy),
                };
                let to = if plan.gathers() { partials.add(part * plan.size()) } else { dw };
                partial(&plan, Kernels::of(isa), x, dy, to, pixels.add(chunk * plan.pixels), part, group);
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
/// The tensors must be those of the plan's geometry, with the panels in place of `dy` where the plan copies it and room for a slab's pixels at
/// `pixels`, and nobody else may use these rows and columns of `dw`.
unsafe fn partial<T: Float>(
    plan: &FilterGradientPlan,
    kernels: &'static Kernels<T>,
    x: *const T,
    dy: *const T,
    dw: *mut T,
    pixels: *mut T,
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
        if plan.copied {
            // SAFETY: the caller's promise.
            unsafe { copied_cell(plan, kernels, x, dy, dw, pixels, units(), &cell) }
            continue;
        }
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
        whole: block.lanes == kernels.lanes,
        accumulate: true,
        last: false,
    };
    let offset = |row: usize| match slab.tap {
        Some(_) => row,
        None => {
            let (tap, channel) = (row / g.in_c, row % g.in_c);
            tap / g.k_w * g.dilation_h * in_row + tap % g.k_w * g.dilation_w * pitch + channel
        }
    };
    // SAFETY: taps of these rows read inside the images for all pixels of the cell.
    unsafe {
        run(&mut tile, kernels.columns[block.vectors - 1], slab.rows.clone(), |row| (first + row) * plan.row(), offset)
    }
}

/// Adds what one cell gives to some slabs and blocks, from panels of the output gradient and a copy of each slab's pixels.
///
/// # Safety
/// As for [`partial`].
unsafe fn copied_cell<T: Float>(
    plan: &FilterGradientPlan,
    kernels: &'static Kernels<T>,
    x: *const T,
    panels: *const T,
    dw: *mut T,
    pixels: *mut T,
    units: Range<usize>,
    cell: &Cell,
) {
    let g = &plan.g;
    let (v, h) = (axis_h(g), axis_w(g));
    let in_row = g.in_w * plan.pitch;
    let (all_rows, all_cols) = (cell.rows.len(), cell.cols.len());
    let mut last = None;
    for unit in units {
        let (index, block) = (unit / plan.blocks.count, plan.blocks.get(unit % plan.blocks.count));
        let slab = plan.slab(index);
        let (kh, kw) = slab.tap.unwrap_or((0, 0));
        let (rows, cols) = (v.outputs(kh, cell.rows.clone()), h.outputs(kw, cell.cols.clone()));
        let len = [cell.images.len(), rows.len(), cols.len()];
        if len.contains(&0) {
            continue;
        }
        if last.replace(index) != Some(index) {
            let row = cell.images.start * g.in_h + v.at(rows.start, kh);
            let from = row * in_row + h.at(cols.start, kw) * plan.pitch + slab.rows.start;
            let step = [g.in_h * in_row, g.stride_h * in_row, g.stride_w * plan.pitch];
            // SAFETY: the tap reads inside the images for these pixels, and there is room for those of a cell.
            unsafe { filter_cells::pixels(x.add(from), step, len, slab.rows.len(), pixels) }
        }
        let width = block.vectors * kernels.lanes;
        let before = (rows.start - cell.rows.start) * all_cols + cols.start - cell.cols.start;
        let first = (kh * g.k_w + kw) * g.in_c;
        let mut tile = Tile {
            src: pixels.cast_const(),
            // SAFETY: the first pixel that the tap reads is in the panel.
            panel: unsafe { panels.add(filter_cells::panel(plan.blocks, plan.cells, cell, &block) + before * width) },
            // SAFETY: a block starts inside the gradient's row.
            out: unsafe { dw.add(block.start) },
            offs: [0; MAX_ROWS],
            outs: [0; MAX_ROWS],
            live: 0,
            len,
            src_step: [len[1] * len[2], len[2], 1].map(|pixels| pixels * slab.rows.len()),
            panel_step: [all_rows * all_cols, all_cols, 1].map(|pixels| pixels * width),
            lanes: block.lanes,
            whole: true,
            accumulate: true,
            last: false,
        };
        if len[2] == all_cols {
            // Rows follow each other in both copies: one longer loop.
            (tile.len[1], tile.len[2]) = (1, len[1] * len[2]);
        }
        let start = slab.rows.start;
        // SAFETY: both copies hold what the tile reads.
        unsafe {
            let outs = |row| (first + row) * plan.row();
            run(&mut tile, kernels.columns[block.vectors - 1], slab.rows.clone(), outs, |row| row - start)
        }
    }
}

/// Runs tiles over rows of the gradient, which lie at `out` and read pixels at `source`.
///
/// # Safety
/// As for the tiles' function, with these rows.
unsafe fn run<T: Float>(
    tile: &mut Tile<T>,
    column: Column<T>,
    rows: Range<usize>,
    out: impl Fn(usize) -> usize,
    source: impl Fn(usize) -> usize,
) {
    let mut row = rows.start;
    while row < rows.end {
        let (height, call) = choose(column, rows.end - row);
        tile.live = height.min(rows.end - row);
        for p in 0..height {
            let row = row + p.min(tile.live - 1);
            (tile.outs[p], tile.offs[p]) = (out(row), source(row));
        }
        // SAFETY: the caller's promise.
        unsafe { call(tile) }
        row += tile.live;
    }
}
