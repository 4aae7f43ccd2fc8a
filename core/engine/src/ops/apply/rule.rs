//! The rule of an optimizer: what a step makes of one element of a variable, its slots and a gradient, as a scalar formula, and what
//! follows from the numbers of the step, such as a rate and how many steps there were. Optimizers bring theirs; `apply` runs them.

use kernels::dtype::DType;
use kernels::scalar::{Scalar, Val};
use smallvec::SmallVec;
use std::any::Any;

/// A few values.
pub type Few<T> = SmallVec<[T; 4]>;

/// A tensor that a rule is given for each variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// Of the variable's shape, as its gradient.
    Whole,
    /// One number for the variable, of its dtype.
    One,
}

/// What one element of a variable has, each in the dtype in which is computed.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    /// The variable's value.
    pub variable: Val,
    /// Those of its slots.
    pub slots: &'a [Val],
    /// What is given, the gradient first.
    pub given: &'a [Val],
    /// What follows from the numbers of the step.
    pub factors: &'a [Val],
}

/// Arithmetic on the numbers of a step, which lie on the host or on a device. There the same formula is a program.
pub trait Arithmetic {
    /// A number in `float64`.
    type Number: Copy;
    /// A constant.
    fn number(&self, x: f64) -> Self::Number;
    /// `a + b`
    fn add(&self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// `a - b`
    fn sub(&self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// `a * b`
    fn mul(&self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// `a / b`
    fn div(&self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// `a` to the power of `b`
    fn pow(&self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The smaller one.
    fn min(&self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The square root.
    fn sqrt(&self, a: Self::Number) -> Self::Number;
}

/// Numbers of the host.
struct OnHost;

impl Arithmetic for OnHost {
    type Number = f64;
    fn number(&self, x: f64) -> f64 {
        x
    }
    fn add(&self, a: f64, b: f64) -> f64 {
        a + b
    }
    fn sub(&self, a: f64, b: f64) -> f64 {
        a - b
    }
    fn mul(&self, a: f64, b: f64) -> f64 {
        a * b
    }
    fn div(&self, a: f64, b: f64) -> f64 {
        a / b
    }
    fn pow(&self, a: f64, b: f64) -> f64 {
        a.powf(b)
    }
    fn min(&self, a: f64, b: f64) -> f64 {
        a.min(b)
    }
    fn sqrt(&self, a: f64) -> f64 {
        a.sqrt()
    }
}

impl Arithmetic for Scalar {
    type Number = Val;
    fn number(&self, x: f64) -> Val {
        self.constant(DType::F64, x)
    }
    fn add(&self, a: Val, b: Val) -> Val {
        Scalar::add(self, a, b)
    }
    fn sub(&self, a: Val, b: Val) -> Val {
        Scalar::sub(self, a, b)
    }
    fn mul(&self, a: Val, b: Val) -> Val {
        Scalar::mul(self, a, b)
    }
    fn div(&self, a: Val, b: Val) -> Val {
        Scalar::div(self, a, b)
    }
    fn pow(&self, a: Val, b: Val) -> Val {
        Scalar::pow(self, a, b)
    }
    fn min(&self, a: Val, b: Val) -> Val {
        Scalar::min(self, a, b)
    }
    fn sqrt(&self, a: Val) -> Val {
        Scalar::sqrt(self, a)
    }
}

/// How a step changes one element of a variable and its slots. An optimizer implements it; [`Rule`] follows.
pub trait Formula: Any + Send + Sync {
    /// The operation's name in graphs; two rules with one name and the same attributes have the same formula.
    fn label(&self) -> &'static str;

    /// The settings that the formula takes in, in a fixed order.
    fn attributes(&self, _visit: &mut dyn FnMut(&'static str, f64)) {}

    /// How many slots a variable has.
    fn slots(&self) -> usize {
        0
    }

    /// The tensors that are given for a variable.
    fn given(&self) -> &'static [Given] {
        &[Given::Whole]
    }

    /// How many numbers a step has, such as the rate.
    fn numbers(&self) -> usize {
        1
    }

    /// What follows from the numbers of a step, once for all elements: corrections of a bias. The numbers themselves unless written.
    fn factors<A: Arithmetic>(&self, _: &A, numbers: &[A::Number]) -> Few<A::Number> {
        numbers.iter().copied().collect()
    }

    /// What the variable and then its slots become.
    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val>;

    /// The loop in registers that computes this very formula, where there is one.
    fn own_loop(&self) -> Option<OwnLoop> {
        None
    }
}

/// A formula that has a loop of its own for dense `float32`, with the same bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum OwnLoop {
    /// `m += (g - m) first; v += (g² - v) second; w -= rate m / (√v + epsilon)`, where the rate is the only factor.
    Adam {
        /// The share of the gradient in its mean.
        first: f64,
        /// The share of its square in that mean.
        second: f64,
        /// What is added to the root.
        epsilon: f64,
    },
}

/// A [`Formula`] behind a pointer.
pub trait Rule: Any + Send + Sync {
    /// As [`Formula::label`].
    fn label(&self) -> &'static str;
    /// As [`Formula::attributes`].
    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64));
    /// As [`Formula::slots`].
    fn slots(&self) -> usize;
    /// As [`Formula::given`].
    fn given(&self) -> &'static [Given];
    /// As [`Formula::numbers`].
    fn numbers(&self) -> usize;
    /// The factors of numbers on the host.
    fn factors_of(&self, numbers: &[f64]) -> Few<f64>;
    /// The factors as part of a program.
    fn factors_in(&self, s: &Scalar, numbers: &[Val]) -> Few<Val>;
    /// As [`Formula::formula`].
    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val>;
    /// As [`Formula::own_loop`].
    fn own_loop(&self) -> Option<OwnLoop>;
}

impl<F: Formula> Rule for F {
    fn label(&self) -> &'static str {
        Formula::label(self)
    }
    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        Formula::attributes(self, visit);
    }
    fn slots(&self) -> usize {
        Formula::slots(self)
    }
    fn given(&self) -> &'static [Given] {
        Formula::given(self)
    }
    fn numbers(&self) -> usize {
        Formula::numbers(self)
    }
    fn factors_of(&self, numbers: &[f64]) -> Few<f64> {
        self.factors(&OnHost, numbers)
    }
    fn factors_in(&self, s: &Scalar, numbers: &[Val]) -> Few<Val> {
        self.factors(s, numbers)
    }
    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        Formula::formula(self, s, x)
    }
    fn own_loop(&self) -> Option<OwnLoop> {
        Formula::own_loop(self)
    }
}

/// `w -= rate * g`
pub(super) struct GradientDescent;

impl Formula for GradientDescent {
    fn label(&self) -> &'static str {
        "apply_gradient_descent"
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        [s.sub(x.variable, s.mul(x.factors[0], x.given[0]))].into_iter().collect()
    }
}
