//! `Lamb`: Adam's step, made as long as the variable is large.
//! Keras's `Lamb`: moments by one rule, the step and its norm by operations, the move by another rule.

use super::common::{Common, Method, Parts, Step};
use super::rules::{Scaled, flag, follow, gradient_and, square};
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{ZEROS, slot_names};
use engine::library::options::{self, options};
use engine::library::{Element, Few, Formula, Given, SlotName, apply_rule, cast_to};
use engine::{Duplicate, Tensor, try_greater, try_pow, try_reduce_sum, try_select, try_sqrt, try_square};
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// Adam for large batches: each variable's step is scaled by the norm of the variable over the norm of the step.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Lamb, Optimizer};
/// let optimizer = Lamb::new(0.1);
/// let w = [tf::Variable::new([3.0, 4.0])];
/// optimizer.apply_gradients(&[tf::constant([1.0, 0.0])].into_iter().collect(), &w);
/// assert!((w[0].value().to_vec::<f32>()[0] - 2.5).abs() < 1e-5);
/// ```
#[derive(Debug, Duplicate)]
pub struct Lamb {
    common: Common,
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
}

made_with_a_rate!(Lamb, 0.001, |common| Self { common, beta_1: 0.9, beta_2: 0.999, epsilon: 1e-7 }, NAMES);
shared_options!(Lamb { beta_1, beta_2, epsilon });

const NAMES: &[SlotName] = slot_names!("m" "_momentums" 2, "v" "_velocities" 2);

options! { Lamb:
    /// How slowly the mean of the gradient moves, 0.9 unless set: from 0 up to 1.
    pub fn beta_1, try_beta_1(this, beta: f64) {
        this.beta_1 = options::decay("Lamb", "beta_1", beta)?;
        Ok(this)
    }

    /// How slowly the mean of its square moves, 0.999 unless set: from 0 up to 1.
    pub fn beta_2, try_beta_2(this, beta: f64) {
        this.beta_2 = options::decay("Lamb", "beta_2", beta)?;
        Ok(this)
    }

    /// What is added to the root, 1e-7 unless set: 0 or more.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = options::magnitude("Lamb", "epsilon", epsilon)?;
        Ok(this)
    }
}

/// `m += (g - m)(1 - b1)`, of which v is the slot: `v += (g² - v)(1 - b2)`.
struct Moments {
    beta_1: f64,
    beta_2: f64,
    parts: bool,
}

impl Formula for Moments {
    fn label(&self) -> &'static str {
        "apply_moments"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("beta_1", self.beta_1);
        visit("beta_2", self.beta_2);
        visit("parts", flag(self.parts));
    }

    fn slots(&self) -> usize {
        1
    }

    fn given(&self) -> &'static [Given] {
        gradient_and(self.parts)
    }

    fn numbers(&self) -> usize {
        0
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let m = follow(s, x.variable, x.given[0], self.beta_1);
        [m, follow(s, x.slots[0], square(s, &x), self.beta_2)].into_iter().collect()
    }
}

#[track_caller]
fn norm(x: &Tensor) -> Result<Tensor> {
    try_sqrt(try_reduce_sum(try_square(x)?, ())?)
}

impl Method for Lamb {
    fn common(&self) -> &Common {
        &self.common
    }

    fn parts(&self) -> Parts {
        Parts::Squares
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let [means, squares] = self.common.slots.of([(2, ZEROS), (3, ZEROS)], step.variables)?;
        let moments = Moments { beta_1: self.beta_1, beta_2: self.beta_2, parts: step.parts.is_some() };
        Step { variables: &means, ..*step }.run(Arc::new(moments), &[], &[&squares])?;
        let rest = |beta: f64| Ok(1.0 - try_pow(Tensor::from(beta as f32), step.number()?)?);
        let (first, second) = (rest(self.beta_1)?, rest(self.beta_2)?);
        let (mut changes, mut rates) = (Vec::new(), Vec::new());
        for ((variable, m), v) in step.variables.iter().zip(&means).zip(&squares) {
            let of = |x: &Tensor| cast_to(x, variable.dtype());
            let root = try_sqrt(v.value() / of(&second)?)? + self.epsilon;
            let change = m.value() / of(&first)? / root;
            let (size, length) = (norm(&variable.value())?, norm(&change)?);
            // A variable of zeros, or no change: there is no ratio.
            let ratio = try_select(try_greater(&length, 0.0)?, &size / &length, 1.0)?;
            let ratio = try_select(try_greater(&size, 0.0)?, ratio, 1.0)?;
            rates.push(ratio * of(step.rate)?);
            changes.push(change);
        }
        apply_rule(&(Arc::new(Scaled) as _), &[], step.variables, &[], &[&changes, &rates])
    }
}
