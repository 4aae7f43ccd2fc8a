//! Rows by number: checked indices in scratch memory, and loops that copy, add or subtract whole rows.
//! Gathers, scatters and the sparse updates of variables call it, over as many threads as the rows are worth.

mod changes;
mod copies;
mod quotients;

pub use changes::{Changes, LONG_ROW, Share};
pub use copies::{copy_rows, gather_rows, gather_work, gathers_by};
pub use quotients::check_divisors;

use super::{View, Work, part};
use crate::dtype::{DType, bf16, f16};
use crate::error::{Error, Result};
use std::ops::Range;
use std::slice::from_raw_parts;

/// What happens to a row that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Write {
    Set,
    /// For truth values: or.
    Add,
    Sub,
    Mul,
    /// Quotients of integers are cut towards zero; [`check_divisors`] has refused their zeros.
    Div,
    /// The greater of both; a NaN among the updates changes nothing, and one in the row stays.
    Max,
    Min,
    /// The greater of both, or NaN if either is; of equal ones the update, which the sign of a zero shows.
    Greatest,
    Least,
}

/// A row number that no index gives: what scratch holds when the indices were refused.
pub const REFUSED: usize = usize::MAX;
/// Numbers that are looked at together.
const PART: usize = 256;
/// Numbers that one chunk checks, about.
const CHECKED: usize = 1 << 15;
/// Bytes that one chunk moves, about.
const CHUNK: usize = 128 * 1024;

/// The work with `count` row numbers: phase 0 checks them into scratch, phase 1 moves `bytes` in at most `units` parts.
pub fn work(count: usize, bytes: usize, units: usize) -> Work {
    let scratch = (count.max(1) * size_of::<usize>()).next_multiple_of(64);
    Work { scratch, phases: [checks(count), chunks(bytes, units), 0, 0, 0] }
}

/// How many chunks check `count` row numbers.
fn checks(count: usize) -> usize {
    count.div_ceil(CHECKED).clamp(1, 64)
}

/// The row numbers that `chunk` of phase 0 checks.
fn checked_by(chunk: usize, count: usize) -> Range<usize> {
    part(count, chunk, checks(count), PART)
}

/// How many chunks move `bytes` in at most `units` parts.
fn chunks(bytes: usize, units: usize) -> usize {
    bytes.div_ceil(CHUNK).min(64).min(units).max(1)
}

/// The row numbers that phase 0 left in scratch; none if it refused one.
///
/// # Safety
/// Phase 0 ran with room for `count` numbers.
pub unsafe fn numbers<'a>(scratch: *const u8, count: usize) -> &'a [usize] {
    // SAFETY: by the caller's promise.
    let numbers = unsafe { std::slice::from_raw_parts(scratch.cast::<usize>(), count) };
    let refused = |chunk| numbers.get(checked_by(chunk, count).start) == Some(&REFUSED);
    if (0..checks(count)).any(refused) { &[] } else { numbers }
}

/// Writes to scratch, for each tuple of `depth` indices that belongs to `chunk` of phase 0, the flat number of the row that it names in a
/// tensor of `dims`; there are `count` tuples.
///
/// # Errors
/// OutOfRange for the first tuple of the chunk that names no row.
///
/// # Safety
/// A valid dense view of integers, tuple after tuple, and scratch as [`work`] says.
pub unsafe fn check(
    op: &str,
    indices: &View,
    count: usize,
    depth: usize,
    dims: &[usize],
    chunk: usize,
    scratch: *mut u8,
) -> Result<()> {
    let own = checked_by(chunk, count);
    let (first, len) = (own.start * depth, own.len() * depth);
    // SAFETY: by the caller's promise.
    let checked = unsafe {
        let out = scratch.cast::<usize>().add(own.start);
        match indices.dtype {
            // Tuples of nothing name the whole tensor.
            _ if depth == 0 => {
                (0..own.len()).for_each(|i| out.add(i).write(0));
                Ok(())
            }
            DType::I32 => tuples(from_raw_parts(indices.ptr.cast::<i32>().add(first), len), depth, dims, out),
            DType::I64 => tuples(from_raw_parts(indices.ptr.cast::<i64>().add(first), len), depth, dims, out),
            _ => tuples(&indices.part(first, len).integers(), depth, dims, out),
        }
    };
    let Err(at) = checked else { return Ok(()) };
    // SAFETY: by the caller's promise; a tuple was refused, hence there is room for the number of the chunk's first.
    let tuple = unsafe {
        scratch.cast::<usize>().add(own.start).write(REFUSED);
        indices.part(first + at * depth, depth).integers()
    };
    Err(outside(op, &tuple, own.start + at, count, &dims[..depth]))
}

/// The error of tuple `at` of `count`, which names no row of a tensor of these sizes.
#[cold]
fn outside(op: &str, tuple: &[i64], at: usize, count: usize, limits: &[usize]) -> Error {
    let which = if count == 1 { "the index".to_owned() } else { format!("index number {at}") };
    let error = |index: &dyn std::fmt::Display| {
        Error::out_of_range(op, format!("{which} is {index}, outside the tensor")).got(index)
    };
    match (tuple, limits) {
        ([index], [size]) => {
            let error = error(index).expected(format!("0..{size}"));
            if *index < 0 && *index >= -(*size as i64) {
                return error
                    .help("a tensor as index counts from the start; `x.at(-1)`, a number, counts from the end");
            }
            error
        }
        _ => error(&format!("{tuple:?}")).expected(format!("indices within {limits:?}")),
    }
}

/// Writes at most [`PART`] indices as numbers of rows of a tensor that has `size`; the first that names none is the error.
///
/// # Safety
/// `out` has room for them.
#[inline]
unsafe fn singles<I: Copy + Into<i64>>(list: &[I], size: usize, out: *mut usize) -> Result<(), usize> {
    let last = size as i64 - 1;
    // Signs, and no way out on the way, which the compiler makes vectors of: one of both numbers is negative for what lies outside.
    let mut signs = 0;
    for (at, &index) in list.iter().enumerate() {
        let index: i64 = index.into();
        signs |= index | last.wrapping_sub(index);
        // SAFETY: by the caller's promise.
        unsafe { out.add(at).write(index as usize) };
    }
    match signs < 0 {
        true => Err(list.iter().position(|&index| !(0..=last).contains(&index.into())).unwrap_or(0)),
        false => Ok(()),
    }
}

/// # Safety
/// `out` has room for a number per tuple.
unsafe fn tuples<I: Copy + Into<i64>>(list: &[I], depth: usize, dims: &[usize], out: *mut usize) -> Result<(), usize> {
    if depth == 1 {
        for (part, list) in list.chunks(PART).enumerate() {
            let first = part * PART;
            // SAFETY: by the caller's promise.
            unsafe { singles(list, dims[0], out.add(first)) }.map_err(|at| first + at)?;
        }
        return Ok(());
    }
    for (at, tuple) in list.chunks_exact(depth.max(1)).enumerate() {
        let mut row = 0;
        for (&index, &size) in tuple.iter().zip(dims) {
            let index: i64 = index.into();
            if index as u64 >= size as u64 {
                return Err(at);
            }
            row = row * size + index as usize;
        }
        // SAFETY: by the caller's promise.
        unsafe { out.add(at).write(row) };
    }
    Ok(())
}

/// The product of two complex numbers.
fn product<T: Copy + std::ops::Mul<Output = T> + std::ops::Add<Output = T> + std::ops::Sub<Output = T>>(
    a: [T; 2],
    b: [T; 2],
) -> [T; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// Changes `n` elements by as many others.
///
/// # Safety
/// Both are valid and apart.
pub unsafe fn change(write: Write, dtype: DType, to: *mut u8, from: *const u8, n: usize) {
    /// # Safety
    /// As the outer function, for elements of type `T`.
    #[inline(always)]
    unsafe fn with<T: Copy>(to: *mut u8, from: *const u8, n: usize, combine: impl Fn(T, T) -> T) {
        // SAFETY: by the caller's promise.
        let (to, from) =
            unsafe { (std::slice::from_raw_parts_mut(to.cast::<T>(), n), from_raw_parts(from.cast::<T>(), n)) };
        for (to, &from) in to.iter_mut().zip(from) {
            *to = combine(*to, from);
        }
    }
    macro_rules! numbers {
        ($t:ty, $add:expr, $sub:expr, $mul:expr) => {
            // SAFETY: the same contract.
            unsafe {
                match write {
                    Write::Sub => with::<$t>(to, from, n, $sub),
                    Write::Mul => with::<$t>(to, from, n, $mul),
                    _ => with::<$t>(to, from, n, $add),
                }
            }
        };
    }
    if write == Write::Set {
        // SAFETY: by the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from, to, n * dtype.size()) };
        return;
    }
    if write == Write::Div {
        // SAFETY: the same contract.
        unsafe { quotients::divide(dtype, to, from, n) };
        return;
    }
    if matches!(write, Write::Max | Write::Min | Write::Greatest | Write::Least) {
        macro_rules! better {
            ($t:ty) => {
                // SAFETY: the same contract.
                unsafe {
                    match write {
                        Write::Max => with::<$t>(to, from, n, |a, b| if b > a { b } else { a }),
                        // Only NaN differs from itself.
                        #[allow(clippy::eq_op)]
                        Write::Greatest => with::<$t>(to, from, n, |a, b| if b < a || a != a { a } else { b }),
                        #[allow(clippy::eq_op)]
                        Write::Least => with::<$t>(to, from, n, |a, b| if b > a || a != a { a } else { b }),
                        _ => with::<$t>(to, from, n, |a, b| if b < a { b } else { a }),
                    }
                }
            };
        }
        match dtype {
            DType::F32 => better!(f32),
            DType::F64 => better!(f64),
            DType::F16 => better!(f16),
            DType::BF16 => better!(bf16),
            DType::I8 => better!(i8),
            DType::I16 => better!(i16),
            DType::I32 => better!(i32),
            DType::I64 => better!(i64),
            DType::U8 => better!(u8),
            DType::U16 => better!(u16),
            DType::U32 => better!(u32),
            DType::U64 => better!(u64),
            // Complex numbers and truth values have no order; whoever calls refuses them.
            _ => {}
        }
        return;
    }
    match dtype {
        // SAFETY: the same contract.
        DType::C64 if write == Write::Mul => unsafe { with::<[f32; 2]>(to, from, n, product) },
        // SAFETY: the same contract.
        DType::C128 if write == Write::Mul => unsafe { with::<[f64; 2]>(to, from, n, product) },
        DType::F32 => numbers!(f32, |a, b| a + b, |a, b| a - b, |a, b| a * b),
        DType::F64 => numbers!(f64, |a, b| a + b, |a, b| a - b, |a, b| a * b),
        DType::F16 => numbers!(f16, |a, b| a + b, |a, b| a - b, |a, b| a * b),
        DType::BF16 => numbers!(bf16, |a, b| a + b, |a, b| a - b, |a, b| a * b),
        // Wrapping arithmetic has the same bits for signed and unsigned numbers.
        DType::I8 | DType::U8 => numbers!(u8, u8::wrapping_add, u8::wrapping_sub, u8::wrapping_mul),
        DType::I16 | DType::U16 => numbers!(u16, u16::wrapping_add, u16::wrapping_sub, u16::wrapping_mul),
        DType::I32 | DType::U32 => numbers!(u32, u32::wrapping_add, u32::wrapping_sub, u32::wrapping_mul),
        DType::I64 | DType::U64 => numbers!(u64, u64::wrapping_add, u64::wrapping_sub, u64::wrapping_mul),
        DType::Bool => numbers!(u8, |a, b| a | b, |a, b| a & !b, |a, b| a & b),
        // SAFETY: the same contract; real and imaginary parts add up on their own.
        DType::C64 | DType::C128 => unsafe { change(write, dtype.real_dtype(), to, from, 2 * n) },
        DType::Resource | DType::Variant | DType::String => {}
    }
}
