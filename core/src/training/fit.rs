//! The options of `fit`: epochs, batches, validation, weights, callbacks.
//! Users build one for each training.

use super::data::Cut;
use super::{Callback, Feed, TrainingData};
use engine::Nest;
use engine::data::Shuffle;
use engine::library::options::{self, options};
use kernels::error::{Error, Result};
use std::marker::PhantomData;

/// How a model is trained: the options of Keras's `fit`.
///
/// ```
/// use eagerflow as tf;
/// use tf::training::Fit;
/// let fit: Fit<'_> = Fit::new().epochs(5).batch_size(64).validation_split(0.1);
/// assert!(Fit::<tf::Tensor>::new().try_epochs(0).is_err());
/// # let _ = fit;
/// ```
pub struct Fit<'a, X: Nest = engine::Tensor> {
    pub(super) epochs: usize,
    pub(super) initial_epoch: usize,
    pub(super) batch_size: Option<usize>,
    pub(super) steps_per_epoch: Option<usize>,
    pub(super) validation_split: f64,
    pub(super) validation: Option<Validation<'a, X>>,
    pub(super) validation_steps: Option<usize>,
    pub(super) validation_batch_size: Option<usize>,
    pub(super) validation_freq: usize,
    pub(super) shuffle: Option<Shuffle>,
    pub(super) class_weight: Option<Vec<(i64, f64)>>,
    pub(super) verbose: u8,
    pub(super) callbacks: Vec<Box<dyn Callback + 'a>>,
    form: PhantomData<X>,
}

/// Makes the feed of the validation, when the options are complete.
type Validation<'a, X> = Box<dyn FnOnce(&Cut) -> Result<Feed<X>> + 'a>;

impl<'a, X: Nest> Fit<'a, X> {
    /// One epoch in batches of 32, shuffled, with a progress bar.
    pub fn new() -> Self {
        Self {
            epochs: 1,
            initial_epoch: 0,
            batch_size: None,
            steps_per_epoch: None,
            validation_split: 0.0,
            validation: None,
            validation_steps: None,
            validation_batch_size: None,
            validation_freq: 1,
            shuffle: Some(Shuffle::whole()),
            class_weight: None,
            verbose: 1,
            callbacks: Vec::new(),
            form: PhantomData,
        }
    }

    /// Data for a validation after each epoch, of any form that `fit` takes.
    #[must_use]
    pub fn validation_data<D: TrainingData<X> + 'a>(mut self, data: D) -> Self {
        self.validation = Some(Box::new(move |how| data.into_feed(how)));
        self
    }

    /// Whether arrays are shuffled before each epoch; they are unless set. Data sets shuffle themselves.
    #[must_use]
    pub fn shuffle(mut self, shuffle: bool) -> Self {
        self.shuffle = shuffle.then(Shuffle::whole);
        self
    }

    /// Shuffled with a seed, so that the order of the batches is the same in each run.
    #[must_use]
    pub fn shuffle_seed(mut self, seed: i64) -> Self {
        self.shuffle = Some(Shuffle::whole().seed(seed));
        self
    }

    /// How much examples of a class count in the loss; classes that are not named count 1.
    #[must_use]
    pub fn class_weight(mut self, weights: impl IntoIterator<Item = (i64, f64)>) -> Self {
        self.class_weight = Some(weights.into_iter().collect());
        self
    }

    /// A callback, in addition to those that are there.
    #[must_use]
    pub fn callback(mut self, callback: impl Callback + 'a) -> Self {
        self.callbacks.push(Box::new(callback));
        self
    }

    pub(super) fn cut(&self) -> Cut {
        Cut { batch_size: self.batch_size, shuffle: self.shuffle, class_weight: self.class_weight.clone() }
    }

    pub(super) fn validation_cut(&self) -> Cut {
        Cut { batch_size: self.validation_batch_size.or(self.batch_size), shuffle: None, class_weight: None }
    }

    /// An error for options that do not go together.
    pub(super) fn check(&self) -> Result<()> {
        if self.validation.is_some() && self.validation_split > 0.0 {
            return Err(Error::invalid_argument("fit", "`validation_data` and `validation_split` are given both")
                .help("leave one of them out"));
        }
        if self.initial_epoch >= self.epochs {
            return Err(Error::invalid_argument("fit", "`initial_epoch` is not before the last epoch")
                .got(format!("initial_epoch {}, epochs {}", self.initial_epoch, self.epochs))
                .help(
                    "`epochs` is the number of the epoch to end before, counted from 0, not how many are still to come",
                ));
        }
        Ok(())
    }
}

impl<X: Nest> Default for Fit<'_, X> {
    fn default() -> Self {
        Self::new()
    }
}

/// How much is shown.
pub(super) fn verbosity(owner: &str, verbose: u8) -> Result<u8> {
    match verbose {
        0..=2 => Ok(verbose),
        other => Err(Error::invalid_argument(owner, "`verbose` is out of range").got(other).expected("0, 1 or 2")),
    }
}

options! { [X: Nest] Fit<'_, X>:
    /// How often the data are passed over, counted from epoch 0 also where `initial_epoch` is another: at least 1.
    pub fn epochs, try_epochs(this, epochs: usize) {
        this.epochs = options::count("fit", "epochs", epochs)?;
        Ok(this)
    }

    /// The first epoch, for a training that is resumed; 0 unless set.
    pub fn initial_epoch, try_initial_epoch(this, epoch: usize) {
        this.initial_epoch = epoch;
        Ok(this)
    }

    /// The number of examples of a batch of arrays, 32 unless set: at least 1.
    pub fn batch_size, try_batch_size(this, size: usize) {
        this.batch_size = Some(options::count("fit", "batch_size", size)?);
        Ok(this)
    }

    /// How many batches are an epoch, where it is not the whole of the data: at least 1. The next epoch goes on where it ended; data that
    /// end before an epoch does begin anew.
    pub fn steps_per_epoch, try_steps_per_epoch(this, steps: usize) {
        this.steps_per_epoch = Some(options::count("fit", "steps_per_epoch", steps)?);
        Ok(this)
    }

    /// The share of arrays, their last examples, that is set aside for a validation after each epoch: from 0 up to 1.
    pub fn validation_split, try_validation_split(this, share: f64) {
        this.validation_split = options::decay("fit", "validation_split", share)?;
        Ok(this)
    }

    /// How many batches a validation has, where it is not the whole of its data: at least 1, and not more than it has.
    pub fn validation_steps, try_validation_steps(this, steps: usize) {
        this.validation_steps = Some(options::count("fit", "validation_steps", steps)?);
        Ok(this)
    }

    /// The number of examples of a batch of the validation, that of the training unless set: at least 1.
    pub fn validation_batch_size, try_validation_batch_size(this, size: usize) {
        this.validation_batch_size = Some(options::count("fit", "validation_batch_size", size)?);
        Ok(this)
    }

    /// After how many epochs there is a validation, each unless set: at least 1.
    pub fn validation_freq, try_validation_freq(this, epochs: usize) {
        this.validation_freq = options::count("fit", "validation_freq", epochs)?;
        Ok(this)
    }

    /// What is shown: 0 nothing, 1 a progress bar, or lines where the output is no terminal, 2 a line for each epoch.
    pub fn verbose, try_verbose(this, verbose: u8) {
        this.verbose = verbosity("fit", verbose)?;
        Ok(this)
    }
}
