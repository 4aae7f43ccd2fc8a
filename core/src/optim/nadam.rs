//! `Nadam`: Adam with Nesterov's look ahead, whose momentum rises with the steps.
//! Keras's `Nadam`; the product of all momenta so far is a variable of the optimizer.

use super::common::{Common, Method, Parts, Step};
use super::rules::{flag, follow, gradient_and, square};
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{ZEROS, slot_names};
use engine::library::options::{self, options};
use engine::library::{Arithmetic, Element, Few, Formula, Given};
use engine::{Duplicate, Tensor, Variable, try_pow};
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// Adam with Nesterov's momentum.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Nadam, Optimizer};
/// let optimizer = Nadam::new(0.1);
/// let w = [tf::Variable::new(1.0)];
/// optimizer.apply_gradients(&[tf::constant(2.0)].into_iter().collect(), &w);
/// assert!((w[0].value().item::<f32>() - 0.8932).abs() < 1e-3);
/// ```
#[derive(Debug, Duplicate)]
pub struct Nadam {
    common: Common,
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    u_product: Variable,
}

made_with_a_rate!(
    Nadam,
    0.001,
    |common| {
        let u_product = Variable::with(1.0f32, format!("{}/u_product", common.name), false);
        Self { common, beta_1: 0.9, beta_2: 0.999, epsilon: 1e-7, u_product }
    },
    NAMES,
    "_u_product"
);
shared_options!(Nadam { beta_1, beta_2, epsilon } u_product as "_u_product");

const NAMES: &[engine::library::SlotName] = slot_names!("m" "_momentums" 2, "v" "_velocities" 2);

options! { Nadam:
    /// How slowly the mean of the gradient moves, 0.9 unless set: from 0 up to 1.
    pub fn beta_1, try_beta_1(this, beta: f64) {
        this.beta_1 = options::decay("Nadam", "beta_1", beta)?;
        Ok(this)
    }

    /// How slowly the mean of its square moves, 0.999 unless set: from 0 up to 1.
    pub fn beta_2, try_beta_2(this, beta: f64) {
        this.beta_2 = options::decay("Nadam", "beta_2", beta)?;
        Ok(this)
    }

    /// What is added to the root, 1e-7 unless set: 0 or more.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = options::magnitude("Nadam", "epsilon", epsilon)?;
        Ok(this)
    }
}

/// The momentum of step t is `u(t) = b1 (1 - 0.96^t / 2)`, and `U(t)` the product of those up to it. The moments are Adam's;
/// `w -= rate (u(t+1) m / (1 - U(t+1)) + (1 - u(t)) g / (1 - U(t))) / (sqrt(v / (1 - b2^t)) + epsilon)`.
///
/// The numbers are the rate, how many steps there were, and `U(t)`.
struct Rule {
    beta_1: f64,
    beta_2: f64,
    epsilon: f64,
    parts: bool,
}

impl Formula for Rule {
    fn label(&self) -> &'static str {
        "apply_nadam"
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
        3
    }

    fn factors<A: Arithmetic>(&self, a: &A, numbers: &[A::Number]) -> Few<A::Number> {
        let (one, rate, product) = (a.number(1.0), numbers[0], numbers[2]);
        let step = a.add(numbers[1], one);
        let momentum = |step| {
            let fading = a.mul(a.number(0.5), a.pow(a.number(0.96), step));
            a.mul(a.number(self.beta_1), a.sub(one, fading))
        };
        let (now, next) = (momentum(step), momentum(a.add(step, one)));
        let of_mean = a.div(next, a.sub(one, a.mul(product, next)));
        let of_gradient = a.div(a.sub(one, now), a.sub(one, product));
        let rest = a.sub(one, a.pow(a.number(self.beta_2), step));
        [rate, of_mean, of_gradient, rest].into_iter().collect()
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let (w, g) = (x.variable, x.given[0]);
        let &[rate, of_mean, of_gradient, rest] = x.factors else { return Few::new() };
        let m = follow(s, x.slots[0], g, self.beta_1);
        let v = follow(s, x.slots[1], square(s, &x), self.beta_2);
        let ahead = s.add(s.mul(of_mean, m), s.mul(of_gradient, g));
        let root = s.add(s.sqrt(s.div(v, rest)), s.number(w, self.epsilon));
        [s.sub(w, s.div(s.mul(ahead, rate), root)), m, v].into_iter().collect()
    }
}

impl Method for Nadam {
    fn common(&self) -> &Common {
        &self.common
    }

    fn parts(&self) -> Parts {
        Parts::Squares
    }

    #[track_caller]
    fn begin(&self, step: &Step<'_>) -> Result<()> {
        let fading = try_pow(Tensor::from(0.96f32), step.number()?)? * 0.5;
        self.u_product.try_assign(self.u_product.value() * self.beta_1 * (1.0 - fading))
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let Self { beta_1, beta_2, epsilon, .. } = *self;
        let [m, v] = self.common.slots.of([(2, ZEROS), (3, ZEROS)], step.variables)?;
        let rule = Rule { beta_1, beta_2, epsilon, parts: step.parts.is_some() };
        step.run(Arc::new(rule), &[step.rate, step.iterations, &self.u_product.value()], &[&m, &v])
    }
}
