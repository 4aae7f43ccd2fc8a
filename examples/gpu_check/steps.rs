//! Training steps on the GPU: to the same losses as on the CPU, and how long they take, eager and traced.
//! `main` runs the comparison first and prints the rows.

use crate::speed::{Row, time};
use eagerflow as tf;
use tf::layers::{Activation, Conv2D, Dense, Flatten, MaxPool2D};
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Result, Tensor, tf_function};

/// A network as the guide's, for images of 28 by 28.
#[derive(Module)]
struct Net {
    conv1: Conv2D,
    conv2: Conv2D,
    pool: MaxPool2D,
    flatten: Flatten,
    hidden: Dense,
    head: Dense,
}

impl Net {
    fn new() -> Self {
        Self {
            conv1: Conv2D::new(16, 3).activation(Activation::Relu),
            conv2: Conv2D::new(16, 3).activation(Activation::Relu),
            pool: MaxPool2D::new(2),
            flatten: Flatten::new(),
            hidden: Dense::new(64).activation(Activation::Tanh),
            head: Dense::new(10),
        }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let x = self.pool.call(self.conv2.call(self.conv1.call(x)));
        self.head.call(self.hidden.call(self.flatten.call(x)))
    }
}

fn eager(net: &Net, optimizer: &Adam, images: &Tensor, labels: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_mean(&tf::nn::sparse_softmax_cross_entropy_with_logits(labels, &net.call(images)), ());
    let variables = net.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

#[tf_function]
fn traced(net: &Net, optimizer: &Adam, images: &Tensor, labels: &Tensor) -> Tensor {
    eager(net, optimizer, images, labels)
}

type Step = fn(&Net, &Adam, &Tensor, &Tensor) -> Tensor;

fn batch(device: &str, count: usize) -> Result<(Tensor, Tensor)> {
    let _there = tf::device("/cpu:0")?;
    let images = tf::random::stateless_uniform([count, 28, 28, 1], [1, 2], 0.0, 1.0);
    let labels = tf::floormod(&tf::range(0, count as i32, 1), 10);
    Ok((images.to_device(device)?, labels.to_device(device)?))
}

/// The losses of the first steps.
fn losses(device: &str, step: Step) -> Result<Vec<f32>> {
    let (images, labels) = batch(device, 8)?;
    let _there = tf::device(device)?;
    tf::random::set_seed(5);
    let (net, optimizer) = (Net::new(), Adam::new(1e-3));
    (0..6).map(|_| step(&net, &optimizer, &images, &labels).try_item::<f32>()).collect()
}

/// Whether steps give the same losses on both devices; prints them if not.
pub fn same_as_on_the_cpu() -> bool {
    tf::config::enable_tensor_float_32_execution(false);
    let all = || -> Result<bool> {
        let want = losses("/cpu:0", eager)?;
        let mut same = true;
        for (name, step) in [("eager", eager as Step), ("traced", traced)] {
            let got = losses("/gpu:0", step)?;
            let close = got.iter().zip(&want).all(|(a, b)| (a - b).abs() <= 1e-3 * b.abs());
            println!("{name} steps: losses {}", if close { "agree with the CPU's" } else { "differ" });
            if !close {
                println!("  got {got:?}\n  CPU {want:?}");
            }
            same &= close;
        }
        Ok(same)
    };
    let same = all().unwrap_or_else(|error| {
        println!("training steps failed: {error}");
        false
    });
    tf::config::enable_tensor_float_32_execution(true);
    same
}

pub fn rows(quick: bool) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for count in if quick { [2, 4] } else { [32, 256] } {
        let (images, labels) = batch("/gpu:0", count)?;
        let _there = tf::device("/gpu:0")?;
        let (net, optimizer) = (Net::new(), Adam::new(1e-3));
        for (name, step) in [("eager", eager as Step), ("traced", traced)] {
            let seconds = time(if quick { 3 } else { 100 }, || Ok(step(&net, &optimizer, &images, &labels)))?;
            rows.push((
                format!("step of a convolutional network, batch {count}, {name}"),
                format!("{:.3} ms", seconds * 1e3),
            ));
        }
    }
    Ok(rows)
}
