//! A DCGAN of handwritten digits, as Keras's guide writes it: `cargo run --release --example gan`.
//!
//! A struct with `#[tf::model]` has two networks and a `train_step` of its own, in which two optimizers take turns: `compile` is given one,
//! the other is a field. `fit` runs that step as one graph; a callback draws while it trains. An argument is the folder for pictures,
//! `pictures` unless it is given:
//!
//! * `gan-real.png`: training images, to compare with
//! * `gan-digits.png`: images that were made of random codes, drawn anew after each tenth of the training
//! * `gan-curves.png`: both losses, and what the discriminator takes for real
//!
//! It prints, after about a minute on two cores:
//!
//! ```text
//! 1437 training and 360 test images of 8 by 8 pixels
//! epoch  30/300  loss: 0.6485 - generator_loss: 0.8797 - real_taken_for_real: 0.3498 - made_taken_for_real: 0.1146
//! ...
//! epoch 300/300  loss: 0.5530 - generator_loss: 1.2369 - real_taken_for_real: 0.6320 - made_taken_for_real: 0.1745
//! pictures: pictures/gan-*.png
//! ```

mod model;

use eagerflow as tf;
use eagerflow_examples::{digits, picture_folder};
use model::Gan;
use std::path::Path;
use tf::callbacks::LambdaCallback;
use tf::optim::Adam;
use tf::training::{Compile, Fit, History, Trainer};
use tf::viz::Grid;
use tf::{Model as _, Tensor};

/// Trains on images from -1 to 1.
fn train(images: &Tensor, (epochs, batch): (usize, usize), folder: &Path) -> tf::Result<(Trainer<Gan>, History)> {
    tf::random::set_seed(2);
    let trainer = Gan::new().compile(Adam::new(2e-4).beta_1(0.5), ());
    // The same codes after each tenth of the training.
    let codes = tf::random::normal([60, model::LATENT], 0.0, 1.0);
    let tenth = (epochs / 10).max(1);
    let watch = LambdaCallback::new().on_epoch_end(|epoch, logs, _| {
        if (epoch + 1) % tenth == 0 {
            println!("epoch {:>3}/{epochs}  {logs}", epoch + 1);
            draw(&made(trainer.model(), &codes), &folder.join("gan-digits.png"))?;
        }
        Ok(())
    });
    let options = Fit::new().try_epochs(epochs)?.batch_size(batch).callback(watch).verbose(0);
    let history = trainer.try_fit(images, options)?;
    Ok((trainer, history))
}

/// The images that a network makes of codes.
fn made(gan: &Gan, codes: &Tensor) -> Tensor {
    gan.call_with(codes, &tf::layers::Call::inference())
}

fn draw(images: &Tensor, path: &Path) -> tf::Result<()> {
    Grid::new().columns(12).range(-1.0, 1.0).try_save(images, path)
}

fn main() -> tf::Result<()> {
    let folder = picture_folder()?;
    let digits = digits::load(&digits::folder())?;
    println!("{digits}");
    let images = digits.train.images * 2.0 - 1.0;
    draw(&images.at(..60), &folder.join("gan-real.png"))?;
    let (_, history) = train(&images, (300, 64), &folder)?;
    history.try_plot(folder.join("gan-curves.png"))?;
    println!("pictures: {}", folder.join("gan-*.png").display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_come_nearer_to_real_ones() {
        let folder = std::env::temp_dir().join(format!("eagerflow-gan-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let digits = digits::load(&digits::folder()).unwrap();
        let real = digits.train.images.at(..512) * 2.0 - 1.0;
        let codes = tf::random::stateless_normal([128, model::LATENT], [1, 2], 0.0, 1.0);
        // How far the mean image is from that of real ones.
        let apart = |gan: &Gan| {
            let made = made(gan, &codes);
            assert!(made.abs().to_vec::<f32>().iter().all(|&value| value <= 1.0));
            (tf::reduce_mean(&made, 0) - tf::reduce_mean(&real, 0)).abs().mean().item::<f32>()
        };
        let before = apart(&Gan::new());
        let (trainer, history) = train(&real, (12, 16), &folder).unwrap();
        let after = apart(trainer.model());
        assert!(after < 0.75 * before, "{before} before, {after} after");
        // Both optimizers took each step.
        let steps = |of: &dyn tf::optim::Optimizer| of.iterations().value().item::<i64>();
        assert_eq!((steps(trainer.optimizer()), steps(trainer.model().generator_optimizer())), (384, 384));
        assert!(history.curves().all(|(_, values)| values.iter().all(|value| value.is_finite())), "{history:?}");
        assert!(folder.join("gan-digits.png").is_file());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
