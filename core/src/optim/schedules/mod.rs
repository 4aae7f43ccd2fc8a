//! Learning rates that change with the steps: Keras's schedules, and what schedules of users implement.
//! An optimizer that is made with one asks it at every step, in traced steps by operations of the graph.

mod cosine;
mod decay;
mod one_cycle;
mod piecewise;

pub use cosine::{CosineDecay, CosineDecayRestarts};
pub use decay::{ExponentialDecay, InverseTimeDecay, PolynomialDecay};
pub use one_cycle::{Anneal, OneCycle};
pub use piecewise::PiecewiseConstantDecay;

use engine::{Tensor, try_cast};
use kernels::dtype::DType;
use kernels::error::Result;
use std::fmt;
use std::sync::Arc;

/// A learning rate by the number of steps.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Optimizer, SGD, schedules::Schedule};
///
/// /// Halved every hundred steps.
/// #[derive(Debug)]
/// struct Halved;
///
/// impl Schedule for Halved {
///     fn try_at(&self, step: &tf::Tensor) -> tf::Result<tf::Tensor> {
///         let halvings = tf::floor(tf::cast(step, tf::float32) / 100.0);
///         tf::try_pow(tf::constant(0.5), halvings)
///     }
/// }
///
/// assert_eq!(Halved.value(250), 0.25);
/// assert_eq!(SGD::new(Halved).learning_rate().get(), 1.0);
/// ```
pub trait Schedule: fmt::Debug + Send + Sync {
    /// The rate of the step that comes after `step` others: a `float32` scalar, by operations on an `int64` scalar.
    ///
    /// # Errors
    /// What the operations answer.
    #[track_caller]
    fn try_at(&self, step: &Tensor) -> Result<Tensor>;

    /// The rate of the step that comes after so many others, as a number.
    ///
    /// # Panics
    /// As [`try_at`](Self::try_at) fails.
    #[track_caller]
    fn value(&self, step: i64) -> f64 {
        use kernels::error::OrFail;
        // Not part of a trace under way, nor of what a tape follows.
        let rate = engine::init_scope(|| self.try_at(&Tensor::from(step))).or_fail();
        engine::init_scope(|| f64::from(rate.item::<f32>()))
    }
}

macro_rules! pointers {
    ($($pointer:ident),*) => {$(
        impl<S: Schedule + ?Sized> Schedule for $pointer<S> {
            #[track_caller]
            fn try_at(&self, step: &Tensor) -> Result<Tensor> {
                (**self).try_at(step)
            }
        }
    )*};
}

pointers!(Arc, Box);

/// The number of steps as `float32`, in which Keras computes schedules.
#[track_caller]
fn float(step: &Tensor) -> Result<Tensor> {
    try_cast(step, DType::F32)
}
