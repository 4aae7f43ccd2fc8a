//! Steps by the rules of this crate, as the engine's own tests call them.
//! Graphs and plans are tested with Adam, and the operation itself.

use super::rule::{Element, Few, Formula, Rule};
use super::{AdamRule, apply_rule};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// Keras's settings.
pub(crate) const ADAM: AdamRule =
    AdamRule { beta_1: 0.9, beta_2: 0.999, epsilon: 1e-7, amsgrad: false, squares: false };

/// One step of Adam behind `iterations` others.
#[track_caller]
pub(crate) fn apply_adam(
    variables: &[Variable],
    firsts: &[Variable],
    seconds: &[Variable],
    gradients: &[Tensor],
    rate: &Tensor,
    iterations: &Tensor,
    rule: AdamRule,
) -> Result<()> {
    apply_rule(&(Arc::new(rule) as _), &[rate, iterations], variables, &[firsts, seconds], &[gradients])
}

/// `v = factor * v - rate * g; w += factor * v - rate * g`: what is looked at is the new slot.
struct Ahead(f64);

impl Formula for Ahead {
    fn label(&self) -> &'static str {
        "apply_ahead"
    }
    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("factor", self.0);
    }
    fn slots(&self) -> usize {
        1
    }
    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let move_by = |v: Val| s.sub(s.mul(s.number(v, self.0), v), s.mul(x.factors[0], x.given[0]));
        let v = move_by(x.slots[0]);
        [s.add(x.variable, move_by(v)), v].into_iter().collect()
    }
}

/// Nesterov's momentum as a rule.
pub(super) fn ahead(factor: f64) -> Arc<dyn Rule> {
    Arc::new(Ahead(factor))
}

/// A rule that writes a slot which it still reads.
pub(super) fn old_slot() -> Arc<dyn Rule> {
    Arc::new(OldSlot)
}

/// One step of Nesterov's momentum.
#[track_caller]
pub(crate) fn apply_ahead(
    variables: &[Variable],
    velocities: &[Variable],
    gradients: &[Tensor],
    rate: &Tensor,
    factor: f64,
) -> Result<()> {
    apply_rule(&ahead(factor), &[rate], variables, &[velocities], &[gradients])
}

/// The slot becomes half of itself before the variable reads it: `v = v / 2; w -= old v * one`, where `one` is one number for the
/// variable.
struct OldSlot;

impl Formula for OldSlot {
    fn label(&self) -> &'static str {
        "apply_old_slot"
    }
    fn slots(&self) -> usize {
        1
    }
    fn given(&self) -> &'static [super::Given] {
        &[super::Given::One]
    }
    fn numbers(&self) -> usize {
        0
    }
    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let v = x.slots[0];
        let half = s.mul(v, s.number(v, 0.5));
        [s.sub(x.variable, s.mul(v, x.given[0])), half].into_iter().collect()
    }
}

/// One step of a rule that writes a slot which it still reads.
#[track_caller]
pub(crate) fn apply_old_slot(variables: &[Variable], slots: &[Variable], ones: &[Tensor]) -> Result<()> {
    apply_rule(&old_slot(), &[], variables, &[slots], &[ones])
}
