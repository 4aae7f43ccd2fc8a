//! Every dtype, length and layout of the search beside a plain loop, on every instruction set.
//! `extremes.rs` declares them.

use super::{MOST_COLUMNS, lookup};
use crate::backend::cpu::Isa;
use crate::dtype::{DType, Element, bf16, f16};

/// The place of the first of the best, NaN passed over.
fn expected<T: Element + PartialOrd>(row: &[T], least: bool) -> u64 {
    let mut best: Option<usize> = None;
    for (i, value) in row.iter().enumerate() {
        let is_number = value.partial_cmp(value).is_some();
        let wins = best.is_none_or(|b| if least { *value < row[b] } else { *value > row[b] });
        if is_number && wins {
            best = Some(i);
        }
    }
    best.unwrap_or(0) as u64
}

fn check<T: Element + PartialOrd>(numbers: impl Fn(usize) -> T + Copy) {
    for isa in Isa::available() {
        for least in [false, true] {
            let search = lookup(T::DTYPE, least, isa).unwrap();
            for len in [
                1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 33, 63, 64, 65, 100, 126, 127, 252, 253, 254, 255, 256,
                300, 4096, 8191, 8192, 8193, 9000,
            ] {
                let rows = (9600 / len).clamp(1, 150);
                let x: Vec<T> = (0..rows * len).map(numbers).collect();
                let mut found = vec![u64::MAX; rows];
                // SAFETY: as many rows as there are places.
                unsafe { (search.rows)(len, rows, x.as_ptr().cast(), found.as_mut_ptr()) };
                let right: Vec<u64> = x.chunks(len).map(|row| expected(row, least)).collect();
                assert_eq!(found, right, "{:?} {isa:?} rows of {len}, least: {least}", T::DTYPE);
            }
            for (len, columns, gap, groups) in [
                (1, 5, 0, 3),
                (3, 3, 0, 50),
                (3, 2, 5, 4),
                (1000, 3, 0, 2),
                (1001, 1, 0, 1),
                (700, 1, 4, 1),
                (90, 17, 0, 2),
                (90, 17, 9, 2),
                (513, 130, 0, 1),
                (300, 199, 3, 2),
                (600, 64, 0, 1),
                (2, MOST_COLUMNS, 0, 2),
                (40, 70, 0, 1),
            ] {
                let (stride, pitch) = (columns + gap, (columns + gap) * len + 7);
                let x: Vec<T> = (0..groups * pitch).map(numbers).collect();
                let mut found = vec![u64::MAX; groups * columns];
                // SAFETY: as many groups and columns as there are places.
                unsafe {
                    let (from, found) = (x.as_ptr().cast(), found.as_mut_ptr());
                    (search.columns)(len, stride as isize, columns, groups, pitch as isize, from, found);
                }
                let right = (0..groups * columns).map(|i| {
                    let column: Vec<T> = (0..len).map(|k| x[i / columns * pitch + k * stride + i % columns]).collect();
                    expected(&column, least)
                });
                let right: Vec<u64> = right.collect();
                assert_eq!(found, right, "{:?} {isa:?} {len} rows of {columns} columns, least: {least}", T::DTYPE);
            }
        }
    }
}

/// Few different numbers, so that there are ties; spread so that later ones are better too.
fn number(i: usize) -> i64 {
    ((i * 7919 + i / 13) % 101) as i64 - 50 + (i / 1500) as i64
}

#[test]
fn every_dtype_and_layout_agrees_with_a_plain_loop() {
    check::<f32>(|i| number(i) as f32);
    check::<f64>(|i| number(i) as f64);
    check::<f16>(|i| f16::from_f32(number(i) as f32));
    check::<bf16>(|i| bf16::from_f32(number(i) as f32));
    check::<i8>(|i| number(i) as i8);
    check::<i16>(|i| number(i) as i16);
    check::<i32>(|i| number(i) as i32);
    check::<i64>(number);
    check::<u8>(|i| number(i) as u8);
    check::<u16>(|i| number(i) as u16);
    check::<u32>(|i| number(i) as u32);
    check::<u64>(|i| number(i) as u64);
    check::<bool>(|i| number(i) % 7 == 0);
    assert!(lookup(DType::C64, false, Isa::Portable).is_none());
}

#[test]
fn nan_is_passed_over_and_infinities_are_found_behind_it() {
    // Stretches of NaN longer than the rows, and of infinities among them.
    let odd = |i: usize| match i / 40 % 9 {
        0 | 3 => f32::NAN,
        1 if i % 5 == 4 => f32::NEG_INFINITY,
        2 if i % 7 == 6 => f32::INFINITY,
        1 | 2 => -f32::NAN,
        4 => [0.0, -0.0, f32::NAN, f32::MIN_POSITIVE / 4.0][i % 4],
        5 => f32::NEG_INFINITY,
        _ => number(i) as f32,
    };
    check::<f32>(odd);
    check::<f64>(|i| f64::from(odd(i)));
    check::<f16>(|i| f16::from_f32(odd(i)));
    check::<bf16>(|i| bf16::from_f32(odd(i)));
}

#[test]
fn the_first_of_equals_is_found_in_long_rows_of_bytes() {
    for isa in Isa::available() {
        let search = lookup(DType::U8, false, isa).unwrap();
        // The best element lies behind the rows that a byte can count, twice.
        let (len, columns) = (1000, 70);
        let mut x = vec![1u8; len * columns];
        (0..columns).for_each(|j| [300 + j, 700].into_iter().for_each(|i| x[i * columns + j] = 200));
        let mut found = vec![0; columns];
        // SAFETY: as many columns as there are places.
        unsafe { (search.columns)(len, columns as isize, columns, 1, 0, x.as_ptr(), found.as_mut_ptr()) };
        assert!(found.iter().enumerate().all(|(j, &at)| at == 300 + j as u64), "{isa:?}");
    }
}
