//! What `fit` costs over the bare traced step: the same model, optimizer and batches by hand and by a trainer, in turns.
//! `cargo bench -p eagerflow --bench fit`; the figures are in `docs/performance.md`.

use eagerflow::{self as tf, GradientTape, Module, Sequential, Tensor, tf_function};
use std::time::Instant;
use tf::data::Dataset;
use tf::layers::{Conv2D, Dense, Flatten, GlobalAveragePooling2D, MaxPooling2D};
use tf::losses::{Loss, SparseCategoricalCrossentropy};
use tf::metrics::{Mean, SparseCategoricalAccuracy};
use tf::optim::{Adam, Optimizer};
use tf::training::{Compile, Fit};

/// A step by hand with the same loss and metrics.
#[tf_function]
fn step(
    model: &Sequential,
    optimizer: &Adam,
    loss: &SparseCategoricalCrossentropy,
    metrics: &(Mean, SparseCategoricalAccuracy),
    x: &Tensor,
    y: &Tensor,
) {
    let tape = GradientTape::new();
    let logits = model.call_training(x, true);
    let value = loss.try_compute(y, &logits, None, None).unwrap();
    let variables = model.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&value, &variables), &variables);
    metrics.0.update_state(&value);
    metrics.1.update_state(y, &logits);
}

fn loss() -> SparseCategoricalCrossentropy {
    SparseCategoricalCrossentropy::new().from_logits(true)
}

/// Microseconds of a step by hand and by `fit`, the medians of many epochs in turns.
fn measure(name: &str, model: impl Fn() -> Sequential, x: &Tensor, y: &Tensor, batch: usize) {
    let steps = x.shape()[0] / batch;
    let by_hand = (model(), Adam::new(1e-3), loss(), (Mean::new("loss"), SparseCategoricalAccuracy::new()));
    let trainer = model().compile(Adam::new(1e-3), loss()).metrics(["accuracy"]);
    let batches = Dataset::from_tensor_slices((x.clone(), y.clone())).batch(batch);
    let mut times: [Vec<f64>; 2] = Default::default();
    for _ in 0..31 {
        let began = Instant::now();
        for (x, y) in &batches {
            step(&by_hand.0, &by_hand.1, &by_hand.2, &by_hand.3, &x, &y);
        }
        let _ = by_hand.3.0.result().item::<f32>();
        times[0].push(began.elapsed().as_secs_f64() / steps as f64 * 1e6);
        let began = Instant::now();
        trainer.fit(&batches, Fit::new().verbose(0));
        times[1].push(began.elapsed().as_secs_f64() / steps as f64 * 1e6);
    }
    let median = |list: &mut Vec<f64>| {
        list.drain(..3);
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    let [hand, fit] = &mut times;
    let (hand, fit) = (median(hand), median(fit));
    println!("{name}: {hand:.1} us a step by hand, {fit:.1} by fit: {:+.1} us, {:.3}", fit - hand, fit / hand);
}

fn main() {
    let labels = tf::floormod(tf::range(0, 1024, 1), 10);
    let pixels = tf::random::stateless_normal([1024, 64], [1, 2], 0.0, 1.0);
    let images = tf::random::stateless_normal([1024, 28, 28, 1], [1, 2], 0.0, 1.0);
    measure("one dense layer, batches of 32", || Sequential::new((Dense::new(10),)), &pixels, &labels, 32);
    let perceptron = || Sequential::new((Dense::new(128).activation("relu"), Dense::new(10)));
    measure("perceptron 64-128-10, batches of 32", perceptron, &pixels, &labels, 32);
    let convolutions = || {
        Sequential::new((
            Conv2D::new(32, 3).padding("same").activation("relu"),
            Conv2D::new(64, 3).activation("relu"),
            MaxPooling2D::new(2),
            Flatten::new(),
            Dense::new(10),
        ))
    };
    measure("two convolutions, 28x28, batches of 32", convolutions, &images, &labels, 32);
    // The networks of the workloads W4 and W5.
    let guide = || {
        Sequential::new((
            Conv2D::new(16, 3).activation("relu"),
            Conv2D::new(16, 3).activation("relu"),
            GlobalAveragePooling2D::new(),
            Dense::new(10),
        ))
    };
    measure("W4: the guide's network, batches of 32", guide, &images, &labels, 32);
    let digits = tf::random::stateless_normal([2048, 784], [1, 2], 0.0, 1.0);
    let labels = tf::floormod(tf::range(0, 2048, 1), 10);
    let wide = || {
        let dense = |units| Dense::new(units).activation("relu");
        Sequential::new((dense(512), dense(512), Dense::new(10)))
    };
    measure("W5: perceptron 784-512-512-10, batches of 128", wide, &digits, &labels, 128);
}
