//! Conditions of `if` and `while`: host `bool`s, which Rust decides, and tensors, which may become part of a graph.
//! [`condition`] takes any of them; a `match` guard takes a `bool` alone.

use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// The value of a condition, and where it stands.
#[derive(Clone)]
pub struct Cond {
    pub(crate) value: CondValue,
    #[allow(dead_code, reason = "graphs name it")]
    pub(crate) location: &'static Location<'static>,
}

#[derive(Clone)]
pub(crate) enum CondValue {
    Host(bool),
    Tensor(Tensor),
}

impl Cond {
    #[track_caller]
    pub(crate) fn host(value: bool) -> Self {
        Self { value: CondValue::Host(value), location: Location::caller() }
    }

    #[track_caller]
    pub(crate) fn tensor(value: Tensor) -> Self {
        Self { value: CondValue::Tensor(value), location: Location::caller() }
    }

    /// The condition as a value of the graph being traced, if it is one.
    pub(crate) fn staged(&self) -> Option<&Tensor> {
        match &self.value {
            CondValue::Tensor(tensor) if tensor.is_symbol() => Some(tensor),
            CondValue::Tensor(tensor) => crate::builder::current().filter(|b| b.sees(tensor)).map(|_| tensor),
            CondValue::Host(_) => None,
        }
    }

    /// The truth value of a condition that is known now.
    pub(crate) fn decide(&self) -> Result<bool> {
        match &self.value {
            CondValue::Host(value) => Ok(*value),
            CondValue::Tensor(tensor) => truth(tensor).map_err(|e| e.at(self.location)),
        }
    }
}

fn truth(tensor: &Tensor) -> Result<bool> {
    check(tensor)?;
    tensor.try_item()
}

/// Whatever is known of the sizes while a graph is recorded: an element too many would be left out of account.
fn check(tensor: &Tensor) -> Result<()> {
    let ty = tensor.ty();
    let one = ty.shape.rank() == 0 || ty.shape.known_dims().is_some_and(|dims| dims.iter().all(|size| *size == 1));
    if ty.dtype != crate::DType::Bool || !one {
        return Err(Error::invalid_argument("condition", "a condition is one truth value")
            .got(tensor.ty())
            .expected("a scalar of dtype bool")
            .help("compare it, `x != 0`; and `reduce_all` or `reduce_any` make one truth value of many"));
    }
    Ok(())
}

/// Kinds of conditions: [`Host`] and [`Tensor`].
pub trait Truth {}

/// A `bool`.
pub struct Host;

impl Truth for Host {}
impl Truth for Tensor {}

/// What `if` and `while` take.
#[diagnostic::on_unimplemented(
    message = "a condition is a `bool` or a tensor, not `{Self}`",
    label = "neither `bool` nor tensor",
    note = "compare it, as in `x != 0`"
)]
pub trait Condition {
    /// Whether it is a `bool` or a tensor.
    type Kind: Truth;
    /// Its value.
    #[doc(hidden)]
    #[track_caller]
    fn cond(&self) -> Cond;
}

impl Condition for bool {
    type Kind = Host;
    #[track_caller]
    fn cond(&self) -> Cond {
        Cond::host(*self)
    }
}

impl Condition for Tensor {
    type Kind = Tensor;
    #[track_caller]
    fn cond(&self) -> Cond {
        Cond::tensor(self.clone())
    }
}

impl Condition for Variable {
    type Kind = Tensor;
    #[track_caller]
    fn cond(&self) -> Cond {
        Cond::tensor(self.value())
    }
}

impl<T: Condition + ?Sized> Condition for &T {
    type Kind = T::Kind;
    #[track_caller]
    fn cond(&self) -> Cond {
        (**self).cond()
    }
}

impl<T: Condition + ?Sized> Condition for &mut T {
    type Kind = T::Kind;
    #[track_caller]
    fn cond(&self) -> Cond {
        (**self).cond()
    }
}

/// The value of a condition.
#[track_caller]
pub fn condition<C: Condition + ?Sized>(condition: &C) -> Cond {
    let mut cond = condition.cond();
    if let CondValue::Tensor(tensor) = &mut cond.value {
        let here = Location::caller();
        check(tensor).map_err(|e| e.at(here)).or_fail();
        if tensor.is_symbol() && tensor.ty().shape.rank() > 0 {
            *tensor = crate::ops::functions::try_reshape(&*tensor, ()).map_err(|e| e.at(here)).or_fail();
        }
    }
    cond
}

/// A `bool` alone.
#[diagnostic::on_unimplemented(
    message = "this condition is a `bool`, not `{Self}`",
    label = "a tensor is not known while a function is traced",
    note = "patterns are matched by Rust itself: nest an `if` on the tensor inside"
)]
pub trait HostTruth {
    /// Its value.
    #[doc(hidden)]
    fn host_truth(self) -> bool;
}

impl HostTruth for bool {
    fn host_truth(self) -> bool {
        self
    }
}

impl HostTruth for &bool {
    fn host_truth(self) -> bool {
        *self
    }
}

/// As [`HostTruth`], where the value of an `if` is lent by `&mut`.
#[diagnostic::on_unimplemented(
    message = "what is lent by `&mut` is chosen by a `bool`, not by `{Self}`",
    label = "a tensor is not known while a function is traced",
    note = "both branches of a graph are recorded: assign each variable in the branch that changes it"
)]
pub trait LendingTruth: HostTruth {}

impl LendingTruth for bool {}
impl LendingTruth for &bool {}

/// The condition of an `if` whose value is lent by `&mut`.
pub fn lending(truth: impl LendingTruth) -> bool {
    truth.host_truth()
}

/// The value of a `match` guard, or of a condition beside a `let`.
pub fn guard(truth: impl HostTruth) -> bool {
    truth.host_truth()
}
