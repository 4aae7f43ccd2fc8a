//! Outputs that are neighbours in memory while their elements lie apart, as in a transposed matrix: whole vectors of outputs go through
//! the order of dense rows. `fold.rs` has an instance for every monoid, dtype and instruction set.

use super::WIDE;
use super::item::{Combine, Item};

/// Adds `len` rows of `columns` neighbours, `stride` apart, to the rows of lanes that are theirs: in turns, from number `first` on.
///
/// # Safety
/// These elements are there, and [`WIDE`] rows of `columns` lanes.
#[inline(always)]
pub(super) unsafe fn body<I: Item, C: Combine<I::Acc>>(
    first: usize,
    len: usize,
    stride: isize,
    columns: usize,
    from: *const u8,
    lanes: *mut u8,
) {
    let (from, lanes) = (from.cast::<I>(), lanes.cast::<I::Acc>());
    for i in 0..len {
        // SAFETY: by the caller's promise.
        let (row, lanes) = unsafe {
            let lanes = lanes.add((first + i) % WIDE * columns);
            (
                std::slice::from_raw_parts(from.offset(i as isize * stride), columns),
                std::slice::from_raw_parts_mut(lanes, columns),
            )
        };
        for (lane, item) in lanes.iter_mut().zip(row) {
            *lane = C::combine(*lane, item.load());
        }
    }
}

/// Folds the lanes of each column into its accumulator, in the order of `join`.
///
/// # Safety
/// [`WIDE`] rows of `columns` lanes, and as many accumulators.
#[inline(always)]
pub(super) unsafe fn join<I: Item, C: Combine<I::Acc>>(columns: usize, lanes: *mut u8, acc: *mut u8) {
    // SAFETY: by the caller's promise.
    let (lanes, acc) = unsafe {
        (
            std::slice::from_raw_parts_mut(lanes.cast::<I::Acc>(), WIDE * columns),
            std::slice::from_raw_parts_mut(acc.cast::<I::Acc>(), columns),
        )
    };
    let mut half = WIDE / 2 * columns;
    while half >= columns && half > 0 {
        let (low, high) = lanes.split_at_mut(half);
        for (low, high) in low.iter_mut().zip(&*high) {
            *low = C::combine(*low, *high);
        }
        half /= 2;
    }
    for (acc, lane) in acc.iter_mut().zip(&*lanes) {
        *acc = C::combine(*acc, *lane);
    }
}
