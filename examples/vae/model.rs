//! The variational autoencoder: an encoder that says a distribution for each image, a decoder, and its own step of training.
//! The program trains it by `fit`; its losses are in the history by their names.

use eagerflow::{self as tf, Module, Tensor};
use tf::GradientTape;
use tf::layers::{Conv2D, Conv2DTranspose, Dense, Flatten, Reshape};
use tf::training::{Batch, Compiled};

/// The size of a code: two numbers, so that all codes lie in a plane.
pub const LATENT: usize = 2;

/// An autoencoder whose codes are distributed as standard normal numbers are.
#[derive(Module)]
pub struct Vae {
    encoder: tf::Sequential,
    mean: Dense,
    log_variance: Dense,
    decoder: tf::Sequential,
}

#[tf::model]
impl Vae {
    /// The reconstruction of images `[batch, 8, 8, 1]`, by the means of their codes.
    pub fn call(&self, images: &Tensor) -> Tensor {
        self.decode(&self.encode(images).0)
    }

    fn train_step(&self, with: &Compiled, batch: &Batch<Tensor>) -> tf::Result<()> {
        let tape = GradientTape::new();
        let losses = self.losses(&batch.x);
        let variables = self.trainable_variables();
        with.apply_gradients(&tape.gradient(&losses.total, &variables), &variables)?;
        losses.log(with)
    }

    fn test_step(&self, with: &Compiled, batch: &Batch<Tensor>) -> tf::Result<()> {
        self.losses(&batch.x).log(with)
    }
}

impl Vae {
    /// With first weights.
    pub fn new() -> Self {
        let encoder = tf::Sequential::new((
            Conv2D::new(32, 3).strides(2).padding("same").activation("relu"),
            Conv2D::new(64, 3).strides(2).padding("same").activation("relu"),
            Flatten::new(),
            Dense::new(64).activation("relu"),
        ));
        let decoder = tf::Sequential::new((
            Dense::new(2 * 2 * 64).activation("relu"),
            Reshape::new([2, 2, 64]),
            Conv2DTranspose::new(64, 3).strides(2).padding("same").activation("relu"),
            Conv2DTranspose::new(32, 3).strides(2).padding("same").activation("relu"),
            Conv2DTranspose::new(1, 3).padding("same").activation("sigmoid"),
        ));
        Self { encoder, mean: Dense::new(LATENT), log_variance: Dense::new(LATENT), decoder }
    }

    /// The means and the logarithms of the variances of images' codes.
    pub fn encode(&self, images: &Tensor) -> (Tensor, Tensor) {
        let hidden = self.encoder.call(images);
        (self.mean.call(&hidden), self.log_variance.call(&hidden))
    }

    /// Images for codes `[batch, 2]`.
    pub fn decode(&self, codes: &Tensor) -> Tensor {
        self.decoder.call(codes)
    }

    /// The losses of a batch, for one draw of each image's code.
    fn losses(&self, images: &Tensor) -> Losses {
        let (mean, log_variance) = self.encode(images);
        // The draw is a function of mean and variance, so that gradients go through it.
        let noise = tf::random::normal((images.dim(0), LATENT), 0.0, 1.0);
        let made = self.decode(&(&mean + tf::exp(&log_variance * 0.5) * noise));
        let lost = tf::losses::binary_crossentropy(images, &made, tf::losses::FromLogits::No);
        let reconstruction = tf::reduce_sum(lost, [1, 2]).mean();
        let divergence = (tf::exp(&log_variance) + mean.square() - 1.0 - &log_variance) * 0.5;
        let divergence = tf::reduce_sum(divergence, 1).mean();
        Losses { total: &reconstruction + &divergence, reconstruction, divergence }
    }
}

/// What a batch costs: the pixels that are lost, and how far the codes are from standard normal numbers.
struct Losses {
    total: Tensor,
    reconstruction: Tensor,
    divergence: Tensor,
}

impl Losses {
    fn log(&self, with: &Compiled) -> tf::Result<()> {
        with.log("loss", &self.total)?;
        with.log("reconstruction_loss", &self.reconstruction)?;
        with.log("kl_loss", &self.divergence)
    }
}
