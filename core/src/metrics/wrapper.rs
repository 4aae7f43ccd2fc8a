//! Metrics that are the mean of one number per example: how they are declared, and `MeanMetricWrapper` for any function.
//! The files of accuracies, regression, probabilistic and hinge metrics declare theirs here.

use super::metric::{named, updates};
use super::{Direction, Mean, Metric};
use crate::losses::{LossValue, identity_of};
use engine::{Copies, Duplicate, Fields, Module, Tensor};
use kernels::error::Result;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Writes a metric that is the mean of one number per example: its options with their defaults, the name that Keras gives it, which way it
/// gets better, and the numbers of a batch, with a mask if they have one.
macro_rules! mean_metric {
    (
        $(#[$doc:meta])*
        pub struct $name:ident($text:literal, $direction:ident) { $($option:ident: $ty:ty = $default:expr),* $(,)? }
        |$this:tt, $labels:ident, $predictions:ident| $values:block
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, engine::Duplicate)]
        pub struct $name {
            #[module(skip)]
            name: std::borrow::Cow<'static, str>,
            mean: $crate::metrics::Mean,
            $(
                #[module(skip)]
                $option: $ty,
            )*
        }

        impl $name {
            /// A metric without batches, with Keras's defaults.
            #[track_caller]
            pub fn new() -> Self {
                Self { name: $text.into(), mean: $crate::metrics::Mean::new($text), $($option: $default,)* }
            }

            /// One number per example, and which of them count.
            #[track_caller]
            fn values(
                &self,
                $labels: &engine::Tensor,
                $predictions: &engine::Tensor,
            ) -> kernels::error::Result<(engine::Tensor, Option<engine::Tensor>)> {
                let $this = self;
                $values
            }
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                Self::new()
            }
        }

        $crate::metrics::metric::named!($name);
        $crate::metrics::metric::updates!($name);

        impl $crate::metrics::Metric for $name {
            fn name(&self) -> &str {
                &self.name
            }

            fn direction(&self) -> Option<$crate::metrics::Direction> {
                Some($crate::metrics::Direction::$direction)
            }

            #[track_caller]
            fn try_update_state(
                &self,
                y_true: &engine::Tensor,
                y_pred: &engine::Tensor,
                sample_weight: Option<&engine::Tensor>,
            ) -> kernels::error::Result<()> {
                let (values, mask) = self.values(y_true, y_pred)?;
                // Keras leaves out what the mask does only where there are weights, too.
                let weight = match (sample_weight, mask) {
                    (Some(weight), Some(mask)) => $crate::metrics::wrapper::kept($text, weight, &mask)?,
                    (weight, _) => weight.cloned(),
                };
                self.mean.add(&values, weight.as_ref())
            }

            #[track_caller]
            fn try_result(&self) -> kernels::error::Result<engine::Tensor> {
                self.mean.mean()
            }

            #[track_caller]
            fn reset_state(&self) {
                self.mean.forget();
            }
        }

        impl engine::Module for $name {
            fn visit(&self, fields: &mut engine::Fields<'_>) {
                fields.value(stringify!($name));
                self.mean.visit(fields);
                $(fields.field(stringify!($option), &self.$option);)*
            }
        }
    };
}
pub(super) use mean_metric;

/// Weights where a mask is true, else 0.
#[track_caller]
pub(super) fn kept(metric: &str, weight: &Tensor, mask: &Tensor) -> Result<Option<Tensor>> {
    use crate::losses::Reduction;
    crate::losses::reduce::joined(metric, Some(weight), Some(mask), kernels::dtype::DType::F32, Reduction::Sum)
}

/// The numbers of a function of the user's.
type Values = dyn Fn(&Tensor, &Tensor) -> Result<Tensor> + Send + Sync;

/// The mean of what a function of labels and predictions answers, one number per example or more.
///
/// ```
/// use eagerflow as tf;
/// let far = tf::metrics::MeanMetricWrapper::new("far", |y_true: &tf::Tensor, y_pred: &tf::Tensor| {
///     tf::cast(tf::greater((y_true - y_pred).abs(), 1.0), tf::DType::F32)
/// });
/// far.update_state(tf::constant([0.0, 0.0]), tf::constant([0.5, 2.0]));
/// assert_eq!(far.result().item::<f32>(), 0.5);
/// ```
#[derive(Clone)]
pub struct MeanMetricWrapper {
    name: Cow<'static, str>,
    direction: Option<Direction>,
    mean: Mean,
    /// Which function it is: a traced function is traced again for another one.
    identity: (&'static str, u64),
    values: Arc<Values>,
}

impl MeanMetricWrapper {
    /// A metric without batches, under a name.
    #[track_caller]
    pub fn new<F, R>(name: impl Into<Cow<'static, str>>, f: F) -> Self
    where
        F: Fn(&Tensor, &Tensor) -> R + Send + Sync + 'static,
        R: LossValue,
    {
        let name = name.into();
        Self {
            mean: Mean::new(name.clone()),
            name,
            direction: None,
            identity: identity_of(&f),
            values: Arc::new(move |y_true: &Tensor, y_pred: &Tensor| f(y_true, y_pred).into_values()),
        }
    }

    /// Which way it gets better, for callbacks that watch it; unless this is set, they ask for a `mode`.
    #[must_use]
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = Some(direction);
        self
    }
}

named!(MeanMetricWrapper);
updates!(MeanMetricWrapper);

impl Metric for MeanMetricWrapper {
    fn name(&self) -> &str {
        &self.name
    }

    fn direction(&self) -> Option<Direction> {
        self.direction
    }

    #[track_caller]
    fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
        self.mean.add(&(self.values)(y_true, y_pred)?, sample_weight)
    }

    #[track_caller]
    fn try_result(&self) -> Result<Tensor> {
        self.mean.mean()
    }

    #[track_caller]
    fn reset_state(&self) {
        self.mean.forget();
    }
}

impl Module for MeanMetricWrapper {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value("MeanMetricWrapper");
        self.mean.visit(fields);
        fields.value(&self.identity);
    }
}

impl Duplicate for MeanMetricWrapper {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self { mean: self.mean.duplicate_in(copies), ..self.clone() }
    }
}

impl fmt::Debug for MeanMetricWrapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeanMetricWrapper").field("name", &self.name).field("mean", &self.mean).finish_non_exhaustive()
    }
}
