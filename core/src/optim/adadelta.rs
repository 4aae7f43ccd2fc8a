//! `Adadelta`: steps whose size follows from the sizes of the steps before, without a rate that must be right.
//! Keras's `Adadelta`.

use super::common::{Common, Method, Parts, Step};
use super::rules::{flag, gradient_and, mixed, square};
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{ZEROS, slot_names};
use engine::Duplicate;
use engine::library::options::{self, options};
use engine::library::{Element, Few, Formula, Given, SlotName};
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// Steps by the root of the mean square of earlier steps over that of gradients.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adadelta, Optimizer};
/// let optimizer = Adadelta::new(1.0);
/// let w = [tf::Variable::new(1.0)];
/// optimizer.apply_gradients(&[tf::constant(2.0)].into_iter().collect(), &w);
/// assert!((w[0].value().item::<f32>() - 0.9986).abs() < 1e-4);
/// ```
#[derive(Debug, Duplicate)]
pub struct Adadelta {
    common: Common,
    rho: f64,
    epsilon: f64,
}

made_with_a_rate!(Adadelta, 0.001, |common| Self { common, rho: 0.95, epsilon: 1e-7 }, NAMES);
shared_options!(Adadelta { rho, epsilon });

const NAMES: &[SlotName] = slot_names!("accum_grad" "_accumulated_grads" 2, "accum_var" "_accumulated_delta_vars" 2);

options! { Adadelta:
    /// How slowly both means move, 0.95 unless set: from 0 up to 1.
    pub fn rho, try_rho(this, rho: f64) {
        this.rho = options::decay("Adadelta", "rho", rho)?;
        Ok(this)
    }

    /// What is added below both roots, 1e-7 unless set: 0 or more.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = options::magnitude("Adadelta", "epsilon", epsilon)?;
        Ok(this)
    }
}

/// `a = rho a + (1 - rho) g²; d = √(b + epsilon) g / √(a + epsilon); b = rho b + (1 - rho) d²; w -= rate d`
struct Rule {
    rho: f64,
    epsilon: f64,
    parts: bool,
}

impl Formula for Rule {
    fn label(&self) -> &'static str {
        "apply_adadelta"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("rho", self.rho);
        visit("epsilon", self.epsilon);
        visit("parts", flag(self.parts));
    }

    fn slots(&self) -> usize {
        2
    }

    fn given(&self) -> &'static [Given] {
        gradient_and(self.parts)
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let root = |x: Val| s.sqrt(s.add(x, s.number(x, self.epsilon)));
        let of_gradients = mixed(s, x.slots[0], square(s, &x), self.rho);
        let (above, below) = (root(x.slots[1]), root(of_gradients));
        let change = s.div(s.mul(above, x.given[0]), below);
        // The squares of the parts of a change are those of the gradient's parts, times the same.
        let squared = match x.given.get(1) {
            Some(&squares) => s.div(s.mul(s.mul(above, above), squares), s.mul(below, below)),
            None => s.mul(change, change),
        };
        let of_changes = mixed(s, x.slots[1], squared, self.rho);
        [s.sub(x.variable, s.mul(x.factors[0], change)), of_gradients, of_changes].into_iter().collect()
    }
}

impl Method for Adadelta {
    fn common(&self) -> &Common {
        &self.common
    }

    fn parts(&self) -> Parts {
        Parts::Squares
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let Self { rho, epsilon, .. } = *self;
        let [gradients, changes] = self.common.slots.of([(2, ZEROS), (3, ZEROS)], step.variables)?;
        let rule = Rule { rho, epsilon, parts: step.parts.is_some() };
        step.run(Arc::new(rule), &[step.rate], &[&gradients, &changes])
    }
}
