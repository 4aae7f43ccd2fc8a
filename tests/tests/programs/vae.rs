//! A variational autoencoder of handwritten digits, with a training step of its own.
//! The same as `vae.py`.

use super::digits;
use eagerflow as tf;
use tf::layers::{Conv2D, Conv2DTranspose, Dense, Flatten, Lambda, Reshape};
use tf::losses::{FromLogits, binary_crossentropy};
use tf::optim::Adam;
use tf::training::{Batch, Compile, Compiled, Fit};
use tf::{Functional, GradientTape, Module, Tensor};

const LATENT: usize = 4;

/// Draws a point of the latent space from its mean and logarithmic variance.
fn sampling() -> Lambda {
    Lambda::of_many(|inputs, _| {
        let (z_mean, z_log_var) = (&inputs[0], &inputs[1]);
        let epsilon = tf::random::normal(tf::shape(z_mean), 0.0, 1.0);
        Ok(z_mean + (z_log_var * 0.5).exp() * epsilon)
    })
}

fn build_encoder() -> Functional<Tensor, (Tensor, Tensor, Tensor)> {
    let inputs = tf::input([8, 8, 1]);
    let x = Conv2D::new(16, 3).activation("relu").strides(2).padding("same").call(&inputs);
    let x = Conv2D::new(32, 3).activation("relu").strides(2).padding("same").call(x);
    let x = Flatten::new().call(x);
    let x = Dense::new(32).activation("relu").call(x);
    let z_mean = Dense::new(LATENT).name("z_mean").call(&x);
    let z_log_var = Dense::new(LATENT).name("z_log_var").call(&x);
    let z = sampling().call_all([&z_mean, &z_log_var]);
    Functional::new(&inputs, (&z_mean, &z_log_var, &z))
}

fn build_decoder() -> Functional {
    let inputs = tf::input([LATENT]);
    let x = Dense::new(2 * 2 * 32).activation("relu").call(&inputs);
    let x = Reshape::new([2, 2, 32]).call(x);
    let x = Conv2DTranspose::new(32, 3).activation("relu").strides(2).padding("same").call(x);
    let x = Conv2DTranspose::new(16, 3).activation("relu").strides(2).padding("same").call(x);
    let outputs = Conv2DTranspose::new(1, 3).activation("sigmoid").padding("same").call(x);
    Functional::new(&inputs, &outputs)
}

#[derive(Module)]
struct Vae {
    encoder: Functional<Tensor, (Tensor, Tensor, Tensor)>,
    decoder: Functional,
}

#[tf::model]
impl Vae {
    fn call(&self, images: &Tensor) -> Tensor {
        let (_, _, z) = self.encoder.call(images);
        self.decoder.call(z)
    }

    fn train_step(&self, with: &Compiled, batch: &Batch<Tensor>) -> tf::Result<()> {
        let tape = GradientTape::new();
        let (z_mean, z_log_var, z) = self.encoder.call(&batch.x);
        let reconstruction = self.decoder.call(z);
        let reconstruction_loss =
            tf::reduce_sum(binary_crossentropy(&batch.x, &reconstruction, FromLogits::No), [1, 2]).mean();
        let kl_loss = -0.5 * (1.0 + &z_log_var - z_mean.square() - z_log_var.exp());
        let kl_loss = tf::reduce_sum(kl_loss, 1).mean();
        let total_loss = &reconstruction_loss + &kl_loss;
        let variables = self.trainable_variables();
        with.apply_gradients(&tape.gradient(&total_loss, &variables), &variables)?;
        with.log("loss", total_loss)?;
        with.log("reconstruction_loss", reconstruction_loss)?;
        with.log("kl_loss", kl_loss)
    }
}

/// The loss of the first and last epoch, and pictures of random points.
pub fn run(epochs: usize) -> (f64, f64, Tensor) {
    tf::random::set_seed(1);
    let vae = Vae { encoder: build_encoder(), decoder: build_decoder() };
    let trainer = vae.compile(Adam::new(1e-3), ());
    let history = trainer.fit(digits::images(), Fit::new().epochs(epochs).batch_size(64).verbose(0));
    let pictures = trainer.model().decoder.call(tf::random::normal([9, LATENT], 0.0, 1.0));
    (history["loss"][0], history["loss"][epochs - 1], pictures)
}

#[test]
fn it_learns() {
    let (first, last, pictures) = run(2);
    assert!(last < 0.9 * first, "{first} {last}");
    assert_eq!(pictures.shape(), [9, 8, 8, 1]);
}
