//! [`Trainer`]: a model with what it is trained with, and the loop of training.
//! `model.compile(..)` makes one.

use super::compiled::OutputMetrics;
use super::{
    Batch, Callback, Compiled, Feed, Fit, History, IntoLosses, IntoMetrics, Logs, Progress, TrainingData, steps,
};
use crate::models::Model;
use crate::optim::{IntoOptimizer, Optimizer};
use engine::library::errors_given_back;
use engine::{Fields, Module, Tensor};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use std::cell::{Cell, RefCell};
use std::panic::Location;

/// Makes a trainer of a model.
pub trait Compile: Model + Sized {
    /// The model with an optimizer and a loss, or one for each output: Keras's `compile`. The trainer's methods add metrics and more;
    /// its [`fit`](Trainer::fit) trains. A model is given whole, or by reference. Optimizer and losses are objects or names, such as
    /// `"adam"` and `"mse"`; `()` stands for none, where a [`train_step`](Model::train_step) of the model's own needs none.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{layers::Dense, optim::Adam, training::{Compile, Fit}};
    /// let model = tf::Sequential::new((Dense::new(8).activation("relu"), Dense::new(1).activation("sigmoid")));
    /// let trainer = model.compile(Adam::new(0.05), "binary_crossentropy").metrics(["accuracy"]);
    /// let x = tf::random::normal([256, 2], 0.0, 1.0);
    /// let y = tf::reduce_sum(&x, 1).greater(0.0).cast(tf::DType::F32).reshape([256, 1]);
    /// trainer.fit((&x, &y), Fit::new().epochs(20).verbose(0));
    /// assert!(trainer.evaluate((&x, &y))["accuracy"] > 0.9);
    /// assert_eq!(trainer.predict(&x).shape(), [256, 1]);
    /// ```
    ///
    /// # Panics
    /// As [`try_compile`](Self::try_compile) fails, at the caller's line.
    #[track_caller]
    fn compile(self, optimizer: impl IntoOptimizer, loss: impl IntoLosses) -> Trainer<Self> {
        self.try_compile(optimizer, loss).or_fail()
    }

    /// The model with an optimizer and a loss.
    ///
    /// # Errors
    /// NotFound for the name of an optimizer or loss that there is not, with those that are near.
    #[track_caller]
    fn try_compile(self, optimizer: impl IntoOptimizer, loss: impl IntoLosses) -> Result<Trainer<Self>> {
        let here = Location::caller();
        let optimizer = optimizer.into_optimizer().map_err(|e| e.at(here))?;
        let losses = loss.into_losses().map_err(|e| e.at(here))?;
        Ok(Trainer::of(self, Compiled::new(optimizer, losses)))
    }
}

impl<M: Model> Compile for M {}

/// A model that can be trained, evaluated and used.
pub struct Trainer<M: Model> {
    pub(super) model: M,
    pub(super) compiled: Compiled,
    steps_per_execution: usize,
    pub(super) run_eagerly: bool,
}

/// What is done with each batch.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mode {
    Train,
    Test,
}

impl<M: Model> Trainer<M> {
    fn of(model: M, mut compiled: Compiled) -> Self {
        compiled.output_names = model.output_names();
        Self { model, compiled, steps_per_execution: 1, run_eagerly: false }
    }

    /// Metrics of the output, or of each output if there are several, in addition to those that are there.
    ///
    /// # Panics
    /// As [`try_metrics`](Self::try_metrics) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn metrics(self, metrics: impl IntoMetrics) -> Self {
        self.try_metrics(metrics).or_fail()
    }

    /// Metrics of the output.
    ///
    /// # Errors
    /// NotFound for the name of a metric that there is not, with those that are near.
    #[track_caller]
    pub fn try_metrics(self, metrics: impl IntoMetrics) -> Result<Self> {
        self.try_metrics_of(0, metrics)
    }

    /// Metrics of one of several outputs, counted from 0.
    ///
    /// # Panics
    /// As [`try_metrics_of`](Self::try_metrics_of) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn metrics_of(self, output: usize, metrics: impl IntoMetrics) -> Self {
        self.try_metrics_of(output, metrics).or_fail()
    }

    /// Metrics of one of several outputs.
    ///
    /// # Errors
    /// NotFound for the name of a metric that there is not, with those that are near.
    #[track_caller]
    pub fn try_metrics_of(mut self, output: usize, metrics: impl IntoMetrics) -> Result<Self> {
        let here = Location::caller();
        let metrics = metrics.into_metrics().map_err(|e| e.at(here))?;
        self.output(output).plain.extend(metrics);
        Ok(self)
    }

    /// Metrics of an output that heed the weights of the examples, which others do not.
    ///
    /// # Panics
    /// For the name of a metric that there is not.
    #[must_use]
    #[track_caller]
    pub fn weighted_metrics(mut self, metrics: impl IntoMetrics) -> Self {
        let here = Location::caller();
        let metrics = metrics.into_metrics().map_err(|e| e.at(here)).or_fail();
        self.output(0).weighted.extend(metrics);
        self
    }

    fn output(&mut self, output: usize) -> &mut OutputMetrics {
        let list = &mut self.compiled.metrics;
        list.resize_with(list.len().max(output + 1), OutputMetrics::default);
        &mut list[output]
    }

    /// By what the loss of each output is multiplied.
    #[must_use]
    pub fn loss_weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
        self.compiled.loss_weights = Some(weights.into());
        self
    }

    /// How many batches one call of the traced step takes: more cost less time outside of the graph, and callbacks see only the last.
    ///
    /// # Panics
    /// For 0.
    #[must_use]
    #[track_caller]
    pub fn steps_per_execution(mut self, steps: usize) -> Self {
        let here = Location::caller();
        let checked = engine::options::count("compile", "steps_per_execution", steps);
        self.steps_per_execution = checked.map_err(|e| e.at(here)).or_fail();
        self
    }

    /// Whether steps run operation by operation instead of as one graph, to look into them.
    #[must_use]
    pub fn run_eagerly(mut self, eagerly: bool) -> Self {
        self.run_eagerly = eagerly;
        self
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The model, without what it was trained with.
    pub fn into_model(self) -> M {
        self.model
    }

    /// What the model is trained with.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The optimizer.
    ///
    /// # Panics
    /// Where there is none.
    #[track_caller]
    pub fn optimizer(&self) -> &dyn Optimizer {
        self.compiled.optimizer().or_fail()
    }

    /// Trains: passes over the data as often as the options say, one step for each batch.
    ///
    /// # Panics
    /// As [`try_fit`](Self::try_fit) fails, at the caller's line.
    #[track_caller]
    pub fn fit<'a>(&self, data: impl TrainingData<M::Input>, options: Fit<'a, M::Input>) -> History {
        self.try_fit(data, options).or_fail()
    }

    /// Trains.
    ///
    /// # Errors
    /// InvalidArgument for data without examples, arrays of different lengths, options that do not go together, and what the model, its
    /// loss, a metric, the optimizer or a callback refuses.
    #[track_caller]
    pub fn try_fit<'a>(&self, data: impl TrainingData<M::Input>, options: Fit<'a, M::Input>) -> Result<History> {
        let here = Location::caller();
        self.train(data, options).map_err(|e| e.at(here))
    }

    fn train<'a>(&self, data: impl TrainingData<M::Input>, mut options: Fit<'a, M::Input>) -> Result<History> {
        options.check()?;
        let (feed, validation) = self.feeds(data, &mut options)?;
        let steps = options.steps_per_epoch.or(feed.steps());
        let (stop, first, history) = (Cell::new(false), Cell::new(None), RefCell::new(History::default()));
        let progress = Progress {
            model: &self.model,
            compiled: &self.compiled,
            epochs: options.epochs,
            steps,
            verbose: options.verbose,
            validation: validation.is_some().then_some(options.validation_freq),
            stop: &stop,
            history: &history,
            first: &first,
            step: || engine::function(steps::train::<M>),
        };
        let mut callbacks = Callbacks::new(std::mem::take(&mut options.callbacks), options.verbose);
        callbacks.each(|callback| callback.on_train_begin(&progress))?;
        let mut pass = feed.begin();
        let mut logs = Logs::default();
        let begin = first.get().unwrap_or(options.initial_epoch);
        for epoch in begin..options.epochs {
            self.compiled.reset();
            callbacks.each(|callback| callback.on_epoch_begin(epoch, &progress))?;
            // A whole pass is an epoch, unless so many steps are.
            if options.steps_per_epoch.is_none() && epoch > begin {
                pass = feed.begin();
            }
            let ran = self.pass(Mode::Train, &feed, &mut pass, options.steps_per_epoch, &mut callbacks, &progress)?;
            if ran == 0 {
                return Err(
                    Error::invalid_argument("fit", "the data set gave no batches").got(format!("epoch {epoch}"))
                );
            }
            logs = self.compiled.logs(true)?;
            if let Some(validation) = &validation
                && (epoch + 1).is_multiple_of(options.validation_freq)
            {
                let own = self.evaluated(validation, options.validation_steps, &mut callbacks, &progress)?;
                logs.add_validation(&own);
            }
            callbacks.each(|callback| callback.on_epoch_end(epoch, &mut logs, &progress))?;
            history.borrow_mut().push(epoch, &logs);
            if stop.get() {
                break;
            }
        }
        callbacks.each(|callback| callback.on_train_end(&logs, &progress))?;
        drop(callbacks);
        Ok(history.into_inner())
    }

    /// The feeds of training and validation.
    #[allow(clippy::type_complexity, reason = "a pair of feeds")]
    fn feeds(
        &self,
        data: impl TrainingData<M::Input>,
        options: &mut Fit<'_, M::Input>,
    ) -> Result<(Feed<M::Input>, Option<Feed<M::Input>>)> {
        let (cut, validation_cut) = (options.cut(), options.validation_cut());
        if options.validation_split > 0.0 {
            let Some(arrays) = data.into_arrays() else {
                return Err(Error::invalid_argument("fit", "`validation_split` is for arrays")
                    .help("give `validation_data`, or split the data set with `take` and `skip`"));
            };
            let (train, validation) = arrays.split(options.validation_split)?;
            let (train, validation) = (train.feed(&cut)?, validation.feed(&validation_cut)?);
            check_validation(Some(&validation), options.validation_steps)?;
            return Ok((train, Some(validation)));
        }
        let feed = data.into_feed(&cut)?;
        if feed.is_endless() && options.steps_per_epoch.is_none() {
            return Err(Error::invalid_argument("fit", "the data set has no end, so an epoch has none")
                .help("say how many batches an epoch has with `steps_per_epoch`"));
        }
        let validation = options.validation.take().map(|make| make(&validation_cut)).transpose()?;
        check_validation(validation.as_ref(), options.validation_steps)?;
        Ok((feed, validation))
    }

    /// Batches of a pass, up to so many; a pass that ends before begins anew. Answers how many there were.
    pub(super) fn pass(
        &self,
        mode: Mode,
        feed: &Feed<M::Input>,
        pass: &mut engine::data::DatasetIterator<Vec<Tensor>>,
        limit: Option<usize>,
        callbacks: &mut Callbacks<'_>,
        progress: &Progress<'_>,
    ) -> Result<usize> {
        let mut ran = 0;
        loop {
            let most = limit.map_or(self.steps_per_execution, |limit| (limit - ran).min(self.steps_per_execution));
            let mut batches = Vec::with_capacity(most);
            while batches.len() < most {
                match feed.next(pass)? {
                    Some(batch) => batches.push(batch),
                    None if limit.is_some() && ran + batches.len() > 0 && mode == Mode::Train => {
                        *pass = feed.begin();
                        match feed.next(pass)? {
                            Some(batch) => batches.push(batch),
                            None => break,
                        }
                    }
                    None => break,
                }
            }
            if batches.is_empty() {
                return Ok(ran);
            }
            callbacks.each(|callback| match mode {
                Mode::Train => callback.on_train_batch_begin(ran, progress),
                Mode::Test => callback.on_test_batch_begin(ran, progress),
            })?;
            ran += batches.len();
            self.step(mode, &batches)?;
            callbacks.each(|callback| match mode {
                Mode::Train => callback.on_train_batch_end(ran - 1, progress),
                Mode::Test => callback.on_test_batch_end(ran - 1, progress),
            })?;
            if progress.stop.get() && mode == Mode::Train {
                return Ok(ran);
            }
        }
    }

    fn step(&self, mode: Mode, batches: &Vec<Batch<M::Input>>) -> Result<()> {
        let run = || match mode {
            Mode::Train => steps::train(&self.model, &self.compiled, batches),
            Mode::Test => steps::test(&self.model, &self.compiled, batches),
        };
        // What fails when the graph runs is an error of the step, too.
        let run = || errors_given_back(run);
        match self.run_eagerly {
            true => engine::config::with_eager_functions(run),
            false => run(),
        }
    }

    /// One step of training on one batch, and the numbers of that batch alone: Keras's `train_on_batch`.
    ///
    /// # Panics
    /// As [`try_train_on_batch`](Self::try_train_on_batch) fails.
    #[track_caller]
    pub fn train_on_batch(&self, data: impl TrainingData<M::Input>) -> Logs {
        self.try_train_on_batch(data).or_fail()
    }

    /// One step of training on one batch.
    ///
    /// # Errors
    /// As [`try_fit`](Self::try_fit); InvalidArgument for a data set, which has batches of its own.
    #[track_caller]
    pub fn try_train_on_batch(&self, data: impl TrainingData<M::Input>) -> Result<Logs> {
        let here = Location::caller();
        self.on_batch(Mode::Train, data).map_err(|e| e.at(here))
    }

    /// One step of evaluation on one batch, and its numbers: Keras's `test_on_batch`.
    ///
    /// # Panics
    /// As [`try_test_on_batch`](Self::try_test_on_batch) fails.
    #[track_caller]
    pub fn test_on_batch(&self, data: impl TrainingData<M::Input>) -> Logs {
        self.try_test_on_batch(data).or_fail()
    }

    /// One step of evaluation on one batch.
    ///
    /// # Errors
    /// As [`try_evaluate`](Self::try_evaluate); InvalidArgument for a data set.
    #[track_caller]
    pub fn try_test_on_batch(&self, data: impl TrainingData<M::Input>) -> Result<Logs> {
        let here = Location::caller();
        self.on_batch(Mode::Test, data).map_err(|e| e.at(here))
    }

    fn on_batch(&self, mode: Mode, data: impl TrainingData<M::Input>) -> Result<Logs> {
        let Some(arrays) = data.into_arrays() else {
            return Err(Error::invalid_argument("train_on_batch", "a batch is given as arrays")
                .got("a data set")
                .help("give `(&x, &y)`, or train by the data set with `fit`"));
        };
        arrays.examples()?;
        self.compiled.reset();
        self.step(mode, &vec![Batch { x: arrays.x, y: arrays.y, sample_weight: arrays.weights }])?;
        self.compiled.logs(true)
    }
}

/// An error for a validation without an end, and for more steps than it has batches.
fn check_validation<X: engine::Nest>(validation: Option<&Feed<X>>, steps: Option<usize>) -> Result<()> {
    validation.map_or(Ok(()), |feed| feed.check_steps("the validation", "validation_steps", steps))
}

/// What data are refused for is the same in all loops; the error has the name of the one that was called.
pub(super) fn called(name: &str, error: Error) -> Error {
    if error.report().op() == "fit" { error.named(name) } else { error }
}

/// The callbacks of a training, an evaluation or a prediction.
pub(super) struct Callbacks<'a>(Vec<Box<dyn Callback + 'a>>);

impl<'a> Callbacks<'a> {
    /// With what shows the progress before them, if anything is shown.
    pub fn new(mut callbacks: Vec<Box<dyn Callback + 'a>>, verbose: u8) -> Self {
        if verbose > 0 {
            callbacks.insert(0, Box::new(crate::callbacks::ProgbarLogger::new()));
        }
        Self(callbacks)
    }

    pub fn each(&mut self, mut call: impl FnMut(&mut dyn Callback) -> Result<()>) -> Result<()> {
        self.0.iter_mut().try_for_each(|callback| call(&mut **callback))
    }
}

/// The model and what it is trained with, for checkpoints and copies.
impl<M: Model> Module for Trainer<M> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("model", &self.model);
        fields.field("compiled", &self.compiled);
    }
}

impl<M: Model + std::fmt::Debug> std::fmt::Debug for Trainer<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trainer").field("model", &self.model).finish_non_exhaustive()
    }
}
