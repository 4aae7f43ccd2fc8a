//! The search for the best element of a row, or of many columns at once, and how elements are ordered.
//! `argmax` and `argmin` run it on the CPU.

use kernels::dtype::{Complex, bf16, f16};

/// Columns whose best elements are kept at a time.
pub(super) const COLUMNS: usize = 256;

/// A type whose comparison orders elements.
pub(super) trait Best: Copy + PartialOrd {
    const LOWEST: Self;
    const HIGHEST: Self;
}

/// The type in which a dtype's elements are compared.
pub(super) trait Ordered {
    type Raw: Best;
}

macro_rules! ordered {
    ($($t:ident $lowest:ident $highest:ident)*) => {$(
        impl Best for $t {
            const LOWEST: Self = $t::$lowest;
            const HIGHEST: Self = $t::$highest;
        }
        impl Ordered for $t {
            type Raw = $t;
        }
    )*};
}

ordered!(f32 NEG_INFINITY INFINITY f64 NEG_INFINITY INFINITY f16 NEG_INFINITY INFINITY bf16 NEG_INFINITY INFINITY
    i8 MIN MAX i16 MIN MAX i32 MIN MAX i64 MIN MAX u8 MIN MAX u16 MIN MAX u32 MIN MAX u64 MIN MAX);

impl Ordered for bool {
    type Raw = u8;
}

// Complex numbers have no order; the type rule lets none through.
impl Ordered for Complex<f32> {
    type Raw = f32;
}
impl Ordered for Complex<f64> {
    type Raw = f64;
}

/// The best element first, by vectors, then where it is.
///
/// # Safety
/// `len` dense elements.
#[inline(always)]
pub(super) unsafe fn best_of_row<T: Best>(from: *const T, len: usize, start: T, better: impl Fn(T, T) -> bool) -> usize {
    // SAFETY: by the caller's promise.
    let row = unsafe { std::slice::from_raw_parts(from, len) };
    let mut lanes = [start; 32];
    let (blocks, tail) = row.as_chunks::<32>();
    for block in blocks {
        for (lane, &value) in lanes.iter_mut().zip(block) {
            // Never true for NaN, which is so passed over.
            *lane = if better(value, *lane) { value } else { *lane };
        }
    }
    let pick = |best: T, &value: &T| if better(value, best) { value } else { best };
    let best = tail.iter().fold(lanes.iter().fold(start, pick), pick);
    let is_best = |value: &T| *value == best;
    // A block at a time, so that the search runs on vectors as well.
    let block =
        blocks.iter().position(|block| block.iter().fold(false, |any, v| any | is_best(v))).unwrap_or(blocks.len());
    row[block * 32..].iter().position(is_best).map_or(0, |at| block * 32 + at)
}

/// The best elements of many short rows, one after the other in memory.
///
/// # Safety
/// As many dense rows of `len` elements as there are results.
#[inline(always)]
pub(super) unsafe fn best_of_rows<T: Best>(
    from: *const T,
    len: usize,
    found: &mut [u32],
    start: T,
    better: impl Fn(T, T) -> bool + Copy,
) {
    // SAFETY: by the caller's promise.
    unsafe {
        match len {
            2 => best_of_arrays::<T, 2>(from, found, start, better),
            3 => best_of_arrays::<T, 3>(from, found, start, better),
            4 => best_of_arrays::<T, 4>(from, found, start, better),
            _ => {
                let (groups, rest) = found.as_chunks_mut::<ABREAST>();
                let done = groups.len() * ABREAST;
                for (i, found) in groups.iter_mut().enumerate() {
                    best_abreast(from.add(i * ABREAST * len), len, found, start, better);
                }
                for (i, found) in rest.iter_mut().enumerate() {
                    *found = first_best(std::slice::from_raw_parts(from.add((done + i) * len), len), start, better);
                }
            }
        }
    }
}

/// Rows that are searched side by side: a single one waits for each comparison.
const ABREAST: usize = 8;

/// # Safety
/// As many dense rows of `len` elements as there are results.
#[inline(always)]
unsafe fn best_abreast<T: Best>(
    from: *const T,
    len: usize,
    found: &mut [u32; ABREAST],
    start: T,
    better: impl Fn(T, T) -> bool + Copy,
) {
    const NONE: u32 = u32::MAX;
    let (mut best, mut at) = ([start; ABREAST], [NONE; ABREAST]);
    // SAFETY: by the caller's promise.
    unsafe {
        for k in 0..len {
            for (j, (best, at)) in best.iter_mut().zip(&mut at).enumerate() {
                let value = *from.add(j * len + k);
                let wins = better(value, *best);
                *best = if wins { value } else { *best };
                *at = if wins { k as u32 } else { *at };
            }
        }
        // Nothing was better than the start: the start itself may be there.
        for (j, at) in at.iter_mut().enumerate().filter(|(_, at)| **at == NONE) {
            *at = first_best(std::slice::from_raw_parts(from.add(j * len), len), start, better);
        }
    }
    *found = at;
}

/// # Safety
/// As many dense rows of `L` elements as there are results.
#[inline(always)]
unsafe fn best_of_arrays<T: Best, const L: usize>(
    from: *const T,
    found: &mut [u32],
    start: T,
    better: impl Fn(T, T) -> bool + Copy,
) {
    // SAFETY: by the caller's promise.
    let rows = unsafe { std::slice::from_raw_parts(from.cast::<[T; L]>(), found.len()) };
    for (row, found) in rows.iter().zip(found) {
        *found = first_best(row, start, better);
    }
}

/// The first of the best, without branches: as [`best_of_row`], which looks for a row's best value in it, and for `start` where nothing is better.
#[inline(always)]
fn first_best<T: Best>(row: &[T], start: T, better: impl Fn(T, T) -> bool) -> u32 {
    let (mut best, mut at, mut any) = (start, 0, false);
    for (k, &value) in row.iter().enumerate() {
        let wins = better(value, best) | (!any & (value == best));
        best = if wins { value } else { best };
        at = if wins { k as u32 } else { at };
        any |= wins;
    }
    at
}

/// # Safety
/// `len` rows of as many elements as there are results, `stride` elements apart.
#[inline(always)]
pub(super) unsafe fn best_of_columns<T: Best>(
    from: *const T,
    len: usize,
    stride: usize,
    found: &mut [usize],
    start: T,
    better: impl Fn(T, T) -> bool,
) {
    let mut best = [start; COLUMNS];
    let best = &mut best[..found.len()];
    for i in 0..len {
        // SAFETY: by the caller's promise.
        let row = unsafe { std::slice::from_raw_parts(from.add(i * stride), found.len()) };
        for ((&value, best), at) in row.iter().zip(best.iter_mut()).zip(found.iter_mut()) {
            let wins = better(value, *best);
            *at = if wins { i } else { *at };
            *best = if wins { value } else { *best };
        }
    }
}
