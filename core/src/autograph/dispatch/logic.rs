//! `&&` and `||`: lazy, and of a tensor where either side is one; two `bool`s give a `bool`.
//! Generated code opens the right side only where it matters, so `?` and jumps in it are the user's own.

use super::condition::{Cond, CondValue, Condition, Host, Truth, condition};
use super::table::{Slot, TableOfNest as _};
use crate::autograph::if_stmt::{Else, If, Then};
use crate::error::OrFail;
use crate::tensor::Tensor;
use std::marker::PhantomData;

/// One `&&` or `||` whose left side is known.
pub struct Logic<K> {
    left: Cond,
    /// Whether it is `&&`.
    and: bool,
    /// The branch of the graph in which the right side stands.
    branch: Option<If<Tensor>>,
    kind: PhantomData<K>,
}

impl<K: Truth> Logic<K> {
    /// `left && ..`
    #[track_caller]
    pub fn and<C: Condition<Kind = K> + ?Sized>(left: &C) -> Self {
        Self { left: condition(left), and: true, branch: None, kind: PhantomData }
    }

    /// `left || ..`
    #[track_caller]
    pub fn or<C: Condition<Kind = K> + ?Sized>(left: &C) -> Self {
        Self { left: condition(left), and: false, branch: None, kind: PhantomData }
    }

    /// Whether the right side has to be run.
    #[track_caller]
    pub fn open(&mut self) -> bool {
        let Some(left) = self.left.staged() else { return self.left.decide().or_fail() == self.and };
        // A value of a graph: the right side is a branch, so that it runs only where it decides.
        let cond = Cond::tensor(left.clone());
        let mut branch = If::new(Slot::new(), cond, &[], &[]);
        branch.then();
        if !self.and {
            self.end_known(&mut branch, true);
        }
        self.branch = Some(branch);
        true
    }

    /// The branch that the left side decides, which is the first one.
    #[track_caller]
    fn end_known(&self, branch: &mut If<Tensor>, value: bool) {
        match branch.end_then(crate::constant(value), (&&&&Slot::<Tensor>::new()).table(), &mut []) {
            Then::Else => branch.otherwise(),
            Then::Done(_) => {}
        }
    }

    /// The whole, once the right side has run.
    #[track_caller]
    pub fn close<C: Condition + ?Sized>(mut self, right: &C) -> K::Both
    where
        K: Join<C::Kind>,
    {
        let right = condition(right);
        match self.branch.take() {
            Some(branch) => K::join(Cond::tensor(self.merge(branch, right))),
            None => K::join(right),
        }
    }

    #[track_caller]
    fn merge(&self, mut branch: If<Tensor>, right: Cond) -> Tensor {
        let table = (&&&&Slot::<Tensor>::new()).table();
        let right = tensor(right);
        let right = match self.and {
            true => match branch.end_then(right, table, &mut []) {
                Then::Else => {
                    branch.otherwise();
                    crate::constant(false)
                }
                Then::Done(right) => right,
            },
            false => right,
        };
        match branch.end_else(right, table, &mut []) {
            Else::Val(value) => value,
            Else::Left => crate::constant(self.and),
        }
    }

    /// The whole, where the left side has decided.
    pub fn short<T: Decided>(self) -> T {
        T::decided(!self.and)
    }
}

/// The kind of a combination.
pub trait Join<Right>: Truth {
    /// `bool` for two hosts, else a tensor.
    type Both: Decided;
    /// Of the side that decides: the right one, or both merged.
    #[doc(hidden)]
    #[track_caller]
    fn join(decides: Cond) -> Self::Both;
}

impl Join<Host> for Host {
    type Both = bool;
    #[track_caller]
    fn join(decides: Cond) -> bool {
        decides.decide().or_fail()
    }
}

macro_rules! staged {
    ($($left:ty, $right:ty;)*) => {$(
        impl Join<$right> for $left {
            type Both = Tensor;
            #[track_caller]
            fn join(decides: Cond) -> Tensor {
                tensor(decides)
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
