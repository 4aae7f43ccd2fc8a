//! `&&` and `||`: lazy, and of a tensor where either side is one; two `bool`s give a `bool`.
//! Generated code opens the right side only where it matters, so `?` and jumps in it are the user's own.

use super::super::lazy::RightSide;
use super::condition::{Cond, CondValue, Condition, Host, Truth, condition};
use crate::tensor::Tensor;
use kernels::error::OrFail;
use std::marker::PhantomData;
use std::panic::Location;

/// One `&&` or `||` whose left side is known.
pub struct Logic<K> {
    left: Cond,
    /// Whether it is `&&`.
    and: bool,
    /// The right side, while it is being recorded.
    right: Option<RightSide>,
    kind: PhantomData<K>,
}

impl<K: Truth> Logic<K> {
    /// `left && ..`
    #[track_caller]
    pub fn and<C: Condition<Kind = K> + ?Sized>(left: &C) -> Self {
        Self { left: condition(left), and: true, right: None, kind: PhantomData }
    }

    /// `left || ..`
    #[track_caller]
    pub fn or<C: Condition<Kind = K> + ?Sized>(left: &C) -> Self {
        Self { left: condition(left), and: false, right: None, kind: PhantomData }
    }

    /// Whether the right side has to be run.
    #[track_caller]
    pub fn open(&mut self) -> bool {
        match &self.left.value {
            // A value of a graph: both sides are recorded.
            CondValue::Tensor(tensor) if tensor.is_symbol() => {
                self.right = RightSide::begin();
                true
            }
            _ => self.left.decide().or_fail() == self.and,
        }
    }

    /// The whole, once the right side has run.
    #[track_caller]
    pub fn close<C: Condition + ?Sized>(self, right: &C) -> K::Both
    where
        K: Join<C::Kind>,
    {
        let right = condition(right);
        K::join(self.left, right, self.and, self.right)
    }

    /// As [`close`](Self::close), of two of one type, of which the left one is lent again.
    #[track_caller]
    pub fn close_flag<F: Condition<Kind = K>>(self, _left: &F, right: &F) -> F
    where
        K: Join<K, Both = F>,
    {
        self.close(right)
    }

    /// The left side, of one whose right side changes something, which is a branch of an `if` then.
    pub fn condition(&self) -> Cond {
        self.left.clone()
    }

    /// The whole, where the right side decides.
    #[track_caller]
    pub fn right<C: Condition + ?Sized>(&self, right: &C) -> K::Both
    where
        K: Join<C::Kind>,
    {
        K::join(self.left.clone(), condition(right), self.and, None)
    }

    /// The whole, where the left side has decided.
    pub fn short<T: Decided>(&self) -> T {
        T::decided(!self.and)
    }
}

/// The kind of a combination.
pub trait Join<Right>: Truth {
    /// `bool` for two hosts, else a tensor.
    type Both: Decided;
    #[doc(hidden)]
    #[track_caller]
    fn join(left: Cond, right: Cond, and: bool, side: Option<RightSide>) -> Self::Both;
}

impl Join<Host> for Host {
    type Both = bool;
    #[track_caller]
    fn join(_: Cond, right: Cond, _: bool, _: Option<RightSide>) -> bool {
        // The left side left it open, so the right side decides.
        right.decide().or_fail()
    }
}

macro_rules! staged {
    ($($left:ty, $right:ty;)*) => {$(
        impl Join<$right> for $left {
            type Both = Tensor;
            #[track_caller]
            fn join(left: Cond, right: Cond, and: bool, side: Option<RightSide>) -> Tensor {
                both(left, right, and, side)
            }
        }
    )*};
}

staged! {
    Host, Tensor;
    Tensor, Host;
    Tensor, Tensor;
}

#[track_caller]
fn both(left: Cond, right: Cond, and: bool, side: Option<RightSide>) -> Tensor {
    match (side, left.value) {
        (Some(side), CondValue::Tensor(left)) => side.end(&left, tensor(right), and, Location::caller()).or_fail(),
        // The left side was known and left it open.
        _ => tensor(right),
    }
}

#[track_caller]
fn tensor(cond: Cond) -> Tensor {
    match cond.value {
        CondValue::Host(value) => crate::constant(value),
        CondValue::Tensor(tensor) => tensor,
    }
}

/// What a combination is, made from a truth value.
pub trait Decided {
    #[doc(hidden)]
    fn decided(value: bool) -> Self;
}

impl Decided for bool {
    fn decided(value: bool) -> Self {
        value
    }
}

impl Decided for Tensor {
    fn decided(value: bool) -> Self {
        crate::constant(value)
    }
}
