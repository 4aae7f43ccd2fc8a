//! Means and sums of whatever they are given, such as the losses of the batches; the state of all metrics that are means.
//! Keras's `Mean` and `Sum`; training loops show them after every epoch.

use super::Metric;
use super::metric::results;
use crate::losses::reduce::{count, same_rank};
use engine::library::cast_to;
use engine::{AsTensor, Duplicate, Fields, Module, Tensor, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::borrow::Cow;
use std::panic::Location;

/// The mean of all values that it was given, by their weights.
///
/// Values `[batch, …]` count as one value per example, their mean; a scalar counts as one example. Sums are kept in `float64`, so that
/// long epochs lose nothing; the result is `float32`, and 0 before any value.
///
/// ```
/// use eagerflow as tf;
/// let loss = tf::metrics::Mean::new("loss");
/// loss.update_state(&tf::constant([1.0, 2.0]));
/// loss.update_state(&tf::constant(6.0));
/// assert_eq!(loss.result().item::<f32>(), 3.0);
/// loss.reset_state();
/// loss.update_state_weighted(tf::constant([1.0, 5.0]), tf::constant([3.0, 1.0]));
/// assert_eq!(loss.result().item::<f32>(), 2.0);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct Mean {
    #[module(skip)]
    name: Cow<'static, str>,
    total: Variable,
    count: Variable,
}

/// The sum of all values that it was given, times their weights.
///
/// ```
/// use eagerflow as tf;
/// let seen = tf::metrics::Sum::new("seen");
/// seen.update_state(tf::constant([1.0, 2.0]));
/// seen.update_state(tf::constant(6.0));
/// assert_eq!(seen.result().item::<f32>(), 9.0);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct Sum {
    #[module(skip)]
    name: Cow<'static, str>,
    total: Variable,
}

/// A sum that begins with 0.
#[track_caller]
pub(super) fn zero(metric: &str, name: &str) -> Variable {
    Variable::with(Tensor::from(0.0f64), &format!("{metric}/{name}"), false)
}

impl Mean {
    /// A metric without values, under a name.
    #[track_caller]
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        Self { total: zero(&name, "total"), count: zero(&name, "count"), name }
    }

    #[track_caller]
    pub(super) fn add(&self, values: &Tensor, weight: Option<&Tensor>) -> Result<()> {
        let samples = samples(&self.name, values, weight, Fold::Mean)?;
        self.total.try_assign_add(&samples.values.try_reduce_sum(())?)?;
        let counted = match &samples.weight {
            Some(weight) => weight.try_reduce_sum(())?,
            None => count(&samples.values, DType::F64)?,
        };
        self.count.try_assign_add(&counted)
    }

    #[track_caller]
    pub(super) fn mean(&self) -> Result<Tensor> {
        // No values: 0, as Keras answers.
        let mean = engine::try_div_no_nan(&self.total.value(), &self.count.value())?;
        cast_to(&mean, DType::F32)
    }

    /// Whether it was given any.
    pub(crate) fn has_values(&self) -> Result<bool> {
        Ok(self.count.value().try_item::<f64>()? != 0.0)
    }

    #[track_caller]
    pub(super) fn forget(&self) {
        let zero = Tensor::from(0.0f64);
        self.total.assign(&zero);
        self.count.assign(&zero);
    }
}

impl Default for Mean {
    /// Under Keras's name, `mean`.
    #[track_caller]
    fn default() -> Self {
        Self::new("mean")
    }
}

impl Sum {
    /// A metric without values, under a name.
    #[track_caller]
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        Self { total: zero(&name, "total"), name }
    }

    #[track_caller]
    fn add(&self, values: &Tensor, weight: Option<&Tensor>) -> Result<()> {
        let samples = samples(&self.name, values, weight, Fold::Sum)?;
        self.total.try_assign_add(&samples.values.try_reduce_sum(())?)
    }

    #[track_caller]
    fn mean(&self) -> Result<Tensor> {
        cast_to(&self.total.value(), DType::F32)
    }

    #[track_caller]
    fn forget(&self) {
        self.total.assign(&Tensor::from(0.0f64));
    }
}

impl Default for Sum {
    /// Under Keras's name, `sum`.
    #[track_caller]
    fn default() -> Self {
        Self::new("sum")
    }
}

/// How the values of one example become one.
#[derive(Clone, Copy, PartialEq)]
enum Fold {
    Mean,
    Sum,
}

impl Fold {
    /// The axes from one on, folded.
    #[track_caller]
    fn over(self, x: &Tensor, axis: usize) -> Result<Tensor> {
        if x.rank() <= axis {
            return Ok(x.clone());
        }
        let axes: Vec<isize> = (axis as isize..x.rank() as isize).collect();
        match self {
            Self::Mean => x.try_reduce_mean(axes),
            Self::Sum => x.try_reduce_sum(axes),
        }
    }
}

/// One value per example, times its weight, and the weights.
struct Samples {
    values: Tensor,
    weight: Option<Tensor>,
}

/// Values and weights as one per example, in `float64`, by the rules of Keras.
#[track_caller]
fn samples(metric: &str, values: &Tensor, weight: Option<&Tensor>, fold: Fold) -> Result<Samples> {
    let values = cast_to(values, DType::F64)?;
    let Some(weight) = weight else {
        return Ok(Samples { values: fold.over(&values, 1)?, weight: None });
    };
    let (values, weight) = same_rank(&values, &cast_to(weight, DType::F64)?, true)?;
    // What the weights do not tell apart is folded first.
    let values = fold.over(&values, weight.rank())?;
    let weights = match engine::try_broadcast_to(&weight, values.shape()) {
        Ok(weights) => weights,
        Err(_) => {
            return Err(Error::invalid_argument(metric, "the weights do not fit the values")
                .got(format!("weights {}, values {}", weight.shape(), values.shape()))
                .expected("one weight per value, a size of 1 for all along an axis, or a scalar"));
        }
    };
    let values = fold.over(&values.try_multiply(&weights)?, 1)?;
    Ok(Samples { values, weight: Some(fold.over(&weights, 1)?) })
}

macro_rules! of_values {
    ($($name:ident),*) => {$(
        impl $name {
            /// Takes more values in, of any shape and any number type or `bool`.
            ///
            /// # Panics
            /// As [`try_update_state`](Self::try_update_state) fails, at the caller's line.
            #[track_caller]
            pub fn update_state(&self, values: impl AsTensor) {
                self.try_update_state(values, None).or_fail()
            }

            /// Takes more values in, which count by their weight: a scalar, or one per example, or one per value.
            ///
            /// # Panics
            /// As [`try_update_state`](Self::try_update_state) fails, at the caller's line.
            #[track_caller]
            pub fn update_state_weighted(&self, values: impl AsTensor, sample_weight: impl AsTensor) {
                self.try_update_state(values, Some(&sample_weight.as_tensor())).or_fail()
            }

            /// Takes more values in, which count by their weight if there are weights.
            ///
            /// # Errors
            /// InvalidArgument for weights that do not fit the values; FailedPrecondition for a value of a recorded graph used
            /// outside of it.
            #[track_caller]
            pub fn try_update_state(&self, values: impl AsTensor, sample_weight: Option<&Tensor>) -> Result<()> {
                let here = Location::caller();
                self.add(&values.as_tensor(), sample_weight).map_err(|e| e.at(here))
            }

            /// [`update_state`](Self::update_state) by a shorter name.
            ///
            /// # Panics
            /// As [`try_update`](Self::try_update) fails.
            #[track_caller]
            pub fn update(&self, values: impl AsTensor) {
                self.try_update_state(values, None).or_fail()
            }

            /// [`try_update_state`](Self::try_update_state) without weights.
            ///
            /// # Errors
            /// As [`try_update_state`](Self::try_update_state).
            #[track_caller]
            pub fn try_update(&self, values: impl AsTensor) -> Result<()> {
                self.try_update_state(values, None)
            }

            /// Takes more values in and answers the metric of all so far: Keras's call of a metric.
            ///
            /// # Panics
            /// As [`try_update_state`](Self::try_update_state) fails, at the caller's line.
            #[track_caller]
            pub fn call(&self, values: impl AsTensor) -> Tensor {
                self.update_state(values);
                self.result()
            }
        }

        results!($name);

        /// As a metric of a model it takes the predictions in, and looks at no labels.
        impl Metric for $name {
            fn name(&self) -> &str {
                &self.name
            }

            #[track_caller]
            fn try_update_state(&self, _: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
                self.add(y_pred, sample_weight)
            }

            #[track_caller]
            fn try_result(&self) -> Result<Tensor> {
                self.mean()
            }

            #[track_caller]
            fn reset_state(&self) {
                self.forget();
            }
        }
    )*};
}

of_values!(Mean, Sum);

impl Module for Mean {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value("Mean");
        fields.field("total", &self.total);
        fields.field("count", &self.count);
    }
}

impl Module for Sum {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value("Sum");
        fields.field("total", &self.total);
    }
}
