//! The training steps of the comparison as traced functions, W4 and W5, and the same with other sizes.
//! Loss, gradients and Adam are one graph; the networks are written with operations, as the leanest peers write them.

use crate::data::*;
use crate::measure::Bench;
use eagerflow as tf;
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, Variable, tf_function};

#[derive(Module)]
pub struct Parameters(Vec<Variable>);

impl Parameters {
    /// In the comparison's order: glorot for matrices and kernels, zeros for vectors.
    pub fn new(seed: u64, shapes: &[&[usize]]) -> Self {
        let start = |(i, shape): (usize, &&[usize])| match shape.len() {
            1 => Variable::new(tf::zeros(*shape)),
            _ => Variable::new(glorot(seed + i as u64, shape)),
        };
        Self(shapes.iter().enumerate().map(start).collect())
    }

    pub fn all(&self) -> &[Variable] {
        &self.0
    }

    /// Kernel, recurrent kernel and bias.
    pub fn lstm(&self) -> (&Variable, &Variable, &Variable) {
        (&self.0[0], &self.0[1], &self.0[2])
    }
}

type Network = fn(&Tensor, &[Variable]) -> Tensor;

fn convolutions(x: &Tensor, v: &[Variable]) -> Tensor {
    let h = tf::relu(tf::bias_add(tf::conv2d(x, &v[0], [1, 1], tf::Padding::Valid), &v[1]));
    let h = tf::relu(tf::bias_add(tf::conv2d(h, &v[2], [1, 1], tf::Padding::Valid), &v[3]));
    tf::bias_add(tf::matmul(tf::reduce_mean(h, [1, 2]), &v[4]), &v[5])
}

fn perceptron(x: &Tensor, v: &[Variable]) -> Tensor {
    let h = tf::relu(tf::bias_add(tf::matmul(x, &v[0]), &v[1]));
    let h = tf::relu(tf::bias_add(tf::matmul(h, &v[2]), &v[3]));
    tf::bias_add(tf::matmul(h, &v[4]), &v[5])
}

#[tf_function]
pub fn step(network: Network, parameters: &Parameters, adam: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let logits = network(x, &parameters.0);
    let loss = tf::reduce_mean(tf::sparse_softmax_cross_entropy_with_logits(y, &logits), ());
    adam.apply_gradients(&tape.gradient(&loss, &parameters.0), &parameters.0);
    loss
}

fn train(b: &Bench, name: &str, network: Network, x: Tensor, y: Tensor, parameters: Parameters) {
    let make = || {
        let adam = Adam::new(1e-3).epsilon(1e-7);
        move || step(network, &parameters, &adam, &x, &y)
    };
    b.run(name, true, make, |loss| vec![f64::from(loss.item::<f32>())]);
}

pub fn run(b: &Bench) {
    for (name, c) in [("w4_mnist_cnn", 16), ("w4_mnist_cnn_24", 24), ("w4_mnist_cnn_48", 48)] {
        let shapes: [&[usize]; 6] = [&[3, 3, 1, c], &[c], &[3, 3, c, c], &[c], &[c, 10], &[10]];
        let images = uniform(491, &[32, 28, 28, 1], 0.0, 1.0);
        train(b, name, convolutions, images, labels(492, 32, 10), Parameters::new(400, &shapes));
    }
    for (name, batch) in [("w5_mlp", 128), ("w5_mlp_100", 100)] {
        let shapes: [&[usize]; 6] = [&[784, 512], &[512], &[512, 512], &[512], &[512, 10], &[10]];
        let rows = uniform(591, &[batch, 784], 0.0, 1.0);
        train(b, name, perceptron, rows, labels(592, batch, 10), Parameters::new(500, &shapes));
    }
}
