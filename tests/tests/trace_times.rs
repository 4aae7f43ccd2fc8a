//! How long it takes to trace the guide's training step, and to plan it for another batch size:
//! `cargo test --release -p eagerflow-tests --test trace_times -- --ignored --nocapture` prints it.

use eagerflow as tf;
use std::time::Instant;
use tf::layers::{Conv2D, Dense, Flatten};
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

/// Prints the times for square images of a side.
fn print_times(side: usize) {
    let net = Net {
        conv: Conv2D::new(32, 3).activation("relu"),
        flatten: Flatten::new(),
        hidden: Dense::new(128).activation("relu"),
        head: Dense::new(10),
    };
    let optimizer = Adam::new(1e-3);
    let time = |size: usize| {
        let (images, labels) = (tf::ones([size, side, side, 1]), tf::zeros([size]).cast(tf::DType::I32));
        let start = Instant::now();
        assert!(train_step(&net, &optimizer, &images, &labels).item::<f32>().is_finite());
        start.elapsed().as_secs_f64() * 1e3
    };
    let best = |times: usize, each: &dyn Fn() -> f64| (0..times).map(|_| each()).fold(f64::INFINITY, f64::min);
    let clear = || tf::function(train_step).clear();
    // Layers and optimizer make their variables in the first trace.
    time(4);
    let steady = best(20, &|| time(4));
    let traced = best(20, &|| {
        let before = tf::function(train_step).trace_count();
        clear();
        let time = time(4);
        assert_eq!(tf::function(train_step).trace_count(), before + 1);
        time
    });
    let nodes = tf::function(train_step).node_count();
    println!(
        "images of {side}: tracing, passes and plan ({nodes} nodes) take {:.2} ms above a call of {steady:.2} ms",
        traced - steady
    );
    // Two sizes make one trace for all; each further size is planned when it first comes.
    let planned = best(4, &|| {
        clear();
        time(4);
        time(5);
        let traces = tf::function(train_step).reasons().len();
        let planned = (6..12).map(|size| time(size) - best(5, &|| time(size))).fold(f64::INFINITY, f64::min);
        assert_eq!(tf::function(train_step).reasons().len(), traces, "further sizes make no trace");
        planned
    });
    println!("images of {side}: another batch size takes {planned:.2} ms above a call");
}

#[test]
#[ignore = "prints times, which mean something in a release build only"]
fn times_of_the_guides_training_step() {
    print_times(28);
    // The same graph with little to compute, and no memory that the system has to clear first.
    print_times(6);
}
