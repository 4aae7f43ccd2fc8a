//! Functions that have no golden numbers of their own: each against one that has, or against Rust's own arithmetic.
//! `coverage` names them.

use eagerflow as tf;
use tf::{DType, Element, Tensor};

#[test]
fn constants() {
    for dtype in DType::ALL {
        let (zeros, ones) = (tf::try_zeros([2, 3], dtype), tf::try_ones([2, 3], dtype));
        let (zeros, ones) = (zeros.expect("any dtype"), ones.expect("any dtype"));
        assert_eq!((zeros.dtype(), zeros.shape().dims()), (dtype, &[2, 3][..]));
        assert_eq!(tf::cast(&zeros, DType::F64).to_vec::<f64>(), [0.0; 6]);
        assert_eq!(tf::cast(&ones, DType::F64).to_vec::<f64>(), [1.0; 6]);
    }
}

#[test]
fn select_chooses_as_where_does() {
    let flags = tf::constant([true, false, true]);
    let (x, y) = (tf::constant([1.0, f32::NAN, 3.0]), tf::constant([f32::NAN, 5.0, 6.0]));
    assert_eq!(tf::select(&flags, &x, &y).to_vec::<f32>(), [1.0, 5.0, 3.0]);
    assert_eq!(tf::where_(&flags, &x, &y).to_vec::<f32>(), [1.0, 5.0, 3.0]);
}

#[test]
fn truncatemod_is_rusts_remainder() {
    fn check<T: Element + std::ops::Rem<Output = T>>(values: &[T], divisors: &[T]) {
        for (&a, &b) in values.iter().flat_map(|a| divisors.iter().map(move |b| (a, b))) {
            let got = tf::truncatemod(
                Tensor::try_from_slice(&[a], ()).expect("a number"),
                Tensor::try_from_slice(&[b], ()).expect("a number"),
            );
            assert_eq!(got.item::<T>(), a % b, "{a:?} % {b:?}");
        }
    }
    check(&[-7i32, 7, 0, i32::MAX], &[-3, 2, 5]);
    check(&[-7i8, 7, 127], &[-3, 2, 5]);
    check(&[7u64, 0, u64::MAX], &[3, 2, 5]);
    check(&[-7.5f64, 7.25, 1e9], &[-3.0, 2.0, 0.5]);
    check(&[-7.5f32, 7.25, 1e9], &[-3.0, 2.0, 0.5]);
}

#[test]
fn one_hot_with_is_what_the_row_calls() {
    let indices = tf::constant([2, 0, -1]);
    let with = tf::one_hot_with(&indices, 3, 5.0, -1.0, 0).to_vec::<f32>();
    let twin = tf::try_one_hot(&indices, 3, 5.0, -1.0, 0).expect("in range").to_vec::<f32>();
    assert_eq!(with, twin);
    assert_eq!(tf::one_hot(&indices, 3).to_vec::<f32>(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn where_indices_are_where_the_mask_is_true() {
    let mask = tf::constant([[true, false, true], [false, false, true]]);
    let found = tf::where_indices(&mask);
    assert_eq!((found.shape().dims(), found.to_vec::<i64>()), (&[3, 2][..], vec![0, 0, 0, 2, 1, 2]));
    assert_eq!(tf::where_indices(tf::constant([false, false])).shape(), [0, 1]);
}

#[test]
fn dropout_keeps_or_scales() {
    let x = tf::fill([100, 100], 3.0);
    assert_eq!(tf::dropout(&x, 0.5, false).to_vec::<f32>(), x.to_vec::<f32>());
    for y in [tf::dropout(&x, 0.25, true), tf::stateless_dropout(&x, 0.25, [3, 4])] {
        let y = y.to_vec::<f32>();
        let kept = y.iter().filter(|v| **v == 4.0).count();
        assert!(y.iter().all(|v| *v == 0.0 || *v == 4.0) && (7_200..7_800).contains(&kept), "{kept} of 10000 kept");
    }
    // Noise of one column: whole rows are kept or dropped.
    let rows = tf::dropout_with(&x, 0.25, [100, 1], Some(1)).to_vec::<f32>();
    assert!(rows.chunks(100).all(|row| row.iter().all(|v| v == &row[0])));
    assert!(tf::try_dropout(&x, 1.5, true).is_err());
}

#[test]
fn stop_gradient_passes_values() {
    let x = tf::constant([1.0, -0.0, f32::INFINITY]);
    assert_eq!(tf::stop_gradient(&x).to_vec::<f32>(), x.to_vec::<f32>());
}

#[test]
fn global_norm_is_clip_by_global_norms_second_result() {
    let list = [tf::constant([3.0, 4.0]), tf::constant([12.0])];
    let norm = tf::global_norm(&list).item::<f32>();
    let (_, second) = tf::clip_by_global_norm(&list, 1.0);
    assert_eq!((norm, second.item::<f32>()), (13.0, 13.0));
}
