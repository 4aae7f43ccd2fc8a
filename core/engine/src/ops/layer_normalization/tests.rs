//! Normalisations against their definitions, and their gradients of both orders.

use crate::ops::differences::{check, numbers};
use crate::{self as tf, DType, Tensor};

#[test]
fn gradients_of_both_orders() {
    let (scale, offset) = (numbers(2, &[4]) + 1.5, numbers(3, &[4]));
    let all = [numbers(1, &[3, 4]), scale.clone(), offset];
    check(&|x| tf::layer_normalization(&x[0], -1, Some(&x[1]), Some(&x[2]), 1e-3), &all);
    check(&|x| tf::layer_normalization(&x[0], -1, None, None, 1e-3), &all[..1]);
    check(&|x| tf::layer_normalization(&x[0], -1, None, Some(&x[1]), 1e-3), &all[..2]);
    check(&|x| tf::rms_norm(&x[0], -1, Some(&x[1]), 1e-3), &all[..2]);
    check(&|x| tf::rms_norm(&x[0], 0, None, 1e-3), &all[..1]);
    check(
        &|x| tf::layer_normalization(&x[0], [0, 2], Some(&x[1]), None, 1e-2),
        &[numbers(5, &[2, 3, 2]), numbers(6, &[2, 2])],
    );
    let groups = [numbers(1, &[2, 2, 4]), scale, numbers(3, &[4])];
    check(&|x| tf::group_normalization(&x[0], 2, -1, Some(&x[1]), Some(&x[2]), 1e-3), &groups);
}

#[test]
fn groups_are_the_same_wherever_the_channels_lie() {
    let x = numbers(7, &[2, 5, 3, 6]) * 2.0 + 1.0;
    let (scale, offset) = (numbers(2, &[6]) + 1.5, numbers(3, &[6]));
    let last = tf::group_normalization(&x, 3, -1, Some(&scale), Some(&offset), 1e-3);
    let first = tf::group_normalization(tf::transpose(&x, [0, 3, 1, 2]), 3, 1, Some(&scale), Some(&offset), 1e-3);
    let first = tf::transpose(&first, [0, 2, 3, 1]);
    let middle = tf::group_normalization(tf::transpose(&x, [0, 1, 3, 2]), 3, 2, Some(&scale), Some(&offset), 1e-3);
    let middle = tf::transpose(&middle, [0, 1, 3, 2]);
    for other in [first, middle] {
        let far = last.to_vec::<f64>().iter().zip(other.to_vec::<f64>()).fold(0.0, |far, (a, b)| (a - b).abs().max(far));
        assert!(far < 1e-12, "{far}");
    }
    // 16-bit numbers are summed in `float32`: 2000 of them would not be exact.
    let half = (numbers(4, &[1, 2000, 4]) + 3.0).cast(DType::F16);
    let y = tf::group_normalization(&half, 2, -1, None, None, 0.0);
    assert_eq!(y.dtype(), DType::F16);
    let (mean, _) = tf::moments(y.cast(DType::F64), ());
    assert!(mean.item::<f64>().abs() < 1e-3);
    assert_eq!(tf::group_normalization(tf::ones([2, 0, 4]), 2, -1, None, None, 1e-3).shape(), [2, 0, 4]);
    let other = tf::ones([4]).cast(DType::F64);
    assert!(tf::try_group_normalization(tf::ones([2, 3, 4]), 2, -1, None, Some(&other), 1e-3).is_err());
}

#[test]
fn rows_of_any_length_have_no_mean_and_one_variance() {
    for shape in [[5, 2], [3, 31], [2, 100], [70, 768], [1, 5000]] {
        let x = numbers(9, &shape) * 3.0 + 5.0;
        let y = tf::layer_normalization(&x, -1, None, None, 0.0);
        let (mean, variance) = tf::moments(&y, -1);
        assert!(mean.to_vec::<f64>().iter().all(|m| m.abs() < 1e-12));
        assert!(variance.to_vec::<f64>().iter().all(|v| (v - 1.0).abs() < 1e-12));
    }
    // One number is its own mean.
    assert_eq!(tf::layer_normalization(tf::ones([2, 1]), -1, None, None, 1e-3).to_vec::<f32>(), [0.0; 2]);
    let half = tf::rms_norm(tf::constant([[3.0, 4.0]]).cast(DType::F16), -1, None, 0.0);
    assert!((half.cast(DType::F32).to_vec::<f32>()[0] - 3.0 / 12.5_f32.sqrt()).abs() < 1e-3);
    assert_eq!(tf::layer_normalization(tf::ones([0, 3]), -1, None, None, 1e-3).shape(), [0, 3]);
    assert_eq!(tf::layer_normalization(tf::ones([3, 0]), -1, None, None, 1e-3).shape(), [3, 0]);
}

#[test]
fn bad_input_is_refused() {
    let x = tf::ones([2, 4]);
    let scale: Tensor = tf::ones([3]);
    assert!(tf::try_layer_normalization(&x, -1, Some(&scale), None, 1e-3).is_err());
    assert!(tf::try_layer_normalization(&x, -1, None, None, -1.0).is_err());
    assert!(tf::try_layer_normalization(&x, 2, None, None, 1e-3).is_err());
    assert!(tf::try_layer_normalization(x.cast(DType::I32), -1, None, None, 1e-3).is_err());
    assert!(tf::try_layer_normalization(&x, -1, Some(&tf::ones([4]).cast(DType::F64)), None, 1e-3).is_err());
    assert!(tf::try_group_normalization(&x, 3, -1, None, None, 1e-3).is_err());
    assert!(tf::try_group_normalization(&x, 0, -1, None, None, 1e-3).is_err());
    assert!(tf::try_group_normalization(&x, 1, 0, None, None, 1e-3).is_err());
}
