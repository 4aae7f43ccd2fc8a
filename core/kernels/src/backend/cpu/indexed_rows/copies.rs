//! Whole rows copied by their numbers: those that were checked before, or indices that are checked on the way.
//! Gathers along the first axis and whoever reads rows by number call it; large results go past the caches.

use super::{PART, chunks, outside, singles};
#[cfg(target_arch = "x86_64")]
use crate::backend::cpu::{Isa, copy::PAST_CACHES};
use crate::backend::cpu::{View, Work};
use crate::dtype::DType;
use crate::error::Result;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_mm_sfence, _mm256_loadu_si256, _mm256_stream_si256};
use std::ops::Range;
use std::slice::from_raw_parts;

/// Whether [`gather_rows`] takes indices of this type.
pub const fn gathers_by(dtype: DType) -> bool {
    matches!(dtype, DType::I32 | DType::I64)
}

/// The work of [`gather_rows`], which moves `bytes` in at most `count` parts.
pub fn gather_work(count: usize, bytes: usize) -> Work {
    Work::chunks(chunks(bytes, count))
}

/// Copies the rows that a part of the indices names, of a tensor of `size` rows of `bytes`, one after another; they are checked on the
/// way, part by part in registers and the first-level cache, so that no list of numbers comes and goes through memory.
///
/// # Errors
/// OutOfRange for the first index in the part that names no row. Rows before it may be written then.
///
/// # Safety
/// A valid dense view of integers of a type that [`gathers_by`] takes; the rows exist, the target has room for those of the part, and is apart.
pub unsafe fn gather_rows(
    op: &str,
    indices: &View,
    part: Range<usize>,
    size: usize,
    from: *const u8,
    to: *mut u8,
    bytes: usize,
) -> Result<()> {
    let count = indices.len();
    #[cfg(target_arch = "x86_64")]
    let past_caches = count * bytes >= PAST_CACHES && bytes.is_multiple_of(32) && Isa::current() != Isa::Portable;
    let mut numbers = [0usize; PART];
    for first in part.clone().step_by(PART) {
        let own = first..(first + PART).min(part.end);
        let out = numbers.as_mut_ptr();
        // SAFETY: by the caller's promise; there is room for all numbers of a part.
        let checked = unsafe {
            match indices.dtype {
                DType::I32 => singles(from_raw_parts(indices.ptr.cast::<i32>().add(first), own.len()), size, out),
                _ => singles(from_raw_parts(indices.ptr.cast::<i64>().add(first), own.len()), size, out),
            }
        };
        if let Err(at) = checked {
            // SAFETY: by the caller's promise.
            let index = unsafe { indices.integers()[first + at] };
            return Err(outside(op, &[index], first + at, count, &[size]));
        }
        let numbers = &numbers[..own.len()];
        // SAFETY: the numbers are checked, and by the caller's promise.
        unsafe {
            let to = to.add((first - part.start) * bytes);
            #[cfg(target_arch = "x86_64")]
            if past_caches && to.addr().is_multiple_of(32) {
                copy_rows_past_caches(numbers, from, to, bytes);
                continue;
            }
            copy_rows(numbers, from, to, bytes);
        }
    }
    Ok(())
}

/// As [`copy_rows`], for rows of whole vectors, written past the caches, which would fetch each line before it is written.
///
/// # Safety
/// As [`copy_rows`], for rows of a multiple of 32 bytes and a target at such an address; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn copy_rows_past_caches(numbers: &[usize], from: *const u8, to: *mut u8, bytes: usize) {
    for (i, &number) in numbers.iter().enumerate() {
        for at in (0..bytes).step_by(32) {
            // SAFETY: by the caller's promise.
            unsafe {
                let vector = _mm256_loadu_si256(from.add(number * bytes + at).cast());
                _mm256_stream_si256(to.add(i * bytes + at).cast(), vector);
            }
        }
    }
    // Other threads see them only behind a fence.
    _mm_sfence();
}

/// Copies the rows `numbers` of `from` one after another; rows are `bytes` long.
///
/// # Safety
/// The rows exist, the target has room for all and is apart.
pub unsafe fn copy_rows(numbers: &[usize], from: *const u8, to: *mut u8, bytes: usize) {
    /// # Safety
    /// As the outer function, for rows of one `T`.
    unsafe fn elements<T: Copy>(numbers: &[usize], from: *const T, to: *mut T) {
        for (i, &number) in numbers.iter().enumerate() {
            // SAFETY: by the caller's promise.
            unsafe { to.add(i).write(*from.add(number)) };
        }
    }
    // SAFETY: by the caller's promise; rows of a dtype's size are aligned to it.
    unsafe {
        match bytes {
            1 => elements::<u8>(numbers, from, to),
            2 if from.addr() & 1 == 0 && to.addr() & 1 == 0 => elements::<u16>(numbers, from.cast(), to.cast()),
            4 if from.addr() & 3 == 0 && to.addr() & 3 == 0 => elements::<u32>(numbers, from.cast(), to.cast()),
            8 if from.addr() & 7 == 0 && to.addr() & 7 == 0 => elements::<u64>(numbers, from.cast(), to.cast()),
            // Rows of a known length take vectors instead of a call.
            12 => elements::<[u8; 12]>(numbers, from.cast(), to.cast()),
            16 => elements::<[u8; 16]>(numbers, from.cast(), to.cast()),
            24 => elements::<[u8; 24]>(numbers, from.cast(), to.cast()),
            32 => elements::<[u8; 32]>(numbers, from.cast(), to.cast()),
            48 => elements::<[u8; 48]>(numbers, from.cast(), to.cast()),
            64 => elements::<[u8; 64]>(numbers, from.cast(), to.cast()),
            128 => elements::<[u8; 128]>(numbers, from.cast(), to.cast()),
            _ => {
                for (i, &number) in numbers.iter().enumerate() {
                    std::ptr::copy_nonoverlapping(from.add(number * bytes), to.add(i * bytes), bytes);
                }
            }
        }
    }
}
