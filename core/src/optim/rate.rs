//! The learning rate: a number that schedules and users may set while the training runs.
//! Optimizers read it at every step; it is a variable, so that traced steps see it change.

use crate::module::{Fields, Module};
use crate::tensor::Tensor;
use crate::variable::Variable;

/// The learning rate of an optimizer.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adam, Optimizer};
/// let optimizer = Adam::new(1e-3);
/// optimizer.learning_rate().set(1e-4);
/// assert!((optimizer.learning_rate().get() - 1e-4).abs() < 1e-10);
/// ```
#[derive(Clone, Debug)]
pub struct LearningRate(Variable);

impl LearningRate {
    #[track_caller]
    pub(super) fn new(rate: f64) -> Self {
        Self(Variable::with(Tensor::from(rate as f32), "learning_rate", false))
    }

    /// Sets the rate for the steps that follow.
    #[track_caller]
    pub fn set(&self, rate: f64) {
        self.0.assign(Tensor::from(rate as f32));
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

impl Module for LearningRate {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.variable(&self.0);
    }
}
