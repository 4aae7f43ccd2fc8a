//! Networks of products: a GRU over a sequence, a variational autoencoder, and an MLP-Mixer over patches of images.
//! `steps.rs` times their training steps.

use crate::inputs::{labels, numbers};
use crate::network::{Network, Step, cross_entropy, images, with_adam};
use eagerflow as tf;
use tf::layers::{Conv2D, Dense, GRU, LayerNormalization};
use tf::{Module, Tensor};

/// The last state of a GRU tells the class of a sequence.
#[derive(Module)]
struct Recurrent {
    gru: GRU,
    output: Dense,
}

impl Network for Recurrent {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        cross_entropy(y, &self.output.call(self.gru.call(x)))
    }
}

pub fn gru(batch: usize) -> Step {
    let network = Recurrent { gru: GRU::new(128), output: Dense::new(10) };
    with_adam(network, [numbers(1, &[batch, 50, 64]) * 2.0, labels(2, batch, 10)])
}

const PIXELS: usize = 784;
const CODE: usize = 16;

#[derive(Module)]
struct Vae {
    encoder: [Dense; 2],
    mean: Dense,
    log_variance: Dense,
    decoder: [Dense; 2],
    output: Dense,
}

impl Network for Vae {
    /// With the noise of the codes in `y`, so that all peers have the same.
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let h = self.encoder[1].call(self.encoder[0].call(x));
        let (mean, log_variance) = (self.mean.call(&h), self.log_variance.call(&h));
        let code = &mean + tf::exp(&log_variance * 0.5) * y;
        let logits = self.output.call(self.decoder[1].call(self.decoder[0].call(&code)));
        let wrong = tf::reduce_sum(tf::nn::sigmoid_cross_entropy_with_logits(x, &logits), -1);
        let far = tf::reduce_sum(mean.square() + tf::exp(&log_variance) - 1.0 - &log_variance, -1) * 0.5;
        (wrong + far).mean()
    }
}

pub fn vae(batch: usize) -> Step {
    let hidden = |units| Dense::new(units).activation("relu");
    let network = Vae {
        encoder: [512, 256].map(hidden),
        mean: Dense::new(CODE),
        log_variance: Dense::new(CODE),
        decoder: [256, 512].map(hidden),
        output: Dense::new(PIXELS),
    };
    with_adam(network, [numbers(1, &[batch, PIXELS]) + 0.5, numbers(2, &[batch, CODE]) * 3.0])
}

const WIDTH: usize = 128;

/// Two products among the patches, and two among the channels.
#[derive(Module)]
struct Block {
    norm_1: LayerNormalization,
    patches: [Dense; 2],
    norm_2: LayerNormalization,
    channels: [Dense; 2],
}

impl Block {
    fn new(patches: usize) -> Self {
        let pair = |inner, outer| [Dense::new(inner).activation("gelu"), Dense::new(outer)];
        Self {
            norm_1: LayerNormalization::new(),
            patches: pair(64, patches),
            norm_2: LayerNormalization::new(),
            channels: pair(4 * WIDTH, WIDTH),
        }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let turned = self.norm_1.call(x).transpose([0, 2, 1]);
        let mixed = self.patches[1].call(self.patches[0].call(&turned)).transpose([0, 2, 1]);
        let x = x + mixed;
        &x + self.channels[1].call(self.channels[0].call(self.norm_2.call(&x)))
    }
}

#[derive(Module)]
struct Mixer {
    patches: Conv2D,
    blocks: Vec<Block>,
    norm: LayerNormalization,
    output: Dense,
}

impl Network for Mixer {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let mut x = self.patches.call(x).reshape([-1, 64, WIDTH as i64]);
        for block in &self.blocks {
            x = block.call(&x);
        }
        cross_entropy(y, &self.output.call(tf::reduce_mean(self.norm.call(&x), 1)))
    }
}

pub fn mixer(batch: usize) -> Step {
    let network = Mixer {
        patches: Conv2D::new(WIDTH, 4).strides(4),
        blocks: (0..4).map(|_| Block::new(64)).collect(),
        norm: LayerNormalization::new(),
        output: Dense::new(10),
    };
    with_adam(network, images(batch, 32, 10))
}
