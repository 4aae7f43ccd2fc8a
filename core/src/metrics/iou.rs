//! Intersection over union of predicted and labelled regions, from a matrix of how often each class was predicted for each.
//! Keras's `IoU`, `MeanIoU`, `BinaryIoU`, `OneHotIoU` and `OneHotMeanIoU`.

use super::confusion::clear;
use super::metric::{named, updates};
use super::regions::State;
use super::{Direction, Metric};
use engine::library::cast_to;
use engine::library::options::{self, options};
use engine::{Duplicate, Fields, Module, Tensor};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use std::borrow::Cow;
use std::panic::Location;

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

            fn direction(&self) -> Option<Direction> {
                Some(Direction::Up)
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
