//! `TensorBoard`: losses, metrics, learning rate, weights, gradients, images and the graph of a training, for TensorBoard.
//! Users give it to `Fit::callback`; folders and tags are Keras's.

use crate::summary::{self, Image, SummaryWriter, try_create_file_writer};
use crate::training::{Callback, GradientWatch, Logs, Progress};
use engine::library::options::{self, options};
use engine::library::{Named, cast_to};
use engine::{Module, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::path::PathBuf;
use std::sync::Arc;

/// Images of an epoch, by a function of the user's.
type Images<'a> = Box<dyn FnMut(usize) -> Tensor + 'a>;

/// Writes a training for TensorBoard: scalars of every epoch, and if so asked of batches, histograms of weights and gradients, images, and
/// the graph of the training step. Keras's `TensorBoard`, without embeddings and profiles.
///
/// Below the folder lie `train` and `validation`. Their tags are Keras's: `epoch_loss`, `epoch_<metric>` and `epoch_learning_rate` at the
/// number of the epoch, `batch_loss` and `batch_<metric>` at the number of the batch, and in `validation`
/// `evaluation_<metric>_vs_iterations` at the optimizer's count. Weights are `<layer>/<weight>/histogram`, as
/// `dense/kernel/histogram`, and their gradients `dense/kernel/gradient`.
///
/// ```
/// use eagerflow as tf;
/// use tf::{callbacks::TensorBoard, layers::Dense, optim::SGD, training::{Compile, Fit}};
/// # let folder = std::env::temp_dir().join(format!("eagerflow-tensorboard-page-{}", std::process::id()));
/// let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse");
/// let fit = Fit::new().epochs(2).callback(TensorBoard::new(&folder).histogram_freq(1)).verbose(0);
/// trainer.fit((&tf::ones([4, 2]), &tf::ones([4, 1])), fit);
/// // tensorboard --logdir <folder>
/// assert_eq!(std::fs::read_dir(folder.join("train")).unwrap().count(), 1);
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
pub struct TensorBoard<'a> {
    folder: PathBuf,
    histogram_freq: usize,
    gradients: bool,
    write_graph: bool,
    write_images: bool,
    update_freq: UpdateFreq,
    images: Vec<(String, Images<'a>)>,
    train: Option<SummaryWriter>,
    validation: Option<SummaryWriter>,
    watch: Option<Arc<GradientWatch>>,
    /// Batches since the training began.
    batches: i64,
    epoch: usize,
    graph_is_due: bool,
}

/// When the running numbers of batches are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateFreq {
    /// Never: only at the end of each epoch.
    Epoch,
    /// For every batch.
    Batch,
    /// For every so manieth batch.
    Batches(usize),
}

/// What may be given as the frequency of updates: `"epoch"`, `"batch"`, a number of batches, or an [`UpdateFreq`].
pub trait IntoUpdateFreq {
    /// The frequency.
    ///
    /// # Errors
    /// InvalidArgument for another word, or 0 batches.
    #[doc(hidden)]
    fn into_update_freq(self) -> Result<UpdateFreq>;
}

impl IntoUpdateFreq for UpdateFreq {
    fn into_update_freq(self) -> Result<UpdateFreq> {
        match self {
            Self::Batches(batches) => options::count("TensorBoard", "update_freq", batches).map(Self::Batches),
            freq => Ok(freq),
        }
    }
}

impl IntoUpdateFreq for usize {
    fn into_update_freq(self) -> Result<UpdateFreq> {
        UpdateFreq::Batches(self).into_update_freq()
    }
}

impl IntoUpdateFreq for &str {
    fn into_update_freq(self) -> Result<UpdateFreq> {
        match self {
            "epoch" => Ok(UpdateFreq::Epoch),
            "batch" => Ok(UpdateFreq::Batch),
            other => Err(Error::invalid_argument("TensorBoard", "`update_freq` is no frequency")
                .got(format!("{other:?}"))
                .expected("\"epoch\", \"batch\", or a number of batches")),
        }
    }
}

impl<'a> TensorBoard<'a> {
    /// Into a folder: scalars of epochs and the graph.
    pub fn new(log_dir: impl Into<PathBuf>) -> Self {
        Self {
            folder: log_dir.into(),
            histogram_freq: 0,
            gradients: false,
            write_graph: true,
            write_images: false,
            update_freq: UpdateFreq::Epoch,
            images: Vec::new(),
            train: None,
            validation: None,
            watch: None,
            batches: 0,
            epoch: 0,
            graph_is_due: false,
        }
    }

    /// After how many epochs the weights are written as histograms, and the gradients and images if so asked; 0, which is never, unless set.
    #[must_use]
    pub fn histogram_freq(mut self, epochs: usize) -> Self {
        self.histogram_freq = epochs;
        self
    }

    /// Whether the gradients of the first batch are written too, in epochs with histograms; not unless set. They come from within the training
    /// step, which on a GPU is then not started as one CUDA graph.
    #[must_use]
    pub fn write_gradients(mut self, on: bool) -> Self {
        self.gradients = on;
        self
    }

    /// Whether the graph of the training step is written after the first batch; it is unless set.
    #[must_use]
    pub fn write_graph(mut self, on: bool) -> Self {
        self.write_graph = on;
        self
    }

    /// Whether weights are written as images too, in epochs with histograms; not unless set.
    #[must_use]
    pub fn write_images(mut self, on: bool) -> Self {
        self.write_images = on;
        self
    }

    /// Writes images that a function makes after each epoch: `[k, height, width, channels]`, as [`image`](fn@summary::image) takes them.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let samples = tf::random::uniform([3, 8, 8, 1], 0.0, 1.0);
    /// let callback = tf::callbacks::TensorBoard::new("logs").images("samples", |_epoch| samples.clone());
    /// # drop(callback);
    /// ```
    #[must_use]
    pub fn images(mut self, name: impl Into<String>, make: impl FnMut(usize) -> Tensor + 'a) -> Self {
        self.images.push((name.into(), Box::new(make)));
        self
    }

    fn writer(&mut self, validation: bool) -> Result<SummaryWriter> {
        let (place, name) = match validation {
            true => (&mut self.validation, "validation"),
            false => (&mut self.train, "train"),
        };
        if let Some(writer) = place {
            return Ok(writer.clone());
        }
        Ok(place.insert(try_create_file_writer(self.folder.join(name))?).clone())
    }

    /// Whether an epoch has histograms.
    fn has_histograms(&self, epoch: usize) -> bool {
        self.histogram_freq > 0 && epoch.is_multiple_of(self.histogram_freq)
    }

    fn write_weights(&self, epoch: usize, model: &dyn Module) -> Result<()> {
        for (_, variable) in model.built_variables() {
            let name = Named::label(&variable);
            let value = variable.value();
            if !value.dtype().is_floating() {
                continue;
            }
            summary::try_histogram(&format!("{name}/histogram"), &value, epoch)?;
            if self.write_images
                && let Some(images) = weights_as_images(&value)?
            {
                Image::new().try_write(&format!("{name}/image"), &images, epoch)?;
            }
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        let writers = [self.train.take(), self.validation.take()];
        writers.into_iter().flatten().try_for_each(|writer| writer.try_close())
    }
}

options! { ['a] TensorBoard<'a>:
    /// When running numbers are written beside those of epochs: `"epoch"` for never, `"batch"` for every batch, a number for every so
    /// manieth; never unless set. On a GPU reading them waits for the steps before.
    pub fn update_freq, try_update_freq(this, freq: impl IntoUpdateFreq) {
        this.update_freq = freq.into_update_freq()?;
        Ok(this)
    }
}

/// A weight as images, as Keras draws it: a vector as one row, a matrix as it lies or turned, rows of three as one image for each channel.
fn weights_as_images(value: &Tensor) -> Result<Option<Tensor>> {
    let value = cast_to(value, DType::F32)?;
    let sizes: Vec<usize> = value.shape().dims().iter().copied().filter(|&size| size != 1).collect();
    let value = value.try_reshape(&sizes[..])?;
    Ok(match sizes[..] {
        [a] => Some(value.try_reshape([1, a, 1, 1])?),
        [a, b] if a > b => Some(value.try_transpose([1, 0])?.try_reshape([1, b, a, 1])?),
        [a, b] => Some(value.try_reshape([1, a, b, 1])?),
        [a, b, c] => Some(value.try_transpose([2, 0, 1])?.try_reshape([c, a, b, 1])?),
        [_, _, _, 1 | 3 | 4] => Some(value),
        _ => None,
    })
}

impl Callback for TensorBoard<'_> {
    fn on_train_begin(&mut self, _: &Progress<'_>) -> Result<()> {
        self.batches = 0;
        self.graph_is_due = self.write_graph;
        self.writer(false).map(drop)
    }

    fn on_epoch_begin(&mut self, epoch: usize, progress: &Progress<'_>) -> Result<()> {
        self.epoch = epoch;
        if self.gradients && self.has_histograms(epoch) {
            let watch = match &self.watch {
                Some(watch) => watch.clone(),
                None => Arc::new(GradientWatch::new(self.writer(false)?)),
            };
            watch.turn(Some(epoch));
            progress.compiled.watch_gradients(Some(watch.clone()));
            self.watch = Some(watch);
        }
        Ok(())
    }

    fn on_train_batch_end(&mut self, _: usize, progress: &Progress<'_>) -> Result<()> {
        self.batches += 1;
        if let Some(watch) = &self.watch {
            watch.turn(None);
        }
        let due = match self.update_freq {
            UpdateFreq::Epoch => false,
            UpdateFreq::Batch => true,
            UpdateFreq::Batches(batches) => (self.batches as usize).is_multiple_of(batches),
        };
        let writer = self.writer(false)?;
        let _default = writer.as_default();
        if std::mem::take(&mut self.graph_is_due) && progress.step_graph().trace_count() > 0 {
            summary::try_graph(progress.step_graph())?;
        }
        if due {
            for (name, value) in progress.running()?.iter() {
                summary::try_scalar(&format!("batch_{name}"), value, self.batches)?;
            }
        }
        Ok(())
    }

    fn on_test_end(&mut self, logs: &Logs, progress: &Progress<'_>) -> Result<()> {
        let Ok(optimizer) = progress.optimizer() else { return Ok(()) };
        let writer = self.writer(true)?;
        let _default = writer.as_default();
        logs.iter().try_for_each(|(name, value)| {
            summary::try_scalar(&format!("evaluation_{name}_vs_iterations"), value, optimizer.iterations())
        })?;
        // An evaluation that is no part of a training has no other end.
        if self.train.is_none() { self.close() } else { Ok(()) }
    }

    fn on_epoch_end(&mut self, epoch: usize, logs: &mut Logs, progress: &Progress<'_>) -> Result<()> {
        let writer = self.writer(false)?;
        {
            let _default = writer.as_default();
            for (name, value) in logs.iter().filter(|(name, _)| !name.starts_with("val_")) {
                summary::try_scalar(&format!("epoch_{name}"), value, epoch)?;
            }
            if let Ok(optimizer) = progress.optimizer()
                && logs.get("learning_rate").is_none()
            {
                let rate = cast_to(&optimizer.learning_rate().try_value()?, DType::F32)?;
                summary::try_scalar("epoch_learning_rate", &rate, epoch)?;
            }
            if self.has_histograms(epoch) {
                self.write_weights(epoch, progress.model)?;
            }
            for (name, make) in &mut self.images {
                let images = make(epoch);
                Image::new().max_outputs(usize::MAX).try_write(name, &images, epoch)?;
            }
        }
        let validation: Vec<(&str, f64)> =
            logs.iter().filter_map(|(name, value)| Some((name.strip_prefix("val_")?, value))).collect();
        if !validation.is_empty() {
            let writer = self.writer(true)?;
            let _default = writer.as_default();
            for (name, value) in validation {
                summary::try_scalar(&format!("epoch_{name}"), value, epoch)?;
            }
        }
        Ok(())
    }

    /// What could not be written is an error of the training here.
    fn on_train_end(&mut self, _: &Logs, progress: &Progress<'_>) -> Result<()> {
        progress.compiled.watch_gradients(None);
        self.watch = None;
        self.close()
    }
}
