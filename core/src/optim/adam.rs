//! `Adam`: m += (g - m)(1 - b1), v += (g² - v)(1 - b2), w -= rate √(1 - b2ᵗ) / (1 - b1ᵗ) · m / (√v + epsilon).
//! Keras's `Adam` with its defaults; the rows of an embedding's gradient count as in Keras: every row of the variable
//! moves on with its moments, and where a row comes several times the squares of its parts add up.

use super::gradients::{Warned, dense, pairs};
use super::slots::Slots;
use super::{LearningRate, Optimizer};
use engine::Tensor;
use engine::Variable;
use engine::library::Cotangent;
use engine::library::Named;
use engine::library::options::{self, options};
use engine::library::{AdamParameters, apply_adam};
use engine::{Duplicate, Fields, Module};
use engine::{Gradients, IndexedRows};
use kernels::error::{OrFail, Result};

/// Steps of about the learning rate, by running means of the gradient and its square.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adam, Optimizer};
/// let optimizer = Adam::new(0.1);
/// let w = [tf::Variable::new(1.0)];
/// optimizer.apply_gradients(&[tf::constant(123.0)].into_iter().collect(), &w);
/// assert!((w[0].value().item::<f32>() - 0.9).abs() < 1e-6);
/// ```
#[derive(Debug, Duplicate)]
pub struct Adam {
    learning_rate: LearningRate,
    iterations: Variable,
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    slots: Slots<2>,
    #[duplicate(default)]
    warned: Warned,
}

impl Adam {
    /// Adam with a learning rate (Keras's default is 0.001).
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails.
    #[track_caller]
    pub fn new(learning_rate: f64) -> Self {
        Self::try_new(learning_rate).or_fail()
    }

    /// Adam with a learning rate that comes from data.
    ///
    /// # Errors
    /// InvalidArgument for a rate that is negative or no finite number.
    #[track_caller]
    pub fn try_new(learning_rate: f64) -> Result<Self> {
        Ok(Self {
            learning_rate: LearningRate::new("Adam", learning_rate)?,
            iterations: Variable::with(Tensor::from(0i64), "adam/iterations", false),
            beta_1: 0.9,
            beta_2: 0.999,
            epsilon: 1e-7,
            slots: Slots::new([("m", "_momentums"), ("v", "_velocities")]),
            warned: Warned::default(),
        })
    }
}

options! { Adam:
    /// How slowly the mean of the gradient moves, 0.9 unless set: from 0 up to 1.
    pub fn beta_1, try_beta_1(this, beta: f64) {
        this.beta_1 = options::decay("Adam", "beta_1", beta)?;
        Ok(this)
    }

    /// How slowly the mean of its square moves, 0.999 unless set: from 0 up to 1.
    pub fn beta_2, try_beta_2(this, beta: f64) {
        this.beta_2 = options::decay("Adam", "beta_2", beta)?;
        Ok(this)
    }

    /// What is added to the root, 1e-7 unless set: 0 or more.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = options::magnitude("Adam", "epsilon", epsilon)?;
        Ok(this)
    }
}

impl Default for Adam {
    /// Keras's learning rate, 0.001.
    #[track_caller]
    fn default() -> Self {
        Self::new(0.001)
    }
}

impl Optimizer for Adam {
    #[track_caller]
    fn try_apply_gradients(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        let pairs = pairs("Adam", gradients, variables, &self.warned)?;
        let (rows, whole): (Vec<_>, Vec<_>) =
            pairs.into_iter().partition(|(_, gradient)| matches!(gradient, Cotangent::Rows(_)));
        let (rate, step) = (self.learning_rate.variable().value(), self.iterations.value().try_add(1)?);
        let Self { beta_1, beta_2, epsilon, .. } = *self;
        let parameters = AdamParameters { beta_1, beta_2, epsilon };
        let (variables, gradients) = dense(&whole)?;
        let [m, v] = self.slots.of(&variables)?;
        apply_adam(&variables, &m, &v, &[&gradients], &rate, &step, parameters)?;
        if !rows.is_empty() {
            let (variables, gradients) = dense(&rows)?;
            let [m, v] = self.slots.of(&variables)?;
            apply_adam(&variables, &m, &v, &[&gradients, &squares(&rows)?], &rate, &step, parameters)?;
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

/// The squares of gradients by rows: those of a row that comes several times add up, as Keras has it, where a dense
/// gradient would give the square of their sum.
#[track_caller]
fn squares(pairs: &[(&Variable, &Cotangent)]) -> Result<Vec<Tensor>> {
    let mut squares = Vec::with_capacity(pairs.len());
    for (variable, gradient) in pairs {
        squares.push(match gradient {
            Cotangent::Dense(gradient) => gradient.try_square()?,
            Cotangent::Rows(rows) => {
                let values = rows.values.try_square()?;
                IndexedRows { values, ..(**rows).clone() }.try_to_dense().map_err(|e| e.variable(variable.label()))?
            }
        });
    }
    Ok(squares)
}

impl Module for Adam {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("beta_1", &self.beta_1);
        fields.field("beta_2", &self.beta_2);
        fields.field("epsilon", &self.epsilon);
        fields.field("iterations", &self.iterations);
        fields.field("learning_rate", &self.learning_rate);
        self.slots.visit(fields);
    }
}
