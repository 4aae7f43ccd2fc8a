//! One loop per instruction of the scalar language, dtype and instruction set: the only CPU match on `Code`.
//! The tile machine runs programs with these loops, and constant folding runs them on one element.

mod cast;
pub mod fold;
mod kernels;
pub mod number;
mod pairs;
mod pick;

pub use crate::scalar::{decode, encode, to_f64};
pub use pairs::pair;
pub use pick::{evaluate, lookup, splat};

/// A loop over `n` elements of dense operands: `out[i] = f(a[i], b[i], c[i])`; unused operands may be null.
///
/// Answers whether any element faulted (see `Code::fault`). The output overlaps no operand.
pub type Loop = unsafe fn(n: usize, out: *mut u8, a: *const u8, b: *const u8, c: *const u8) -> bool;

/// Fills `n` elements of `size` bytes with the low bytes of `bits`; elements of 16 bytes are complex numbers whose real part it is.
///
/// # Safety
/// `out` is valid for `n * size` bytes and aligned to `size`, or to 8.
pub unsafe fn fill(size: usize, out: *mut u8, bits: u64, n: usize) {
    // SAFETY: by the caller's promise.
    unsafe {
        match size {
            1 => std::slice::from_raw_parts_mut(out, n).fill(bits as u8),
            2 => std::slice::from_raw_parts_mut(out.cast::<u16>(), n).fill(bits as u16),
            4 => std::slice::from_raw_parts_mut(out.cast::<u32>(), n).fill(bits as u32),
            16 => std::slice::from_raw_parts_mut(out.cast::<[u64; 2]>(), n).fill([bits, 0]),
            _ => std::slice::from_raw_parts_mut(out.cast::<u64>(), n).fill(bits),
        }
    }
}

/// The bits of one element of `size` bytes; of 16, those of the first 8.
///
/// # Safety
/// `ptr` is valid for `size` bytes and aligned to it.
pub unsafe fn load_bits(size: usize, ptr: *const u8) -> u64 {
    // SAFETY: by the caller's promise.
    unsafe {
        match size {
            1 => u64::from(*ptr),
            2 => u64::from(*ptr.cast::<u16>()),
            4 => u64::from(*ptr.cast::<u32>()),
            _ => *ptr.cast::<u64>(),
        }
    }
}
