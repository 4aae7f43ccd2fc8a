//! The networks of the DCGAN, and its own step of training, in which two optimizers take turns.
//! The program trains it by `fit`.

use eagerflow::{self as tf, Module, Tensor};
use tf::GradientTape;
use tf::layers::{BatchNormalization, Conv2D, Conv2DTranspose, Dense, Dropout, Flatten, LeakyReLU, Reshape};
use tf::losses::{FromLogits, binary_crossentropy};
use tf::optim::{Adam, Optimizer};
use tf::training::{Batch, Compiled};

/// The size of a code.
pub const LATENT: usize = 32;

/// Two networks: one makes images, the other tells them from real ones.
#[derive(Module)]
pub struct Gan {
    generator: tf::Sequential,
    discriminator: tf::Sequential,
    /// The optimizer of the generator; `compile` is given that of the discriminator.
    generator_optimizer: Adam,
}

#[tf::model]
impl Gan {
    /// Images for codes.
    pub fn call(&self, codes: &Tensor) -> Tensor {
        self.generator.call(codes)
    }

    /// The batch has real images. Both networks see the same made ones.
    fn train_step(&self, with: &Compiled, batch: &Batch<Tensor>) -> tf::Result<()> {
        let real = &batch.x;
        let tape = GradientTape::persistent();
        let codes = tf::random::normal((real.dim(0), LATENT), 0.0, 1.0);
        let made = self.generator.call_training(&codes, true);
        let (of_real, of_made) =
            (self.discriminator.call_training(real, true), self.discriminator.call_training(&made, true));
        // The discriminator shall answer a little less than 1 for real images, which keeps it from being too sure.
        let discriminator = (loss(&of_real, 0.9) + loss(&of_made, 0.0)) * 0.5;
        let generator = loss(&of_made, 1.0);
        let variables = self.discriminator.trainable_variables();
        with.apply_gradients(&tape.gradient(&discriminator, &variables), &variables)?;
        let variables = self.generator.trainable_variables();
        self.generator_optimizer.try_apply_gradients(&tape.gradient(&generator, &variables), &variables)?;
        with.log("loss", &discriminator)?;
        with.log("generator_loss", &generator)?;
        // Which shares of real and of made images are taken for real.
        with.log("real_taken_for_real", of_real.greater(0.0).cast(tf::float32).mean())?;
        with.log("made_taken_for_real", of_made.greater(0.0).cast(tf::float32).mean())
    }
}

/// How far logits are from a label.
fn loss(logits: &Tensor, label: f32) -> Tensor {
    binary_crossentropy(tf::zeros_like(logits) + label, logits, FromLogits::Yes).mean()
}

impl Gan {
    /// With first weights.
    pub fn new() -> Self {
        let generator = tf::Sequential::new((
            Dense::new(2 * 2 * 128).use_bias(false),
            BatchNormalization::new().momentum(0.9),
            LeakyReLU::new().negative_slope(0.2),
            Reshape::new([2, 2, 128]),
            Conv2DTranspose::new(64, 4).strides(2).padding("same").use_bias(false),
            BatchNormalization::new().momentum(0.9),
            LeakyReLU::new().negative_slope(0.2),
            Conv2DTranspose::new(32, 4).strides(2).padding("same").use_bias(false),
            BatchNormalization::new().momentum(0.9),
            LeakyReLU::new().negative_slope(0.2),
            Conv2D::new(1, 3).padding("same").activation("tanh"),
        ));
        let discriminator = tf::Sequential::new((
            Conv2D::new(32, 3).padding("same"),
            LeakyReLU::new().negative_slope(0.2),
            Conv2D::new(64, 4).strides(2).padding("same"),
            LeakyReLU::new().negative_slope(0.2),
            Conv2D::new(128, 4).strides(2).padding("same"),
            LeakyReLU::new().negative_slope(0.2),
            Flatten::new(),
            Dropout::new(0.3),
            Dense::new(1),
        ));
        Self { generator, discriminator, generator_optimizer: Adam::new(4e-4).beta_1(0.5) }
    }

    /// The optimizer of the generator.
    #[cfg(test)]
    pub fn generator_optimizer(&self) -> &Adam {
        &self.generator_optimizer
    }
}
