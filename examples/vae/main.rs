//! A variational autoencoder of handwritten digits, as Keras's guide writes it: `cargo run --release --example vae`.
//!
//! A struct with `#[tf::model]` has an encoder, a decoder, and a `train_step` and a `test_step` of its own, which log three losses by
//! name. Codes are two numbers, so that all of them lie in a plane that can be drawn. An argument is the folder for pictures,
//! `pictures` unless it is given:
//!
//! * `vae-reconstructions.png`: test images, and below each what its code is decoded to
//! * `vae-samples.png`: what random codes are decoded to
//! * `vae-plane.png`: a walk through the plane of codes, where digits change into each other
//! * `vae-curves.png`: the losses on training and test images
//!
//! It takes 6 seconds of processor time, and prints a line for each epoch and in the end:
//!
//! ```text
//! Epoch 150/150
//! 23/23 - 0s - 2ms/step - loss: 23.8674 - reconstruction_loss: 20.7248 - kl_loss: 3.1426 - val_loss: 24.2060 - ...
//! test images: loss: 24.2434 - reconstruction_loss: 21.1966 - kl_loss: 3.0468
//! pictures: pictures/vae-*.png
//! ```
//!
//! Each evaluation draws codes anew, so that the last two lines differ a little.

mod model;

use eagerflow as tf;
use eagerflow_examples::{digits, picture_folder};
use model::Vae;
use std::path::Path;
use tf::Tensor;
use tf::optim::Adam;
use tf::training::{Compile, Evaluate, Fit, History, Trainer};
use tf::viz::Grid;

/// Trains on images, and looks at others after each epoch.
fn train(images: &Tensor, others: &Tensor, epochs: usize, verbose: u8) -> tf::Result<(Trainer<Vae>, History)> {
    tf::random::set_seed(5);
    let trainer = Vae::new().compile(Adam::new(2e-3), ());
    let options = Fit::new().try_epochs(epochs)?.batch_size(64).validation_data(others).verbose(verbose);
    let history = trainer.try_fit(images, options)?;
    Ok((trainer, history))
}

/// Writes what the model has learnt: its curves, images beside their reconstructions, images of random codes, and the plane of codes.
fn draw(vae: &Vae, history: &History, images: &Tensor, folder: &Path) -> tf::Result<()> {
    history.try_plot(folder.join("vae-curves.png"))?;
    // Above each reconstruction is what it was made of.
    let images = images.at(..24);
    let (above, below) = (images.reshape([2, 12, 8, 8, 1]), vae.call(&images).reshape([2, 12, 8, 8, 1]));
    let pairs = tf::stack(&[above, below], 1).reshape([48, 8, 8, 1]);
    Grid::new().columns(12).try_save(&pairs, folder.join("vae-reconstructions.png"))?;
    let samples = vae.decode(&tf::random::normal([60, model::LATENT], 0.0, 1.0));
    Grid::new().columns(12).try_save(&samples, folder.join("vae-samples.png"))?;
    Grid::new().columns(SIDE).try_save(vae.decode(&plane()), folder.join("vae-plane.png"))
}

/// How many codes the plane has along each side.
const SIDE: usize = 12;

/// Codes that lie in a square, as dense as those of images: the quantiles of the normal distribution along both axes.
fn plane() -> Tensor {
    let shares = (tf::range(0, SIDE as i32, 1).cast(tf::float32) + 0.5) / SIDE as f32;
    let quantiles = tf::math::ndtri(&shares);
    let across = tf::tile(quantiles.reshape([1, SIDE]), [SIDE, 1]).reshape([SIDE * SIDE]);
    let down = tf::repeat(&quantiles, SIDE, 0);
    tf::stack(&[across, down], 1)
}

fn main() -> tf::Result<()> {
    let folder = picture_folder()?;
    let digits = digits::load(&digits::folder())?;
    println!("{digits}");
    let (trainer, history) = train(&digits.train.images, &digits.test.images, 150, 2)?;
    let vae = trainer.model();
    draw(vae, &history, &digits.test.images, &folder)?;
    let scores = trainer.try_evaluate(&digits.test.images, Evaluate::new())?;
    println!("test images: {scores}");
    println!("pictures: {}", folder.join("vae-*.png").display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_learns_to_reconstruct_and_draws() {
        let digits = digits::load(&digits::folder()).unwrap();
        let (trainer, history) = train(&digits.train.images, &digits.test.images, 14, 0).unwrap();
        let loss = &history["val_loss"];
        assert!(loss[13] < 0.86 * loss[0], "{loss:?}");
        let last = history.last();
        // The codes say something of the images: the decoder does not answer the mean image alone.
        assert!(last["kl_loss"] > 0.5, "{last}");
        assert!((last["loss"] - last["reconstruction_loss"] - last["kl_loss"]).abs() < 1e-3, "{last}");
        assert_eq!(trainer.predict(&digits.test.images).shape(), digits.test.images.shape());
        let folder = std::env::temp_dir().join(format!("eagerflow-vae-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        draw(trainer.model(), &history, &digits.test.images, &folder).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 4);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_plane_is_dense_in_the_middle() {
        let codes = plane().to_vec::<f32>();
        assert_eq!(codes.len(), 2 * SIDE * SIDE);
        // Row by row: the first number grows along a row, the second from row to row.
        assert!(codes[0] < codes[2] && codes[1] == codes[3] && codes[1] < codes[2 * SIDE + 1]);
        assert!((codes[2] - codes[0]) > 2.0 * (codes[SIDE] - codes[SIDE - 2]));
    }
}
