//! Many rows, each folded into an accumulator of its own: rows of few elements go side by side through vector registers.
//! `fold.rs` has an instance for every monoid, dtype and instruction set, and folds single short rows by the same order.

#[cfg(target_arch = "x86_64")]
use super::columns;
use super::item::{Combine, Item};
use super::{WIDE, row_body};
#[cfg(target_arch = "x86_64")]
use crate::backend::cpu::simd::transpose::rows_to_columns;
#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;

/// A row of fewer than `WIDE` elements: few chains, because joining many is most of the work.
#[inline(always)]
pub(super) fn row<I: Item, C: Combine<I::Acc>>(items: &[I]) -> I::Acc {
    let mut lanes = [C::identity(); 4];
    let (blocks, tail) = items.as_chunks::<4>();
    for block in blocks {
        for (lane, item) in lanes.iter_mut().zip(block) {
            *lane = C::combine(*lane, item.load());
        }
    }
    for (lane, item) in lanes.iter_mut().zip(tail) {
        *lane = C::combine(*lane, item.load());
    }
    joined::<I, C>(lanes)
}

#[inline(always)]
fn joined<I: Item, C: Combine<I::Acc>>(lanes: [I::Acc; 4]) -> I::Acc {
    C::combine(C::combine(lanes[0], lanes[2]), C::combine(lanes[1], lanes[3]))
}

/// Rows that are neighbours, of a length that the compiler knows, so that it takes several at a time.
#[inline(always)]
unsafe fn dense<I: Item, C: Combine<I::Acc>, const L: usize>(rows: usize, from: *const I, acc: *mut I::Acc) {
    // SAFETY: the caller gives rows of `L` elements and an accumulator for each.
    let (items, acc) =
        unsafe { (std::slice::from_raw_parts(from.cast::<[I; L]>(), rows), std::slice::from_raw_parts_mut(acc, rows)) };
    for (acc, items) in acc.iter_mut().zip(items) {
        let mut lanes = [C::identity(); 4];
        for (k, item) in items.iter().enumerate() {
            lanes[k % 4] = C::combine(lanes[k % 4], item.load());
        }
        *acc = C::combine(*acc, joined::<I, C>(lanes));
    }
}

/// As many rows at a time, each with lanes of its own in one register.
const ROWS: usize = 4;

/// [`ROWS`] rows whose elements are neighbours, `T` of each more than whole blocks of lanes. What is missing of the last block is the identity, which
/// changes no lane: an element that is added to a single lane would wait until the whole register is written to memory.
#[inline(always)]
unsafe fn in_blocks<I: Item, C: Combine<I::Acc>, const T: usize>(
    len: usize,
    pitch: isize,
    from: *const I,
    acc: *mut I::Acc,
) {
    let mut lanes = [[C::identity(); 4]; ROWS];
    let blocks = len / 4;
    // SAFETY: the caller gives rows of `4 * blocks + T` elements, and an accumulator for each.
    unsafe {
        for k in 0..blocks {
            for (r, lanes) in lanes.iter_mut().enumerate() {
                let block: &[I; 4] = &*from.offset(r as isize * pitch).add(4 * k).cast();
                for (lane, item) in lanes.iter_mut().zip(block) {
                    *lane = C::combine(*lane, item.load());
                }
            }
        }
        if T > 0 {
            for (r, lanes) in lanes.iter_mut().enumerate() {
                let rest: &[I; T] = &*from.offset(r as isize * pitch).add(4 * blocks).cast();
                let mut block = [C::identity(); 4];
                for (to, item) in block.iter_mut().zip(rest) {
                    *to = item.load();
                }
                for (lane, item) in lanes.iter_mut().zip(block) {
                    *lane = C::combine(*lane, item);
                }
            }
        }
        for (r, lanes) in lanes.into_iter().enumerate() {
            let acc = acc.add(r);
            *acc = C::combine(*acc, joined::<I, C>(lanes));
        }
    }
}

/// Whole groups of [`ROWS`] rows; gives how many rows they were.
#[inline(always)]
unsafe fn groups<I: Item, C: Combine<I::Acc>, const T: usize>(
    len: usize,
    rows: usize,
    pitch: isize,
    from: *const I,
    acc: *mut I::Acc,
) -> usize {
    let whole = rows / ROWS * ROWS;
    for j in (0..whole).step_by(ROWS) {
        // SAFETY: the caller gives so many rows and accumulators.
        unsafe { in_blocks::<I, C, T>(len, pitch, from.offset(j as isize * pitch), acc.add(j)) };
    }
    whole
}

/// `N` rows whose first elements are neighbours, and so all their others.
#[inline(always)]
unsafe fn abreast<I: Item, C: Combine<I::Acc>, const N: usize>(
    len: usize,
    stride: isize,
    from: *const I,
    acc: *mut I::Acc,
) {
    let mut lanes = [[C::identity(); N]; 4];
    // SAFETY: the caller gives `len` times N neighbours, and N accumulators.
    unsafe {
        // Four lanes by name, so that they stay in registers.
        for first in (0..len).step_by(4) {
            for (k, lanes) in lanes.iter_mut().enumerate() {
                if first + k < len {
                    let items: &[I; N] = &*from.offset((first + k) as isize * stride).cast();
                    for (lane, item) in lanes.iter_mut().zip(items) {
                        *lane = C::combine(*lane, item.load());
                    }
                }
            }
        }
        let [a, b, c, d] = &lanes;
        for (j, (((&a, &b), &c), &d)) in a.iter().zip(b).zip(c).zip(d).enumerate() {
            let acc = acc.add(j);
            *acc = C::combine(*acc, joined::<I, C>([a, b, c, d]));
        }
    }
}

/// Rows of `L` elements whose first elements are neighbours, as long as there are [`ABREAST`] of them; gives how many rows they were.
#[inline(always)]
unsafe fn few_abreast<I: Item, C: Combine<I::Acc>, const L: usize>(
    rows: usize,
    stride: isize,
    from: *const I,
    acc: *mut I::Acc,
) -> usize {
    let whole = rows / ABREAST * ABREAST;
    for first in (0..whole).step_by(ABREAST) {
        // SAFETY: the caller gives `L` times as many neighbours as rows, and an accumulator for each.
        unsafe {
            let from = from.add(first);
            let items: [&[I; ABREAST]; L] = std::array::from_fn(|k| &*from.offset(k as isize * stride).cast());
            let acc = &mut *acc.add(first).cast::<[I::Acc; ABREAST]>();
            for (j, acc) in acc.iter_mut().enumerate() {
                let mut lanes = [C::identity(); 4];
                for (k, items) in items.iter().enumerate() {
                    lanes[k % 4] = C::combine(lanes[k % 4], items[j].load());
                }
                *acc = C::combine(*acc, joined::<I, C>(lanes));
            }
        }
    }
    whole
}

/// Too many for the compiler to unroll: a loop of 16 it unrolled, and then took the loop around it for the one to make vectors of, element by
/// element.
const ABREAST: usize = 64;

/// `N` rows `pitch` apart, so that one addition need not wait for the last.
#[inline(always)]
unsafe fn spread<I: Item, C: Combine<I::Acc>, const N: usize>(
    len: usize,
    stride: isize,
    pitch: isize,
    from: *const I,
    acc: *mut I::Acc,
) {
    let mut lanes = [[C::identity(); N]; 4];
    // SAFETY: the caller gives N rows of `len` elements, and N accumulators.
    unsafe {
        for k in 0..len {
            let from = from.offset(k as isize * stride);
            for (j, lane) in lanes[k % 4].iter_mut().enumerate() {
                *lane = C::combine(*lane, (*from.offset(j as isize * pitch)).load());
            }
        }
        let [a, b, c, d] = &lanes;
        for (j, (((&a, &b), &c), &d)) in a.iter().zip(b).zip(c).zip(d).enumerate() {
            let acc = acc.add(j);
            *acc = C::combine(*acc, joined::<I, C>([a, b, c, d]));
        }
    }
}

/// Bytes of rows that are turned into columns at a time, at most, and how many they are.
#[cfg(target_arch = "x86_64")]
const ROOM: usize = 16 * 1024;
#[cfg(target_arch = "x86_64")]
const TURNED: usize = 64;
/// Shorter rows are as fast or faster by loops of known length (measured on Zen 3).
#[cfg(target_arch = "x86_64")]
const SHORTEST: usize = 4;

/// As [`body`] on a processor with AVX2: dense rows of narrow elements become columns first, so that registers are full. Rows of
/// [`WIDE`] elements are folded in an order of their own, unless that says nothing.
///
/// # Safety
/// As [`body`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn with_vectors<I: Item, C: Combine<I::Acc>>(
    len: usize,
    stride: isize,
    rows: usize,
    pitch: isize,
    from: *const u8,
    acc: *mut u8,
) {
    let longest = if I::EXACT { ROOM / TURNED / size_of::<I>() } else { WIDE - 1 };
    let turns = size_of::<I>() <= 2 && stride == 1 && pitch == len as isize && (SHORTEST..=longest).contains(&len);
    if !turns {
        // SAFETY: the same contract.
        return unsafe { body::<I, C>(len, stride, rows, pitch, from, acc) };
    }
    let (from, acc) = (from.cast::<I>(), acc.cast::<I::Acc>());
    let whole = rows / TURNED * TURNED;
    // SAFETY: by the caller's promise; the columns fit in the room.
    unsafe {
        for row in (0..whole).step_by(TURNED) {
            let mut room = [const { MaybeUninit::<u64>::uninit() }; ROOM / 8];
            let to = room.as_mut_ptr().cast::<I>();
            rows_to_columns(len, TURNED, from.add(row * len), to);
            let acc = acc.add(row);
            if I::EXACT {
                columns::body::<I, C>(len, TURNED as isize, TURNED, to.cast(), acc.cast());
                continue;
            }
            match len {
                4 => _ = few_abreast::<I, C, 4>(TURNED, TURNED as isize, to, acc),
                5 => _ = few_abreast::<I, C, 5>(TURNED, TURNED as isize, to, acc),
                6 => _ = few_abreast::<I, C, 6>(TURNED, TURNED as isize, to, acc),
                7 => _ = few_abreast::<I, C, 7>(TURNED, TURNED as isize, to, acc),
                _ => {
                    for column in (0..TURNED).step_by(16) {
                        abreast::<I, C, 16>(len, TURNED as isize, to.add(column), acc.add(column));
                    }
                }
            }
        }
        for row in whole..rows {
            row_body::<I, C>(len, from.add(row * len).cast(), acc.add(row).cast());
        }
    }
}

/// Folds `rows` rows, `pitch` apart, of `len` elements that lie `stride` apart.
///
/// # Safety
/// These elements are there, and `rows` accumulators; rows of `WIDE` elements or more are dense.
#[inline(always)]
pub(super) unsafe fn body<I: Item, C: Combine<I::Acc>>(
    len: usize,
    stride: isize,
    rows: usize,
    pitch: isize,
    from: *const u8,
    acc: *mut u8,
) {
    let (from, acc) = (from.cast::<I>(), acc.cast::<I::Acc>());
    if len >= WIDE {
        for j in 0..rows {
            // SAFETY: by the caller's promise.
            unsafe { row_body::<I, C>(len, from.offset(j as isize * pitch).cast(), acc.add(j).cast()) };
        }
        return;
    }
    let is_dense = stride == 1 && pitch == len as isize || len == 1 && pitch == 1;
    // SAFETY: by the caller's promise.
    unsafe {
        match len {
            1 if is_dense => return dense::<I, C, 1>(rows, from, acc),
            2 if is_dense => return dense::<I, C, 2>(rows, from, acc),
            3 if is_dense => return dense::<I, C, 3>(rows, from, acc),
            4 if is_dense => return dense::<I, C, 4>(rows, from, acc),
            5 if is_dense => return dense::<I, C, 5>(rows, from, acc),
            6 if is_dense => return dense::<I, C, 6>(rows, from, acc),
            7 if is_dense => return dense::<I, C, 7>(rows, from, acc),
            // Of eight bytes, blocks of lanes are faster.
            8 if is_dense && size_of::<I>() < 8 => return dense::<I, C, 8>(rows, from, acc),
            _ => {}
        }
        let mut first = 0;
        if pitch == 1 {
            first = match len {
                2 => few_abreast::<I, C, 2>(rows, stride, from, acc),
                3 => few_abreast::<I, C, 3>(rows, stride, from, acc),
                4 => few_abreast::<I, C, 4>(rows, stride, from, acc),
                _ => 0,
            };
            while rows - first >= 16 {
                abreast::<I, C, 16>(len, stride, from.add(first), acc.add(first));
                first += 16;
            }
        } else if stride == 1 && len >= 4 {
            // Known ends of rows, so that lanes stay in registers.
            first = match len % 4 {
                0 => groups::<I, C, 0>(len, rows, pitch, from, acc),
                1 => groups::<I, C, 1>(len, rows, pitch, from, acc),
                2 => groups::<I, C, 2>(len, rows, pitch, from, acc),
                _ => groups::<I, C, 3>(len, rows, pitch, from, acc),
            };
        }
        if pitch != 1 && stride != 1 {
            while rows - first >= 8 {
                spread::<I, C, 8>(len, stride, pitch, from.offset(first as isize * pitch), acc.add(first));
                first += 8;
            }
        }
        for j in first..rows {
            let (from, acc) = (from.offset(j as isize * pitch), acc.add(j));
            match stride {
                1 => *acc = C::combine(*acc, row::<I, C>(std::slice::from_raw_parts(from, len))),
                _ => spread::<I, C, 1>(len, stride, pitch, from, acc),
            }
        }
    }
}
