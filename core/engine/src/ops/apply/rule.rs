//! The rules of optimizers: what a step makes of a variable, its slots and a gradient, as scalar formulas.
//! `apply` runs them, as one program per dtype.

use kernels::backend::cpu::adam_step::{self, Moments, Values};
use kernels::backend::cpu::{Isa, View};
use kernels::dtype::DType;
use kernels::scalar::{Scalar, Val};
use smallvec::SmallVec;
use std::ops::Range;
use std::slice;

/// How a step changes a variable and its slots.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Rule {
    /// `w -= rate * g`
    GradientDescent,
    /// `v = momentum * v - rate * g; w += v`, or `w += momentum * v - rate * g` with Nesterov's look ahead.
    Momentum { momentum: f64, nesterov: bool },
    /// `m += (1 - b1)(g - m); v += (1 - b2)(g² - v); w -= a m / (sqrt(v) + epsilon)`, where a is the rate times
    /// `sqrt(1 - b2^t) / (1 - b1^t)`.
    ///
    /// With `squares` the numbers for g² are given apart, after the gradient.
    Adam { beta_1: f64, beta_2: f64, epsilon: f64, squares: bool },
}

impl Rule {
    pub fn label(self) -> &'static str {
        match self {
            Self::GradientDescent => "apply_gradient_descent",
            Self::Momentum { .. } => "apply_momentum",
            Self::Adam { .. } => "apply_adam",
        }
    }

    /// Variables per step: the trained one and its slots.
    pub fn resources(self) -> usize {
        match self {
            Self::GradientDescent => 1,
            Self::Momentum { .. } => 2,
            Self::Adam { .. } => 3,
        }
    }

    /// Tensors per step: the gradient, and what else the rule is given.
    pub fn given(self) -> usize {
        match self {
            Self::Adam { squares: true, .. } => 2,
            _ => 1,
        }
    }

    /// What the values become. `x` holds the variable, its slots, what is given and the rate, in the type of computation.
    pub fn formula(self, s: &Scalar, x: &[Val]) -> SmallVec<[Val; 3]> {
        let (w, gradient, rate) = (x[0], x[self.resources()], x[x.len() - 1]);
        let step = |g: Val| s.mul(rate, g);
        match self {
            Self::GradientDescent => [s.sub(w, step(gradient))].into_iter().collect(),
            Self::Momentum { momentum, nesterov } => {
                let factor = s.number(w, momentum);
                let move_by = |v: Val| s.sub(s.mul(factor, v), step(gradient));
                let v = move_by(x[1]);
                [s.add(w, if nesterov { move_by(v) } else { v }), v].into_iter().collect()
            }
            Self::Adam { beta_1, beta_2, epsilon, squares } => {
                let follow =
                    |old: Val, new: Val, beta: f64| s.add(old, s.mul(s.sub(new, old), s.number(w, 1.0 - beta)));
                let m = follow(x[1], gradient, beta_1);
                let square = if squares { x[4] } else { s.mul(gradient, gradient) };
                let v = follow(x[2], square, beta_2);
                let change = s.div(s.mul(m, rate), s.add(s.sqrt(v), s.number(w, epsilon)));
                [s.sub(w, change), m, v].into_iter().collect()
            }
        }
    }

    /// One range of a variable in one loop, where there is one for the rule: the formula is the same, and so are the bits.
    /// Answers whether it ran.
    ///
    /// # Safety
    /// The views are those of one variable, valid, and nobody else uses this range of them.
    pub unsafe fn in_registers(self, group: &[View], range: Range<usize>, rate: f64, isa: Isa) -> bool {
        let Self::Adam { beta_1, beta_2, epsilon, squares: false } = self else { return false };
        let [value, average, square, gradient] = group else { return false };
        let dense = |view: &View| view.dtype == DType::F32 && view.is_dense();
        // A gradient that is the variable's own memory, or one of its slots', is left to a loop that allows it.
        let apart = |view: &View| view.ptr.addr().abs_diff(gradient.ptr.addr()) >= view.len() * 4;
        if !group.iter().all(dense) || ![value, average, square].into_iter().all(apart) {
            return false;
        }
        let with = Moments {
            first: (1.0 - beta_1) as f32,
            second: (1.0 - beta_2) as f32,
            rate: rate as f32,
            epsilon: epsilon as f32,
        };
        // SAFETY: dense f32 values by the test above, of one shape by the type rule; the variable and its slots are different
        // resources, each of which has its memory to itself while it is changed, and the gradient lies elsewhere.
        unsafe {
            let changed = |view: &View| slice::from_raw_parts_mut(view.ptr.cast::<f32>().add(range.start), range.len());
            let gradient = slice::from_raw_parts(gradient.ptr.cast::<f32>().add(range.start), range.len());
            let values = Values { value: changed(value), average: changed(average), square: changed(square), gradient };
            adam_step::step(isa, values, with);
        }
        true
    }

    /// The rate of step number `step`, counted from 1.
    pub fn rate(self, rate: f64, step: i64) -> f64 {
        match self {
            Self::Adam { beta_1, beta_2, .. } => {
                let power = |beta: f64| beta.powf(step as f64);
                rate * (1.0 - power(beta_2)).sqrt() / (1.0 - power(beta_1))
            }
            _ => rate,
        }
    }
}
