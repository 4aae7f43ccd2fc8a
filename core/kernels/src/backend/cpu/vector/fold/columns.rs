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

/// Groups of few columns that go side by side: each column is one chain of additions, and those of one group are too few.
const SIDE: usize = 4;
/// Columns of which several rows are taken as one, at most.
const MOST_AS_ONE: usize = 8;

/// Folds `groups` groups, `pitch` apart, each of `len` rows of fewer than 16 columns, into as many accumulators as all have columns.
///
/// # Safety
/// These elements and accumulators are there.
#[inline(always)]
pub(super) unsafe fn groups<I: Item, C: Combine<I::Acc>>(
    [len, columns, groups]: [usize; 3],
    [stride, pitch]: [isize; 2],
    from: *const u8,
    acc: *mut u8,
) {
    let (from, acc) = (from.cast::<I>(), acc.cast::<I::Acc>());
    if I::EXACT && size_of::<I::Acc>() == 1 && stride == columns as isize && columns <= MOST_AS_ONE {
        for group in 0..groups {
            // SAFETY: by the caller's promise.
            unsafe {
                several_as_one::<I, C>(len, columns, from.offset(group as isize * pitch), acc.add(group * columns))
            };
        }
        return;
    }
    let whole = groups / SIDE * SIDE;
    // SAFETY: by the caller's promise.
    unsafe {
        for group in (0..whole).step_by(SIDE) {
            let (from, acc) = (from.offset(group as isize * pitch), acc.add(group * columns));
            let mut column = 0;
            if columns >= 8 {
                stripes::<I, C, 8>(len, columns, [stride, pitch], from, acc);
                column += 8;
            }
            if columns - column >= 4 {
                stripes::<I, C, 4>(len, columns, [stride, pitch], from.add(column), acc.add(column));
                column += 4;
            }
            let (from, acc) = (from.add(column), acc.add(column));
            match columns - column {
                3 => stripes::<I, C, 3>(len, columns, [stride, pitch], from, acc),
                2 => stripes::<I, C, 2>(len, columns, [stride, pitch], from, acc),
                1 => stripes::<I, C, 1>(len, columns, [stride, pitch], from, acc),
                _ => {}
            }
        }
        for group in whole..groups {
            let from = from.offset(group as isize * pitch);
            band_body::<I, C>(len, stride, columns, from.cast(), acc.add(group * columns).cast());
        }
    }
}

/// Few columns of bytes whose order says nothing, and which lie dense: 64 rows as one, and then those of its columns that are the same.
#[inline(always)]
unsafe fn several_as_one<I: Item, C: Combine<I::Acc>>(len: usize, columns: usize, from: *const I, acc: *mut I::Acc) {
    const ROWS: usize = 64;
    let mut lanes = [C::identity(); ROWS * MOST_AS_ONE];
    let (lanes, long) = (&mut lanes[..ROWS * columns], len / ROWS);
    // SAFETY: the caller gives `len` rows of `columns` elements, at most MOST_AS_ONE, and as many accumulators.
    unsafe {
        for (i, lanes) in lanes.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            stripe::<I, C, ROWS>(long, (ROWS * columns) as isize, from.add(ROWS * i), lanes.as_mut_ptr());
        }
        let rest = std::slice::from_raw_parts(from.add(long * ROWS * columns), len % ROWS * columns);
        for (lane, item) in lanes.iter_mut().zip(rest) {
            *lane = C::combine(*lane, item.load());
        }
        let mut half = ROWS / 2;
        while half >= 4 {
            let (low, high) = lanes.split_at_mut(half * columns);
            for (low, high) in low.iter_mut().zip(high) {
                *low = C::combine(*low, *high);
            }
            half /= 2;
        }
        let acc = std::slice::from_raw_parts_mut(acc, columns);
        for row in lanes[..4 * columns].chunks_exact(columns) {
            for (acc, lane) in acc.iter_mut().zip(row) {
                *acc = C::combine(*acc, *lane);
            }
        }
    }
}

/// `N` columns of each of [`SIDE`] groups at once.
#[inline(always)]
unsafe fn stripes<I: Item, C: Combine<I::Acc>, const N: usize>(
    len: usize,
    columns: usize,
    [stride, pitch]: [isize; 2],
    from: *const I,
    acc: *mut I::Acc,
) {
    // SAFETY: the caller gives N columns of each group.
    unsafe {
        let mut lanes = [[C::identity(); N]; SIDE];
        for (g, lanes) in lanes.iter_mut().enumerate() {
            *lanes = *acc.add(g * columns).cast();
        }
        for i in 0..len {
            let from = from.offset(i as isize * stride);
            for (g, lanes) in lanes.iter_mut().enumerate() {
                let row: &[I; N] = &*from.offset(g as isize * pitch).cast();
                for (lane, item) in lanes.iter_mut().zip(row) {
                    *lane = C::combine(*lane, item.load());
                }
            }
        }
        for (g, lanes) in lanes.iter().enumerate() {
            *acc.add(g * columns).cast() = *lanes;
        }
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
