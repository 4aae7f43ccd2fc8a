//! The training loop: batches in a new order every epoch, and one step for each.
//! It tells a line per epoch and keeps the losses for the picture.

use crate::model::Classifier;
use crate::step::Step;
use eagerflow as tf;
use eagerflow_examples::digits::Split;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use tf::data::{Dataset, Shuffle};
use tf::metrics::{Mean, SparseCategoricalAccuracy};
use tf::optim::Adam;
use tf::train::{Checkpoint, CheckpointManager};

pub const BATCH: usize = 32;

/// Losses over the epochs that have passed.
#[derive(Default)]
pub struct History {
    /// Of every batch, at its place in its epoch.
    pub batches: Vec<(f64, f64)>,
    /// The mean of every epoch, at its end.
    pub epochs: Vec<(f64, f64)>,
}

/// What a training is run with.
pub struct Training<'a> {
    pub epochs: usize,
    pub step: Step,
    /// Where a checkpoint is saved after every epoch.
    pub save: Option<&'a Path>,
    /// Whether it goes on from the newest checkpoint there.
    pub resume: bool,
    /// Who is told of batches and epochs, such as what writes for TensorBoard.
    pub watch: &'a dyn Watch,
}

/// What is told of a training while it runs.
pub trait Watch {
    /// After every batch, with the number of batches so far.
    fn batch(&self, loss: &tf::Tensor, step: i64);

    /// After every epoch, counted from 1, with its loss and accuracy.
    fn epoch(&self, epoch: usize, results: (f32, f32), model: &dyn Classifier);
}

/// Nobody.
impl Watch for () {
    fn batch(&self, _: &tf::Tensor, _: i64) {}
    fn epoch(&self, _: usize, _: (f32, f32), _: &dyn Classifier) {}
}

/// All that a training goes on from lies in the checkpoint: the model, the optimizer with its slots, how many epochs have passed, the
/// order of the images, and the random numbers of the dropout. So one that is resumed ends as if it had not been interrupted.
pub fn train(
    model: &dyn Classifier,
    split: &Split,
    how: &Training<'_>,
    tell: &mut dyn FnMut(&str),
) -> tf::Result<History> {
    let data = Dataset::from_tensor_slices((split.images.clone(), split.labels.clone()));
    let batches = data.shuffle(Shuffle::whole()).batch(BATCH);
    let steps = batches.cardinality().known().unwrap_or(1) as f64;
    let optimizer = Adam::new(1e-3);
    let passed = AtomicUsize::new(0);
    let checkpoint = Checkpoint::new()
        .with("model", model)
        .with("optimizer", &optimizer)
        .with("epoch", &passed)
        .with("data", &batches)
        .with("random", tf::random::global());
    let manager = how.save.map(|directory| CheckpointManager::new(&checkpoint, directory, 3)).transpose()?;
    if let Some(manager) = manager.as_ref().filter(|_| how.resume)
        && let Some(path) = manager.restore_or_initialize()?
    {
        tell(&format!("resumed from {}", path.display()));
    }
    let (mean, accuracy) = (Mean::new("loss"), SparseCategoricalAccuracy::new());
    let mut history = History::default();
    for epoch in passed.load(Relaxed)..how.epochs {
        let start = Instant::now();
        mean.reset();
        accuracy.reset();
        for (step, (images, labels)) in batches.iter().enumerate() {
            let (loss, logits) = (how.step)(model, &optimizer, &images, &labels);
            mean.update(&loss);
            accuracy.update(&labels, &logits);
            how.watch.batch(&loss, (epoch as f64 * steps) as i64 + step as i64 + 1);
            history.batches.push((epoch as f64 + (step as f64 + 0.5) / steps, f64::from(loss.item::<f32>())));
        }
        let (loss, accuracy) = (mean.result().item::<f32>(), accuracy.result().item::<f32>());
        history.epochs.push((epoch as f64 + 1.0, f64::from(loss)));
        how.watch.epoch(epoch + 1, (loss, accuracy), model);
        let (seconds, epochs) = (start.elapsed().as_secs_f64(), how.epochs);
        tell(&format!("epoch {:>2}/{epochs}  loss {loss:.4}  accuracy {accuracy:.4}  {seconds:.2} s", epoch + 1));
        passed.store(epoch + 1, Relaxed);
        if let Some(manager) = &manager {
            manager.save()?;
        }
    }
    Ok(history)
}

/// The share of images that the model tells right.
pub fn accuracy(model: &dyn Classifier, split: &Split) -> f32 {
    let accuracy = SparseCategoricalAccuracy::new();
    for (images, labels) in &Dataset::from_tensor_slices((split.images.clone(), split.labels.clone())).batch(500) {
        accuracy.update(&labels, model.call(&images, false));
    }
    accuracy.result().item()
}
