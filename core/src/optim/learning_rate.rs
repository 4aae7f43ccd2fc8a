//! The learning rate: a number that schedules and users may set while the training runs.
//! Optimizers read it at every step; it is a variable, so that traced steps see it change.

use engine::Tensor;
use engine::Variable;
use engine::library::options::magnitude;
use engine::{Duplicate, Fields, Module};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// The learning rate of an optimizer.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adam, Optimizer};
/// let optimizer = Adam::new(1e-3);
/// optimizer.learning_rate().set(1e-4);
/// assert!((optimizer.learning_rate().get() - 1e-4).abs() < 1e-10);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct LearningRate(Variable);

impl LearningRate {
    #[track_caller]
    pub(super) fn new(optimizer: &str, rate: f64) -> Result<Self> {
        let here = Location::caller();
        let rate = checked(optimizer, rate).map_err(|e| e.at(here))?;
        Ok(Self(Variable::with(Tensor::from(rate), "learning_rate", false)))
    }

    /// Sets the rate for the steps that follow.
    ///
    /// # Panics
    /// As [`try_set`](Self::try_set) fails.
    #[track_caller]
    pub fn set(&self, rate: f64) {
        self.try_set(rate).or_fail()
    }

    /// Sets the rate for the steps that follow.
    ///
    /// # Errors
    /// InvalidArgument for a rate that is negative or no finite number; the rate is then unchanged.
    #[track_caller]
    pub fn try_set(&self, rate: f64) -> Result<()> {
        let here = Location::caller();
        let rate = checked("set", rate).map_err(|e| e.at(here))?;
        self.0.try_assign(Tensor::from(rate))
    }

    /// The present rate.
    #[track_caller]
    pub fn get(&self) -> f64 {
        f64::from(self.0.value().item::<f32>())
    }

    /// The variable that holds the rate, a `float32` scalar.
    pub fn variable(&self) -> &Variable {
        &self.0
    }
}

/// A rate as the variable holds it, which has fewer digits and ends sooner.
fn checked(owner: &str, rate: f64) -> Result<f32> {
    let rate = if (rate as f32).is_finite() { rate } else { f64::from(rate as f32) };
    magnitude(owner, "learning_rate", rate).map(|rate| rate as f32)
}

impl Module for LearningRate {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.variable(&self.0);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
