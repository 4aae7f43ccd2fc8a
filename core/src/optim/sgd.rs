//! `SGD`: w -= rate * g; with momentum v = momentum * v - rate * g and w += v, by Nesterov w += momentum * v - rate * g.
//! Keras's `SGD`; rows of an embedding without momentum change those rows only.

use super::gradients::{Warned, dense, pairs};
use super::slots::Slots;
use super::{LearningRate, Optimizer};
use engine::Gradients;
use engine::Tensor;
use engine::Variable;
use engine::library::Cotangent;
use engine::library::options::{self, options};
use engine::library::{apply_gradient_descent, apply_gradient_descent_rows, apply_momentum};
use engine::{Duplicate, Fields, Module};
use kernels::error::{OrFail, Result};

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
#[derive(Debug, Duplicate)]
pub struct SGD {
    learning_rate: LearningRate,
    iterations: Variable,
    momentum: f64,
    nesterov: bool,
    slots: Slots<1>,
    #[duplicate(default)]
    warned: Warned,
}

impl SGD {
    /// Descent with a learning rate (Keras's default is 0.01), without momentum.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails.
    #[track_caller]
    pub fn new(learning_rate: f64) -> Self {
        Self::try_new(learning_rate).or_fail()
    }

    /// Descent with a learning rate that comes from data.
    ///
    /// # Errors
    /// InvalidArgument for a rate that is negative or no finite number.
    #[track_caller]
    pub fn try_new(learning_rate: f64) -> Result<Self> {
        Ok(Self {
            learning_rate: LearningRate::new("SGD", learning_rate)?,
            iterations: Variable::with(Tensor::from(0i64), "sgd/iterations", false),
            momentum: 0.0,
            nesterov: false,
            slots: Slots::new([("momentum", "momentums")]),
            warned: Warned::default(),
        })
    }

    /// Whether the momentum is applied before the gradient, as Nesterov does.
    pub fn nesterov(mut self, nesterov: bool) -> Self {
        self.nesterov = nesterov;
        self
    }

    /// A step of plain descent: rows by themselves, all dense gradients at once.
    #[track_caller]
    fn descend(&self, pairs: &[(&Variable, &Cotangent)], rate: &Tensor) -> Result<()> {
        let mut dense = (Vec::new(), Vec::new());
        for &(variable, gradient) in pairs {
            match gradient {
                Cotangent::Rows(rows) => apply_gradient_descent_rows(variable, rows, rate)?,
                Cotangent::Dense(gradient) => {
                    dense.0.push(variable.clone());
                    dense.1.push(gradient.clone());
                }
            }
        }
        apply_gradient_descent(&dense.0, &dense.1, rate)
    }
}

options! { SGD:
    /// How much of the last step goes on in the next, from 0 to 1.
    pub fn momentum, try_momentum(this, momentum: f64) {
        this.momentum = options::share("SGD", "momentum", momentum)?;
        Ok(this)
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
        let pairs = pairs("SGD", gradients, variables, &self.warned)?;
        let rate = self.learning_rate.variable().value();
        if self.momentum == 0.0 {
            self.descend(&pairs, &rate)?;
        } else {
            let (variables, gradients) = dense(&pairs)?;
            let [velocities] = self.slots.of(&variables)?;
            apply_momentum(&variables, &velocities, &gradients, &rate, self.momentum, self.nesterov)?;
        }
        self.iterations.try_assign_add(Tensor::from(1i64))
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
        self.slots.visit(fields);
    }
}
