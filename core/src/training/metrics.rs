//! What a trainer takes for metrics: objects, their names, and lists and tuples of them.
//! Trainers keep them as a list of objects for each output.

use super::accuracy::ByLabels;
use crate::metrics::{Direction, Metric, try_get};
use engine::{Fields, Module, Tensor};
use kernels::error::Result;

/// A metric, its name such as `"accuracy"`, or a list or tuple of metrics. One that is given by its name has that name in the logs.
pub trait IntoMetrics {
    /// The metrics.
    ///
    /// # Errors
    /// NotFound for a name that is none, with those that are near.
    fn into_metrics(self) -> Result<Vec<Box<dyn Metric>>>;
}

#[track_caller]
fn named(name: &str) -> Result<Box<dyn Metric>> {
    match ByLabels::of(name) {
        Some(metric) => Ok(Box::new(metric)),
        None => Ok(Box::new(Named { name: name.to_owned(), metric: try_get(name)? })),
    }
}

/// A metric that was asked for by a name, by which it stands in the logs: `"mae"`, not `"mean_absolute_error"`, as in Keras.
struct Named {
    name: String,
    metric: Box<dyn Metric>,
}

impl Metric for Named {
    fn name(&self) -> &str {
        &self.name
    }

    fn direction(&self) -> Option<Direction> {
        self.metric.direction()
    }

    #[track_caller]
    fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
        self.metric.try_update_state(y_true, y_pred, sample_weight)
    }

    #[track_caller]
    fn try_result(&self) -> Result<Tensor> {
        self.metric.try_result()
    }

    #[track_caller]
    fn reset_state(&self) {
        self.metric.reset_state();
    }
}

impl Module for Named {
    /// As the metric itself: its variables have the paths that they have without a name.
    fn visit(&self, fields: &mut Fields<'_>) {
        self.metric.visit(fields);
    }
}

impl IntoMetrics for &str {
    #[track_caller]
    fn into_metrics(self) -> Result<Vec<Box<dyn Metric>>> {
        Ok(vec![named(self)?])
    }
}

impl IntoMetrics for Vec<Box<dyn Metric>> {
    fn into_metrics(self) -> Result<Self> {
        Ok(self)
    }
}

impl<M: IntoMetrics, const N: usize> IntoMetrics for [M; N] {
    #[track_caller]
    fn into_metrics(self) -> Result<Vec<Box<dyn Metric>>> {
        let mut all = Vec::new();
        for metric in self {
            all.extend(metric.into_metrics()?);
        }
        Ok(all)
    }
}

impl<M: Metric + 'static> IntoMetrics for M {
    fn into_metrics(self) -> Result<Vec<Box<dyn Metric>>> {
        Ok(vec![Box::new(self)])
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: IntoMetrics),*> IntoMetrics for ($($name,)*) {
            #[track_caller]
            fn into_metrics(self) -> Result<Vec<Box<dyn Metric>>> {
                let mut all = Vec::new();
                $(all.extend(self.$index.into_metrics()?);)*
                Ok(all)
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
