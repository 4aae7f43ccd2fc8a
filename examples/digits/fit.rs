//! The same training by `compile` and `fit`: a dozen lines in place of the loop, the step and the sums of `train.rs` and `step.rs`.
//! `--fit` runs it.

use eagerflow as tf;
use eagerflow_examples::digits::Digits;
use std::path::Path;
use tf::callbacks::TensorBoard;
use tf::layers::{Conv2D, Dense, Dropout, Flatten, MaxPooling2D};
use tf::losses::SparseCategoricalCrossentropy;
use tf::optim::Adam;
use tf::training::{Compile, Evaluate, Fit, History};

/// Trains the default network and answers its curves, and its accuracy on the test images. A folder gets what TensorBoard shows.
pub fn fit(digits: &Digits, epochs: usize, verbose: u8, logdir: Option<&Path>) -> tf::Result<(History, f64)> {
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
    let test = (&digits.test.images, &digits.test.labels);
    let mut options = Fit::new().try_epochs(epochs)?.validation_data(test).verbose(verbose);
    if let Some(folder) = logdir {
        options =
            options.callback(TensorBoard::new(folder).histogram_freq(1).write_gradients(true).update_freq("batch"));
    }
    let history = trainer.try_fit((&digits.train.images, &digits.train.labels), options)?;
    let scores = trainer.try_evaluate(test, Evaluate::new())?;
    Ok((history, scores["accuracy"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Options;

    #[test]
    fn a_few_epochs_learn() {
        let digits = eagerflow_examples::digits::load(&Options::default().data).unwrap();
        let (history, accuracy) = fit(&digits, 3, 0, None).unwrap();
        assert_eq!((history.epochs().len(), history["val_accuracy"][2]), (3, accuracy));
        assert!(accuracy > 0.8, "{accuracy}");
    }
}
