//! The best elements of columns side by side, row after row, their values and places in vectors.
//! `extremes.rs` has an instance for every dtype and instruction set; few columns are made many by taking several rows as one.

use super::{Extreme, MOST_COLUMNS, Place, better, worst};
use std::hint::select_unpredictable;
use std::mem::MaybeUninit;

/// Columns from which on rows are read as a whole, so many at a time: memory gives short pieces of rows that lie pages apart slowly.
const FEWEST_IN_BANDS: usize = 128;
const BAND: usize = 8;
/// Fewer columns than these are made so many at least, by taking several rows as one.
const FEW: usize = 64;
/// Fewer columns are searched one by one where their rows are few as well.
const FEWEST: usize = 4;

/// Room for something about each column, of which only what is used is written.
type Room<X> = [MaybeUninit<X>; MOST_COLUMNS];

/// Bytes of the best values of a stripe, by the registers that a processor has: as many again are their places.
pub(super) const IN_REGISTERS: usize = 128;
#[cfg(target_arch = "x86_64")]
pub(super) const IN_LONG_REGISTERS: usize = 256;

/// The first `n` places of a room, all with one value.
#[inline(always)]
fn filled<X: Copy>(room: &mut Room<X>, n: usize, value: X) -> &mut [X] {
    let room = &mut room[..n];
    room.iter_mut().for_each(|place| {
        place.write(value);
    });
    // SAFETY: all of them have been written.
    unsafe { &mut *(std::ptr::from_mut(room) as *mut [X]) }
}

/// # Safety
/// As [`super::ColumnsLoop`] says.
#[inline(always)]
pub(super) unsafe fn body<T: Extreme, const LEAST: bool, const WIDEST: usize>(
    len: usize,
    stride: isize,
    columns: usize,
    groups: usize,
    pitch: isize,
    from: *const u8,
    found: *mut u64,
) {
    debug_assert!((1..=MOST_COLUMNS).contains(&columns));
    let several = FEW.div_ceil(columns);
    let dense = stride == columns as isize;
    for group in 0..groups {
        // SAFETY: by the caller's promise.
        unsafe {
            let from = from.cast::<T>().offset(group as isize * pitch);
            let found = std::slice::from_raw_parts_mut(found.add(group * columns), columns);
            if several > 1 && dense && len >= 4 * several {
                several_as_one::<T, LEAST, WIDEST>(len, several, from, found);
            } else if columns < FEWEST {
                found.iter_mut().enumerate().for_each(|(j, at)| *at = one::<T, LEAST>(len, stride, from.add(j)));
            } else if len <= BAND {
                few_rows::<T, LEAST>(len, stride, from, found);
            } else {
                let mut best = [const { MaybeUninit::uninit() }; MOST_COLUMNS];
                let best = filled(&mut best, columns, worst::<T, LEAST>());
                found.fill(0);
                rows_after::<T, LEAST, WIDEST>(len, stride, from, best, found);
                hidden::<T, LEAST>(len, stride, from, best, found);
            }
        }
    }
}

/// Few rows that are all there is: their places go straight to the results.
///
/// # Safety
/// As [`body`], for one group.
#[inline(always)]
pub(super) unsafe fn few_rows<T: Extreme, const LEAST: bool>(
    len: usize,
    stride: isize,
    from: *const T,
    found: &mut [u64],
) {
    // SAFETY: by the caller's promise.
    unsafe {
        // Two registers of bytes and pairs of them, as many of the longer ones as stay in registers.
        let mut done = match size_of::<T::Key>() {
            1 => few_in_stripes::<T, LEAST, 64>(len, stride, from, found),
            2 => few_in_stripes::<T, LEAST, 32>(len, stride, from, found),
            _ => 0,
        };
        done += few_in_stripes::<T, LEAST, 16>(len, stride, from.wrapping_add(done), &mut found[done..]);
        for (j, at) in found.iter_mut().enumerate().skip(done) {
            *at = one::<T, LEAST>(len, stride, from.add(j));
        }
    }
}

/// As [`few_rows`], as long as there are `N` columns; gives how many they were.
///
/// # Safety
/// As [`body`], for one group.
#[inline(always)]
unsafe fn few_in_stripes<T: Extreme, const LEAST: bool, const N: usize>(
    len: usize,
    stride: isize,
    from: *const T,
    found: &mut [u64],
) -> usize {
    let (parts, _) = found.as_chunks_mut::<N>();
    for (i, found) in parts.iter_mut().enumerate() {
        let (mut best, mut at) = ([worst::<T, LEAST>(); N], [T::Place::ZERO; N]);
        // SAFETY: by the caller's promise.
        unsafe {
            let from = from.add(N * i);
            stripe::<T, LEAST, N>(0..len, stride, from, &mut best, &mut at);
            for (found, at) in found.iter_mut().zip(at) {
                *found = at.number() as u64;
            }
            hidden::<T, LEAST>(len, stride, from, &best, found);
        }
    }
    N * parts.len()
}

/// The place in one column, without branches.
///
/// # Safety
/// `len` elements, `stride` apart.
#[inline(always)]
unsafe fn one<T: Extreme, const LEAST: bool>(len: usize, stride: isize, from: *const T) -> u64 {
    let (mut best, mut at, mut any) = (worst::<T, LEAST>(), 0, false);
    for k in 0..len {
        // SAFETY: by the caller's promise.
        let value = unsafe { (*from.offset(k as isize * stride)).key::<LEAST>() };
        let wins = better::<_, LEAST>(value, best) | (!any & (value == best));
        best = if wins { value } else { best };
        at = if wins { k as u64 } else { at };
        any |= wins;
    }
    at
}

/// Looks for the worst element where nothing is better than it, as that may be among others that are passed over.
///
/// # Safety
/// As [`body`], for one group.
#[inline(always)]
unsafe fn hidden<T: Extreme, const LEAST: bool>(
    len: usize,
    stride: isize,
    from: *const T,
    best: &[T::Key],
    found: &mut [u64],
) {
    // One question about all of them, so that vectors answer it.
    if T::MAY_HIDE && best.iter().fold(false, |any, &best| any | !better::<_, LEAST>(best, worst::<T, LEAST>())) {
        for (j, (&best, at)) in best.iter().zip(found).enumerate() {
            if !better::<_, LEAST>(best, worst::<T, LEAST>()) {
                // SAFETY: by the caller's promise.
                *at = unsafe { one::<T, LEAST>(len, stride, from.add(j)) };
            }
        }
    }
}

/// `several` rows of few columns side by side as one row of more.
///
/// # Safety
/// As [`body`], for one group; the rows lie dense.
#[inline(always)]
unsafe fn several_as_one<T: Extreme, const LEAST: bool, const WIDEST: usize>(
    len: usize,
    several: usize,
    from: *const T,
    found: &mut [u64],
) {
    let columns = found.len();
    let (long, wide) = (len / several, several * columns);
    let worst = worst::<T, LEAST>();
    let (mut best, mut best_of_wide) = ([worst; FEW], [const { MaybeUninit::uninit() }; MOST_COLUMNS]);
    let mut found_of_wide = [0; 2 * FEW];
    let (best_of_wide, found_of_wide) = (filled(&mut best_of_wide, wide, worst), &mut found_of_wide[..wide]);
    found.fill(0);
    // SAFETY: by the caller's promise.
    unsafe {
        rows_after::<T, LEAST, WIDEST>(long, wide as isize, from, best_of_wide, found_of_wide);
        for (i, (&value, &at)) in best_of_wide.iter().zip(&*found_of_wide).enumerate() {
            let (row, column) = (at * several as u64 + (i / columns) as u64, i % columns);
            if better::<_, LEAST>(value, best[column]) || (value == best[column] && row < found[column]) {
                (best[column], found[column]) = (value, row);
            }
        }
        for row in long * several..len {
            for column in 0..columns {
                let value = (*from.add(row * columns + column)).key::<LEAST>();
                if better::<_, LEAST>(value, best[column]) {
                    (best[column], found[column]) = (value, row as u64);
                }
            }
        }
        hidden::<T, LEAST>(len, columns as isize, from, &best[..columns], found);
    }
}

/// Row after row, as many at a time as places of the key's width can tell apart; changes what is better than it was.
///
/// # Safety
/// As [`body`], for one group.
#[inline(always)]
unsafe fn rows_after<T: Extreme, const LEAST: bool, const WIDEST: usize>(
    len: usize,
    stride: isize,
    from: *const T,
    all: &mut [T::Key],
    found: &mut [u64],
) {
    let (columns, most) = (found.len(), T::Place::MOST);
    let (mut best, mut at) =
        ([const { MaybeUninit::uninit() }; MOST_COLUMNS], [const { MaybeUninit::uninit() }; MOST_COLUMNS]);
    for first in (0..len).step_by(most) {
        let best = filled(&mut best, columns, worst::<T, LEAST>());
        let at = filled(&mut at, columns, T::Place::ZERO);
        let own = most.min(len - first);
        let band = if columns < FEWEST_IN_BANDS { own } else { BAND };
        for row in (0..own).step_by(band) {
            // SAFETY: by the caller's promise; the band is a part of the rows.
            unsafe {
                let from = from.offset((first + row) as isize * stride);
                stripes::<T, LEAST, WIDEST>(row..own.min(row + band), stride, from, best, at);
            }
        }
        for ((kept, kept_at), (&best, &at)) in all.iter_mut().zip(&mut *found).zip(best.iter().zip(&*at)) {
            if better::<_, LEAST>(best, *kept) {
                (*kept, *kept_at) = (best, (first + at.number()) as u64);
            }
        }
    }
}

/// # Safety
/// As [`body`], for the rows with the numbers `rows`, whose first begins at `from`.
#[inline(always)]
unsafe fn stripes<T: Extreme, const LEAST: bool, const WIDEST: usize>(
    rows: std::ops::Range<usize>,
    stride: isize,
    from: *const T,
    best: &mut [T::Key],
    at: &mut [T::Place],
) {
    let (columns, mut column) = (best.len(), 0);
    // SAFETY: by the caller's promise.
    unsafe {
        macro_rules! stripes_of {
            ($($n:literal)*) => {$(
                // What is known of more of them would not stay in registers.
                while size_of::<T::Key>() * $n <= WIDEST && columns - column >= $n {
                    stripe::<T, LEAST, $n>(rows.clone(), stride, from.add(column), &mut best[column..], &mut at[column..]);
                    column += $n;
                }
            )*};
        }
        stripes_of!(128 64 32 16 8 4 1);
    }
}

/// `N` columns at once, what is known of them in registers.
///
/// # Safety
/// As [`stripes`].
#[inline(always)]
unsafe fn stripe<T: Extreme, const LEAST: bool, const N: usize>(
    rows: std::ops::Range<usize>,
    stride: isize,
    from: *const T,
    best: &mut [T::Key],
    at: &mut [T::Place],
) {
    let (Some(best), Some(at)) = (best.first_chunk_mut::<N>(), at.first_chunk_mut::<N>()) else { return };
    let (mut values, mut places) = (*best, *at);
    for (i, number) in rows.enumerate() {
        // SAFETY: the caller gives N columns.
        let row: &[T; N] = unsafe { &*from.offset(i as isize * stride).cast() };
        let number = T::Place::of(number);
        for ((value, place), item) in values.iter_mut().zip(&mut places).zip(row) {
            let item = item.key::<LEAST>();
            let wins = better::<_, LEAST>(item, *value);
            *value = select_unpredictable(wins, item, *value);
            *place = select_unpredictable(wins, number, *place);
        }
    }
    (*best, *at) = (values, places);
}
