//! Packing: elements of an operand that does not lie in the order of a loop, put one behind the other for a tile of it.
//! The tile machine here and the fused loops of plans call it.

use crate::backend::cpu::merge_dims::Collapsed;
use crate::backend::cpu::{copy, vector};

/// Elements of a row up to which a call for each would cost more than its elements.
const SHORT: usize = 16;

/// Packs many short rows, `across` from each other, of elements that lie `step` apart.
///
/// # Safety
/// The rows are there, and there is room for their elements.
unsafe fn short_rows<T: Copy>(from: *const T, [rows, row]: [usize; 2], [across, step]: [isize; 2], to: *mut T) {
    macro_rules! known {
        ($($n:literal)*) => {
            match row {
                $($n => for r in 0..rows {
                    for c in 0..$n {
                        // SAFETY: by the caller's promise.
                        unsafe { *to.add(r * $n + c) = *from.offset(r as isize * across + c as isize * step) };
                    }
                },)*
                _ => for r in 0..rows {
                    for c in 0..row {
                        // SAFETY: by the caller's promise.
                        unsafe { *to.add(r * row + c) = *from.offset(r as isize * across + c as isize * step) };
                    }
                },
            }
        };
    }
    known!(2 3 4 8 16)
}

/// Packs `count` elements of an operand, from flat index `start` on, into a dense buffer.
///
/// # Safety
/// The operand is valid over `space`, `out` holds `count` elements of `size` bytes, 1, 2, 4 or 8, and is aligned to it.
pub unsafe fn gather(
    space: &Collapsed,
    operand: usize,
    base: *const u8,
    size: usize,
    start: usize,
    count: usize,
    out: *mut u8,
) {
    debug_assert!(matches!(size, 1 | 2 | 4 | 8), "elements of {size} bytes");
    let last = space.dims.len() - 1;
    let row = space.dims[last];
    let step = space.stride(last, operand);
    let mut done = 0;
    while done < count {
        let flat = start + done;
        let column = flat % row;
        let mut rest = flat / row;
        let mut offset = column as isize * step;
        for axis in (0..last).rev() {
            offset += (rest % space.dims[axis]) as isize * space.stride(axis, operand);
            rest /= space.dims[axis];
        }
        let run = (row - column).min(count - done);
        // SAFETY: by the caller's promise; the offsets are those of elements of the operand.
        let (from, to) = unsafe { (base.offset(offset * size as isize), out.add(done * size)) };
        if row <= SHORT && last > 0 && column == 0 {
            let inner = flat / row % space.dims[last - 1];
            let rows = (space.dims[last - 1] - inner).min((count - done) / row);
            if rows > 1 {
                let steps = [space.stride(last - 1, operand), step];
                // SAFETY: as above, for all elements of these rows.
                unsafe {
                    match size {
                        1 => short_rows::<u8>(from, [rows, row], steps, to),
                        2 => short_rows::<u16>(from.cast(), [rows, row], steps, to.cast()),
                        4 => short_rows::<u32>(from.cast(), [rows, row], steps, to.cast()),
                        _ => short_rows::<u64>(from.cast(), [rows, row], steps, to.cast()),
                    }
                }
                done += rows * row;
                continue;
            }
        }
        // SAFETY: as above.
        unsafe {
            match step {
                1 => std::ptr::copy_nonoverlapping(from, to, run * size),
                0 => vector::fill(size, to, vector::load_bits(size, from), run),
                _ => copy::strided_row(size, from, step, to, run),
            }
        }
        done += run;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::merge_dims::collapse;

    /// Every element of the space, in order, by its strides.
    fn one_by_one<T: Copy>(dims: &[usize], strides: &[isize], base: &[T]) -> Vec<T> {
        let count = dims.iter().product();
        let offset = |mut flat: usize| {
            let mut offset = 0;
            for (&dim, &stride) in dims.iter().zip(strides).rev() {
                offset += (flat % dim) as isize * stride;
                flat /= dim;
            }
            offset as usize
        };
        (0..count).map(|flat| base[offset(flat)]).collect()
    }

    fn check<T: Copy + PartialEq + std::fmt::Debug>(dims: &[usize], strides: &[isize], base: &[T], guard: T) {
        let space = collapse(dims, 1, |_, axis| strides[axis], |_, _| true);
        let all = one_by_one(dims, strides, base);
        for start in 0..all.len() {
            for count in [1, 2, 3, 5, 8, 17, 40, all.len()] {
                let count = count.min(all.len() - start);
                let mut out = vec![guard; count + 1];
                let from = base.as_ptr().cast();
                // SAFETY: `base` holds every element that the strides lead to, `out` has room for one more than `count`.
                unsafe { gather(&space, 0, from, size_of::<T>(), start, count, out.as_mut_ptr().cast()) };
                assert_eq!(out[..count], all[start..start + count], "{dims:?} {strides:?}, {count} from {start} on");
                assert_eq!(out[count], guard, "one behind the end, {dims:?} {strides:?}");
            }
        }
    }

    #[test]
    fn rows_of_any_length_come_from_any_strides() {
        let numbers: Vec<u64> = (0..4000).collect();
        let bytes: Vec<u8> = numbers.iter().map(|&n| (n % 251) as u8).collect();
        let halves: Vec<u16> = numbers.iter().map(|&n| n as u16).collect();
        let words: Vec<u32> = numbers.iter().map(|&n| n as u32).collect();
        for row in [1, 2, 3, 4, 5, 8, 15, 16, 17] {
            // Rows with gaps; every second element; columns; one row, one element or one column for all.
            for strides in [[100, 20, 1], [160, 40, 2], [1, 3, 50], [0, 20, 1], [90, 0, 1], [7, 20, 0], [0, 0, 1]] {
                let dims = [3, 4, row];
                check(&dims, &strides, &bytes, 0xAA);
                check(&dims, &strides, &halves, 0xAAAA);
                check(&dims, &strides, &words, u32::MAX);
                check(&dims, &strides, &numbers, u64::MAX);
            }
        }
    }
}
