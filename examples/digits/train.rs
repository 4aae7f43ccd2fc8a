//! The training loop: batches in a new order every epoch, and one step for each.
//! It tells a line per epoch and keeps the losses for the picture.

use crate::data::Split;
use crate::model::Classifier;
use crate::step::Step;
use eagerflow as tf;
use std::time::Instant;
use tf::data::{Dataset, Shuffle};
use tf::metrics::{Mean, SparseCategoricalAccuracy};
use tf::optim::Adam;

pub const BATCH: usize = 32;

/// Losses over the epochs that have passed.
#[derive(Default)]
pub struct History {
    /// Of every batch, at its place in its epoch.
    pub batches: Vec<(f64, f64)>,
    /// The mean of every epoch, at its end.
    pub epochs: Vec<(f64, f64)>,
}

pub fn train(
    model: &dyn Classifier,
    split: &Split,
    epochs: usize,
    step_of: Step,
    tell: &mut dyn FnMut(&str),
) -> History {
    let data = Dataset::from_tensor_slices((split.images.clone(), split.labels.clone()));
    let batches = data.shuffle(Shuffle::whole()).batch(BATCH);
    let steps = batches.cardinality().unwrap_or(1) as f64;
    let optimizer = Adam::new(1e-3);
    let (mean, accuracy) = (Mean::new(), SparseCategoricalAccuracy::new());
    let mut history = History::default();
    for epoch in 0..epochs {
        let start = Instant::now();
        mean.reset();
        accuracy.reset();
        for (step, (images, labels)) in batches.iter().enumerate() {
            let (loss, logits) = step_of(model, &optimizer, &images, &labels);
            mean.update(&loss);
            accuracy.update(&labels, &logits);
            history.batches.push((epoch as f64 + (step as f64 + 0.5) / steps, f64::from(loss.item::<f32>())));
        }
        let (loss, accuracy) = (mean.result().item::<f32>(), accuracy.result().item::<f32>());
        history.epochs.push((epoch as f64 + 1.0, f64::from(loss)));
        let seconds = start.elapsed().as_secs_f64();
        tell(&format!("epoch {:>2}/{epochs}  loss {loss:.4}  accuracy {accuracy:.4}  {seconds:.2} s", epoch + 1));
    }
    history
}

/// The share of images that the model tells right.
pub fn accuracy(model: &dyn Classifier, split: &Split) -> f32 {
    let accuracy = SparseCategoricalAccuracy::new();
    for (images, labels) in &Dataset::from_tensor_slices((split.images.clone(), split.labels.clone())).batch(500) {
        accuracy.update(&labels, model.call(&images, false));
    }
    accuracy.result().item()
}
