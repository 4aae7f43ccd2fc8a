//! `Lion`: every number moves by the rate, in the direction of a mean of gradients.
//! Keras's `Lion`.

use super::common::{Common, Method, Step};
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{ZEROS, slot_names};
use engine::Duplicate;
use engine::library::options::{self, options};
use engine::library::{Element, Few, Formula, SlotName};
use kernels::error::{Error, Result};
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// Steps of exactly the learning rate, by the sign of momentum and gradient.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Lion, Optimizer};
/// let optimizer = Lion::new(0.1);
/// let w = [tf::Variable::new([1.0, 1.0, 1.0])];
/// optimizer.apply_gradients(&[tf::constant([5.0, -0.01, 0.0])].into_iter().collect(), &w);
/// assert_eq!(w[0].value().to_vec::<f32>(), [0.9, 1.1, 1.0]);
/// ```
#[derive(Debug, Duplicate)]
pub struct Lion {
    common: Common,
    beta_1: f64,
    beta_2: f64,
}

made_with_a_rate!(Lion, 0.001, |common| Self { common, beta_1: 0.9, beta_2: 0.99 }, NAMES);
shared_options!(Lion { beta_1, beta_2 });

const NAMES: &[SlotName] = slot_names!("m" "_momentums" 2);

options! { Lion:
    /// How much of the mean counts beside the gradient, 0.9 unless set: above 0, where only signs of gradients would be left, up to
    /// and including 1.
    pub fn beta_1, try_beta_1(this, beta: f64) {
        this.beta_1 = options::share("Lion", "beta_1", beta)?;
        match beta > 0.0 {
            true => Ok(this),
            false => Err(Error::invalid_argument("Lion", "`beta_1` is out of range")
                .got(beta)
                .expected("a number above 0, and up to 1")),
        }
    }

    /// How slowly the mean of the gradient moves, 0.99 unless set: from 0 up to 1.
    pub fn beta_2, try_beta_2(this, beta: f64) {
        this.beta_2 = options::decay("Lion", "beta_2", beta)?;
        Ok(this)
    }
}

/// `w -= rate sign(b1 m + (1 - b1) g); m = b2 m + (1 - b2) g`
struct Rule {
    beta_1: f64,
    beta_2: f64,
}

impl Formula for Rule {
    fn label(&self) -> &'static str {
        "apply_lion"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("beta_1", self.beta_1);
        visit("beta_2", self.beta_2);
    }

    fn slots(&self) -> usize {
        1
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let (m, g) = (x.slots[0], x.given[0]);
        // Keras takes 1 - beta in the variable's dtype.
        let mixed = |beta: f64| {
            let kept = s.number(m, beta);
            s.add(s.mul(m, kept), s.mul(g, s.sub(s.number(m, 1.0), kept)))
        };
        let step = s.mul(x.factors[0], s.sign(mixed(self.beta_1)));
        [s.sub(x.variable, step), mixed(self.beta_2)].into_iter().collect()
    }
}

impl Method for Lion {
    fn common(&self) -> &Common {
        &self.common
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let Self { beta_1, beta_2, .. } = *self;
        let [m] = self.common.slots.of([(2, ZEROS)], step.variables)?;
        step.run(Arc::new(Rule { beta_1, beta_2 }), &[step.rate], &[&m])
    }
}
