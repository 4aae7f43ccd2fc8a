//! Gradients of both orders, agreement of the two forms, extremes and refusals.
//! `cargo test` runs them.

use crate as tf;
use crate::ops::differences::{check, numbers};
use crate::{DType, GradientTape};

#[test]
fn gradients_of_both_orders() {
    for (rows, classes) in [(3, 4), (1, 7), (0, 3)] {
        let labels = tf::softmax(numbers(9, &[rows, classes]), -1);
        let loss = |x: &[tf::Tensor]| tf::softmax_cross_entropy_with_logits(&labels, &x[0]);
        check(&loss, &[numbers(8, &[rows, classes])]);
        let logits = numbers(8, &[rows, classes]);
        check(&|x| tf::softmax_cross_entropy_with_logits(&x[0], &logits), &[numbers(9, &[rows, classes])]);
        let labels = tf::Tensor::from((0..rows as i32).map(|i| i % classes as i32).collect::<Vec<_>>());
        let loss = |x: &[tf::Tensor]| {
            let loss = tf::sparse_softmax_cross_entropy_with_logits(&labels, &x[0]);
            &loss * &loss
        };
        check(&loss, &[numbers(8, &[rows, classes])]);
    }
}

#[test]
fn class_numbers_are_one_hot_distributions() {
    let logits = numbers(5, &[2, 2, 3]) * 4.0;
    let classes = tf::constant([[2, 0], [1, 1]]);
    let one_hot = tf::constant([[[0, 0, 1], [1, 0, 0]], [[0, 1, 0], [0, 1, 0]]]).cast(DType::F64);
    let sparse = tf::sparse_softmax_cross_entropy_with_logits(&classes, &logits).to_vec::<f64>();
    let dense = tf::softmax_cross_entropy_with_logits(&one_hot, &logits).to_vec::<f64>();
    assert!(sparse.iter().zip(&dense).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn extreme_logits_stay_finite() {
    let logits = tf::constant([[1000.0, -1000.0]]);
    let mut tape = GradientTape::new();
    tape.watch(&logits);
    let loss = tf::sparse_softmax_cross_entropy_with_logits(tf::constant([1]), &logits);
    assert_eq!(loss.to_vec::<f32>(), [2000.0]);
    assert_eq!(tape.gradient(&loss, &logits).to_vec::<f32>(), [1.0, -1.0]);
}

#[test]
fn bad_labels_are_refused() {
    let logits = tf::ones([2, 3]);
    let fails = |labels: tf::Tensor| tf::try_sparse_softmax_cross_entropy_with_logits(labels, &logits).is_err();
    assert!(fails(tf::constant([0, 3])));
    assert!(fails(tf::constant([0, -1])));
    assert!(fails(tf::constant([0, 1, 2])));
    assert!(fails(tf::constant([0.0, 1.0])));
    assert!(!fails(tf::constant([0, 2])));
    assert!(tf::try_softmax_cross_entropy_with_logits(tf::constant([[1, 0, 0]]), &logits, -1).is_err());
    assert!(tf::try_softmax_cross_entropy_with_logits(tf::ones([2, 2]), &logits, -1).is_err());
    assert!(tf::try_sparse_softmax_cross_entropy_with_logits(tf::constant([0, 0]), tf::ones([2, 0])).is_err());
}
