//! Rows of columns folded into as many accumulators, in stripes that stay in registers; columns lie side by side or apart.
//! `fold.rs` has an instance for every monoid, dtype and instruction set.

use super::item::{Combine, Item};

/// Columns from which rows are read as a whole, so many at a time: memory gives short pieces of rows that lie pages apart at a third of the
/// speed. Accumulators are loaded and stored once for each such band.
const FEWEST_IN_BANDS: usize = 128;
const BAND: usize = 8;

#[inline(always)]
pub(super) unsafe fn body<I: Item, C: Combine<I::Acc>>(
    len: usize,
    stride: isize,
    columns: usize,
    from: *const u8,
    acc: *mut u8,
) {
    let band = if columns < FEWEST_IN_BANDS { len.max(1) } else { BAND };
    for row in (0..len).step_by(band) {
        let from = from.cast::<I>().wrapping_offset(row as isize * stride).cast();
        // SAFETY: the caller's promise; the band is a part of its rows.
        unsafe { band_body::<I, C>(band.min(len - row), stride, columns, from, acc) }
    }
}

#[inline(always)]
unsafe fn band_body<I: Item, C: Combine<I::Acc>>(
    len: usize,
    stride: isize,
    columns: usize,
    from: *const u8,
    acc: *mut u8,
) {
    // SAFETY: the caller gives `len` rows of `columns` elements and as many accumulators.
    unsafe {
        let (from, acc) = (from.cast::<I>(), acc.cast::<I::Acc>());
        let mut column = 0;
        while columns - column >= 64 {
            stripe::<I, C, 64>(len, stride, from.add(column), acc.add(column));
            column += 64;
        }
        while columns - column >= 16 {
            stripe::<I, C, 16>(len, stride, from.add(column), acc.add(column));
            column += 16;
        }
        // Few columns go together too, since each is one chain of additions.
        if columns - column >= 8 {
            stripe::<I, C, 8>(len, stride, from.add(column), acc.add(column));
            column += 8;
        }
        if columns - column >= 4 {
            stripe::<I, C, 4>(len, stride, from.add(column), acc.add(column));
            column += 4;
        }
        let (from, acc) = (from.add(column), acc.add(column));
        match columns - column {
            3 => stripe::<I, C, 3>(len, stride, from, acc),
            2 => stripe::<I, C, 2>(len, stride, from, acc),
            1 => stripe::<I, C, 1>(len, stride, from, acc),
            _ => {}
        }
    }
}

/// `N` columns at once, their accumulators in registers.
#[inline(always)]
unsafe fn stripe<I: Item, C: Combine<I::Acc>, const N: usize>(
    len: usize,
    stride: isize,
    from: *const I,
    acc: *mut I::Acc,
) {
    // SAFETY: the caller gives N columns.
    unsafe {
        let mut lanes: [I::Acc; N] = *acc.cast();
        for i in 0..len {
            let row: &[I; N] = &*from.offset(i as isize * stride).cast();
            for (lane, item) in lanes.iter_mut().zip(row) {
                *lane = C::combine(*lane, item.load());
            }
        }
        *acc.cast() = lanes;
    }
}

pub(super) unsafe fn apart<I: Item, C: Combine<I::Acc>>(
    len: usize,
    stride: isize,
    columns: usize,
    across: isize,
    from: *const u8,
    acc: *mut u8,
) {
    // Rows that lie farther apart than columns are taken a few at a time, so that what is fetched with one column is still
    // there for the next.
    let most = if stride.unsigned_abs() > across.unsigned_abs() { 32 } else { len.max(1) };
    // SAFETY: the caller gives `len` rows of `columns` elements and as many accumulators.
    unsafe {
        let (from, acc) = (from.cast::<I>(), acc.cast::<I::Acc>());
        for row in (0..len).step_by(most) {
            let (len, from) = (most.min(len - row), from.offset(row as isize * stride));
            let mut column = 0;
            while columns - column >= 16 {
                bundle::<I, C, 16>(len, stride, across, from.offset(column as isize * across), acc.add(column));
                column += 16;
            }
            for column in column..columns {
                bundle::<I, C, 1>(len, stride, across, from.offset(column as isize * across), acc.add(column));
            }
        }
    }
}

/// `N` columns at once, so that one addition need not wait for the last.
#[inline(always)]
unsafe fn bundle<I: Item, C: Combine<I::Acc>, const N: usize>(
    len: usize,
    stride: isize,
    across: isize,
    from: *const I,
    acc: *mut I::Acc,
) {
    // SAFETY: the caller gives N columns.
    unsafe {
        let mut lanes: [I::Acc; N] = *acc.cast();
        for i in 0..len {
            let row = from.offset(i as isize * stride);
            for (j, lane) in lanes.iter_mut().enumerate() {
                *lane = C::combine(*lane, (*row.offset(j as isize * across)).load());
            }
        }
        *acc.cast() = lanes;
    }
}
