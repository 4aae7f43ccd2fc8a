//! What `--logdir` writes for TensorBoard: the loss of every batch and epoch, weights, images that are taken for others, the graph of
//! the step, hyperparameters, and how well sevens are told from the rest. The training loop calls it; without the option it does nothing.

use crate::args::{Model, Options};
use crate::model::Classifier;
use crate::step;
use crate::train::Watch;
use eagerflow as tf;
use eagerflow_examples::digits::{Digits, Split};
use std::path::Path;

use tf::summary::{self, HParams, HParamsConfig, Image, SummaryWriter, create_noop_writer, try_create_file_writer};

/// The digit whose curve of precision over recall is written.
const SEVEN: i64 = 7;

/// The writers of a run, of its training and of its test images.
pub struct Logs {
    run: SummaryWriter,
    train: SummaryWriter,
    test: SummaryWriter,
}

impl Logs {
    /// Into a folder, or nowhere.
    pub fn new(folder: Option<&Path>) -> tf::Result<Self> {
        let writer = |name: &str| match folder {
            Some(folder) => try_create_file_writer(folder.join(name)),
            None => Ok(create_noop_writer()),
        };
        Ok(Self { run: writer("")?, train: writer("train")?, test: writer("test")? })
    }

    /// What is known before the training: its settings, and what the images look like.
    pub fn begin(&self, options: &Options, digits: &Digits) {
        let _default = self.run.as_default();
        let model = if options.model == Model::Default { "default" } else { "guide" };
        let (epochs, seed) = (options.epochs, options.seed);
        let columns = HParamsConfig::new().text("model").number("epochs", None).number("seed", None);
        summary::hparams_config(columns.bool("graph").metric("epoch_loss", "train", "loss").metric(
            "epoch_accuracy",
            "test",
            "test accuracy",
        ));
        let settings = HParams::new().with("model", model).with("epochs", epochs).with("seed", seed);
        summary::hparams(settings.with("graph", options.graph));
        let table = format!(
            "| setting | value |\n|---|---|\n| model | `{model}` |\n| epochs | {epochs} |\n| seed | {seed} |\n\n{digits}"
        );
        let _default = self.train.as_default();
        summary::text("settings", table.as_str(), 0);
        Image::new().max_outputs(10).write("digits", digits.train.images.at(..10), 0);
    }

    fn batch(&self, loss: &tf::Tensor, step: i64) {
        let _default = self.train.as_default();
        summary::scalar("batch_loss", loss, step);
        if step == 1 && tf::function(step::graph).trace_count() > 0 {
            summary::graph(tf::function(step::graph));
        }
    }

    fn epoch(&self, epoch: usize, (loss, accuracy): (f32, f32), model: &dyn Classifier, test: &Split) {
        {
            let _default = self.train.as_default();
            summary::scalar("epoch_loss", loss, epoch);
            summary::scalar("epoch_accuracy", accuracy, epoch);
            // The dropout's random state is a variable too.
            for (path, weights) in model.named_variables().into_iter().filter(|(_, v)| v.dtype().is_floating()) {
                summary::histogram(&path, &weights, epoch);
            }
        }
        if self.test.path().is_none() {
            return;
        }
        let _default = self.test.as_default();
        let logits = model.call(&test.images, false);
        let told = tf::argmax(&logits, -1);
        let right = told.equal(&test.labels);
        summary::scalar("epoch_accuracy", right.cast(tf::float32).mean(), epoch);
        let wrong = tf::boolean_mask(&test.images, right.logical_not(), 0);
        if wrong.shape()[0] > 0 {
            Image::new()
                .max_outputs(12)
                .description("test images that are taken for other digits")
                .write("mistakes", wrong, epoch);
        }
        let sevens = tf::nn::softmax(&logits, -1).at(tf::s![.., SEVEN as usize]);
        summary::pr_curve("sevens", test.labels.equal(SEVEN), sevens, epoch);
    }

    /// After the training.
    pub fn end(&self) -> tf::Result<()> {
        {
            let _default = self.run.as_default();
            summary::hparams_end(true);
        }
        self.run.try_close()?;
        self.train.try_close()?;
        self.test.try_close()
    }
}

/// The writers, and the images that the model is looked at with.
impl Watch for (&Logs, &Split) {
    fn batch(&self, loss: &tf::Tensor, step: i64) {
        self.0.batch(loss, step);
    }

    fn epoch(&self, epoch: usize, results: (f32, f32), model: &dyn Classifier) {
        self.0.epoch(epoch, results, model, self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model, train};
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_is_there() {
        let folder = std::env::temp_dir().join(format!("eagerflow-digits-logs-{}", std::process::id()));
        let options = Options { epochs: 2, ..Options::default() };
        let digits = eagerflow_examples::digits::load(&options.data).unwrap();
        let logs = Logs::new(Some(&folder)).unwrap();
        logs.begin(&options, &digits);
        let model = model::build(options.model, digits.classes);
        let (epochs, step) = (options.epochs, step::graph as step::Step);
        let watch = (&logs, &digits.test);
        let how = train::Training { epochs, step, save: None, resume: false, watch: &watch };
        train::train(&*model, &digits.train, &how, &mut |_| {}).unwrap();
        logs.end().unwrap();
        let mut plugins = BTreeSet::new();
        let mut steps = 0;
        for run in ["", "train", "test"] {
            let files = std::fs::read_dir(folder.join(run)).unwrap().map(|entry| entry.unwrap().path());
            for event in files.filter(|path| path.is_file()).flat_map(summary::read_events) {
                steps += usize::from(event.tag == "batch_loss");
                plugins.insert(match event.value {
                    summary::ReadValue::Graph(_) => "graph".to_owned(),
                    _ => event.plugin,
                });
            }
        }
        let all = ["", "graph", "histograms", "hparams", "images", "pr_curves", "scalars", "text"];
        assert_eq!(plugins.iter().map(String::as_str).collect::<Vec<_>>(), all);
        assert_eq!(steps, epochs * (digits.train.labels.shape()[0]).div_ceil(train::BATCH));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
