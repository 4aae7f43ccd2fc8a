//! Rows of a tensor in a GPU's memory that are set, added to, multiplied and so on by updates which name them.
//! Scatters, the gradient of gathers and the sparse updates of variables call it; the result is the same at every run.

use super::call::{CudaCall, Strided, THREADS, grid};
use super::driver::{Address, Grid};
use super::program::Kernel;
use super::strided_copy::{DIVIDED, Moving, bits_of, moving, unit_of};
use crate::backend::cpu::View;
use crate::backend::cpu::indexed_rows::Write;
use crate::dtype::DType;
use crate::error::Result;

/// How updates name their rows.
pub enum Names<'a> {
    /// By one tuple of indices each, as many indices as there are sizes.
    Tuples { indices: &'a View, sizes: &'a [usize] },
    /// By an index within a group of `size` rows: update `i` belongs to group `i / each`, and groups of one batch, of
    /// `inner_groups`, share their `each` indices.
    Axis { indices: &'a View, each: usize, inner_groups: usize, size: usize },
    /// By the id of a segment: none if it is negative. Sorted ids must not be, must not fall, and of their rows the first update is
    /// the old value where the greatest or least is sought.
    Segments { ids: &'a View, sorted: bool },
}

/// Dense rows and their updates.
pub struct Rows<'a> {
    pub write: Write,
    /// The tensor, of `rows` rows.
    pub to: &'a View,
    pub rows: usize,
    /// Elements of a row.
    pub row: usize,
    /// The updates, of `count` rows.
    pub updates: &'a View,
    pub count: usize,
    /// Whether nothing may change if an update names no row.
    pub all_or_nothing: bool,
}

/// Updates that are sorted by comparing each with all.
const FEW: usize = 8192;
/// Keys of a block in a pass over digits, and the digits' number: as `sort.cuh` has them.
const SHARE: usize = 2048;
const DIGITS: usize = 16;

macro_rules! kernels {
    ($($name:ident $function:literal = $text:expr;)*) => {
        $(static $name: Kernel = Kernel { name: $function, text: &[$text] };)*
    };
}

const NAMES: &str = include_str!("scatter.cuh");
const SORT: &str = concat!(include_str!("before.cuh"), include_str!("starts.cuh"), include_str!("sort.cuh"));
const SUMS: &str =
    concat!("typedef unsigned long long row_t;\n", include_str!("divided.cuh"), include_str!("scatter_sums.cuh"));
const FOLDS: &str =
    concat!("typedef unsigned long long row_t;\n", include_str!("divided.cuh"), include_str!("scatter_folds.cuh"));

kernels! {
    ROWS_OF_TUPLES "rows_of_tuples" = NAMES;
    ROWS_OF_AXIS "rows_of_axis" = NAMES;
    ROWS_OF_SEGMENTS "rows_of_segments" = NAMES;
    REFUSE_ZEROS "refuse_zeros" = NAMES;
    RANK "rank" = SORT;
    COUNT_DIGITS "count_digits" = SORT;
    PLACE_DIGITS "place_digits" = SORT;
    SUM_ROWS "sum_rows" = SUMS;
    JOIN_PIECES "join_pieces" = SUMS;
    FOLD_ROWS "fold_rows" = FOLDS;
}

/// The sums of all before each of a list's elements.
pub(super) static STARTS: Kernel = Kernel { name: "starts", text: &[SORT] };

static SET_ROWS: Moving =
    moving!("set_rows", "typedef unsigned long long row_t;\n", DIVIDED, include_str!("scatter_rows.cuh"));

/// A dense view of complex numbers as one of twice as many real ones; any other as it is.
fn parts_of(view: &View) -> View {
    match view.dtype.is_complex() {
        true => View::dense(view.ptr, view.dtype.real_dtype(), &[2 * view.len()]),
        false => *view,
    }
}

/// Changes rows by updates: of several for one row, the last is set, or all are added or subtracted in their order.
///
/// # Safety
/// All views are dense and valid on the call's device in the order of its stream, and have the sizes told.
pub unsafe fn scatter(call: &CudaCall<'_>, names: &Names<'_>, rows: &Rows<'_>) -> Result<()> {
    let count = rows.count;
    if count == 0 {
        return Ok(());
    }
    let (to, updates) = (parts_of(rows.to), parts_of(rows.updates));
    // Real and imaginary parts add up on their own.
    let rows = &match rows.to.dtype.is_complex() && !matches!(rows.write, Write::Mul | Write::Div) {
        true => Rows { to: &to, updates: &updates, row: 2 * rows.row, ..*rows },
        false => Rows { ..*rows },
    };
    let shares = count.div_ceil(SHARE);
    let ordered = matches!(names, Names::Segments { sorted: true, .. });
    let sorts = count > 1 && rows.rows > 1 && !ordered;
    let digits = if sorts && count > FEW { DIGITS * shares + 1 } else { 0 };
    // A word for the refusal, then keys and order, twice, and the counts of digits.
    let lists = if sorts { 4 } else { 1 };
    let scratch = call.scratch((8 + lists * count + digits) * 8)?;
    let list = |i: usize| scratch.address() + 64 + (i * count * 8) as u64;
    let refused = scratch.address();
    // SAFETY: by the caller's promise; the lists have room for a word per update.
    unsafe {
        if rows.all_or_nothing {
            call.gpu.set_bytes(refused, 0, 8)?;
        }
        name_rows(call, names, rows, list(0), refused)?;
        if rows.write == Write::Div && rows.to.dtype.is_integer() {
            // The sign plays no part in what is zero.
            call.elements(&REFUSE_ZEROS, &[bits_of(rows.to.dtype.size())], count * rows.row, |arguments| {
                arguments.faults(call);
                arguments.view(rows.updates);
                arguments.address(refused);
            })?;
        }
        if rows.row == 0 || rows.rows == 0 {
            return Ok(());
        }
        let sorted = match sorts {
            false => Sorted { keys: list(0), order: 0 },
            true if count <= FEW => {
                call.launch(&RANK, &[], grid(count.div_ceil(32), THREADS), |arguments| {
                    arguments.size(count);
                    [list(0), list(1), list(2)].into_iter().for_each(|address| arguments.address(address));
                })?;
                Sorted { keys: list(1), order: list(2) }
            }
            true => {
                // The number of rows is itself a key: that of updates which name none.
                let bits = usize::BITS - rows.rows.leading_zeros();
                sort(call, count, bits, false, [list(0), list(1)], [list(2), list(3)], list(4))?
            }
        };
        let refused = if rows.all_or_nothing { refused } else { 0 };
        match rows.write {
            Write::Set => set(call, rows, &sorted, refused),
            Write::Add | Write::Sub => sum(call, rows, &sorted, refused),
            Write::Mul | Write::Div => fold(call, rows, &sorted, refused, false),
            _ => fold(call, rows, &sorted, refused, ordered),
        }
    }
}

/// Rows in ascending order, and the updates that name them; no order if they are as they were.
pub(super) struct Sorted {
    pub keys: Address,
    pub order: Address,
}

/// # Safety
/// As [`scatter`]; room for a word per update at `keys`.
unsafe fn name_rows(
    call: &CudaCall<'_>,
    names: &Names<'_>,
    rows: &Rows<'_>,
    keys: Address,
    refused: Address,
) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe {
        match *names {
            Names::Tuples { indices, sizes } => {
                call.elements(&ROWS_OF_TUPLES, &[indices.dtype], rows.count, |arguments| {
                    arguments.faults(call);
                    arguments.view(indices);
                    [keys, refused, rows.rows as u64].into_iter().for_each(|word| arguments.address(word));
                    arguments.value(Strided::new(sizes, &[]));
                })
            }
            Names::Axis { indices, each, inner_groups, size } => {
                call.elements(&ROWS_OF_AXIS, &[indices.dtype], rows.count, |arguments| {
                    arguments.faults(call);
                    arguments.view(indices);
                    [keys, refused].into_iter().for_each(|address| arguments.address(address));
                    [rows.rows, each, inner_groups, size].into_iter().for_each(|n| arguments.size(n));
                })
            }
            Names::Segments { ids, sorted } => {
                call.elements(&ROWS_OF_SEGMENTS, &[ids.dtype], rows.count, |arguments| {
                    arguments.faults(call);
                    arguments.view(ids);
                    arguments.address(keys);
                    arguments.sizes(&[rows.rows, usize::from(sorted)]);
                })
            }
        }
    }
}

/// Sorts `count` keys of so many bits by digits, the lowest first; `ordered` says that the first list of places is filled.
///
/// # Safety
/// As [`scatter`]; two lists of keys, the first of them filled, two of places, and room for the counts of digits.
pub(super) unsafe fn sort(
    call: &CudaCall<'_>,
    count: usize,
    bits: u32,
    ordered: bool,
    mut keys: [Address; 2],
    mut order: [Address; 2],
    counts: Address,
) -> Result<Sorted> {
    let shares = count.div_ceil(SHARE);
    for shift in (0..bits).step_by(4) {
        // SAFETY: by the caller's promise.
        unsafe {
            call.launch(&COUNT_DIGITS, &[], grid(shares, THREADS), |arguments| {
                [keys[0], counts].into_iter().for_each(|address| arguments.address(address));
                [count, shares, shift as usize].into_iter().for_each(|n| arguments.size(n));
            })?;
            starts(call, counts, DIGITS * shares)?;
            call.launch(&PLACE_DIGITS, &[], grid(shares, THREADS), |arguments| {
                let before = if shift == 0 && !ordered { 0 } else { order[0] };
                [keys[0], before, keys[1], order[1], counts].into_iter().for_each(|address| arguments.address(address));
                [count, shares, shift as usize].into_iter().for_each(|n| arguments.size(n));
            })?;
        }
        keys.swap(0, 1);
        order.swap(0, 1);
    }
    Ok(Sorted { keys: keys[0], order: order[0] })
}

/// Words that the counts of digits of so many keys take.
pub(super) fn digit_words(count: usize) -> usize {
    DIGITS * count.div_ceil(SHARE) + 1
}

/// Puts in place of each of `count` lengths where it begins, and behind them their sum.
///
/// # Safety
/// The list is valid on the device, with room for one more.
pub unsafe fn starts(call: &CudaCall<'_>, list: Address, count: usize) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe {
        call.launch(&STARTS, &[], Grid { blocks: [1, 1, 1], threads: [1024, 1, 1], shared: 0 }, |arguments| {
            arguments.address(list);
            arguments.size(count);
        })
    }
}

/// # Safety
/// As [`scatter`].
unsafe fn set(call: &CudaCall<'_>, rows: &Rows<'_>, sorted: &Sorted, refused: Address) -> Result<()> {
    let bytes = rows.row * rows.to.dtype.size();
    let unit = unit_of([bytes, rows.to.ptr.addr(), rows.updates.ptr.addr()]);
    let (kernel, ty) = SET_ROWS.of(unit);
    // SAFETY: by the caller's promise; only the last update of a row writes it.
    unsafe {
        call.elements(kernel, &[ty], rows.count * bytes / unit, |arguments| {
            [sorted.keys, sorted.order].into_iter().for_each(|address| arguments.address(address));
            [rows.updates, rows.to].into_iter().for_each(|view| arguments.view(view));
            arguments.address(refused);
            [rows.count, rows.rows, bytes / unit].into_iter().for_each(|n| arguments.size(n));
        })
    }
}

/// # Safety
/// As [`scatter`].
unsafe fn sum(call: &CudaCall<'_>, rows: &Rows<'_>, sorted: &Sorted, refused: Address) -> Result<()> {
    // Bits of wrapping sums do not depend on the sign; without it there are fewer kernels.
    let dtype = if rows.to.dtype.is_integer() { bits_of(rows.to.dtype.size()) } else { rows.to.dtype };
    let busy = call.gpu.multiprocessors() as usize * 2048;
    let piece = (rows.count * rows.row / busy).clamp(4, 64);
    let pieces = rows.count.div_ceil(piece);
    let acc: DType = dtype.compute();
    let parts = if pieces > 1 { Some(call.scratch(2 * pieces * rows.row * acc.size())?) } else { None };
    let parts = parts.as_ref().map_or(0, super::buffers::Buffer::address);
    // SAFETY: by the caller's promise; each row is written by one thread per column.
    unsafe {
        call.elements(&SUM_ROWS, &[dtype], pieces * rows.row, |arguments| {
            [sorted.keys, sorted.order].into_iter().for_each(|address| arguments.address(address));
            [rows.updates, rows.to].into_iter().for_each(|view| arguments.view(view));
            [parts, refused].into_iter().for_each(|address| arguments.address(address));
            [rows.count, rows.rows, rows.row, piece].into_iter().for_each(|n| arguments.size(n));
            arguments.size(usize::from(rows.write == Write::Sub));
        })?;
        if pieces == 1 {
            return Ok(());
        }
        call.elements(&JOIN_PIECES, &[dtype], pieces * rows.row, |arguments| {
            arguments.address(sorted.keys);
            arguments.view(rows.to);
            [parts, refused].into_iter().for_each(|address| arguments.address(address));
            [rows.count, rows.rows, rows.row, piece].into_iter().for_each(|n| arguments.size(n));
        })
    }
}

/// # Safety
/// As [`scatter`].
unsafe fn fold(call: &CudaCall<'_>, rows: &Rows<'_>, sorted: &Sorted, refused: Address, fresh: bool) -> Result<()> {
    let how = match rows.write {
        Write::Max => 1,
        Write::Min => 2,
        Write::Greatest => 3,
        Write::Least => 4,
        Write::Div => 5,
        _ => 0,
    };
    // SAFETY: by the caller's promise; each row is written by one thread per column.
    unsafe {
        call.elements(&FOLD_ROWS, &[rows.to.dtype], rows.count * rows.row, |arguments| {
            [sorted.keys, sorted.order].into_iter().for_each(|address| arguments.address(address));
            [rows.updates, rows.to].into_iter().for_each(|view| arguments.view(view));
            arguments.address(refused);
            arguments.sizes(&[rows.count, rows.rows, rows.row, how, usize::from(fresh)]);
        })
    }
}
