//! What every loss can do: one number per example, and their sum or mean with weights and a mask.
//! `compile` and training loops that take any loss call it.

use super::reduce;
use engine::{AsTensor, Fields, Module, Tensor};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// How the losses of the examples become one number; Keras's `reduction`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Reduction {
    /// Their sum by their number; Keras's default, `"sum_over_batch_size"`. What a mask leaves out is not counted; weights are
    /// not part of the number.
    #[default]
    SumOverBatchSize,
    /// Their sum, `"sum"`.
    Sum,
    /// Another name of [`SumOverBatchSize`](Self::SumOverBatchSize), `"mean"`.
    Mean,
    /// Their sum by the sum of the weights, `"mean_with_sample_weight"`.
    MeanWithSampleWeight,
    /// No reduction: one number per example, `"none"`.
    None,
}

/// A loss: how far predictions are from their labels.
///
/// Losses of this module also have `call`, `call_weighted` and `try_call`, which take variables as well and need no import.
///
/// ```
/// use eagerflow as tf;
/// use tf::losses::{Huber, Loss, MeanSquaredError, Reduction};
/// let losses: [Box<dyn Loss>; 2] =
///     [Box::new(MeanSquaredError::new()), Box::new(Huber::new().reduction(Reduction::Sum).name("far"))];
/// let (y_true, y_pred) = (tf::constant([[0.0], [0.0]]), tf::constant([[1.0], [3.0]]));
/// let values: Vec<f32> = losses.iter().map(|loss| loss.call(&y_true, &y_pred).item()).collect();
/// assert_eq!(values, [5.0, 3.0]);
/// assert_eq!((losses[0].name(), losses[1].name()), ("mean_squared_error", "far"));
/// ```
pub trait Loss: Module + Send + Sync {
    /// The name: given, or Keras's for its kind. The losses of this module set it by a method of the same name, so ask them through
    /// the trait: `Loss::name(&loss)`.
    fn name(&self) -> &str;

    /// How the losses of the examples become one number.
    fn reduction(&self) -> Reduction;

    /// One number per example, not reduced.
    ///
    /// # Errors
    /// InvalidArgument where labels and predictions do not fit each other, with both shapes.
    #[track_caller]
    fn per_example(&self, y_true: &Tensor, y_pred: &Tensor) -> Result<Tensor>;

    /// One number per example, and which of them count: none but some losses have a mask of their own, as
    /// [`SparseCategoricalCrossentropy`](super::SparseCategoricalCrossentropy) has with a class that it ignores.
    ///
    /// # Errors
    /// As [`per_example`](Self::per_example).
    #[track_caller]
    fn per_example_masked(&self, y_true: &Tensor, y_pred: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
        Ok((self.per_example(y_true, y_pred)?, None))
    }

    /// The reduced loss. Examples count by their weight, and not at all where the mask is false.
    ///
    /// Weights are a scalar, or have the losses' shape, where sizes may be 1.
    ///
    /// # Errors
    /// As [`per_example`](Self::per_example), and for weights or a mask that do not fit the losses.
    #[track_caller]
    fn try_compute(
        &self,
        y_true: &Tensor,
        y_pred: &Tensor,
        sample_weight: Option<&Tensor>,
        mask: Option<&Tensor>,
    ) -> Result<Tensor> {
        let (values, own) = self.per_example_masked(y_true, y_pred)?;
        let mask = match (mask, own) {
            (Some(given), Some(own)) => Some(engine::try_logical_and(reduce::truth(given)?, own)?),
            (Some(given), None) => Some(given.clone()),
            (None, own) => own,
        };
        reduce::weighted(self.name(), &values, sample_weight, mask.as_ref(), self.reduction())
    }
}

macro_rules! pointers {
    ($($t:ty),*) => {$(
        impl<T: Loss + ?Sized> Loss for $t {
            fn name(&self) -> &str {
                (**self).name()
            }
            fn reduction(&self) -> Reduction {
                (**self).reduction()
            }
            #[track_caller]
            fn per_example(&self, y_true: &Tensor, y_pred: &Tensor) -> Result<Tensor> {
                (**self).per_example(y_true, y_pred)
            }
            #[track_caller]
            fn per_example_masked(&self, y_true: &Tensor, y_pred: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
                (**self).per_example_masked(y_true, y_pred)
            }
            #[track_caller]
            fn try_compute(
                &self,
                y_true: &Tensor,
                y_pred: &Tensor,
                sample_weight: Option<&Tensor>,
                mask: Option<&Tensor>,
            ) -> Result<Tensor> {
                (**self).try_compute(y_true, y_pred, sample_weight, mask)
            }
        }
    )*};
}

pointers!(Box<T>, Arc<T>, &T);

impl dyn Loss + '_ {
    /// The reduced loss.
    ///
    /// # Panics
    /// As [`try_compute`](Loss::try_compute) fails, at the caller's line.
    #[track_caller]
    pub fn call(&self, y_true: impl AsTensor, y_pred: impl AsTensor) -> Tensor {
        called(self, &y_true.as_tensor(), &y_pred.as_tensor(), None).or_fail()
    }

    /// The reduced loss of examples that count by their weight.
    ///
    /// # Panics
    /// As [`try_compute`](Loss::try_compute) fails, at the caller's line.
    #[track_caller]
    pub fn call_weighted(&self, y_true: impl AsTensor, y_pred: impl AsTensor, weight: impl AsTensor) -> Tensor {
        called(self, &y_true.as_tensor(), &y_pred.as_tensor(), Some(&weight.as_tensor())).or_fail()
    }
}

impl fmt::Debug for dyn Loss + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Loss({})", self.name())
    }
}

/// A loss called by its user, at whose line an error is.
#[track_caller]
pub(super) fn called(loss: &dyn Loss, y_true: &Tensor, y_pred: &Tensor, weight: Option<&Tensor>) -> Result<Tensor> {
    let here = Location::caller();
    loss.try_compute(y_true, y_pred, weight, None).map_err(|e| e.at(here))
}

/// What all losses of this module hold beside their own options.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub name: Cow<'static, str>,
    pub reduction: Reduction,
    pub dtype: Option<DType>,
}

impl Module for Reduction {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

impl Settings {
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), reduction: Reduction::default(), dtype: None }
    }

    pub fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("reduction", &self.reduction);
        fields.field("dtype", &self.dtype);
    }
}
