//! Networks of convolutions with batch normalisation: a small ResNet of bottlenecks, and a small MobileNet of inverted ones.
//! `steps.rs` times their training steps.

use crate::network::{Network, Step, cross_entropy, images, with_momentum};
use eagerflow as tf;
use tf::layers::{BatchNormalization, Call, Conv2D, Dense, DepthwiseConv2D, GlobalAveragePooling2D};
use tf::{Model, Module, Tensor};

/// A convolution without bias, and the normalisation behind it.
#[derive(Module)]
struct Normed(Conv2D, BatchNormalization);

impl Normed {
    fn new(channels: usize, kernel: usize, stride: usize) -> Self {
        let convolution = Conv2D::new(channels, kernel).strides(stride).padding("same").use_bias(false);
        Self(convolution, BatchNormalization::new())
    }

    fn call(&self, x: &Tensor) -> Tensor {
        self.1.call(self.0.call(x))
    }
}

/// Fewer channels, a convolution among them, more channels again, and the way around.
#[derive(Module)]
struct Bottleneck {
    narrow: Normed,
    middle: Normed,
    wide: Normed,
    around: Option<Normed>,
}

impl Bottleneck {
    fn new(channels: usize, stride: usize, first: bool) -> Self {
        Self {
            narrow: Normed::new(channels, 1, stride),
            middle: Normed::new(channels, 3, 1),
            wide: Normed::new(4 * channels, 1, 1),
            around: first.then(|| Normed::new(4 * channels, 1, stride)),
        }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let inner = tf::relu(self.middle.call(&tf::relu(self.narrow.call(x))));
        let inner = self.wide.call(&inner);
        match &self.around {
            Some(around) => tf::relu(inner + around.call(x)),
            None => tf::relu(inner + x),
        }
    }
}

#[derive(Module)]
struct ResNet {
    stem: Normed,
    blocks: Vec<Bottleneck>,
    pool: GlobalAveragePooling2D,
    output: Dense,
}

#[tf::model]
impl ResNet {
    fn call(&self, x: &Tensor) -> Tensor {
        let mut x = tf::relu(self.stem.call(x));
        for block in &self.blocks {
            x = block.call(&x);
        }
        self.output.call(self.pool.call(&x))
    }
}

impl Network for ResNet {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        cross_entropy(y, &self.call_with(x, &Call::training()))
    }
}

pub fn resnet(batch: usize) -> Step {
    let stage = |(channels, stride)| [(stride, true), (1, false)].map(|(s, first)| Bottleneck::new(channels, s, first));
    let network = ResNet {
        stem: Normed::new(32, 3, 1),
        blocks: [(16, 1), (32, 2), (64, 2)].into_iter().flat_map(stage).collect(),
        pool: GlobalAveragePooling2D::new(),
        output: Dense::new(10),
    };
    with_momentum(network, images(batch, 32, 10))
}

/// More channels, a convolution of each alone, fewer channels again.
#[derive(Module)]
struct Inverted {
    wide: Normed,
    each: DepthwiseConv2D,
    norm: BatchNormalization,
    narrow: Normed,
    around: bool,
}

impl Inverted {
    fn new((from, to, stride): (usize, usize, usize)) -> Self {
        Self {
            wide: Normed::new(4 * from, 1, 1),
            each: DepthwiseConv2D::new(3).strides(stride).padding("same").use_bias(false),
            norm: BatchNormalization::new(),
            narrow: Normed::new(to, 1, 1),
            around: from == to && stride == 1,
        }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let inner = tf::relu6(self.wide.call(x));
        let inner = tf::relu6(self.norm.call(self.each.call(inner)));
        let inner = self.narrow.call(&inner);
        if self.around { inner + x } else { inner }
    }
}

#[derive(Module)]
struct MobileNet {
    stem: Normed,
    blocks: Vec<Inverted>,
    top: Normed,
    pool: GlobalAveragePooling2D,
    output: Dense,
}

#[tf::model]
impl MobileNet {
    fn call(&self, x: &Tensor) -> Tensor {
        let mut x = tf::relu6(self.stem.call(x));
        for block in &self.blocks {
            x = block.call(&x);
        }
        self.output.call(self.pool.call(tf::relu6(self.top.call(&x))))
    }
}

impl Network for MobileNet {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        cross_entropy(y, &self.call_with(x, &Call::training()))
    }
}

/// Sides are odd all the way, so that the margins of strided convolutions are the same on both sides, as some peers have them.
pub fn mobilenet(batch: usize) -> Step {
    let sizes = [(16, 16, 1), (16, 24, 2), (24, 24, 1), (24, 32, 2), (32, 32, 1)];
    let network = MobileNet {
        stem: Normed::new(16, 3, 2),
        blocks: sizes.into_iter().map(Inverted::new).collect(),
        top: Normed::new(128, 1, 1),
        pool: GlobalAveragePooling2D::new(),
        output: Dense::new(10),
    };
    with_momentum(network, images(batch, 49, 10))
}
