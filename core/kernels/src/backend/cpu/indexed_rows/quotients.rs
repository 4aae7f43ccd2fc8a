//! Rows divided by others: quotients of every dtype, and the check that no integer is divided by zero.
//! The parent module's `change` calls it, and scatters before they write anything.

use super::{REFUSED, View};
use crate::dtype::{DType, bf16, f16};
use crate::error::{Error, Result};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Refuses integer updates with a zero among them, and the row numbers in scratch with them.
///
/// # Safety
/// A valid dense view, and room for one number in scratch unless there are no updates.
pub unsafe fn check_divisors(op: &str, updates: &View, scratch: *mut u8) -> Result<()> {
    if !updates.dtype.is_integer() {
        return Ok(());
    }
    // SAFETY: by the caller's promise; the sign plays no part in what is zero.
    let zero = unsafe {
        match updates.dtype.size() {
            1 => find_zero::<u8>(updates),
            2 => find_zero::<u16>(updates),
            4 => find_zero::<u32>(updates),
            _ => find_zero::<u64>(updates),
        }
    };
    let Some(at) = zero else { return Ok(()) };
    // SAFETY: by the caller's promise.
    unsafe { scratch.cast::<usize>().write(REFUSED) };
    Err(Error::invalid_argument(op, "integer division by zero")
        .got(format!("0 at number {at} of the updates"))
        .expected("updates without a zero")
        .help("replace the zeros of the divisor, for example with `maximum` or `where_`, or divide floats"))
}

/// # Safety
/// A valid dense view of elements as wide as `T`.
unsafe fn find_zero<T: Default + PartialEq>(view: &View) -> Option<usize> {
    // SAFETY: by the caller's promise.
    let all = unsafe { std::slice::from_raw_parts(view.ptr.cast::<T>(), view.len()) };
    all.iter().position(|x| *x == T::default())
}

/// Divides `n` elements by as many others.
///
/// # Safety
/// Both are valid and apart.
pub(super) unsafe fn divide(dtype: DType, to: *mut u8, from: *const u8, n: usize) {
    /// # Safety
    /// As the outer function, for elements of type `T`.
    unsafe fn each<T: Copy>(to: *mut u8, from: *const u8, n: usize, quotient: impl Fn(T, T) -> T) {
        // SAFETY: by the caller's promise.
        let (to, from) = unsafe {
            (std::slice::from_raw_parts_mut(to.cast::<T>(), n), std::slice::from_raw_parts(from.cast::<T>(), n))
        };
        to.iter_mut().zip(from).for_each(|(to, &by)| *to = quotient(*to, by));
    }
    // A zero has been refused; the lowest number divided by -1 wraps.
    macro_rules! integers {
        ($t:ty) => {
            each::<$t>(to, from, n, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) })
        };
    }
    // SAFETY: by the caller's promise.
    unsafe {
        match dtype {
            DType::F32 => each::<f32>(to, from, n, |a, b| a / b),
            DType::F64 => each::<f64>(to, from, n, |a, b| a / b),
            DType::F16 => each::<f16>(to, from, n, |a, b| a / b),
            DType::BF16 => each::<bf16>(to, from, n, |a, b| a / b),
            DType::I8 => integers!(i8),
            DType::I16 => integers!(i16),
            DType::I32 => integers!(i32),
            DType::I64 => integers!(i64),
            DType::U8 => integers!(u8),
            DType::U16 => integers!(u16),
            DType::U32 => integers!(u32),
            DType::U64 => integers!(u64),
            DType::C64 => each::<[f32; 2]>(to, from, n, |a, b| smith(a, b, f32::abs)),
            DType::C128 => each::<[f64; 2]>(to, from, n, |a, b| smith(a, b, f64::abs)),
            // Truth values are not divided; whoever calls refuses them.
            DType::Bool | DType::Resource | DType::Variant | DType::String => {}
        }
    }
}

/// The quotient of two complex numbers by Smith's way, as that of `scalar::complex`: the divisor's parts are never squared.
fn smith<T>(a: [T; 2], b: [T; 2], abs: impl Fn(T) -> T) -> [T; 2]
where
    T: Copy + PartialOrd + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T> + Neg<Output = T>,
{
    let wide = abs(b[0]) >= abs(b[1]);
    let [large, small] = if wide { b } else { [b[1], b[0]] };
    let [along, across] = if wide { a } else { [a[1], a[0]] };
    let ratio = small / large;
    let under = large + small * ratio;
    let im = (across - along * ratio) / under;
    [(along + across * ratio) / under, if wide { im } else { -im }]
}
