//! `RMSprop`: v = rho v + (1 - rho) g², w -= rate g / √(v + epsilon), centered by the mean of the gradient and with momentum if they
//! are asked for. Keras's `RMSprop`.

use super::common::{Common, Method, Parts, Step};
use super::rules::{flag, gradient_and, mixed, square};
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{ZEROS, slot_names};
use engine::library::options::{self, options};
use engine::library::{Element, Few, Formula, Given, SlotName};
use engine::{Duplicate, Variable};
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// Steps by the gradient over the root of the running mean of its square.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Optimizer, RMSprop};
/// let optimizer = RMSprop::new(0.1).momentum(0.5).centered(true);
/// let w = [tf::Variable::new(1.0)];
/// optimizer.apply_gradients(&[tf::constant(2.0)].into_iter().collect(), &w);
/// assert!((w[0].value().item::<f32>() - 0.6667).abs() < 1e-3);
/// ```
#[derive(Debug, Duplicate)]
pub struct RMSprop {
    common: Common,
    rho: f64,
    momentum: f64,
    epsilon: f64,
    centered: bool,
}

made_with_a_rate!(
    RMSprop,
    0.001,
    |common| Self { common, rho: 0.9, momentum: 0.0, epsilon: 1e-7, centered: false },
    NAMES
);
shared_options!(RMSprop { rho, momentum, epsilon, centered });

const NAMES: &[SlotName] = slot_names!("rms" "_velocities" 2, "momentum" "_momentums" 3, "mg" "_average_gradients" 4);

impl RMSprop {
    /// Whether the square of the gradient's mean is taken off, which leaves its variance; no unless set.
    pub fn centered(mut self, centered: bool) -> Self {
        self.centered = centered;
        self
    }
}

options! { RMSprop:
    /// How slowly the mean of the square moves, 0.9 unless set: from 0 up to 1.
    pub fn rho, try_rho(this, rho: f64) {
        this.rho = options::decay("RMSprop", "rho", rho)?;
        Ok(this)
    }

    /// How much of the last step goes on in the next, from 0 to 1; 0 unless set.
    pub fn momentum, try_momentum(this, momentum: f64) {
        this.momentum = options::share("RMSprop", "momentum", momentum)?;
        Ok(this)
    }

    /// What is added below the root, 1e-7 unless set: 0 or more.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = options::magnitude("RMSprop", "epsilon", epsilon)?;
        Ok(this)
    }
}

/// The slots are the mean of squares, the momentum if there is one, and the mean of gradients if centered.
struct Rule {
    rho: f64,
    momentum: f64,
    epsilon: f64,
    centered: bool,
    parts: bool,
}

impl Formula for Rule {
    fn label(&self) -> &'static str {
        "apply_rmsprop"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("rho", self.rho);
        visit("momentum", self.momentum);
        visit("epsilon", self.epsilon);
        visit("centered", flag(self.centered));
        visit("parts", flag(self.parts));
    }

    fn slots(&self) -> usize {
        1 + usize::from(self.momentum > 0.0) + usize::from(self.centered)
    }

    fn given(&self) -> &'static [Given] {
        gradient_and(self.parts)
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let (w, g, last) = (x.variable, x.given[0], x.slots[x.slots.len() - 1]);
        let v = mixed(s, x.slots[0], square(s, &x), self.rho);
        let mean = self.centered.then(|| mixed(s, last, g, self.rho));
        let variance = mean.map_or(v, |mean| s.sub(v, s.mul(mean, mean)));
        let root = s.sqrt(s.add(variance, s.number(w, self.epsilon)));
        let change = s.div(s.mul(x.factors[0], g), root);
        let momentum = (self.momentum > 0.0).then(|| s.add(s.mul(s.number(w, self.momentum), x.slots[1]), change));
        [s.sub(w, momentum.unwrap_or(change)), v].into_iter().chain(momentum).chain(mean).collect()
    }
}

impl Method for RMSprop {
    fn common(&self) -> &Common {
        &self.common
    }

    fn parts(&self) -> Parts {
        Parts::Squares
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let Self { rho, momentum, epsilon, centered, .. } = *self;
        let slots = &self.common.slots;
        let [v] = slots.of([(2, ZEROS)], step.variables)?;
        let mut lists: Vec<Vec<Variable>> = vec![v];
        if momentum > 0.0 {
            lists.extend(slots.of([(3, ZEROS)], step.variables)?);
        }
        if centered {
            lists.extend(slots.of([(4, ZEROS)], step.variables)?);
        }
        let rule = Rule { rho, momentum, epsilon, centered, parts: step.parts.is_some() };
        let lists: Vec<&[Variable]> = lists.iter().map(Vec::as_slice).collect();
        step.run(Arc::new(rule), &[step.rate], &lists)
    }
}
