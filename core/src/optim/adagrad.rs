//! `Adagrad`: a += g², w -= rate g / √(a + epsilon).
//! Keras's `Adagrad`; rows of an embedding change those rows only, and where a row comes several times the squares of its parts add up.

use super::common::{Common, Method, Parts, Step};
use super::rules::square;
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{Start, slot_names};
use engine::library::options::{self, options};
use engine::library::{Element, Few, Formula, apply_gradient_descent_rows};
use engine::{Duplicate, IndexedRows, Tensor, Variable, try_gather, try_sqrt, try_square};
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// Steps that become smaller where gradients were large or many.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adagrad, Optimizer};
/// let optimizer = Adagrad::new(0.1).initial_accumulator_value(0.0);
/// let w = [tf::Variable::new(1.0)];
/// let gradients = [tf::constant(3.0)].into_iter().collect();
/// optimizer.apply_gradients(&gradients, &w);
/// optimizer.apply_gradients(&gradients, &w);
/// assert!((w[0].value().item::<f32>() - (0.9 - 0.1 / 2f32.sqrt())).abs() < 1e-6);
/// ```
#[derive(Debug, Duplicate)]
pub struct Adagrad {
    common: Common,
    initial_accumulator_value: f64,
    epsilon: f64,
}

made_with_a_rate!(Adagrad, 0.001, |common| Self { common, initial_accumulator_value: 0.1, epsilon: 1e-7 }, NAMES);
shared_options!(Adagrad { initial_accumulator_value, epsilon });

const NAMES: &[engine::library::SlotName] = slot_names!("accumulator" "_accumulators" 2);

options! { Adagrad:
    /// What the sums of squares start with, 0.1 unless set: 0 or more.
    pub fn initial_accumulator_value, try_initial_accumulator_value(this, value: f64) {
        this.initial_accumulator_value = options::magnitude("Adagrad", "initial_accumulator_value", value)?;
        Ok(this)
    }

    /// What is added below the root, 1e-7 unless set: 0 or more.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = options::magnitude("Adagrad", "epsilon", epsilon)?;
        Ok(this)
    }
}

struct Rule {
    epsilon: f64,
}

impl Formula for Rule {
    fn label(&self) -> &'static str {
        "apply_adagrad"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("epsilon", self.epsilon);
    }

    fn slots(&self) -> usize {
        1
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let sum = s.add(x.slots[0], square(s, &x));
        let root = s.sqrt(s.add(sum, s.number(sum, self.epsilon)));
        [s.sub(x.variable, s.div(s.mul(x.factors[0], x.given[0]), root)), sum].into_iter().collect()
    }
}

impl Adagrad {
    #[track_caller]
    fn sums(&self, variables: &[Variable]) -> Result<Vec<Variable>> {
        let [sums] = self.common.slots.of([(2, Start::Filled(self.initial_accumulator_value))], variables)?;
        Ok(sums)
    }
}

impl Method for Adagrad {
    fn common(&self) -> &Common {
        &self.common
    }

    /// The squares of parts are added to the sums one by one, below.
    fn parts(&self) -> Parts {
        Parts::Squares
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let sums = self.sums(step.variables)?;
        step.run(Arc::new(Rule { epsilon: self.epsilon }), &[step.rate], &[&sums])
    }

    /// The sums of the rows alone are read and changed, and then the rows.
    #[track_caller]
    fn rows(&self, variable: &Variable, rows: &IndexedRows, step: &Step<'_>) -> Result<bool> {
        let sums = self.sums(std::slice::from_ref(variable))?;
        let squares = IndexedRows { values: try_square(&rows.values)?, ..rows.clone() };
        apply_gradient_descent_rows(&sums[0], &squares, &Tensor::from(-1.0f32))?;
        let root = try_sqrt(try_gather(sums[0].value(), &rows.indices, 0)? + self.epsilon)?;
        let steps = IndexedRows { values: &rows.values / root, ..rows.clone() };
        apply_gradient_descent_rows(variable, &steps, step.rate).map(|()| true)
    }
}
