//! The best elements of rows that lie dense: the best value first, by vectors, then where it is.
//! `extremes.rs` has an instance for every dtype and instruction set.

#[cfg(target_arch = "x86_64")]
use super::columns;
use super::{Extreme, Place, better, worst};
#[cfg(target_arch = "x86_64")]
use crate::backend::cpu::simd::transpose::rows_to_columns;
#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;

/// Rows of fewer elements are searched several at a time, one element after the other.
const SHORT: usize = 16;
/// Bytes of rows that are turned into columns at a time, at most.
#[cfg(target_arch = "x86_64")]
const ROOM: usize = 16 * 1024;
/// Elements of which only the best is kept; the piece that has it is searched once more.
const PIECE: usize = 4096;
/// Rows that go side by side: a single one waits for each comparison.
const ABREAST: usize = 8;

/// # Safety
/// As [`body`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn with_vectors<T: Extreme, const LEAST: bool>(
    len: usize,
    rows: usize,
    from: *const u8,
    found: *mut u64,
) {
    let side = turned_rows::<T>();
    let longest = (ROOM / side / size_of::<T>()).min(T::Place::MOST);
    // Shorter ones are faster one after the other, by the bytes of an element: 1, 2, 4 and 8 (measured on Zen 3).
    let shortest = [3, 2, 3, 4][size_of::<T>().ilog2() as usize];
    let whole = if (shortest..=longest).contains(&len) { rows / side * side } else { 0 };
    // SAFETY: by the caller's promise.
    unsafe {
        for row in (0..whole).step_by(side) {
            turned::<T, LEAST>(len, from.cast::<T>().add(row * len), found.add(row));
        }
        let from = from.add(whole * len * size_of::<T>());
        body::<T, LEAST>(len, rows - whole, from, found.add(whole));
    }
}

/// Rows that are turned at a time: as many columns stay in registers.
#[cfg(target_arch = "x86_64")]
const fn turned_rows<T>() -> usize {
    if size_of::<T>() == 8 { 32 } else { 64 }
}

/// [`turned_rows`] rows as columns side by side.
///
/// # Safety
/// As [`with_vectors`], for so many rows whose columns fit in the [`ROOM`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn turned<T: Extreme, const LEAST: bool>(len: usize, from: *const T, found: *mut u64) {
    let mut room = [const { MaybeUninit::<u64>::uninit() }; ROOM / 8];
    let to = room.as_mut_ptr().cast::<T>();
    // SAFETY: by the caller's promise; an element is as its bytes are.
    unsafe {
        let rows = turned_rows::<T>();
        rows_to_columns(len, rows, from, to);
        columns::few_rows::<T, LEAST>(len, rows as isize, to, std::slice::from_raw_parts_mut(found, rows));
    }
}

/// # Safety
/// `rows` dense rows of `len` elements, and as many places.
#[inline(always)]
pub(super) unsafe fn body<T: Extreme, const LEAST: bool>(len: usize, rows: usize, from: *const u8, found: *mut u64) {
    let from = from.cast::<T>();
    // SAFETY: by the caller's promise.
    unsafe {
        match len {
            0 | 1 => (0..rows).for_each(|i| *found.add(i) = 0),
            2 => arrays::<T, LEAST, 2>(rows, from, found),
            3 => arrays::<T, LEAST, 3>(rows, from, found),
            4 => arrays::<T, LEAST, 4>(rows, from, found),
            5 => arrays::<T, LEAST, 5>(rows, from, found),
            6 => arrays::<T, LEAST, 6>(rows, from, found),
            7 => arrays::<T, LEAST, 7>(rows, from, found),
            8 => arrays::<T, LEAST, 8>(rows, from, found),
            9..SHORT => {
                let whole = rows / ABREAST * ABREAST;
                for i in (0..whole).step_by(ABREAST) {
                    abreast::<T, LEAST>(len, from.add(i * len), found.add(i));
                }
                for i in whole..rows {
                    *found.add(i) = first::<T, LEAST>(std::slice::from_raw_parts(from.add(i * len), len));
                }
            }
            _ => {
                for i in 0..rows {
                    *found.add(i) = row::<T, LEAST>(std::slice::from_raw_parts(from.add(i * len), len));
                }
            }
        }
    }
}

/// The place in a row, without branches.
#[inline(always)]
fn first<T: Extreme, const LEAST: bool>(row: &[T]) -> u64 {
    let (mut best, mut at, mut any) = (worst::<T, LEAST>(), 0, false);
    for (k, &value) in row.iter().enumerate() {
        let value = value.key::<LEAST>();
        let wins = better::<_, LEAST>(value, best) | (!any & (value == best));
        best = if wins { value } else { best };
        at = if wins { k as u64 } else { at };
        any |= wins;
    }
    at
}

/// # Safety
/// As [`body`], for rows of `L` elements.
#[inline(always)]
unsafe fn arrays<T: Extreme, const LEAST: bool, const L: usize>(rows: usize, from: *const T, found: *mut u64) {
    // SAFETY: by the caller's promise.
    let (rows, found) = unsafe {
        (std::slice::from_raw_parts(from.cast::<[T; L]>(), rows), std::slice::from_raw_parts_mut(found, rows))
    };
    for (row, found) in rows.iter().zip(found) {
        *found = first::<T, LEAST>(row);
    }
}

/// # Safety
/// As [`body`], for [`ABREAST`] rows.
#[inline(always)]
unsafe fn abreast<T: Extreme, const LEAST: bool>(len: usize, from: *const T, found: *mut u64) {
    const NONE: u32 = u32::MAX;
    let (mut best, mut at) = ([worst::<T, LEAST>(); ABREAST], [NONE; ABREAST]);
    // SAFETY: by the caller's promise.
    unsafe {
        for k in 0..len {
            for (j, (best, at)) in best.iter_mut().zip(&mut at).enumerate() {
                let value = (*from.add(j * len + k)).key::<LEAST>();
                let wins = better::<_, LEAST>(value, *best);
                *best = if wins { value } else { *best };
                *at = if wins { k as u32 } else { *at };
            }
        }
        for (j, &at) in at.iter().enumerate() {
            // Where nothing is better than the worst, the worst itself may be there.
            *found.add(j) = match at {
                NONE => first::<T, LEAST>(std::slice::from_raw_parts(from.add(j * len), len)),
                at => u64::from(at),
            };
        }
    }
}

/// The place in a row of [`SHORT`] elements at least.
#[inline(always)]
fn row<T: Extreme, const LEAST: bool>(row: &[T]) -> u64 {
    let mut best = worst::<T, LEAST>();
    let (mut begin, mut end) = (0, row.len());
    let mut at = 0;
    while at < row.len() {
        // What is left behind a piece is never too little for vectors.
        let next = if row.len() - at < 2 * PIECE { row.len() } else { at + PIECE };
        let found = best_value::<T, LEAST>(&row[at..next]);
        if better::<_, LEAST>(found, best) {
            (best, begin, end) = (found, at, next);
        }
        at = next;
    }
    if begin == 0 && !better::<_, LEAST>(best, worst::<T, LEAST>()) {
        // The worst that there is may be anywhere.
        end = row.len();
    }
    let row = &row[begin..end];
    let place = match row.len() < 256.min(T::Place::MOST) {
        true => place_in_few::<T, LEAST>(row, best),
        false => place_in_many::<T, LEAST>(row, best),
    };
    place.map_or(0, |at| (begin + at) as u64)
}

/// The best of [`SHORT`] elements or more; those that fill no block are taken with some that were seen before.
#[inline(always)]
fn best_value<T: Extreme, const LEAST: bool>(row: &[T]) -> T::Key {
    // Eight registers' worth at the most, so that lanes stay in them.
    match (row.len(), size_of::<T::Key>()) {
        (256.., 1) => best_in_blocks::<T, LEAST, 256>(row),
        (128.., 2) => best_in_blocks::<T, LEAST, 128>(row),
        (64.., 4) => best_in_blocks::<T, LEAST, 64>(row),
        (32.., 8) => best_in_blocks::<T, LEAST, 32>(row),
        _ => best_in_blocks::<T, LEAST, 16>(row),
    }
}

#[inline(always)]
fn best_in_blocks<T: Extreme, const LEAST: bool, const N: usize>(row: &[T]) -> T::Key {
    let mut lanes = [worst::<T, LEAST>(); N];
    let (blocks, rest) = row.as_chunks::<N>();
    for block in blocks {
        raise::<T, LEAST, N>(&mut lanes, block);
    }
    if let (false, Some(block)) = (rest.is_empty(), row.last_chunk::<N>()) {
        raise::<T, LEAST, N>(&mut lanes, block);
    }
    let mut width = N / 2;
    while width > 0 {
        for i in 0..width {
            let other = lanes[i + width];
            lanes[i] = if better::<_, LEAST>(other, lanes[i]) { other } else { lanes[i] };
        }
        width /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn raise<T: Extreme, const LEAST: bool, const N: usize>(lanes: &mut [T::Key; N], block: &[T; N]) {
    for (lane, value) in lanes.iter_mut().zip(block) {
        let value = value.key::<LEAST>();
        *lane = if better::<_, LEAST>(value, *lane) { value } else { *lane };
    }
}

/// Where a value is first among so few elements that all are looked at: a branch that cannot be foreseen costs more.
#[inline(always)]
fn place_in_few<T: Extreme, const LEAST: bool>(row: &[T], best: T::Key) -> Option<usize> {
    let none = T::Place::of(T::Place::MOST);
    let mut lanes = [none; 16];
    let (blocks, rest) = row.as_chunks::<16>();
    for (i, block) in blocks.iter().enumerate() {
        nearer::<T, LEAST>(&mut lanes, block, best, 16 * i);
    }
    if let (false, Some(block)) = (rest.is_empty(), row.last_chunk::<16>()) {
        nearer::<T, LEAST>(&mut lanes, block, best, row.len() - 16);
    }
    let mut width = 8;
    while width > 0 {
        for i in 0..width {
            lanes[i] = lanes[i].min(lanes[i + width]);
        }
        width /= 2;
    }
    (lanes[0] != none).then(|| lanes[0].number())
}

/// The places of a value in a block that begins at `at`, where they come before those known.
#[inline(always)]
fn nearer<T: Extreme, const LEAST: bool>(lanes: &mut [T::Place; 16], block: &[T; 16], best: T::Key, at: usize) {
    let none = T::Place::of(T::Place::MOST);
    for (i, (lane, value)) in lanes.iter_mut().zip(block).enumerate() {
        let here = if value.key::<LEAST>() == best { T::Place::of(at + i) } else { none };
        *lane = (*lane).min(here);
    }
}

/// Where a value is first: a block at a time, so that the search runs on vectors too.
#[inline(always)]
fn place_in_many<T: Extreme, const LEAST: bool>(row: &[T], best: T::Key) -> Option<usize> {
    let is_best = |value: &T| value.key::<LEAST>() == best;
    let (blocks, _) = row.as_chunks::<64>();
    let block = blocks.iter().position(|block| block.iter().fold(false, |any, value| any | is_best(value)));
    let begin = 64 * block.unwrap_or(blocks.len());
    row[begin..].iter().position(is_best).map(|at| begin + at)
}
