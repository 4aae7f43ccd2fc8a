//! A variational autoencoder of real digits: the encoder says a distribution, a draw of it goes on to the decoder.

use super::{learnt, seeded, two_traces};
use eagerflow as tf;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, tf_function};

const PIXELS: usize = 64;
const LATENT: usize = 4;

#[derive(Module)]
struct Vae {
    encoder: Dense,
    mean: Dense,
    log_variance: Dense,
    decoder: Dense,
    pixels: Dense,
}

impl Vae {
    fn new() -> Self {
        Self {
            encoder: Dense::new(48).activation("relu"),
            mean: Dense::new(LATENT),
            log_variance: Dense::new(LATENT),
            decoder: Dense::new(48).activation("relu"),
            pixels: Dense::new(PIXELS),
        }
    }

    /// Of one draw for each image: what is lost in its pixels, and the divergence from the standard normal distribution.
    fn losses(&self, images: &Tensor) -> (Tensor, Tensor) {
        let hidden = self.encoder.call(images);
        let (mean, log_variance) = (self.mean.call(&hidden), self.log_variance.call(&hidden));
        let noise = tf::random::normal((images.dim(0), LATENT), 0.0, 1.0);
        let code = &mean + noise * tf::exp(&log_variance * 0.5);
        let logits = self.pixels.call(self.decoder.call(&code));
        let lost = tf::reduce_sum(tf::sigmoid_cross_entropy_with_logits(images, logits), 1);
        let divergence = tf::reduce_sum(tf::exp(&log_variance) + mean.square() - 1.0 - &log_variance, 1) * 0.5;
        (lost.mean(), divergence.mean())
    }
}

#[tf_function]
fn train_step(model: &Vae, optimizer: &Adam, images: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let (lost, divergence) = model.losses(images);
    let loss = lost + divergence;
    let variables = model.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

/// Bars and crosses with some noise, 8 by 8.
fn images(count: usize, seed: i64) -> Tensor {
    let at = tf::random::stateless_uniform_int([count], [seed, 3], 0, 8).expand_dims(1);
    let column = tf::range(0, PIXELS as i32, 1);
    let bar = tf::equal(&column % 8, at.cast(tf::int32)).cast(tf::float32);
    let other = tf::equal(&column / 8, at.cast(tf::int32)).cast(tf::float32);
    tf::maximum(bar, other) * 0.9 + 0.05
}

#[test]
fn a_variational_autoencoder_learns_with_any_batch() {
    let _alone = seeded(2);
    let (model, optimizer) = (Vae::new(), Adam::new(4e-3));
    let mut losses = Vec::new();
    for step in 0..200 {
        losses.push(train_step(&model, &optimizer, &images(24 + step % 20, step as i64)).item::<f32>());
    }
    learnt(&losses, 0.6);
    two_traces(train_step);
}
