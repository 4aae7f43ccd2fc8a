//! The same training by `compile` and `fit`: a dozen lines in place of the loop, the step and the sums of `train.rs` and `step.rs`.
//! `--fit` runs it.

use crate::data::Digits;
use eagerflow as tf;
use tf::layers::{Conv2D, Dense, Dropout, Flatten, MaxPooling2D};
use tf::losses::SparseCategoricalCrossentropy;
use tf::optim::Adam;
use tf::training::{Compile, Fit};

/// Trains the default network and answers its accuracy on the test images.
pub fn fit(digits: &Digits, epochs: usize, verbose: u8) -> tf::Result<f64> {
    let model = tf::Sequential::new((
        Conv2D::new(32, 3).padding("same").activation("relu"),
        Conv2D::new(64, 3).activation("relu"),
        MaxPooling2D::new(2),
        Flatten::new(),
        Dropout::new(0.3),
        Dense::new(digits.classes),
    ));
    let loss = SparseCategoricalCrossentropy::new().from_logits(true);
    let trainer = model.compile(Adam::new(1e-3), loss).metrics(["accuracy"]);
    let options = Fit::new().epochs(epochs).verbose(verbose);
    trainer.try_fit((&digits.train.images, &digits.train.labels), options)?;
    let scores = trainer.try_evaluate((&digits.test.images, &digits.test.labels), None)?;
    Ok(scores["accuracy"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Options;

    #[test]
    fn a_few_epochs_learn() {
        let digits = crate::data::load(&Options::default().data).unwrap();
        let accuracy = fit(&digits, 3, 0).unwrap();
        assert!(accuracy > 0.8, "{accuracy}");
    }
}
