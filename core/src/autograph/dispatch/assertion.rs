//! `assert!`, `assert_eq!`, `assert_ne!` and `dbg!` on anything: of tensors they are effects of the function, in order;
//! of host values they are Rust's own, checked while the function is traced.

use super::compare::{AnySide, Cmp, TensorSide};
use super::condition::{CondValue, Condition};
use crate::debugging::{assert_equal, assert_none_equal};
use crate::error::OrFail;
use crate::ops::{Assert, assert_all};
use std::fmt::Debug;

/// `assert!(condition, message)`; without a message the condition's own text is it.
#[track_caller]
pub fn assert<C: Condition + ?Sized>(holds: &C, text: &'static str, message: Option<super::Thunk<'_>>) {
    let cond = holds.cond();
    let message = || message.map_or_else(|| format!("assertion failed: {text}"), |m| m());
    match &cond.value {
        CondValue::Host(true) => {}
        CondValue::Host(false) => panic!("{}", message()),
        CondValue::Tensor(tensor) => {
            assert_all(&Assert { name: "assert", claim: text, message: message().into() }, &[tensor]).or_fail();
        }
    }
}

/// An assertion that fails when the graph comes to it.
#[track_caller]
pub(crate) fn fail_in_graph(message: &str) {
    let never = crate::constant(false);
    assert_all(&Assert { name: "panic", claim: "false", message: message.into() }, &[&never]).or_fail();
}

/// `assert_eq!` and `assert_ne!` where a tensor is among the operands.
pub trait AssertTensors {
    /// All elements are equal.
    #[track_caller]
    fn assert_eq(&self, message: Option<super::Thunk<'_>>);
    /// No elements are equal.
    #[track_caller]
    fn assert_ne(&self, message: Option<super::Thunk<'_>>);
}

impl<A: TensorSide + ?Sized, B: AnySide + ?Sized> AssertTensors for &Cmp<'_, A, B> {
    #[track_caller]
    fn assert_eq(&self, message: Option<super::Thunk<'_>>) {
        assert_equal(self.0.operand(), self.1.any_operand(), &message.map_or(String::new(), |m| m()));
    }
    #[track_caller]
    fn assert_ne(&self, message: Option<super::Thunk<'_>>) {
        assert_none_equal(self.0.operand(), self.1.any_operand(), &message.map_or(String::new(), |m| m()));
    }
}

/// `assert_eq!` and `assert_ne!` of host values.
pub trait AssertHost<A: ?Sized, B: ?Sized> {
    /// `left == right`
    #[track_caller]
    fn assert_eq(&self, message: Option<super::Thunk<'_>>)
    where
        A: PartialEq<B> + Debug,
        B: Debug;
    /// `left != right`
    #[track_caller]
    fn assert_ne(&self, message: Option<super::Thunk<'_>>)
    where
        A: PartialEq<B> + Debug,
        B: Debug;
}

impl<A: ?Sized, B: ?Sized> AssertHost<A, B> for Cmp<'_, A, B> {
    #[track_caller]
    fn assert_eq(&self, message: Option<super::Thunk<'_>>)
    where
        A: PartialEq<B> + Debug,
        B: Debug,
    {
        match message {
            None => std::assert_eq!(*self.0, *self.1),
            Some(message) => std::assert_eq!(*self.0, *self.1, "{}", message()),
        }
    }
    #[track_caller]
    fn assert_ne(&self, message: Option<super::Thunk<'_>>)
    where
        A: PartialEq<B> + Debug,
        B: Debug,
    {
        match message {
            None => std::assert_ne!(*self.0, *self.1),
            Some(message) => std::assert_ne!(*self.0, *self.1, "{}", message()),
        }
    }
}
