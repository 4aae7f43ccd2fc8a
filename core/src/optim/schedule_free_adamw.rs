//! `ScheduleFreeAdamW`: Adam whose variables are means of where its steps lead, so that no schedule is needed.
//! Keras's `ScheduleFreeAdamW` as its text has it; with variables of TensorFlow its running code reads where the steps lead after they
//! have moved, and the first beta has no effect there.

use super::common::{Common, Method, Parts, Step};
use super::rules::{flag, follow, gradient_and, square};
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{Start, ZEROS, slot_names};
use engine::library::options::{self, options};
use engine::library::{Arithmetic, Element, Few, Formula, Given, SlotName};
use engine::{Duplicate, Variable};
use kernels::error::{Error, Result};
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// AdamW for trainings whose end nobody has to know.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Optimizer, ScheduleFreeAdamW};
/// let optimizer = ScheduleFreeAdamW::new(0.1);
/// let w = [tf::Variable::new(1.0)];
/// optimizer.apply_gradients(&[tf::constant(2.0)].into_iter().collect(), &w);
/// assert!((w[0].value().item::<f32>() - 0.9).abs() < 1e-6);
/// ```
#[derive(Debug, Duplicate)]
pub struct ScheduleFreeAdamW {
    common: Common,
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    warmup_steps: usize,
}

made_with_a_rate!(
    ScheduleFreeAdamW,
    0.0025,
    |common| Self { common, beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8, warmup_steps: 0 },
    NAMES
);
shared_options!(ScheduleFreeAdamW { beta_1, beta_2, epsilon, warmup_steps });

const NAMES: &[SlotName] = slot_names!("momentum" "_momentums" 2, "v" "_velocities" 2);

impl ScheduleFreeAdamW {
    /// In how many steps the rate rises to its value, 0 unless set.
    pub fn warmup_steps(mut self, steps: usize) -> Self {
        self.warmup_steps = steps;
        self
    }
}

options! { ScheduleFreeAdamW:
    /// How far the variables lie from where the steps lead to their mean, 0.9 unless set: above 0 and below 1.
    pub fn beta_1, try_beta_1(this, beta: f64) {
        this.beta_1 = options::decay("ScheduleFreeAdamW", "beta_1", beta)?;
        match beta > 0.0 {
            true => Ok(this),
            false => Err(Error::invalid_argument("ScheduleFreeAdamW", "`beta_1` is out of range")
                .got(beta)
                .expected("a number above 0 and below 1: the mean is computed back from the variables")),
        }
    }

    /// How slowly the mean of squares moves, 0.999 unless set: from 0 up to 1.
    pub fn beta_2, try_beta_2(this, beta: f64) {
        this.beta_2 = options::decay("ScheduleFreeAdamW", "beta_2", beta)?;
        Ok(this)
    }

    /// What is added to the root, 1e-8 unless set: 0 or more.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = options::magnitude("ScheduleFreeAdamW", "epsilon", epsilon)?;
        Ok(this)
    }
}

/// The slots are z, where the steps lead, and v. `v += (g² - v)(1 - b2); z' = z - rate g / (√(v / (1 - b2^t)) + epsilon)`; the mean is
/// `x = (w - (1 - b1) z) / b1`, then `x' = (1 - 1/t) x + z' / t`, and `w = (1 - b1) z' + b1 x'`.
struct Rule {
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    warmup_steps: usize,
    parts: bool,
}

impl Formula for Rule {
    fn label(&self) -> &'static str {
        "apply_schedule_free_adamw"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("beta_1", self.beta_1);
        visit("beta_2", self.beta_2);
        visit("epsilon", self.epsilon);
        visit("warmup_steps", self.warmup_steps as f64);
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
        let step = a.add(numbers[1], one);
        let rate = match self.warmup_steps {
            0 => numbers[0],
            steps => a.mul(numbers[0], a.min(a.div(step, a.number(steps as f64)), one)),
        };
        let rest = a.sub(one, a.pow(a.number(self.beta_2), step));
        [rate, rest, a.div(one, step)].into_iter().collect()
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let (w, z, g) = (x.variable, x.slots[0], x.given[0]);
        let &[rate, rest, weight] = x.factors else { return Few::new() };
        let (one, kept) = (s.number(w, 1.0), s.number(w, self.beta_1));
        let left = s.sub(one, kept);
        let v = follow(s, x.slots[1], square(s, &x), self.beta_2);
        let root = s.add(s.sqrt(s.div(v, rest)), s.number(w, self.epsilon));
        let next = s.sub(z, s.div(s.mul(rate, g), root));
        let mean = s.div(s.sub(w, s.mul(left, z)), kept);
        let mean = s.add(s.mul(s.sub(one, weight), mean), s.mul(weight, next));
        [s.add(s.mul(left, next), s.mul(kept, mean)), next, v].into_iter().collect()
    }
}

impl Method for ScheduleFreeAdamW {
    fn common(&self) -> &Common {
        &self.common
    }

    fn parts(&self) -> Parts {
        Parts::Squares
    }

    /// The steps lead on from the value before any decay.
    #[track_caller]
    fn build(&self, variables: &[Variable]) -> Result<()> {
        self.common.slots.of([(2, Start::Value)], variables).map(drop)
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let Self { beta_1, beta_2, epsilon, warmup_steps, .. } = *self;
        let [z, v] = self.common.slots.of([(2, Start::Value), (3, ZEROS)], step.variables)?;
        let rule = Rule { beta_1, beta_2, epsilon, warmup_steps, parts: step.parts.is_some() };
        step.run(Arc::new(rule), &[step.rate, step.iterations], &[&z, &v])
    }
}
