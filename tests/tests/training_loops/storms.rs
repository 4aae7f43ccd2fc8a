//! When a function tells that it is traced too often: for one model again and again, and not for one model after the other.
//! The warning goes to standard error, so each case runs in a process of its own.

use eagerflow::{self as tf, Tensor, tf_function};
use eagerflow_tests::child::said_by;
use tf::layers::Dense;
use tf::training::{Compile, Fit};

/// Ten models of one kind, each for two sizes of batches.
#[test]
#[ignore = "runs as a child"]
fn many_models() {
    let (x, y) = (tf::ones([10, 2]), tf::ones([10, 1]));
    for _ in 0..10 {
        let model = tf::Sequential::new((Dense::new(3), Dense::new(1)));
        model.compile("sgd", "mse").fit((&x, &y), Fit::new().batch_size(8).verbose(0));
    }
}

#[tf_function]
fn scaled(layer: &Dense, x: &Tensor, by: i32) -> Tensor {
    layer.call(x) * by as f32
}

/// One model with a number of Rust that changes.
#[test]
#[ignore = "runs as a child"]
fn many_numbers() {
    let (layer, x) = (Dense::new(1), tf::ones([1, 2]));
    (0..10).for_each(|by| drop(scaled(&layer, &x, by)));
}

#[test]
fn models_are_no_storm() {
    let (_, said) = said_by("storms::many_models", &[]);
    assert!(!said.contains("was traced"), "{said}");
}

#[test]
fn numbers_are() {
    let (_, said) = said_by("storms::many_numbers", &[]);
    assert!(said.contains("`scaled`") && said.contains("was traced 8 times") && said.contains("`by`"), "{said}");
}
