//! Sorting, searching and counting on a GPU: rows of all lengths, few and many elements, ties, and values that are refused.

use super::{SIZES, alike, near, numbers};
use eagerflow::{self as tf, DType};
use eagerflow_tests::cuda::watched_gpu as gpu;
use tf::Direction::{Ascending, Descending};

const NUMBERS: [DType; 12] = [
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
];

/// Values with ties and, where there are such, both signs.
fn values(shape: &[usize], dtype: DType) -> tf::Tensor {
    let x = numbers(shape, dtype);
    if dtype.is_unsigned() { x } else { x - 40 }
}

#[test]
fn rows_in_order() {
    let Some(_gpu) = gpu() else { return };
    for dtype in NUMBERS {
        for n in [1, 17, 1025] {
            alike(format!("{dtype} {n}"), || tf::sort(values(&[3, n], dtype), 1, Ascending));
            alike(format!("{dtype} {n} places"), || tf::argsort(values(&[3, n], dtype), 1, Descending));
        }
    }
    for n in SIZES {
        alike(format!("one row of {n}"), || tf::argsort(values(&[n], DType::F32), 0, Ascending));
        alike(format!("rows of {n}"), || tf::sort(values(&[n, 5], DType::I32), 0, Descending));
        alike(format!("best of {n}"), || tf::top_k(values(&[4, n], DType::F32), n.min(7), true).0);
        alike(format!("their places {n}"), || tf::top_k_as(values(&[4, n], DType::I16), n.min(7), true, tf::int64).1);
    }
    let odd = || tf::constant([0.0, f32::NAN, -0.0, f32::INFINITY, -1e-40, f32::NEG_INFINITY, 0.0]);
    alike("special", || tf::argsort(odd(), 0, Ascending));
    alike("special, down", || tf::sort(odd(), 0, Descending));
}

#[test]
fn places_of_values() {
    let Some(_gpu) = gpu() else { return };
    for dtype in NUMBERS {
        for side in [tf::Side::Left, tf::Side::Right] {
            let rows = || tf::sort(values(&[3, 257], dtype), 1, Ascending);
            alike(format!("{dtype} {side:?}"), || tf::searchsorted(rows(), &values(&[3, 100], dtype), side));
        }
    }
    let targets = || numbers(&[40], DType::I32) - 1;
    alike("in_top_k", || tf::in_top_k(targets(), &values(&[40, 97], DType::F32), 30));
}

#[test]
fn equal_elements() {
    let Some(_gpu) = gpu() else { return };
    for dtype in NUMBERS.into_iter().chain([DType::Bool]) {
        alike(format!("{dtype} numbers"), || tf::unique(numbers(&[1025], dtype)).1);
    }
    for n in SIZES {
        alike(format!("values of {n}"), || tf::unique(numbers(&[n], DType::F32)).0);
        alike(format!("counts of {n}"), || tf::unique_with_counts(numbers(&[n], DType::I64)).2);
    }
    let odd = || tf::constant([0.0, f32::NAN, -0.0, f32::NAN, 5.0]);
    alike("special", || tf::unique(odd()).1);
}

#[test]
fn bins_and_partitions() {
    let Some(_gpu) = gpu() else { return };
    for n in SIZES {
        alike(format!("counts of {n}"), || tf::bincount(numbers(&[n], DType::I32)));
        let rows = tf::Bincount { axis: -1, maxlength: Some(tf::Dim::known(50)), ..Default::default() };
        alike(format!("rows of {n}"), || tf::bincount_with(numbers(&[3, n], DType::I64), &rows));
        near(format!("weights of {n}"), 1e-6, || {
            let weights = Some(numbers(&[n], DType::F32));
            let how = tf::Bincount { weights, minlength: Some(tf::Dim::known(3)), ..Default::default() };
            tf::bincount_with(numbers(&[n], DType::I32), &how)
        });
        let parts = || tf::dynamic_partition(numbers(&[n, 2], DType::F32), &(numbers(&[n], DType::I32) % 5), 5);
        for part in 0..5 {
            alike(format!("partition {part} of {n}"), || parts().swap_remove(part));
        }
        alike(format!("inverse of {n}"), || {
            tf::invert_permutation(tf::argsort(values(&[n], DType::F32), 0, Ascending))
        });
        // One after the other in f32 on the CPU, in parts here.
        near(format!("logarithms of {n}"), 5e-5, || {
            tf::cumulative_logsumexp(values(&[2, n.max(1)], DType::F32) / 9.0, 1)
        });
    }
}

#[test]
fn what_is_refused() {
    let Some(_gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0");
    let negative = tf::constant([3, -1]).gpu();
    let how = tf::Bincount { maxlength: Some(tf::Dim::known(2)), ..Default::default() };
    let refused = |result: tf::Result<tf::Tensor>| result.and_then(|y| y.try_to_vec::<i32>()).is_err();
    assert!(refused(tf::try_bincount_with(&negative, &how)));
    assert!(refused(tf::try_invert_permutation(&tf::constant([0, 2]).gpu())));
    assert!(refused(tf::try_invert_permutation(&tf::constant([1, 1]).gpu())));
    assert!(tf::try_dynamic_partition(&tf::ones([2]).gpu(), &negative, 3).is_err());
}
