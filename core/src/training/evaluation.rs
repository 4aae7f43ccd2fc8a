//! `evaluate` and `predict`: their options, and their loops over batches.
//! They are methods of a [`Trainer`].

use super::batch::leaves;
use super::data::Cut;
use super::fit::verbosity;
use super::trainer::{Callbacks, Mode, called};
use super::{Callback, Feed, History, Logs, PredictionData, Progress, Trainer, TrainingData, steps};
use crate::models::Model;
use engine::library::errors_given_back;
use engine::library::options::{self, options};
use engine::{Nest as _, Tensor};
use kernels::error::{Error, OrFail, Result};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::Location;

/// Writes the options of a loop that does not train.
macro_rules! loop_options {
    ($(#[$doc:meta])* $name:ident, $text:literal) => {
        $(#[$doc])*
        pub struct $name<'a> {
            batch_size: Option<usize>,
            steps: Option<usize>,
            verbose: u8,
            callbacks: Vec<Box<dyn Callback + 'a>>,
        }

        impl<'a> $name<'a> {
            /// All batches, of 32 examples where the data are arrays, and nothing shown.
            pub fn new() -> Self {
                Self { batch_size: None, steps: None, verbose: 0, callbacks: Vec::new() }
            }

            /// A callback, in addition to those that are there.
            #[must_use]
            pub fn callback(mut self, callback: impl Callback + 'a) -> Self {
                self.callbacks.push(Box::new(callback));
                self
            }
        }

        impl Default for $name<'_> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("batch_size", &self.batch_size)
                    .field("steps", &self.steps)
                    .field("verbose", &self.verbose)
                    .finish_non_exhaustive()
            }
        }

        options! { ['a] $name<'a>:
            /// The number of examples of a batch of arrays, 32 unless set: at least 1.
            pub fn batch_size, try_batch_size(this, size: usize) {
                this.batch_size = Some(options::count($text, "batch_size", size)?);
                Ok(this)
            }

            /// How many batches are taken, where it is not the whole of the data: at least 1, and not more than there are.
            pub fn steps, try_steps(this, steps: usize) {
                this.steps = Some(options::count($text, "steps", steps)?);
                Ok(this)
            }

            /// What is shown: 0 nothing, which is so unless set, 1 a progress bar, or a line where the output is no terminal, 2 a line.
            pub fn verbose, try_verbose(this, verbose: u8) {
                this.verbose = verbosity($text, verbose)?;
                Ok(this)
            }
        }
    };
}

loop_options! {
    /// How a model is evaluated: the options of Keras's `evaluate`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{layers::Dense, training::{Compile, Evaluate}};
    /// let trainer = tf::Sequential::new((Dense::new(1),)).compile((), "mse");
    /// let (x, y) = (tf::zeros([100, 2]), tf::ones([100, 1]));
    /// let scores = trainer.evaluate_with((&x, &y), Evaluate::new().batch_size(10).steps(3));
    /// assert_eq!(scores["loss"], 1.0);
    /// ```
    Evaluate, "evaluate"
}

loop_options! {
    /// How a model predicts: the options of Keras's `predict`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{data::Dataset, layers::Dense, training::{Compile, Predict}};
    /// let trainer = tf::Sequential::new((Dense::new(1),)).compile((), ());
    /// let batches = Dataset::from_tensor_slices(tf::ones([100, 2])).batch(10);
    /// assert_eq!(trainer.predict_with(&batches, Predict::new().steps(3)).shape(), [30, 1]);
    /// ```
    Predict, "predict"
}

impl<M: Model> Trainer<M> {
    /// The loss and the metrics over data, in batches of 32.
    ///
    /// # Panics
    /// As [`try_evaluate`](Self::try_evaluate) fails, at the caller's line.
    #[track_caller]
    pub fn evaluate(&self, data: impl TrainingData<M::Input>) -> Logs {
        self.try_evaluate(data, Evaluate::new()).or_fail()
    }

    /// The loss and the metrics over data, with options.
    ///
    /// # Panics
    /// As [`try_evaluate`](Self::try_evaluate) fails, at the caller's line.
    #[track_caller]
    pub fn evaluate_with(&self, data: impl TrainingData<M::Input>, options: Evaluate<'_>) -> Logs {
        self.try_evaluate(data, options).or_fail()
    }

    /// The loss and the metrics over data.
    ///
    /// # Errors
    /// As [`try_fit`](Self::try_fit), without an optimizer.
    #[track_caller]
    pub fn try_evaluate(&self, data: impl TrainingData<M::Input>, options: Evaluate<'_>) -> Result<Logs> {
        let here = Location::caller();
        let run = || -> Result<Logs> {
            let feed = data.into_feed(&Cut { batch_size: options.batch_size, shuffle: None, class_weight: None })?;
            feed.check_steps("the evaluation", "steps", options.steps)?;
            self.with_progress(options.steps.or(feed.steps()), options.verbose, |progress| {
                let mut callbacks = Callbacks::new(options.callbacks, options.verbose);
                self.evaluated(&feed, options.steps, &mut callbacks, progress)
            })
        };
        run().map_err(|e| called("evaluate", e).at(here))
    }

    /// What callbacks see of a loop that is no training.
    fn with_progress<R>(
        &self,
        steps: Option<usize>,
        verbose: u8,
        run: impl FnOnce(&Progress<'_>) -> Result<R>,
    ) -> Result<R> {
        let (stop, first, history) = (Cell::new(false), Cell::new(None), RefCell::new(History::default()));
        run(&Progress {
            model: &self.model,
            compiled: &self.compiled,
            epochs: 1,
            steps,
            verbose,
            validation: None,
            stop: &stop,
            history: &history,
            first: &first,
            step: || engine::function(steps::train::<M>),
        })
    }

    /// The numbers of a pass, of so many batches if that is said.
    pub(super) fn evaluated(
        &self,
        feed: &Feed<M::Input>,
        limit: Option<usize>,
        callbacks: &mut Callbacks<'_>,
        progress: &Progress<'_>,
    ) -> Result<Logs> {
        self.compiled.reset();
        callbacks.each(|callback| callback.on_test_begin(progress))?;
        let mut pass = feed.begin();
        let ran = self.pass(Mode::Test, feed, &mut pass, limit.or(feed.steps()), callbacks, progress)?;
        ended_early("evaluate", ran, limit)?;
        let logs = self.compiled.logs(true)?;
        callbacks.each(|callback| callback.on_test_end(&logs, progress))?;
        Ok(logs)
    }

    /// The model's output for all examples of an input, in batches of 32, or for all batches of a data set.
    ///
    /// # Panics
    /// As [`try_predict`](Self::try_predict) fails, at the caller's line.
    #[track_caller]
    pub fn predict<Kind>(&self, x: impl PredictionData<M::Input, Kind>) -> M::Output {
        self.try_predict(x, Predict::new()).or_fail()
    }

    /// The model's output for all examples, with options.
    ///
    /// # Panics
    /// As [`try_predict`](Self::try_predict) fails, at the caller's line.
    #[track_caller]
    pub fn predict_with<Kind>(&self, x: impl PredictionData<M::Input, Kind>, options: Predict<'_>) -> M::Output {
        self.try_predict(x, options).or_fail()
    }

    /// The model's output for all examples, one behind the other.
    ///
    /// # Errors
    /// InvalidArgument for inputs without examples, a data set without an end unless `steps` are said, and what the model or a callback
    /// refuses.
    #[track_caller]
    pub fn try_predict<Kind>(&self, x: impl PredictionData<M::Input, Kind>, options: Predict<'_>) -> Result<M::Output> {
        let here = Location::caller();
        let run = || -> Result<M::Output> {
            let feed = x.into_inputs(&Cut { batch_size: options.batch_size, shuffle: None, class_weight: None })?;
            feed.check_steps("the prediction", "steps", options.steps)?;
            self.with_progress(options.steps.or(feed.steps()), options.verbose, |progress| {
                let mut callbacks = Callbacks::new(options.callbacks, options.verbose);
                self.predicted(&feed, options.steps, &mut callbacks, progress)
            })
        };
        run().map_err(|e| called("predict", e).at(here))
    }

    fn predicted(
        &self,
        feed: &Feed<M::Input>,
        limit: Option<usize>,
        callbacks: &mut Callbacks<'_>,
        progress: &Progress<'_>,
    ) -> Result<M::Output> {
        callbacks.each(|callback| callback.on_predict_begin(progress))?;
        let mut pass = feed.begin();
        let mut parts: Vec<Vec<Tensor>> = Vec::new();
        let mut form: Option<M::Output> = None;
        let mut ran = 0;
        while limit.is_none_or(|limit| ran < limit) {
            let Some(batch) = feed.next(&mut pass)? else { break };
            callbacks.each(|callback| callback.on_predict_batch_begin(ran, progress))?;
            let run = || errors_given_back(|| steps::predict(&self.model, &batch.x));
            let output = if self.run_eagerly { engine::config::with_eager_functions(run)? } else { run()? };
            let outputs = leaves(&output);
            callbacks.each(|callback| callback.on_predict_batch_end(ran, &outputs, progress))?;
            parts.resize_with(outputs.len(), Vec::new);
            parts.iter_mut().zip(outputs).for_each(|(list, part)| list.push(part));
            form = Some(output);
            ran += 1;
        }
        ended_early("predict", ran, limit)?;
        callbacks.each(|callback| callback.on_predict_end(progress))?;
        let joined =
            |list: &Vec<Tensor>| if list.len() == 1 { Ok(list[0].clone()) } else { engine::try_concat(list, 0) };
        let mut joined = parts.iter().map(joined).collect::<Result<Vec<_>>>()?.into_iter();
        // Some batch ran, so there is a form.
        let form = form.ok_or_else(|| Error::invalid_argument("predict", "there are no examples"))?;
        Ok(form.map(&mut |old| joined.next().unwrap_or_else(|| old.clone())))
    }
}

/// An error where there was no batch, or fewer than were asked for.
fn ended_early(name: &str, ran: usize, limit: Option<usize>) -> Result<()> {
    match limit {
        Some(limit) if ran < limit => Err(Error::invalid_argument(name, "the data set ended before so many batches")
            .got(format!("{ran} batches"))
            .expected(format!("{limit}, as was asked for"))
            .help("`repeat` the data set, or ask for fewer")),
        None if ran == 0 => Err(Error::invalid_argument(name, "there are no batches").got("0 batches")),
        _ => Ok(()),
    }
}
