//! Products by NVIDIA's cublasLt: plans by shape and alignment, found once and kept, with one workspace per device.
//! `product.rs` asks here first; where the library is not there it says so once and multiplies by its own tiles.

use super::buffers::Buffer;
use super::call::CudaCall;
use super::capture_session;
use super::copies::copy;
use super::driver::{self, Addend, Operand, ProductPlan, ProductShape};
use super::kernel_warm_up;
use super::product::{Factor, Plus, Product};
use crate::backend::cpu::View;
use crate::dtype::DType;
use crate::error::{Error, Result};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Mutex, Once, OnceLock, PoisonError};

/// Bytes that the library may use while it multiplies: what its makers advise for large devices.
const WORKSPACE: usize = 32 << 20;
/// Products of one call that are queued one by one where no single stride describes the batches.
const MOST: usize = 8;

/// Batches of one call: the library's kernels count them along a side of the grid that ends soon behind. A power of two, so that
/// later calls begin at addresses that are as even.
const MOST_BATCHES: usize = 1 << 15;

/// What a device keeps for the library. A plan is `None` where the library has no way.
#[derive(Default)]
pub(super) struct Products {
    handle: OnceLock<Option<usize>>,
    workspace: OnceLock<Buffer>,
    plans: Mutex<HashMap<ProductShape, Option<ProductPlan>>>,
}

/// Whether the library is there.
pub(super) fn is_there(call: &CudaCall<'_>) -> bool {
    call.gpu.products.handle.get_or_init(|| open(call)).is_some()
}

/// Multiplies by the library; `false` where it is not there or has no way for these operands.
///
/// # Safety
/// As [`super::product::product`], for floats and at least one step.
pub(super) unsafe fn product(
    call: &CudaCall<'_>,
    [a, b, c]: [&View; 3],
    p: &Product,
    plus: Option<Plus>,
) -> Result<bool> {
    let products = &call.gpu.products;
    let Some(handle) = *products.handle.get_or_init(|| open(call)) else { return Ok(false) };
    let last = p.batches.dims.len() - 1;
    let outer: usize = p.batches.dims[..last].iter().product();
    // Columns of the column-major product are our rows: its left factor is our right one.
    let left = readable(Factor { row: p.b.column, column: p.b.row, ..p.b }, p.n, p.k);
    let right = readable(Factor { row: p.a.column, column: p.a.row, ..p.a }, p.k, p.m);
    let strides_fit = (0..=last).all(|axis| p.batches.stride(axis, 0) >= 0 && p.batches.stride(axis, 1) >= 0);
    if left.is_none() || right.is_none() || outer > MOST || !strides_fit {
        // SAFETY: by the caller's promise.
        return unsafe { dense_first(call, [a, b, c], [right.is_none(), left.is_none()], outer > MOST, plus) };
    }
    let (Some(left), Some(right)) = (left, right) else { return Ok(false) };
    let batch = p.batches.dims[last];
    if batch > MOST_BATCHES {
        // SAFETY: by the caller's promise.
        return unsafe { in_pieces(call, [a, b, c], p, plus) };
    }
    let size = c.dtype.size();
    let mut plus = plus;
    if let Some(row) = plus.filter(|plus| plus.row_stride == 0 && c.dtype != DType::F32) {
        // Only products in f32 add a row on their way: others find it in the result, in every row.
        let row = View::new(row.address as usize as *mut u8, c.dtype, c.dims(), &[0, 1]);
        if row.ptr != c.ptr {
            // SAFETY: by the caller's promise; the result is not the row.
            unsafe { copy(call, &row, c)? };
        }
        plus = Some(Plus { address: c.ptr.addr() as u64, row_stride: p.n });
    }
    let addend = match plus {
        None => Addend::None,
        Some(Plus { row_stride: 0, .. }) => Addend::Row,
        Some(Plus { row_stride, .. }) => Addend::Matrix { lead: row_stride.max(p.n) as i64 },
    };
    if products.workspace.get().is_none() && !kernel_warm_up::collecting() {
        // Also a first use within a capture makes what stays behind it.
        match call.gpu.allocate_outside(WORKSPACE) {
            Ok(fresh) => drop(products.workspace.set(fresh)),
            Err(error) => {
                refused(call, &error);
                return Ok(false);
            }
        }
    }
    let workspace = products.workspace.get().map_or(0, Buffer::address);
    let places: SmallVec<[[i64; 3]; MOST]> = places(p, last, size);
    let start = [p.a.address, p.b.address, c.ptr.addr() as u64];
    let at = |place: &[i64; 3]| [0, 1, 2].map(|o| start[o].wrapping_add_signed(place[o]));
    let alignment = |o: usize| places.iter().map(|place| at(place)[o].trailing_zeros().min(8)).min().unwrap_or(0);
    let stride = |o: usize| p.batches.stride(last, o) as i64;
    let shape = ProductShape {
        dtype: c.dtype,
        fast: c.dtype == DType::F32 && crate::config::tensor_float_32_execution_enabled(),
        batch: batch as i32,
        left: Operand { batch_stride: stride(1), alignment: alignment(1), ..left },
        right: Operand { batch_stride: stride(0), alignment: alignment(0), ..right },
        out: Operand {
            rows: p.n as u64,
            columns: p.m as u64,
            lead: p.n as i64,
            batch_stride: (p.m * p.n) as i64,
            transposed: false,
            alignment: alignment(2),
        },
        addend,
        addend_alignment: plus.map_or(8, |p| p.address.trailing_zeros().min(8)),
    };
    call.gpu.bind()?;
    let mut plans = products.plans.lock().unwrap_or_else(PoisonError::into_inner);
    let plan = match plans.get(&shape) {
        Some(plan) => plan,
        None => {
            // Some versions of the library refuse to plan while a stream records: plans are made when the work is tried.
            if ![call.gpu.opened.stream, driver::Stream::NOWHERE].contains(&call.gpu.stream()) {
                return Err(Error::internal(call.op, "a product of a new shape is met while work is recorded")
                    .got(format!("{shape:?}")));
            }
            let plan = call.gpu.with_room(|| driver::plan_product(handle, &shape, WORKSPACE));
            // What fails for another reason than the shape may go well the next time.
            match plan {
                Ok(plan) => plans.entry(shape).or_insert(plan),
                Err(failure) => {
                    refused(call, &failure);
                    return Ok(false);
                }
            }
        }
    };
    let Some(plan) = plan else { return Ok(false) };
    if kernel_warm_up::collecting() {
        return Ok(true);
    }
    for (i, place) in places.iter().enumerate() {
        let [a, b, c] = at(place);
        let plus = plus.map_or(c, |p| p.address);
        capture_session::note_fixed(&[a, b, plus, c]);
        // SAFETY: by the caller's promise; the plan is of these shapes and alignments, and its lock is held.
        let queued = call.gpu.with_room(|| unsafe {
            driver::product(handle, plan, [b, a, plus, c], (workspace, WORKSPACE), call.gpu.stream())
        });
        match queued {
            Ok(()) => {}
            // A library that is older than the device may know an algorithm and refuse to run it. Nothing was added yet.
            Err(e) if i == 0 && e.is_refusal() => {
                refused(call, &e);
                plans.insert(shape, None);
                return Ok(false);
            }
            Err(e) => return Err(call.gpu.failed(call.op, &e)),
        }
    }
    call.gpu.queued()?;
    Ok(true)
}

/// Says once that the library is there and does not multiply something, and why.
fn refused(call: &CudaCall<'_>, why: &dyn Display) {
    static SAID: Once = Once::new();
    SAID.call_once(|| eprintln!("eagerflow: some products take slower kernels on {}: {why}", call.gpu.name()));
}

/// A product of more batches than one call of the library takes, as several.
///
/// # Safety
/// As [`product`].
unsafe fn in_pieces(call: &CudaCall<'_>, views: [&View; 3], p: &Product, plus: Option<Plus>) -> Result<bool> {
    let last = p.batches.dims.len() - 1;
    let (batches, size) = (p.batches.dims[last], views[2].dtype.size());
    for place in places(p, last, size) {
        for first in (0..batches).step_by(MOST_BATCHES) {
            let [a, b, c] = [0, 1, 2].map(|operand| {
                let (view, step) = (views[operand], p.batches.stride(last, operand));
                let ([.., rows, columns], [.., row, column]) = (view.dims(), view.strides()) else { return *view };
                let at = place[operand] as isize + first as isize * step * size as isize;
                let dims = [MOST_BATCHES.min(batches - first), *rows, *columns];
                View::new(view.ptr.wrapping_offset(at), view.dtype, &dims, &[step, *row, *column])
            });
            // SAFETY: by the caller's promise; a part of the batches.
            if !unsafe { product(call, [&a, &b, &c], &Product::new(&a, &b, &c), plus)? } {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The places of the products that are queued one by one, as bytes from the first: left and right factor, result.
fn places(p: &Product, last: usize, size: usize) -> SmallVec<[[i64; 3]; MOST]> {
    let mut places: SmallVec<[[i64; 3]; MOST]> = SmallVec::from_elem([0; 3], 1);
    for axis in 0..last {
        let step = [0, 1, 2].map(|o| (p.batches.stride(axis, o) * size as isize) as i64);
        let along = |base: &[i64; 3]| {
            let base = *base;
            (0..p.batches.dims[axis] as i64).map(move |i| [0, 1, 2].map(|o| base[o] + i * step[o]))
        };
        places = places.iter().flat_map(along).collect();
    }
    places
}

/// A column-major matrix of `rows` x `columns` as the library reads it, perhaps turned; `None` where no dimension is dense.
fn readable(factor: Factor, rows: usize, columns: usize) -> Option<Operand> {
    // The stride of a dimension of size 1 means nothing.
    let row = if rows == 1 { 1 } else { factor.row };
    let column = if columns == 1 { isize::MAX } else { factor.column };
    let operand = |rows: usize, columns: usize, lead: isize, transposed| Operand {
        rows: rows as u64,
        columns: columns as u64,
        lead: if lead == isize::MAX { rows as i64 } else { lead as i64 },
        batch_stride: 0,
        transposed,
        alignment: 0,
    };
    if row == 1 && column >= rows as isize {
        return Some(operand(rows, columns, column, false));
    }
    let (row, column) = (if rows == 1 { isize::MAX } else { row }, if columns == 1 { 1 } else { factor.column });
    (column == 1 && row >= columns as isize).then(|| operand(columns, rows, row, true))
}

/// Copies the factors that the library cannot read, and all batches where they are many, then multiplies.
///
/// # Safety
/// As [`product`].
unsafe fn dense_first(
    call: &CudaCall<'_>,
    [a, b, c]: [&View; 3],
    unreadable: [bool; 2],
    batches: bool,
    plus: Option<Plus>,
) -> Result<bool> {
    let mut held: SmallVec<[Buffer; 2]> = SmallVec::new();
    let mut views = [*a, *b];
    for (view, unreadable) in views.iter_mut().zip(unreadable) {
        let outer = &c.dims()[..c.rank() - 2];
        let whole: usize = view.dims()[..view.rank() - 2].iter().product();
        let negative = view.strides().iter().any(|&s| s < 0);
        let spread = batches && whole != outer.iter().product::<usize>();
        if !(unreadable || negative || spread || (batches && !view.is_dense())) {
            continue;
        }
        let mut dims: SmallVec<[usize; 8]> = if spread { outer.into() } else { view.dims()[..view.rank() - 2].into() };
        dims.extend_from_slice(&view.dims()[view.rank() - 2..]);
        let copied = call.scratch(dims.iter().product::<usize>() * view.dtype.size())?;
        let dense = View::dense(copied.address() as usize as *mut u8, view.dtype, &dims);
        // SAFETY: by the caller's promise; scratch of the right size.
        unsafe { copy(call, view, &dense)? };
        held.push(copied);
        *view = dense;
    }
    if held.is_empty() {
        return Ok(false);
    }
    let again = Product::new(&views[0], &views[1], c);
    // SAFETY: by the caller's promise; copies live until the work is queued, and their memory is given out behind it.
    unsafe { product(call, [&views[0], &views[1], c], &again, plus) }
}

/// The library's handle, or a line that says why products will be slower.
fn open(call: &CudaCall<'_>) -> Option<usize> {
    let wanted = std::env::var_os("EAGERFLOW_CUBLASLT").is_none_or(|v| v != "0");
    let opened = match (wanted, driver::products_present()) {
        (false, _) => Err("EAGERFLOW_CUBLASLT is 0".to_string()),
        (true, Err(why)) => Err(why),
        (true, Ok(())) => {
            call.gpu.bind().map_err(|e| e.to_string()).and_then(|()| driver::open_products().map_err(|e| e.to_string()))
        }
    };
    opened
        .map_err(|why| eprintln!("eagerflow: products of matrices take slower kernels on {}: {why}", call.gpu.name()))
        .ok()
}
