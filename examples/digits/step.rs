//! One step of training: the loss of a batch, its gradient, and Adam. The traced form is the same text with one attribute.

use crate::model::Classifier;
use eagerflow as tf;
use std::time::Instant;
use tf::losses::{FromLogits, sparse_categorical_crossentropy};
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Tensor, tf_function};

/// How a step runs: traced or not.
pub type Step = fn(&dyn Classifier, &Adam, &Tensor, &Tensor) -> (Tensor, Tensor);

/// Operation by operation: the loss, and the logits before the step.
pub fn eager(model: &dyn Classifier, optimizer: &Adam, images: &Tensor, labels: &Tensor) -> (Tensor, Tensor) {
    let tape = GradientTape::new();
    let logits = model.call(images, true);
    let loss = sparse_categorical_crossentropy(labels, &logits, FromLogits::Yes).mean();
    let variables = model.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    (loss, logits)
}

/// As one graph: traced at the first batch, and once more for batches of any other size.
#[tf_function]
pub fn graph(model: &dyn Classifier, optimizer: &Adam, images: &Tensor, labels: &Tensor) -> (Tensor, Tensor) {
    let tape = GradientTape::new();
    let logits = model.call(images, true);
    let loss = sparse_categorical_crossentropy(labels, &logits, FromLogits::Yes).mean();
    let variables = model.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    (loss, logits)
}

/// The time of one step in milliseconds, the best of many on one batch.
pub fn milliseconds(step: Step, model: &dyn Classifier, images: &Tensor, labels: &Tensor) -> f64 {
    let optimizer = Adam::new(1e-3);
    let mut best = f64::INFINITY;
    for _ in 0..40 {
        let start = Instant::now();
        step(model, &optimizer, images, labels).0.item::<f32>();
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    best
}
