//! The folds over segments against plain loops, at zeros, ties and NaN, and what they refuse.
//! `segments.rs` has them as its tests.

use crate as tf;
use crate::ops::differences::{check, numbers};
use tf::{DType, Tensor};

#[test]
fn products_have_gradients_at_zeros() {
    let ids = tf::constant([1, 0, 1, -1, 1, 3]);
    let one_zero = tf::constant_of([2.0, 0.5, 0.0, 3.0, -1.5, 0.7], DType::F64);
    check(&|x| tf::unsorted_segment_prod(&x[0], &ids, 5), &[one_zero]);
    let x = tf::constant([0.0, 0.5, 0.0, 3.0, -1.5, 0.0]);
    let mut tape = tf::GradientTape::new();
    tape.watch(&x);
    let y = tf::unsorted_segment_prod(&x, &ids, 5);
    assert_eq!(tape.gradient(&y, &x).to_vec::<f32>(), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn ties_share_and_nan_wins() {
    let x = tf::constant([3.0, 3.0, 1.0, f32::NAN, 2.0, 9.0]);
    let ids = tf::constant([0, 0, 0, 2, 2, -1]);
    let mut tape = tf::GradientTape::new();
    tape.watch(&x);
    let y = tf::unsorted_segment_max(&x, &ids, 3);
    let got = y.to_vec::<f32>();
    assert!(got[0] == 3.0 && got[1] == f32::MIN && got[2].is_nan(), "{got:?}");
    assert_eq!(tape.gradient(&y, &x).to_vec::<f32>(), [0.5, 0.5, 0.0, 0.0, 0.0, 0.0]);
    for order in [[f32::NAN, 1.0], [1.0, f32::NAN]] {
        let ids = tf::constant([1, 1]);
        for y in [tf::segment_max(tf::constant(order), &ids), tf::segment_min(tf::constant(order), &ids)] {
            let got = y.to_vec::<f32>();
            assert!(got[0] == 0.0 && got[1].is_nan(), "{got:?}");
        }
    }
}

#[test]
fn large_ones_agree_with_a_plain_loop() {
    let (count, row, size) = (30_000, 20, 700);
    let x = tf::cast(&(numbers(3, &[count, row]) * 50.0), DType::I32);
    let any = tf::cast(&(numbers(4, &[count]) * 349.0 + 330.0), DType::I64);
    let sorted = tf::sort(tf::maximum(&any, 0), 0, tf::Direction::Ascending);
    let (values, ids) = (x.to_vec::<i32>(), any.to_vec::<i64>());
    let loops = |ids: &[i64], size: usize, first: i32, fold: fn(i32, i32) -> i32| {
        let mut to = vec![first; size * row];
        for (i, &id) in ids.iter().enumerate().filter(|(_, id)| **id >= 0) {
            for column in 0..row {
                let to = &mut to[id as usize * row + column];
                *to = fold(*to, values[i * row + column]);
            }
        }
        to
    };
    let add: fn(i32, i32) -> i32 = i32::wrapping_add;
    assert_eq!(tf::unsorted_segment_sum(&x, &any, size).to_vec::<i32>(), loops(&ids, size as usize, 0, add));
    assert_eq!(tf::unsorted_segment_max(&x, &any, size).to_vec::<i32>(), loops(&ids, size as usize, i32::MIN, i32::max));
    let ids = sorted.to_vec::<i64>();
    let size = *ids.last().unwrap() as usize + 1;
    assert_eq!(tf::segment_sum(&x, &sorted).to_vec::<i32>(), loops(&ids, size, 0, add));
    let mut least = loops(&ids, size, i32::MAX, i32::min);
    least.iter_mut().filter(|x| **x == i32::MAX).for_each(|x| *x = 0);
    assert_eq!(tf::segment_min(&x, &sorted).to_vec::<i32>(), least);
}

#[test]
fn sums_of_many_short_rows_are_those_of_parts_in_order() {
    let (count, row, size) = (100_000, 8, 100);
    let x = tf::cast(&numbers(5, &[count, row]), DType::F32);
    let any = tf::cast(&(numbers(6, &[count]) * 51.0 + 49.0), DType::I64);
    let (values, ids) = (x.to_vec::<f32>(), any.to_vec::<i64>());
    assert!(ids.iter().any(|&id| id < 0) && ids.contains(&98));
    // 3.2 MB, a part for each whole mebibyte.
    let mut want = vec![0f32; size * row];
    for part in 0..3 {
        let mut sums = vec![0f32; size * row];
        for i in kernels::backend::cpu::part(count, part, 3, 1).filter(|&i| ids[i] >= 0) {
            (0..row).for_each(|j| sums[ids[i] as usize * row + j] += values[i * row + j]);
        }
        want.iter_mut().zip(sums).for_each(|(to, sum)| *to += sum);
    }
    assert_eq!(tf::unsorted_segment_sum(&x, &any, size as i64).to_vec::<f32>(), want);
}

#[test]
fn of_many_wrong_ids_the_first_is_told() {
    let (count, size) = (100_000, 1_000);
    let ascending: Vec<i32> = (0..count).map(|i| i * size / count).collect();
    let x = tf::ones([count as isize, 20]);
    for first in [0, 1, 700, 60_001, 99_998] {
        let mut ids = ascending.clone();
        (ids[first], ids[99_999]) = (size, size);
        for error in [
            tf::try_unsorted_segment_max(&x, tf::constant(&ids[..]), size as i64).unwrap_err().to_string(),
            tf::try_unsorted_segment_sum(&x, tf::constant(&ids[..]), size as i64).unwrap_err().to_string(),
        ] {
            assert!(error.contains(&format!("id number {first} names no segment")), "{error}");
        }
        let mut ids = ascending.clone();
        (ids[first], ids[99_999]) = (-1, size - 1);
        for error in [
            tf::try_segment_sum(&x, tf::constant(&ids[..])).unwrap_err().to_string(),
            tf::try_segment_min(&x, tf::constant(&ids[..])).unwrap_err().to_string(),
        ] {
            assert!(error.contains(&format!("id number {first} ")) && error.contains("-1"), "{error}");
        }
    }
    // What is far too great at one place, and small again behind it.
    let mut ids = ascending.clone();
    ids[50_000] = i32::MAX;
    ids[99_999] = size - 1;
    let error = tf::try_segment_max(&x, tf::constant(&ids[..])).unwrap_err().to_string();
    assert!(error.contains("id number 50000 names no segment"), "{error}");
    let least = Tensor::from(vec![0i64, i64::MIN, 2]);
    let sums = tf::unsorted_segment_sum(tf::constant([1, 2, 4]), &least, 3);
    assert_eq!(sums.to_vec::<i32>(), [1, 0, 4]);
}

#[test]
fn refusals_bear_the_name() {
    let (x, ids): (Tensor, _) = (tf::ones([3, 2]), |ids: [i32; 3]| tf::constant(ids));
    let few = tf::constant([0, 1]);
    for (error, name) in [
        (tf::try_segment_sum(&x, ids([0, 2, 1])), "segment_sum"),
        (tf::try_segment_mean(&x, ids([-1, 0, 1])), "segment_mean"),
        (tf::try_segment_mean(&x, &few), "segment_mean"),
        (tf::try_segment_max(tf::constant(1.0), &few), "segment_max"),
        (tf::try_segment_prod(tf::constant([true, true]), &few), "segment_prod"),
        (tf::try_unsorted_segment_min(&x, ids([0, 5, 0]), 5), "unsorted_segment_min"),
        (tf::try_unsorted_segment_sqrt_n(&x, ids([0, 5, 0]), 5), "unsorted_segment_sqrt_n"),
        (tf::try_unsorted_segment_sqrt_n(&few, &few, 5), "unsorted_segment_sqrt_n"),
        (tf::try_unsorted_segment_mean(&x, ids([0, 0, 0]), -1), "unsorted_segment_mean"),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, tf::Error::InvalidArgument(_)) && error.to_string().contains(name), "{error}");
    }
}
