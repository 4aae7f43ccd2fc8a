//! Sorts, merges and searches against the standard library's, over lengths that take every way.

use super::best::Best;
use super::{Digits, Item, Rows, distinct};

fn noise(count: usize, most: u64) -> Vec<u64> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % most
    };
    (0..count).map(next).collect()
}

/// Runs all phases; the places of each row's elements in order.
fn places<T: Item>(elements: &[T], len: usize) -> Vec<usize> {
    let rows = Rows { rows: elements.len() / len, len };
    let work = rows.work(size_of::<T::Pair>());
    let mut scratch = vec![0u128; work.scratch / 16];
    let mut out = vec![usize::MAX; elements.len()];
    let digits = Digits { low: <T::Key as super::Word>::BITS, bits: T::KEY_BITS };
    for (phase, &chunks) in work.phases.iter().enumerate() {
        for chunk in 0..chunks {
            // SAFETY: room as asked for.
            unsafe {
                rows.run(
                    scratch.as_mut_ptr().cast(),
                    phase,
                    chunk,
                    digits,
                    |row, i| T::pair(elements[row * len + i].key(), i),
                    |row, first, words| {
                        for (i, &word) in words.iter().enumerate() {
                            out[row * len + first + i] = T::place(word);
                        }
                    },
                );
            }
        }
    }
    out
}

fn agrees<T: Item + PartialOrd>(elements: &[T], len: usize) {
    let got = places(elements, len);
    for (row, got) in elements.chunks(len).zip(got.chunks(len)) {
        let mut want: Vec<usize> = (0..len).collect();
        want.sort_by(|&a, &b| row[a].partial_cmp(&row[b]).unwrap());
        assert!(got == want, "rows of {len}");
    }
}

#[test]
fn stable_at_every_length() {
    for (len, rows) in [(1, 3), (7, 400), (399, 3), (400, 3), (9000, 2), (65_536, 1), (65_537, 1), (300_001, 2)] {
        for most in [3, 1000, 1 << 40] {
            let values = noise(len * rows, most);
            agrees(&values, len);
            agrees(&values.iter().map(|&v| v as i32).collect::<Vec<_>>(), len);
            agrees(&values.iter().map(|&v| v as i64 - 500).collect::<Vec<_>>(), len);
            agrees(&values.iter().map(|&v| v as f32 - 500.0).collect::<Vec<_>>(), len);
            agrees(&values.iter().map(|&v| v as u8).collect::<Vec<_>>(), len);
        }
    }
}

#[test]
fn keys_order_as_elements_do() {
    let floats =
        [f32::NEG_INFINITY, f32::MIN, -1.5, -f32::MIN_POSITIVE, -1e-45, -0.0, 1e-45, 2.0, f32::MAX, f32::INFINITY];
    for (i, a) in floats.iter().enumerate() {
        for (j, b) in floats.iter().enumerate() {
            assert_eq!(a.exact_key().cmp(&b.exact_key()), i.cmp(&j));
            assert_eq!(a.key().cmp(&b.key()), a.partial_cmp(b).unwrap());
            assert_eq!(f32::turned(a.key()).cmp(&f32::turned(b.key())), b.partial_cmp(a).unwrap());
        }
        assert_eq!(f32::of_exact_key(a.exact_key()).to_bits(), a.to_bits());
        assert!(f32::NAN.key() > a.key() && (-f32::NAN).key() == f32::NAN.key());
    }
    assert_eq!((-0.0_f64).key(), 0.0_f64.key());
    assert!(
        (-5_i8).key() < 3_i8.key() && i8::turned((-5_i8).key()) <= 255 && i8::of_exact_key((-5_i8).exact_key()) == -5
    );
}

#[test]
fn the_best_of_pieces() {
    for (len, rows, k) in [(50, 7, 3), (40_000, 2, 5), (700_000, 1, 40), (700_000, 1, 0), (300_000, 2, 3000)] {
        let elements: Vec<i32> = noise(len * rows, 100_000).iter().map(|&v| v as i32).collect();
        let best = Best { rows, len, k };
        let work = best.work(8);
        let mut scratch = vec![0u64; work.scratch / 8];
        let mut out = vec![Vec::new(); rows];
        for (phase, &chunks) in work.phases.iter().enumerate() {
            for chunk in 0..chunks {
                let load = |row: usize, i: usize| i32::pair(i32::turned(elements[row * len + i].key()), i);
                // SAFETY: room as asked for.
                unsafe {
                    best.run(scratch.as_mut_ptr().cast(), phase, chunk, load, |row, words| {
                        out[row] = words.iter().map(|&word| i32::place(word)).collect::<Vec<_>>();
                    });
                }
            }
        }
        for (row, out) in elements.chunks(len).zip(&out) {
            let mut want: Vec<usize> = (0..len).collect();
            want.sort_by_key(|&i| std::cmp::Reverse(row[i]));
            assert!(out[..] == want[..k], "{k} of {len}");
        }
    }
}

#[test]
fn numbers_of_values() {
    let values = [0.0, f32::NAN, -0.0, 5.0, f32::NAN, 5.0, -1.0];
    let mut got = Vec::new();
    distinct::numbers(&values, |i, number, first| got.push((i, number, first)));
    let want = [(0, 0, true), (1, 1, true), (2, 0, false), (3, 2, true), (4, 3, true), (5, 2, false), (6, 4, true)];
    assert_eq!(got, want);
    let many: Vec<i64> = noise(100_000, 30_000).iter().map(|&v| v as i64 - 7).collect();
    let mut known = std::collections::HashMap::new();
    distinct::numbers(&many, |i, number, first| {
        let count = known.len();
        assert_eq!(first, !known.contains_key(&many[i]));
        assert_eq!(*known.entry(many[i]).or_insert(count), number);
    });
}
