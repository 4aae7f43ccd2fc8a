//! `SGD`: w -= rate * g; with momentum v = momentum * v - rate * g and w += v, by Nesterov w += momentum * v - rate * g.
//! Keras's `SGD`; rows of an embedding without momentum change those rows only.

use super::gradients::{Warned, pairs};
use super::slots::Slots;
use super::{LearningRate, Optimizer};
use crate::error::Result;
use crate::module::{Fields, Module};
use crate::tape::{Cotangent, Gradients};
use crate::tensor::Tensor;
use crate::variable::Variable;

/// Gradient descent, with momentum if it is asked for.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Optimizer, SGD};
/// let optimizer = SGD::new(0.01).momentum(0.9).nesterov(true);
/// let w = [tf::Variable::new(1.0)];
/// optimizer.apply_gradients(&[tf::constant(1.0)].into_iter().collect(), &w);
/// assert!((w[0].value().item::<f32>() - 0.981).abs() < 1e-6);
/// ```
#[derive(Debug)]
pub struct SGD {
    learning_rate: LearningRate,
    iterations: Variable,
    momentum: f64,
    nesterov: bool,
    slots: Slots<1>,
    warned: Warned,
}

impl SGD {
    /// Descent with a learning rate (Keras's default is 0.01), without momentum.
    #[track_caller]
    pub fn new(learning_rate: f64) -> Self {
        Self {
            learning_rate: LearningRate::new(learning_rate),
            iterations: Variable::with(Tensor::from(0i64), "sgd/iterations", false),
            momentum: 0.0,
            nesterov: false,
            slots: Slots::new(["momentum"]),
            warned: Warned::default(),
        }
    }

    /// How much of the last step goes on in the next, from 0 up to 1.
    pub fn momentum(mut self, momentum: f64) -> Self {
        self.momentum = momentum;
        self
    }

    /// Whether the momentum is applied before the gradient, as Nesterov does.
    pub fn nesterov(mut self, nesterov: bool) -> Self {
        self.nesterov = nesterov;
        self
    }

    #[track_caller]
    fn step(&self, place: usize, variable: &Variable, gradient: &Cotangent) -> Result<()> {
        let rate = self.learning_rate.tensor(variable.dtype())?;
        if self.momentum == 0.0 {
            return match gradient {
                Cotangent::Dense(gradient) => variable.try_assign_sub(&gradient.try_multiply(&rate)?),
                Cotangent::Rows(rows) => variable.try_assign_sub(&rows.try_to_dense()?.try_multiply(&rate)?),
            };
        }
        let [velocity] = self.slots.of(variable, place)?;
        let gradient = gradient.to_dense()?;
        let back = gradient.try_multiply(&rate)?;
        let next = velocity.value().try_multiply(self.momentum)?.try_subtract(&back)?;
        velocity.try_assign(&next)?;
        match self.nesterov {
            false => variable.try_assign_add(&next),
            true => variable.try_assign_add(&next.try_multiply(self.momentum)?.try_subtract(&back)?),
        }
    }
}

impl Default for SGD {
    /// Keras's learning rate, 0.01.
    #[track_caller]
    fn default() -> Self {
        Self::new(0.01)
    }
}

impl Optimizer for SGD {
    #[track_caller]
    fn try_apply_gradients(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        for (place, (variable, gradient)) in pairs("SGD", gradients, variables, &self.warned)?.into_iter().enumerate() {
            self.step(place, variable, gradient).map_err(|e| e.variable(variable.name()))?;
        }
        self.iterations.try_assign_add(&Tensor::from(1i64))
    }

    fn learning_rate(&self) -> &LearningRate {
        &self.learning_rate
    }

    fn iterations(&self) -> &Variable {
        &self.iterations
    }
}

impl Module for SGD {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("momentum", &self.momentum);
        fields.field("nesterov", &self.nesterov);
        fields.field("iterations", &self.iterations);
        fields.field("learning_rate", &self.learning_rate);
        fields.field("slots", &self.slots);
    }
}
