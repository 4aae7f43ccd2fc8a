//! Numbers of Keras for a few rows, labels in all forms, and what does not fit; `tests/tests/keras` has all losses.
//! `cargo test` runs them.

use super::*;
use crate as tf;
use crate::Tensor;
use kernels::error::Result;

/// Numbers of Keras 3 (TensorFlow 2.21) for these very rows.
fn rows() -> Tensor {
    tf::constant([[0.5, -1.0, 2.0], [0.1, 0.2, 0.3], [-4.0, 4.0, 0.0]])
}

fn close(got: &Tensor, right: &[f32]) {
    let got = got.to_vec::<f32>();
    let near = got.len() == right.len() && got.iter().zip(right).all(|(a, b)| (a - b).abs() <= 2e-6 * b.abs().max(1.0));
    assert!(near, "{got:?} is not {right:?}");
}

#[test]
fn keras_numbers() {
    let logits = [0.241_311_33, 1.201_942_9, 0.018_479_329];
    let (labels, dense) = (tf::constant([2, 0, 1]), tf::constant([[0, 0, 1], [1, 0, 0], [0, 1, 0]]));
    close(&sparse_categorical_crossentropy(&labels, &rows(), FromLogits::Yes), &logits);
    close(&categorical_crossentropy(&dense, &rows(), FromLogits::Yes), &logits);
    // The first row adds up to 0.9.
    let shares = tf::constant([[0.2, 0.3, 0.4], [0.1, 0.0, 0.9], [0.5, 0.25, 0.25]]);
    let right = [0.810_930_2, std::f32::consts::LN_10, 1.386_294_4];
    close(&sparse_categorical_crossentropy(&labels, &shares, FromLogits::No), &right);
    close(&categorical_crossentropy(&dense, &shares, FromLogits::No), &right);
    close(&mean_squared_error(&dense, &rows()), &[0.75, 0.94 / 3.0, 25.0 / 3.0]);
    close(&mean_absolute_error(&dense, &rows()), &[2.5 / 3.0, 1.4 / 3.0, 7.0 / 3.0]);
}

#[test]
fn gradients_by_the_predictions() {
    let x = rows();
    let mut tape = tf::GradientTape::new();
    tape.watch(&x);
    let loss = sparse_categorical_crossentropy(&tf::constant([2, 0, 1]), &x, FromLogits::Yes).mean();
    let slope = tape.gradient(&loss, &x);
    let shares = tf::softmax(&x, -1);
    let right = (&shares - tf::constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])) / 3.0;
    close(&slope, &right.to_vec::<f32>());
}

#[test]
fn labels_in_any_form() {
    let right = sparse_categorical_crossentropy(&tf::constant([2, 0, 1]), &rows(), FromLogits::Yes);
    for labels in [Tensor::from([2u8, 0, 1]), Tensor::from([[2i64], [0], [1]]), tf::constant([2.0, 0.0, 1.0])] {
        close(&sparse_categorical_crossentropy(&labels, &rows(), FromLogits::Yes), &right.to_vec::<f32>());
    }
    let dense = tf::constant([[0, 0, 1], [1, 0, 0], [0, 1, 0]]);
    close(&categorical_crossentropy(&dense, &rows(), FromLogits::Yes), &right.to_vec::<f32>());
    let shares = tf::softmax(&rows(), -1);
    close(&categorical_crossentropy(&dense, &shares, FromLogits::No), &right.to_vec::<f32>());
    close(&sparse_categorical_crossentropy(&tf::constant([2, 0, 1]), &shares, FromLogits::No), &right.to_vec::<f32>());
}

#[test]
fn sure_and_wrong_stays_finite() {
    let (labels, sure) = (tf::constant([1]), tf::constant([[1.0, 0.0]]));
    let loss = sparse_categorical_crossentropy(&labels, &sure, FromLogits::No).item::<f32>();
    assert!((16.0..16.2).contains(&loss), "{loss}");
}

#[test]
fn what_does_not_fit() {
    let text = |result: Result<Tensor>| result.unwrap_err().to_string();
    let (three, wide) = (tf::ones([3]), tf::ones([3, 2]));
    let wrong = text(try_mean_squared_error(&three, &wide));
    assert!(wrong.contains("[3], predictions [3, 2]") && wrong.contains("losses/tests.rs"), "{wrong}");
    let logits = FromLogits::Yes;
    assert!(text(try_sparse_categorical_crossentropy(&tf::constant([3]), &tf::ones([1, 3]), logits)).contains("0..3"));
    assert!(try_sparse_categorical_crossentropy(&tf::constant([0, 1]), &tf::ones([3, 3]), logits).is_err());
    assert!(text(try_categorical_crossentropy(&three, &tf::constant([1, 2, 3]), logits)).contains("floating-point"));
}
