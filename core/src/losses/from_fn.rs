//! Losses that are functions of the user's: [`from_fn`] makes a loss of one.
//! Metrics of functions tell theirs apart by the same rule.

use super::loss::{Settings, called};
use super::{Loss, Reduction};
use engine::{AsTensor, Duplicate, Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The values of a loss that is a function of the user's.
type Values = dyn Fn(&Tensor, &Tensor) -> Result<Tensor> + Send + Sync;

/// A loss that is a function; [`from_fn`] makes it.
#[derive(Clone)]
pub struct FromFn {
    settings: Settings,
    /// Which function it is: a traced function is traced again for another one.
    identity: (&'static str, u64),
    values: Arc<Values>,
}

/// What a function of labels and predictions may answer.
pub trait LossValue {
    /// The values, or why there are none.
    ///
    /// # Errors
    /// The function's own.
    fn into_values(self) -> Result<Tensor>;
}

impl LossValue for Tensor {
    fn into_values(self) -> Result<Tensor> {
        Ok(self)
    }
}

impl LossValue for Result<Tensor> {
    fn into_values(self) -> Result<Tensor> {
        self
    }
}

/// A loss of a function of labels and predictions, which answers one number per example, or an error.
///
/// ```
/// use eagerflow as tf;
/// use tf::losses::{Loss, from_fn};
/// let pinball = from_fn("pinball", |y_true: &tf::Tensor, y_pred: &tf::Tensor| {
///     let d = y_true - y_pred;
///     tf::reduce_mean(tf::maximum(&d * 0.9, &d * -0.1), -1)
/// });
/// assert_eq!(Loss::name(&pinball), "pinball");
/// let loss = pinball.call(tf::constant([[2.0], [0.0]]), tf::constant([[1.0], [1.0]]));
/// assert_eq!(loss.item::<f32>(), 0.5);
/// ```
pub fn from_fn<F, R>(name: impl Into<String>, f: F) -> FromFn
where
    F: Fn(&Tensor, &Tensor) -> R + Send + Sync + 'static,
    R: LossValue,
{
    FromFn {
        settings: Settings::new(name.into()),
        identity: identity_of(&f),
        values: Arc::new(move |y_true: &Tensor, y_pred: &Tensor| f(y_true, y_pred).into_values()),
    }
}

/// What tells functions apart: the type of those that hold nothing, else a number of their own.
pub(crate) fn identity_of<F>(_: &F) -> (&'static str, u64) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = if size_of::<F>() == 0 { 0 } else { NEXT.fetch_add(1, Ordering::Relaxed) };
    (std::any::type_name::<F>(), number)
}

impl FromFn {
    /// The loss with another reduction.
    #[must_use]
    pub fn reduction(mut self, reduction: Reduction) -> Self {
        self.settings.reduction = reduction;
        self
    }

    /// The reduced loss.
    ///
    /// # Panics
    /// As [`try_compute`](Loss::try_compute) fails, at the caller's line.
    #[track_caller]
    pub fn call(&self, y_true: impl AsTensor, y_pred: impl AsTensor) -> Tensor {
        called(self, &y_true.as_tensor(), &y_pred.as_tensor(), None).or_fail()
    }
}

impl Loss for FromFn {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn reduction(&self) -> Reduction {
        self.settings.reduction
    }

    #[track_caller]
    fn per_example(&self, y_true: &Tensor, y_pred: &Tensor) -> Result<Tensor> {
        (self.values)(y_true, y_pred)
    }
}

impl Module for FromFn {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.settings.visit(fields);
        fields.value(&self.identity);
    }
}

impl Duplicate for FromFn {
    fn duplicate_in(&self, _: &mut engine::Copies) -> Self {
        self.clone()
    }
}

impl fmt::Debug for FromFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FromFn({}, {})", self.settings.name, self.identity.0)
    }
}
