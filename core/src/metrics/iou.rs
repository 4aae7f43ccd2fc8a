//! Intersection over union of predicted and labelled regions, from a matrix of how often each class was predicted for each.
//! Keras's `IoU`, `MeanIoU`, `BinaryIoU`, `OneHotIoU` and `OneHotMeanIoU`.

use super::Metric;
use super::confusion::{add, clear, zeros};
use super::metric::{named, updates};
use crate::losses::checks::EPSILON;
use engine::library::options::{self, options};
use engine::library::{cast_to, reshape_to};
use engine::{Duplicate, Fields, Module, Tensor, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::Shape;
use std::borrow::Cow;
use std::panic::Location;

/// What all metrics of regions hold.
#[derive(Clone, Debug, Duplicate)]
struct State {
    #[module(skip)]
    num_classes: usize,
    #[module(skip)]
    target_class_ids: Vec<usize>,
    #[module(skip)]
    ignore_class: Option<i64>,
    #[module(skip)]
    sparse: [bool; 2],
    #[module(skip)]
    axis: isize,
    /// Rows are labels, columns predictions.
    total_cm: Variable,
}

impl State {
    #[track_caller]
    fn new(owner: &str, num_classes: usize, targets: Vec<usize>, sparse: [bool; 2]) -> Result<Self> {
        let num_classes = options::count(owner, "num_classes", num_classes)?;
        if targets.is_empty() || targets.iter().any(|&id| id >= num_classes) {
            return Err(Error::invalid_argument(owner, "`target_class_ids` is out of range")
                .got(format!("{targets:?}"))
                .expected(format!("at least one class from 0 up to, and not, {num_classes}")));
        }
        let total_cm = zeros(owner, "total_confusion_matrix", &[num_classes, num_classes]);
        Ok(Self { num_classes, target_class_ids: targets, ignore_class: None, sparse, axis: -1, total_cm })
    }

    #[track_caller]
    fn update(&self, metric: &str, y_true: &Tensor, y_pred: &Tensor, weight: Option<&Tensor>) -> Result<()> {
        let labels = self.classes(y_true, self.sparse[0])?;
        let predictions = self.classes(y_pred, self.sparse[1])?;
        if !labels.shape().dim(0).can_equal(predictions.shape().dim(0)) {
            return Err(Error::invalid_argument(metric, "labels and predictions have different numbers of elements")
                .got(format!("labels {}, predictions {}", y_true.shape(), y_pred.shape()))
                .expected("one predicted class per label")
                .help("scores of classes `[…, classes]` are told by `sparse_y_pred(false)`, those of labels by `sparse_y_true(false)`"));
        }
        let count = self.num_classes as i64;
        let below = engine::try_logical_and(labels.try_less(count)?, predictions.try_less(count)?)?;
        let above = engine::try_logical_and(labels.try_greater_equal(0)?, predictions.try_greater_equal(0)?)?;
        let mut valid = engine::try_logical_and(&below, &above)?;
        if let Some(ignored) = self.ignore_class {
            valid = engine::try_logical_and(&valid, labels.try_not_equal(ignored)?)?;
        }
        // What is left out goes to no place.
        let places = valid.try_select(&labels.try_multiply(count)?.try_add(&predictions)?, -1)?;
        let weights = match weight {
            Some(weight) => weights(metric, weight, &labels)?,
            None => engine::library::ones_of(&engine::TensorType::new(DType::F64, *labels.shape()))?,
        };
        let counted = engine::try_unsorted_segment_sum(&weights, &places, self.num_classes * self.num_classes)?;
        add(&self.total_cm, &reshape_to(&counted, &Shape::new(&[self.num_classes, self.num_classes])?)?)
    }

    /// Class numbers as a vector: as they are, or where scores are greatest.
    #[track_caller]
    fn classes(&self, x: &Tensor, sparse: bool) -> Result<Tensor> {
        let classes = match sparse {
            true => cast_to(x, DType::I64)?,
            false => engine::try_argmax(x, self.axis)?,
        };
        reshape_to(&classes, &Shape::from_dims(&[classes.shape().element_count()])?)
    }

    #[track_caller]
    fn result(&self) -> Result<Tensor> {
        let matrix = self.total_cm.value();
        let right = engine::try_diag_part(&matrix)?;
        let either = matrix.try_reduce_sum(0)?.try_add(&matrix.try_reduce_sum(1)?)?.try_subtract(&right)?;
        let targets: Vec<i64> = self.target_class_ids.iter().map(|&id| id as i64).collect();
        let targets = Tensor::from(targets);
        let (right, either) = (engine::try_gather(&right, &targets, 0)?, engine::try_gather(&either, &targets, 0)?);
        // A class that is neither a label nor predicted is left out of the mean.
        let there = either.try_greater(1e-9)?;
        let shares = there.try_select(&right.try_divide(&either.try_add(EPSILON)?)?, 0.0)?;
        let count = cast_to(&there, DType::F64)?.try_reduce_sum(())?;
        cast_to(&shares.try_reduce_sum(())?.try_divide(&count.try_add(EPSILON)?)?, DType::F32)
    }
}

/// One weight per label, as a vector.
#[track_caller]
fn weights(metric: &str, weight: &Tensor, labels: &Tensor) -> Result<Tensor> {
    let wide = cast_to(weight, DType::F64)?;
    let flat = match wide.rank() {
        0 | 1 => wide,
        _ => reshape_to(&wide, &Shape::from_dims(&[wide.shape().element_count()])?)?,
    };
    match engine::try_broadcast_to(&flat, labels.shape()) {
        Ok(weights) => Ok(weights),
        Err(_) => Err(Error::invalid_argument(metric, "the weights do not fit the labels")
            .got(format!("weights {} for {} labels", weight.shape(), labels.shape()))
            .expected("one weight per label, or a scalar")),
    }
}

impl Module for State {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("total_confusion_matrix", &self.total_cm);
        fields.value(&(self.num_classes, &self.target_class_ids, self.ignore_class, self.sparse, self.axis));
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

macro_rules! regions {
    ($($(#[$doc:meta])* $name:ident($text:literal) ($($arg:ident: $ty:ty),*) $(@ $threshold:ident)?
        |$owner:ident| $state:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $name {
            #[module(skip)]
            name: Cow<'static, str>,
            state: State,
            $(
                #[module(skip)]
                $threshold: f64,
            )?
        }

        impl $name {
            /// A metric without batches.
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new($($arg: $ty),*) -> Self {
                Self::try_new($($arg),*).or_fail()
            }

            /// A metric without batches, for numbers that come from data.
            ///
            /// # Errors
            /// InvalidArgument for no classes, or for targets that are none of them.
            #[track_caller]
            pub fn try_new($($arg: $ty),*) -> Result<Self> {
                let (here, $owner) = (Location::caller(), stringify!($name));
                let state: Result<State> = $state;
                Ok(Self { name: $text.into(), state: state.map_err(|e| e.at(here))?, $($threshold: 0.5)? })
            }
        }

        named!($name);
        updates!($name);

        impl Metric for $name {
            fn name(&self) -> &str {
                &self.name
            }

            #[track_caller]
            fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
                $(
                    let yes = cast_to(y_pred, DType::F32)?.try_greater_equal(self.$threshold)?;
                    let y_pred = &cast_to(&yes, DType::I64)?;
                )?
                self.state.update($text, y_true, y_pred, sample_weight)
            }

            #[track_caller]
            fn try_result(&self) -> Result<Tensor> {
                self.state.result()
            }

            #[track_caller]
            fn reset_state(&self) {
                clear(&[&self.state.total_cm]);
            }
        }

        impl Module for $name {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.value(stringify!($name));
                self.state.visit(fields);
                $(fields.field("threshold", &self.$threshold);)?
            }
        }
    )*};
}

regions! {
    /// The mean, over some target classes, of what predictions and labels of a class share, by what either covers.
    ///
    /// Weights count as they are; Keras cuts them to whole numbers.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::IoU::new(2, [0]);
    /// metric.update_state(tf::constant([0, 0, 1, 1]), tf::constant([0, 1, 0, 1]));
    /// assert!((metric.result().item::<f32>() - 1.0 / 3.0).abs() < 1e-6);
    /// ```
    IoU("io_u") (num_classes: usize, target_class_ids: impl Into<Vec<usize>>)
        |owner| State::new(owner, num_classes, target_class_ids.into(), [true, true]);

    /// The mean, over all classes, of what predictions and labels of a class share, by what either covers.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::MeanIoU::new(2);
    /// metric.update_state(tf::constant([0, 0, 1, 1]), tf::constant([0, 1, 0, 1]));
    /// assert!((metric.result().item::<f32>() - 1.0 / 3.0).abs() < 1e-6);
    /// ```
    MeanIoU("mean_io_u") (num_classes: usize)
        |owner| State::new(owner, num_classes, (0..num_classes.max(1)).collect(), [true, true]);

    /// What predictions of at least a threshold and labels of 1 share, by what either covers; the mean of that and the same for 0.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::BinaryIoU::new().threshold(0.3);
    /// metric.update_state(tf::constant([0, 1, 0, 1]), tf::constant([0.1, 0.2, 0.4, 0.7]));
    /// assert!((metric.result().item::<f32>() - 1.0 / 3.0).abs() < 1e-6);
    /// ```
    BinaryIoU("binary_io_u") () @ threshold
        |owner| State::new(owner, 2, vec![0, 1], [true, true]);

    /// [`IoU`] of labels that are rows of shares, as `one_hot` makes, and predictions that are scores of the classes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::OneHotIoU::new(2, [1]);
    /// metric.update_state(tf::constant([[1, 0], [0, 1]]), tf::constant([[0.2, 0.8], [0.1, 0.9]]));
    /// assert!((metric.result().item::<f32>() - 0.5).abs() < 1e-6);
    /// ```
    OneHotIoU("one_hot_io_u") (num_classes: usize, target_class_ids: impl Into<Vec<usize>>)
        |owner| State::new(owner, num_classes, target_class_ids.into(), [false, false]);

    /// [`MeanIoU`] of labels that are rows of shares, as `one_hot` makes, and predictions that are scores of the classes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::OneHotMeanIoU::new(2);
    /// metric.update_state(tf::constant([[1, 0], [0, 1]]), tf::constant([[0.2, 0.8], [0.1, 0.9]]));
    /// assert!((metric.result().item::<f32>() - 0.25).abs() < 1e-6);
    /// ```
    OneHotMeanIoU("one_hot_mean_io_u") (num_classes: usize)
        |owner| State::new(owner, num_classes, (0..num_classes.max(1)).collect(), [false, false]);
}

macro_rules! shared_options {
    ($($name:ident),*) => {$(
        impl $name {
            /// A label that stands for none, and is not counted; `None` by default.
            #[must_use]
            pub fn ignore_class(mut self, class: impl Into<Option<i64>>) -> Self {
                self.state.ignore_class = class.into();
                self
            }

            /// Whether predictions are class numbers, and not scores of all classes.
            #[must_use]
            pub fn sparse_y_pred(mut self, sparse: bool) -> Self {
                self.state.sparse[1] = sparse;
                self
            }

            /// The axis of the classes where labels or predictions are scores; -1, the last, by default.
            #[must_use]
            pub fn axis(mut self, axis: isize) -> Self {
                self.state.axis = axis;
                self
            }
        }
    )*};
}

shared_options!(IoU, MeanIoU, OneHotIoU, OneHotMeanIoU);

macro_rules! sparse_labels {
    ($($name:ident),*) => {$(
        impl $name {
            /// Whether labels are class numbers, and not scores of all classes; so by default.
            #[must_use]
            pub fn sparse_y_true(mut self, sparse: bool) -> Self {
                self.state.sparse[0] = sparse;
                self
            }
        }
    )*};
}

sparse_labels!(IoU, MeanIoU);

options! { BinaryIoU:
    /// From which prediction on the answer is yes; 0.5 by default.
    pub fn threshold, try_threshold(this, threshold: f64) {
        this.threshold = options::finite("BinaryIoU", "threshold", threshold)?;
        Ok(this)
    }

    /// Of which of the classes 0 and 1 the mean is; of both by default.
    pub fn target_class_ids, try_target_class_ids(this, ids: impl Into<Vec<usize>>) {
        this.state = State::new("BinaryIoU", 2, ids.into(), [true, true])?;
        Ok(this)
    }
}

impl Default for BinaryIoU {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}
