//! Sums of many values, labels in all forms, and what does not fit; `tests/tests/keras` has all metrics.
//! `cargo test` runs them.

use super::*;
use crate as tf;
use crate::Tensor;
use engine::Module;
use kernels::dtype::DType;

#[test]
fn means_of_many() {
    let mean = Mean::new("mean");
    for i in 0..1000 {
        mean.update(&tf::constant(vec![i as f32; 3]));
    }
    assert_eq!(mean.result().item::<f32>(), 499.5);
    mean.reset();
    mean.update(&tf::constant([true, false, false, false]));
    assert_eq!((mean.result().item::<f32>(), mean.result().dtype()), (0.25, DType::F32));
    // In float32 the last one would be lost.
    mean.reset();
    mean.update(&tf::constant(vec![16_777_216.0, 1.0]));
    assert_eq!(mean.variables()[0].value().item::<f64>(), 16_777_217.0);
    assert_eq!(mean.trainable_variables().len(), 0);
}

#[test]
fn labels_in_any_form() {
    let predictions = tf::constant([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]);
    let sparse = SparseCategoricalAccuracy::new();
    for labels in [Tensor::from([1u8, 0, 0]), tf::constant([[1], [0], [0]]), tf::constant([1.0, 0.0, 0.0])] {
        sparse.reset();
        sparse.update(&labels, &predictions);
        assert!((sparse.result().item::<f32>() - 2.0 / 3.0).abs() < 1e-7);
    }
    let sequences = SparseCategoricalAccuracy::new();
    sequences
        .update(&tf::constant([[1, 0], [1, 1]]), &tf::constant([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]]));
    assert_eq!(sequences.result().item::<f32>(), 0.75);
}

#[test]
fn what_does_not_fit() {
    let text = |labels: Tensor, rows: Tensor| {
        SparseCategoricalAccuracy::new().try_update(&labels, &rows).unwrap_err().to_string()
    };
    let wrong = text(tf::constant([1, 0]), tf::ones([3, 2]));
    assert!(wrong.contains("labels [2], predictions [3, 2]") && wrong.contains("metrics/tests.rs"), "{wrong}");
    assert!(text(tf::constant(1), tf::constant(1.0)).contains("[batch, classes]"));
    assert!(Accuracy::new().try_update(&tf::constant([1, 2]), &tf::constant([1])).is_err());
}
