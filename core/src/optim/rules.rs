//! Rules that several optimizers share: decay, averages, and a step by a tensor that was prepared.
//! `Common` and optimizers whose step is more than a formula run them.

use engine::library::{Arithmetic, Element, Few, Formula, Given};
use kernels::scalar::{Scalar, Val};

/// `w -= w * decay * rate`
pub(super) struct Decay(pub f64);

impl Formula for Decay {
    fn label(&self) -> &'static str {
        "apply_weight_decay"
    }
    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("decay", self.0);
    }
    fn given(&self) -> &'static [Given] {
        &[]
    }
    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let w = x.variable;
        [s.sub(w, s.mul(s.mul(w, s.number(w, self.0)), x.factors[0]))].into_iter().collect()
    }
}

/// `a = m a + (1 - m) w`, where m is the momentum, and nothing in the first step. The number is 0 in the first step and 1 in others.
pub(super) struct Averaged(pub f64);

impl Formula for Averaged {
    fn label(&self) -> &'static str {
        "apply_average"
    }
    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("momentum", self.0);
    }
    fn factors<A: Arithmetic>(&self, a: &A, numbers: &[A::Number]) -> Few<A::Number> {
        [a.mul(numbers[0], a.number(self.0))].into_iter().collect()
    }
    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let (average, momentum) = (x.variable, x.factors[0]);
        let rest = s.sub(s.number(average, 1.0), momentum);
        [s.add(s.mul(momentum, average), s.mul(rest, x.given[0]))].into_iter().collect()
    }
}

/// `w -= rate * u` by a rate of the variable's own.
pub(super) struct Scaled;

impl Formula for Scaled {
    fn label(&self) -> &'static str {
        "apply_scaled"
    }
    fn given(&self) -> &'static [Given] {
        &[Given::Whole, Given::One]
    }
    fn numbers(&self) -> usize {
        0
    }
    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        [s.sub(x.variable, s.mul(x.given[1], x.given[0]))].into_iter().collect()
    }
}

/// What is given twice where the parts of rows count, and once otherwise.
pub(super) fn gradient_and(parts: bool) -> &'static [Given] {
    &[Given::Whole, Given::Whole][..1 + usize::from(parts)]
}

/// A flag among attributes.
pub(super) fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

/// `old + (new - old) * (1 - kept)`, a running mean.
pub(super) fn follow(s: &Scalar, old: Val, new: Val, kept: f64) -> Val {
    s.add(old, s.mul(s.sub(new, old), s.number(old, 1.0 - kept)))
}

/// `old * kept + new * (1 - kept)`, the same mean in another order.
pub(super) fn mixed(s: &Scalar, old: Val, new: Val, kept: f64) -> Val {
    s.add(s.mul(s.number(old, kept), old), s.mul(s.number(old, 1.0 - kept), new))
}

/// The square of the gradient, or what was added up of the squares of its parts.
pub(super) fn square(s: &Scalar, x: &Element<'_>) -> Val {
    x.given.get(1).copied().unwrap_or_else(|| s.mul(x.given[0], x.given[0]))
}
