//! What a trainer takes for metrics: objects, their names, and lists and tuples of them.
//! Trainers keep them as a list of objects for each output.

use super::accuracy::ByLabels;
use crate::metrics::{Metric, try_get};
use kernels::error::Result;

/// A metric, its name such as `"accuracy"`, or a list or tuple of metrics.
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
        None => try_get(name),
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
