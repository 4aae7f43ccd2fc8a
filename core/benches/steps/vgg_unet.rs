//! Networks of convolutions with biases: a small VGG that classifies, and a small UNet that classifies each pixel.
//! `steps.rs` times their training steps.

use crate::inputs::{labels, numbers};
use crate::network::{Network, Step, cross_entropy, images, with_momentum};
use eagerflow as tf;
use tf::layers::{Conv2D, Conv2DTranspose, Dense, Flatten, MaxPooling2D};
use tf::{Module, Tensor};

fn convolution(channels: usize) -> Conv2D {
    Conv2D::new(channels, 3).padding("same").activation("relu")
}

/// Two convolutions of the same channels.
#[derive(Module)]
struct Pair(Conv2D, Conv2D);

impl Pair {
    fn new(channels: usize) -> Self {
        Self(convolution(channels), convolution(channels))
    }

    fn call(&self, x: &Tensor) -> Tensor {
        self.1.call(self.0.call(x))
    }
}

#[derive(Module)]
struct Vgg {
    stages: Vec<Pair>,
    pool: MaxPooling2D,
    flatten: Flatten,
    hidden: Dense,
    output: Dense,
}

impl Network for Vgg {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let mut x = x.clone();
        for stage in &self.stages {
            x = self.pool.call(stage.call(&x));
        }
        cross_entropy(y, &self.output.call(self.hidden.call(self.flatten.call(&x))))
    }
}

pub fn vgg(batch: usize) -> Step {
    let network = Vgg {
        stages: [32, 64, 128].map(Pair::new).into(),
        pool: MaxPooling2D::new(2),
        flatten: Flatten::new(),
        hidden: Dense::new(256).activation("relu"),
        output: Dense::new(10),
    };
    with_momentum(network, images(batch, 32, 10))
}

/// Twice the size, beside what had that size on the way down.
#[derive(Module)]
struct Up {
    larger: Conv2DTranspose,
    pair: Pair,
}

impl Up {
    fn new(channels: usize) -> Self {
        Self { larger: Conv2DTranspose::new(channels, 2).strides(2), pair: Pair::new(channels) }
    }

    fn call(&self, x: &Tensor, beside: &Tensor) -> Tensor {
        self.pair.call(&tf::concat(&[beside.clone(), self.larger.call(x)], -1))
    }
}

#[derive(Module)]
struct UNet {
    down: Vec<Pair>,
    pool: MaxPooling2D,
    middle: Pair,
    up: Vec<Up>,
    output: Conv2D,
}

impl Network for UNet {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let (mut x, mut beside) = (x.clone(), Vec::new());
        for pair in &self.down {
            beside.push(pair.call(&x));
            x = self.pool.call(&beside[beside.len() - 1]);
        }
        x = self.middle.call(&x);
        for (up, beside) in self.up.iter().zip(beside.iter().rev()) {
            x = up.call(&x, beside);
        }
        cross_entropy(y, &self.output.call(&x))
    }
}

const PIXELS: usize = 64;

pub fn unet(batch: usize) -> Step {
    let network = UNet {
        down: [16, 32].map(Pair::new).into(),
        pool: MaxPooling2D::new(2),
        middle: Pair::new(64),
        up: [32, 16].map(Up::new).into(),
        output: Conv2D::new(4, 1),
    };
    let classes = labels(2, batch * PIXELS * PIXELS, 4).reshape([batch, PIXELS, PIXELS]);
    with_momentum(network, [numbers(1, &[batch, PIXELS, PIXELS, 3]) * 2.0, classes])
}
