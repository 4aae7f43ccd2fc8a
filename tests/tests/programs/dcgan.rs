//! A generator and a discriminator of handwritten digits, each with an optimizer.
//! The same as `dcgan.py`.

use super::digits;
use eagerflow as tf;
use tf::layers::{Conv2D, Conv2DTranspose, Dense, Dropout, Flatten, LeakyReLU, Reshape};
use tf::losses::BinaryCrossentropy;
use tf::optim::{Adam, Optimizer};
use tf::training::{Batch, Compile, Compiled, Fit};
use tf::{GradientTape, Module, Sequential, Tensor};

const LATENT: usize = 16;

fn build_discriminator() -> Sequential {
    Sequential::new((
        Conv2D::new(32, 4).strides(2).padding("same"),
        LeakyReLU::new().negative_slope(0.2),
        Conv2D::new(64, 4).strides(2).padding("same"),
        LeakyReLU::new().negative_slope(0.2),
        Flatten::new(),
        Dropout::new(0.2),
        Dense::new(1).activation("sigmoid"),
    ))
}

fn build_generator() -> Sequential {
    Sequential::new((
        Dense::new(2 * 2 * 64),
        Reshape::new([2, 2, 64]),
        Conv2DTranspose::new(64, 4).strides(2).padding("same"),
        LeakyReLU::new().negative_slope(0.2),
        Conv2DTranspose::new(64, 4).strides(2).padding("same"),
        LeakyReLU::new().negative_slope(0.2),
        Conv2D::new(1, 5).padding("same").activation("sigmoid"),
    ))
}

#[derive(Module)]
struct Gan {
    discriminator: Sequential,
    generator: Sequential,
    d_optimizer: Adam,
    g_optimizer: Adam,
    loss_fn: BinaryCrossentropy,
}

#[tf::model]
impl Gan {
    fn call(&self, points: &Tensor) -> Tensor {
        self.generator.call(points)
    }

    fn train_step(&self, with: &Compiled, batch: &Batch<Tensor>) -> tf::Result<()> {
        let real_images = &batch.x;
        let batch_size = real_images.dim(0);
        let generated_images = self.generator.call(tf::random::normal((&batch_size, LATENT), 0.0, 1.0));
        let combined_images = tf::concat(&[&generated_images, real_images], 0);
        let labels = tf::concat(&[tf::ones((&batch_size, 1)), tf::zeros((&batch_size, 1))], 0);
        let labels = &labels + tf::random::uniform(tf::shape(&labels), 0.0, 0.05);
        let tape = GradientTape::new();
        let predictions = self.discriminator.call_training(combined_images, true);
        let d_loss = self.loss_fn.call(labels, predictions);
        let variables = self.discriminator.trainable_variables();
        self.d_optimizer.apply_gradients(&tape.gradient(&d_loss, &variables), &variables);

        let misleading_labels = tf::zeros((&batch_size, 1));
        let tape = GradientTape::new();
        let fakes = self.generator.call(tf::random::normal((&batch_size, LATENT), 0.0, 1.0));
        let predictions = self.discriminator.call(fakes);
        let g_loss = self.loss_fn.call(misleading_labels, predictions);
        let variables = self.generator.trainable_variables();
        self.g_optimizer.apply_gradients(&tape.gradient(&g_loss, &variables), &variables);

        with.log("d_loss", d_loss)?;
        with.log("g_loss", g_loss)
    }
}

/// The losses of the last epoch, and how far the mean made image is from the mean real one, before and behind the training.
pub fn run(epochs: usize) -> (f64, f64, f32, f32) {
    tf::random::set_seed(1);
    let real_images = digits::images();
    let gan = Gan {
        discriminator: build_discriminator(),
        generator: build_generator(),
        d_optimizer: Adam::new(3e-4).beta_1(0.5),
        g_optimizer: Adam::new(1e-3).beta_1(0.5),
        loss_fn: BinaryCrossentropy::new(),
    };
    let distance = || {
        let made = gan.call(&tf::random::normal([256, LATENT], 0.0, 1.0));
        (tf::reduce_mean(made, 0) - tf::reduce_mean(&real_images, 0)).abs().mean().item()
    };
    let before = distance();
    let history = (&gan).compile((), ()).fit(&real_images, Fit::new().epochs(epochs).batch_size(64).verbose(0));
    (history["d_loss"][epochs - 1], history["g_loss"][epochs - 1], before, distance())
}

#[test]
fn it_learns() {
    let (_, _, before, after) = run(3);
    assert!(after < 0.9 * before, "{before} {after}");
}
