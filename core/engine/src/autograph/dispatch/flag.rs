//! Flags: variables that begin with `true` or `false` and are given what comparisons give, so that rustc finds out late whether one
//! is a `bool` or a tensor. Generated code calls functions of it in place of operators and of methods, which are looked for at once.

use super::condition::Condition;
use super::save::{Save, Saved};
use super::tiers::*;
use crate::structure::state_vtable::{Slot, StateVtable};
use crate::tensor::Tensor;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// What holds a truth value: a `bool`, or a tensor where tensors are compared.
pub trait Flag:
    Condition + Clone + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// A literal as one.
    #[doc(hidden)]
    #[track_caller]
    fn flag(value: bool) -> Self;
    #[doc(hidden)]
    fn table() -> &'static StateVtable;
    #[doc(hidden)]
    fn save(&self, name: &'static str, needed: bool) -> Saved<Self>;
    /// Itself, if it is a tensor.
    #[doc(hidden)]
    fn shown(&self) -> Option<Tensor>;
}

impl Flag for bool {
    fn flag(value: bool) -> Self {
        value
    }
    fn table() -> &'static StateVtable {
        (&&&&&&Slot::<bool>::new()).table()
    }
    fn save(&self, name: &'static str, needed: bool) -> Saved<bool> {
        (&&&&Save(self)).save(name, needed)
    }
    fn shown(&self) -> Option<Tensor> {
        None
    }
}

impl Flag for Tensor {
    #[track_caller]
    fn flag(value: bool) -> Self {
        crate::constant(value)
    }
    fn table() -> &'static StateVtable {
        (&&&&&&Slot::<Tensor>::new()).table()
    }
    fn save(&self, name: &'static str, needed: bool) -> Saved<Tensor> {
        (&&&&Save(self)).save(name, needed)
    }
    fn shown(&self) -> Option<Tensor> {
        Some(self.clone())
    }
}

/// A literal that is given to a variable of truth values.
#[track_caller]
pub fn flag<F: Flag>(value: bool) -> F {
    F::flag(value)
}

/// The table of a flag's type.
pub fn flag_table<F: Flag>(_: &F) -> &'static StateVtable {
    F::table()
}

/// What is printed of a flag: a tensor as it is in the call.
pub fn shown_flag<F: Flag>(flag: &F) -> Option<Tensor> {
    flag.shown()
}

/// A copy of a flag for another branch.
pub fn save_flag<F: Flag>(flag: &F, name: &'static str, needed: bool) -> Saved<F> {
    flag.save(name, needed)
}

/// `a & b`, of one type.
#[track_caller]
pub fn flag_and<F: Flag>(a: F, b: F) -> F {
    a & b
}

/// `a | b`, of one type.
#[track_caller]
pub fn flag_or<F: Flag>(a: F, b: F) -> F {
    a | b
}

/// `a ^ b`, of one type.
#[track_caller]
pub fn flag_xor<F: Flag>(a: F, b: F) -> F {
    a ^ b
}

/// `!a`
#[track_caller]
pub fn flag_not<F: Flag>(a: F) -> F {
    !a
}
