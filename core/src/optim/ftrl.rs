//! `Ftrl`: "follow the regularized leader", whose weights may become exactly zero.
//! Keras's `Ftrl`; each step computes the weights anew from sums of gradients.

use super::common::{Common, Method, Parts, Step};
use super::rules::{flag, gradient_and, square};
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{Start, ZEROS, slot_names};
use engine::Duplicate;
use engine::library::options::{self, options};
use engine::library::{Element, Few, Formula, Given, SlotName};
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// For large sparse models, with weights that are zero where little speaks for another value.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Ftrl, Optimizer};
/// let optimizer = Ftrl::new(0.1).l1_regularization_strength(0.5);
/// let w = [tf::Variable::new([0.0, 0.0])];
/// optimizer.apply_gradients(&[tf::constant([0.4, -2.0])].into_iter().collect(), &w);
/// let w = w[0].value().to_vec::<f32>();
/// assert!(w[0] == 0.0 && w[1] > 0.0);
/// ```
#[derive(Debug, Duplicate)]
pub struct Ftrl {
    common: Common,
    learning_rate_power: f64,
    initial_accumulator_value: f64,
    l1_regularization_strength: f64,
    l2_regularization_strength: f64,
    l2_shrinkage_regularization_strength: f64,
    beta: f64,
}

made_with_a_rate!(
    Ftrl,
    0.001,
    |common| Self {
        common,
        learning_rate_power: -0.5,
        initial_accumulator_value: 0.1,
        l1_regularization_strength: 0.0,
        l2_regularization_strength: 0.0,
        l2_shrinkage_regularization_strength: 0.0,
        beta: 0.0,
    },
    NAMES
);
shared_options!(Ftrl {
    learning_rate_power,
    initial_accumulator_value,
    l1_regularization_strength,
    l2_regularization_strength,
    l2_shrinkage_regularization_strength,
    beta,
});

const NAMES: &[SlotName] = slot_names!("accumulator" "_accumulators" 2, "linear" "_linears" 2);

options! { Ftrl:
    /// The power of the sums of squares by which the rate falls, -0.5 unless set: at most 0, where 0 keeps the rate.
    pub fn learning_rate_power, try_learning_rate_power(this, power: f64) {
        this.learning_rate_power = options::not_above_zero("Ftrl", "learning_rate_power", power)?;
        Ok(this)
    }

    /// What the sums of squares start with, 0.1 unless set: 0 or more.
    pub fn initial_accumulator_value, try_initial_accumulator_value(this, value: f64) {
        this.initial_accumulator_value = options::magnitude("Ftrl", "initial_accumulator_value", value)?;
        Ok(this)
    }

    /// How strongly sizes of weights are held down, 0 unless set: 0 or more.
    pub fn l1_regularization_strength, try_l1_regularization_strength(this, strength: f64) {
        this.l1_regularization_strength = options::magnitude("Ftrl", "l1_regularization_strength", strength)?;
        Ok(this)
    }

    /// How strongly squares of weights are held down, 0 unless set: 0 or more.
    pub fn l2_regularization_strength, try_l2_regularization_strength(this, strength: f64) {
        this.l2_regularization_strength = options::magnitude("Ftrl", "l2_regularization_strength", strength)?;
        Ok(this)
    }

    /// How strongly squares of weights are held down as a part of the gradient, 0 unless set: 0 or more.
    pub fn l2_shrinkage_regularization_strength, try_l2_shrinkage_regularization_strength(this, strength: f64) {
        this.l2_shrinkage_regularization_strength =
            options::magnitude("Ftrl", "l2_shrinkage_regularization_strength", strength)?;
        Ok(this)
    }

    /// What is added to the power of the sums in the rate, 0 unless set: 0 or more.
    pub fn beta, try_beta(this, beta: f64) {
        this.beta = options::magnitude("Ftrl", "beta", beta)?;
        Ok(this)
    }
}

/// With `p = -power`: `a' = a + g²; l += g + 2 shrinkage w - (a'^p - a^p) / rate · w; w = (clip(l, -l1, l1) - l) / (a'^p / rate + 2 l2)`,
/// where `l2` has `beta / (2 rate)` added.
struct Rule {
    power: f64,
    l1: f64,
    l2: f64,
    shrinkage: f64,
    beta: f64,
    parts: bool,
}

impl Formula for Rule {
    fn label(&self) -> &'static str {
        "apply_ftrl"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("power", self.power);
        visit("l1", self.l1);
        visit("l2", self.l2);
        visit("shrinkage", self.shrinkage);
        visit("beta", self.beta);
        visit("parts", flag(self.parts));
    }

    fn slots(&self) -> usize {
        2
    }

    fn given(&self) -> &'static [Given] {
        gradient_and(self.parts)
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let (w, rate) = (x.variable, x.factors[0]);
        let number = |value: f64| s.number(w, value);
        let power = |x: Val| s.pow(x, number(-self.power));
        let gradient = s.add(x.given[0], s.mul(number(2.0 * self.shrinkage), w));
        let sum = s.add(x.slots[0], square(s, &x));
        let (now, before) = (power(sum), power(x.slots[0]));
        let linear = s.add(x.slots[1], s.sub(gradient, s.mul(s.div(s.sub(now, before), rate), w)));
        let l2 = s.add(number(self.l2), s.div(number(self.beta), s.mul(number(2.0), rate)));
        let quadratic = s.add(s.div(now, rate), s.mul(number(2.0), l2));
        let clipped = s.min(s.max(linear, number(-self.l1)), number(self.l1));
        [s.div(s.sub(clipped, linear), quadratic), sum, linear].into_iter().collect()
    }
}

impl Method for Ftrl {
    fn common(&self) -> &Common {
        &self.common
    }

    fn parts(&self) -> Parts {
        Parts::Squares
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let start = Start::Filled(self.initial_accumulator_value);
        let [sums, linears] = self.common.slots.of([(2, start), (3, ZEROS)], step.variables)?;
        let rule = Rule {
            power: self.learning_rate_power,
            l1: self.l1_regularization_strength,
            l2: self.l2_regularization_strength,
            shrinkage: self.l2_shrinkage_regularization_strength,
            beta: self.beta,
            parts: step.parts.is_some(),
        };
        step.run(Arc::new(rule), &[step.rate], &[&sums, &linears])
    }
}
