//! `SGD`: w -= rate * g; with momentum v = momentum * v - rate * g and w += v, by Nesterov w += momentum * v - rate * g.
//! Keras's `SGD`; rows of an embedding without momentum change those rows only.

use super::common::{Common, Method, Step};
use super::rules::flag;
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{ZEROS, slot_names};
use engine::library::options::{self, options};
use engine::library::{Element, Few, Formula, apply_gradient_descent, apply_gradient_descent_rows};
use engine::{Duplicate, IndexedRows, Variable};
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

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
    common: Common,
    momentum: f64,
    nesterov: bool,
}

made_with_a_rate!(SGD, 0.01, |common| Self { common, momentum: 0.0, nesterov: false }, NAMES);
shared_options!(SGD { momentum, nesterov });

const NAMES: &[engine::library::SlotName] = slot_names!("momentum" "momentums" 2);

impl SGD {
    /// Whether the momentum is applied before the gradient, as Nesterov does.
    pub fn nesterov(mut self, nesterov: bool) -> Self {
        self.nesterov = nesterov;
        self
    }
}

options! { SGD:
    /// How much of the last step goes on in the next, from 0 to 1.
    pub fn momentum, try_momentum(this, momentum: f64) {
        this.momentum = options::share("SGD", "momentum", momentum)?;
        Ok(this)
    }
}

/// `v = momentum * v - rate * g; w += v`, or `w += momentum * v - rate * g` with Nesterov's look ahead.
struct Momentum {
    momentum: f64,
    nesterov: bool,
}

impl Formula for Momentum {
    fn label(&self) -> &'static str {
        "apply_momentum"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("momentum", self.momentum);
        visit("nesterov", flag(self.nesterov));
    }

    fn slots(&self) -> usize {
        1
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let momentum = s.number(x.variable, self.momentum);
        let move_by = |v: Val| s.sub(s.mul(momentum, v), s.mul(x.factors[0], x.given[0]));
        let v = move_by(x.slots[0]);
        [s.add(x.variable, if self.nesterov { move_by(v) } else { v }), v].into_iter().collect()
    }
}

impl Method for SGD {
    fn common(&self) -> &Common {
        &self.common
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let Self { momentum, nesterov, .. } = *self;
        if momentum == 0.0 {
            return apply_gradient_descent(step.variables, step.gradients, step.rate);
        }
        let [velocities] = self.common.slots.of([(2, ZEROS)], step.variables)?;
        step.run(Arc::new(Momentum { momentum, nesterov }), &[step.rate], &[&velocities])
    }

    #[track_caller]
    fn rows(&self, variable: &Variable, rows: &IndexedRows, step: &Step<'_>) -> Result<bool> {
        if self.momentum != 0.0 {
            return Ok(false);
        }
        apply_gradient_descent_rows(variable, rows, step.rate).map(|()| true)
    }
}
