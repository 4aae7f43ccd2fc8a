//! Adam's formula, which has a loop of its own in the kernels and so stands beside it.
//! The optimizers Adam, AdamW and Muon step by it.

use super::rule::{Arithmetic, Element, Few, Formula, Given, OwnLoop};
use kernels::scalar::{Scalar, Val};

/// `m += (1 - b1)(g - m); v += (1 - b2)(g² - v); w -= a m / (sqrt(v) + epsilon)`, where a is the rate times
/// `sqrt(1 - b2^t) / (1 - b1^t)`, and t the number of the step, counted from 1.
///
/// The numbers of a step are the rate and how many steps there were. With `squares` the numbers for g² are given apart, behind the
/// gradient.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AdamRule {
    /// How much of the mean of gradients is kept.
    pub beta_1: f64,
    /// How much of the mean of their squares is kept.
    pub beta_2: f64,
    /// What is added to the root of the latter.
    pub epsilon: f64,
    /// Whether the root is taken of the largest mean of squares so far, the third slot.
    pub amsgrad: bool,
    /// Whether squares are given.
    pub squares: bool,
}

impl Formula for AdamRule {
    fn label(&self) -> &'static str {
        "apply_adam"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("beta_1", self.beta_1);
        visit("beta_2", self.beta_2);
        visit("epsilon", self.epsilon);
        visit("amsgrad", f64::from(u8::from(self.amsgrad)));
        visit("squares", f64::from(u8::from(self.squares)));
    }

    fn slots(&self) -> usize {
        2 + usize::from(self.amsgrad)
    }

    fn given(&self) -> &'static [Given] {
        &[Given::Whole, Given::Whole][..1 + usize::from(self.squares)]
    }

    fn numbers(&self) -> usize {
        2
    }

    fn factors<A: Arithmetic>(&self, a: &A, numbers: &[A::Number]) -> Few<A::Number> {
        let one = a.number(1.0);
        let step = a.add(numbers[1], one);
        let rest = |beta: f64| a.sub(one, a.pow(a.number(beta), step));
        let rate = a.mul(numbers[0], a.sqrt(rest(self.beta_2)));
        [a.div(rate, rest(self.beta_1))].into_iter().collect()
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let (w, gradient) = (x.variable, x.given[0]);
        let follow = |old: Val, new: Val, beta: f64| s.add(old, s.mul(s.sub(new, old), s.number(w, 1.0 - beta)));
        let m = follow(x.slots[0], gradient, self.beta_1);
        let square = if self.squares { x.given[1] } else { s.mul(gradient, gradient) };
        let v = follow(x.slots[1], square, self.beta_2);
        let largest = self.amsgrad.then(|| s.max(x.slots[2], v));
        let root = s.sqrt(largest.unwrap_or(v));
        let change = s.div(s.mul(m, x.factors[0]), s.add(root, s.number(w, self.epsilon)));
        [s.sub(w, change), m, v].into_iter().chain(largest).collect()
    }

    fn own_loop(&self) -> Option<OwnLoop> {
        let Self { beta_1, beta_2, epsilon, amsgrad, squares } = *self;
        (!amsgrad && !squares).then_some(OwnLoop::Adam { first: 1.0 - beta_1, second: 1.0 - beta_2, epsilon })
    }
}
