//! How long it takes to trace the guide's training step, and to plan it for another batch size:
//! `cargo test --release -p eagerflow-tests --test trace_times -- --ignored --nocapture` prints it.

use eagerflow as tf;
use std::time::Instant;
use tf::layers::{Activation, Conv2D, Dense, Flatten};
use tf::losses::{FromLogits, sparse_categorical_crossentropy};
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, tf_function};

#[derive(Module)]
struct Net {
    conv: Conv2D,
    flatten: Flatten,
    hidden: Dense,
    head: Dense,
}

#[tf_function]
fn train_step(net: &Net, optimizer: &Adam, images: &Tensor, labels: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let logits = net.head.call(net.hidden.call(net.flatten.call(net.conv.call(images))));
    let loss = sparse_categorical_crossentropy(labels, &logits, FromLogits::Yes).mean();
    let variables = net.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

#[test]
#[ignore = "prints times, which mean something in a release build only"]
fn times_of_the_guides_training_step() {
    let net = Net {
        conv: Conv2D::new(32, 3).activation(Activation::Relu),
        flatten: Flatten::new(),
        hidden: Dense::new(128).activation(Activation::Relu),
        head: Dense::new(10),
    };
    let optimizer = Adam::new(1e-3);
    let batch = |size: usize| (tf::ones([size, 28, 28, 1]), tf::zeros([size]).cast(tf::DType::I32));
    let time = |size: usize| {
        let (images, labels) = batch(size);
        let start = Instant::now();
        assert!(train_step(&net, &optimizer, &images, &labels).item::<f32>().is_finite());
        start.elapsed().as_secs_f64() * 1e3
    };
    let best = |times: usize, each: &dyn Fn() -> f64| (0..times).map(|_| each()).fold(f64::INFINITY, f64::min);
    time(4);
    time(4);
    let steady = best(20, &|| time(4));
    let traced = best(10, &|| {
        tf::function(train_step).clear();
        time(4)
    });
    println!("tracing, passes and plan: {:.2} ms above a call of {steady:.2} ms", traced - steady);
    // Two sizes make one trace for all; each further size is planned when it first comes.
    tf::function(train_step).clear();
    time(4);
    time(5);
    let traces = tf::function(train_step).reasons().len();
    let planned = (6..12).map(|size| time(size) - best(5, &|| time(size))).fold(f64::INFINITY, f64::min);
    println!("another batch size: {planned:.2} ms above a call");
    assert_eq!(tf::function(train_step).reasons().len(), traces, "further sizes make no trace");
}
