//! `if` in all positions, on tensors and host values.

use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn clipped(x: &Tensor, limit: f32, training: bool) -> Tensor {
    let mut y = x.clone();
    if tf::reduce_max(&y, ()) > limit {
        y = y / 2.0;
    } else if training && limit > 0.5 {
        y = y + 1.0;
    }
    if training {
        y = y * 10.0;
    }
    y
}

#[tf_function]
fn sign(x: &Tensor) -> Tensor {
    if x > 0.0 {
        tf::constant(1)
    } else if x < 0.0 {
        tf::constant(-1)
    } else {
        tf::constant(0)
    }
}

#[test]
fn runs() {
    let x = tf::constant([1.0, 4.0]);
    assert_eq!(clipped(&x, 2.0, false).to_vec::<f32>(), [0.5, 2.0]);
    assert_eq!(clipped(&x, 8.0, true).to_vec::<f32>(), [20.0, 50.0]);
    assert_eq!(sign(&tf::constant(-3.0)).item::<i32>(), -1);
    assert_eq!(sign(&tf::constant(0.0)).item::<i32>(), 0);
}
