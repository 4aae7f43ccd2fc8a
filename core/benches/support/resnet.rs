//! A network of the shape of ResNet-18 and its training step: 20 convolutions, each with batch normalisation, shortcuts, Adam.
//! The benchmark of tracing calls it; channels are few, because what a step computes is not what is measured.

use crate::data::*;
use eagerflow as tf;
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Padding, Tensor, Variable, tf_function};

/// A convolution and the normalisation behind it.
#[derive(Module)]
struct Normed {
    kernel: Variable,
    gamma: Variable,
    beta: Variable,
    mean: Variable,
    variance: Variable,
    stride: usize,
}

impl Normed {
    fn new(size: usize, from: usize, to: usize, stride: usize) -> Self {
        let kernel = Variable::new(glorot((from * to + size) as u64, &[size, size, from, to]));
        let [gamma, variance] = [0; 2].map(|_| Variable::new(tf::ones([to])));
        let [beta, mean] = [0; 2].map(|_| Variable::new(tf::zeros([to])));
        Self { kernel, gamma, beta, mean, variance, stride }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let x = tf::conv2d(x, &self.kernel, [self.stride, self.stride], Padding::Same);
        let mean = tf::reduce_mean(&x, [0, 1, 2]);
        let centred = &x - &mean;
        let variance = tf::reduce_mean(centred.square(), [0, 1, 2]);
        for (moving, now) in [(&self.mean, &mean), (&self.variance, &variance)] {
            moving.assign_sub((moving.value() - tf::stop_gradient(now)) * 0.01);
        }
        centred * tf::rsqrt(variance + 1e-3) * &self.gamma + &self.beta
    }
}

/// Two convolutions and the way around them.
#[derive(Module)]
struct Block {
    first: Normed,
    second: Normed,
    around: Option<Normed>,
}

impl Block {
    fn new(from: usize, to: usize, stride: usize) -> Self {
        let around = (from != to).then(|| Normed::new(1, from, to, stride));
        Self { first: Normed::new(3, from, to, stride), second: Normed::new(3, to, to, 1), around }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let inner = self.second.call(&tf::relu(self.first.call(x)));
        match &self.around {
            Some(around) => tf::relu(inner + around.call(x)),
            None => tf::relu(inner + x),
        }
    }
}

/// The whole network.
#[derive(Module)]
pub struct Net {
    stem: Normed,
    blocks: Vec<Block>,
    head: Variable,
    bias: Variable,
    trained: Vec<Variable>,
}

impl Net {
    /// With so many channels behind the first convolution, 64 in the original.
    pub fn new(width: usize) -> Self {
        let stem = Normed::new(7, 3, width, 2);
        let stages = [(width, width, 1), (width, 2 * width, 2), (2 * width, 4 * width, 2), (4 * width, 8 * width, 2)];
        let pair = |(from, to, stride)| [Block::new(from, to, stride), Block::new(to, to, 1)];
        let blocks: Vec<Block> = stages.into_iter().flat_map(pair).collect();
        let (head, bias) = (Variable::new(glorot(99, &[8 * width, 10])), Variable::new(tf::zeros([10])));
        let inner = blocks.iter().flat_map(|b| [Some(&b.first), Some(&b.second), b.around.as_ref()]).flatten();
        let layers = std::iter::once(&stem).chain(inner);
        let mut trained: Vec<Variable> = layers.flat_map(|l| [&l.kernel, &l.gamma, &l.beta]).cloned().collect();
        trained.extend([head.clone(), bias.clone()]);
        Self { stem, blocks, head, bias, trained }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let mut x = tf::max_pool2d(tf::relu(self.stem.call(x)), [3, 3], [2, 2], Padding::Same);
        for block in &self.blocks {
            x = block.call(&x);
        }
        tf::bias_add(tf::matmul(tf::reduce_mean(x, [1, 2]), &self.head), &self.bias)
    }
}

#[tf_function]
pub fn step(net: &Net, adam: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let logits = net.call(x);
    let loss = tf::reduce_mean(tf::sparse_softmax_cross_entropy_with_logits(y, &logits), ());
    adam.apply_gradients(&tape.gradient(&loss, &net.trained), &net.trained);
    loss
}
