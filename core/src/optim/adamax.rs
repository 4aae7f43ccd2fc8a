//! `Adamax`: Adam with the largest size of the gradient, which fades, in place of the root of its mean square.
//! Keras's `Adamax`.

use super::common::{Common, Method, Parts, Step};
use super::rules::{flag, follow, gradient_and};
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{ZEROS, slot_names};
use engine::Duplicate;
use engine::library::options::{self, options};
use engine::library::{Arithmetic, Element, Few, Formula, Given};
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// Steps of about the learning rate, by a running mean of the gradient and the largest of its sizes.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adamax, Optimizer};
/// let optimizer = Adamax::new(0.1);
/// let w = [tf::Variable::new(1.0)];
/// optimizer.apply_gradients(&[tf::constant(-7.0)].into_iter().collect(), &w);
/// assert!((w[0].value().item::<f32>() - 1.1).abs() < 1e-6);
/// ```
#[derive(Debug, Duplicate)]
pub struct Adamax {
    common: Common,
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
}

made_with_a_rate!(Adamax, 0.001, |common| Self { common, beta_1: 0.9, beta_2: 0.999, epsilon: 1e-7 }, NAMES);
shared_options!(Adamax { beta_1, beta_2, epsilon });

const NAMES: &[engine::library::SlotName] = slot_names!("m" "_m" 2, "v" "_u" 2);

options! { Adamax:
    /// How slowly the mean of the gradient moves, 0.9 unless set: from 0 up to 1.
    pub fn beta_1, try_beta_1(this, beta: f64) {
        this.beta_1 = options::decay("Adamax", "beta_1", beta)?;
        Ok(this)
    }

    /// How slowly the largest size fades, 0.999 unless set: from 0 up to 1.
    pub fn beta_2, try_beta_2(this, beta: f64) {
        this.beta_2 = options::decay("Adamax", "beta_2", beta)?;
        Ok(this)
    }

    /// What is added to that size, 1e-7 unless set: 0 or more.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = options::magnitude("Adamax", "epsilon", epsilon)?;
        Ok(this)
    }
}

/// `m += (g - m)(1 - b1); u = max(b2 u, |g|); w -= rate m / ((1 - b1^t)(u + epsilon))`
struct Rule {
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    parts: bool,
}

impl Formula for Rule {
    fn label(&self) -> &'static str {
        "apply_adamax"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("beta_1", self.beta_1);
        visit("beta_2", self.beta_2);
        visit("epsilon", self.epsilon);
        visit("parts", flag(self.parts));
    }

    fn slots(&self) -> usize {
        2
    }

    fn given(&self) -> &'static [Given] {
        gradient_and(self.parts)
    }

    fn numbers(&self) -> usize {
        2
    }

    fn factors<A: Arithmetic>(&self, a: &A, numbers: &[A::Number]) -> Few<A::Number> {
        let one = a.number(1.0);
        let power = a.pow(a.number(self.beta_1), a.add(numbers[1], one));
        [numbers[0], a.sub(one, power)].into_iter().collect()
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let w = x.variable;
        let m = follow(s, x.slots[0], x.given[0], self.beta_1);
        let size = x.given.get(1).copied().unwrap_or_else(|| s.abs(x.given[0]));
        let u = s.max(s.mul(s.number(w, self.beta_2), x.slots[1]), size);
        let by = s.mul(x.factors[1], s.add(u, s.number(w, self.epsilon)));
        [s.sub(w, s.div(s.mul(x.factors[0], m), by)), m, u].into_iter().collect()
    }
}

impl Method for Adamax {
    fn common(&self) -> &Common {
        &self.common
    }

    fn parts(&self) -> Parts {
        Parts::Magnitudes
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let Self { beta_1, beta_2, epsilon, .. } = *self;
        let [m, u] = self.common.slots.of([(2, ZEROS), (3, ZEROS)], step.variables)?;
        let rule = Rule { beta_1, beta_2, epsilon, parts: step.parts.is_some() };
        step.run(Arc::new(rule), &[step.rate, step.iterations], &[&m, &u])
    }
}
