//! `assert!`, `assert_eq!`, `assert_ne!` and `dbg!` on anything: of tensors they are effects of the function, in order;
//! of host values they are Rust's own, checked while the function is traced.

use super::compare::{AnySide, Cmp, TensorSide};
use super::condition::{CondValue, Condition, condition};
use super::print::{Message, WriteMessage};
use crate::autograph::if_stmt::If;
use crate::builder;
use crate::debugging::compared;
use crate::op::Op;
use crate::ops::{self, Assert, Equal, Line, NotEqual, Operand, assert_all};
use crate::structure::state_vtable::Slot;
use crate::tape;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use std::fmt::Debug;

/// `assert!(condition, message)`; without a message the condition's own text is it.
#[track_caller]
pub fn assert<C: Condition + ?Sized>(holds: &C, text: &'static str, message: Option<WriteMessage<'_>>) {
    let cond = holds.cond();
    let otherwise = format!("assertion failed: {text}");
    match &cond.value {
        CondValue::Host(true) => {}
        CondValue::Host(false) => panic!("{}", message.map_or(otherwise, said_now)),
        CondValue::Tensor(tensor) => {
            Claim { name: "assert", claim: text, message, otherwise: &otherwise }.check(&[tensor]).or_fail();
        }
    }
}

/// A message that is needed now.
fn said_now(message: WriteMessage<'_>) -> String {
    let mut text = Message::new(false);
    message(&mut text);
    text.into_text()
}

/// An assertion that fails when the graph comes to it.
#[track_caller]
pub(crate) fn fail_in_graph(message: Message) {
    let never = crate::constant(false);
    let (message, values) = message.into_parts();
    let inputs: Vec<&Tensor> = std::iter::once(&never).chain(&values).collect();
    assert_all(&Assert { name: "panic", claim: "", message }, &inputs).or_fail();
}

/// What is asserted of tensors.
struct Claim<'a> {
    name: &'static str,
    claim: &'static str,
    message: Option<WriteMessage<'a>>,
    /// The message, if there is none.
    otherwise: &'a str,
}

impl Claim<'_> {
    /// Fails unless the first tensor is true everywhere; shows the others. Rust makes a message only where the assertion fails:
    /// in a graph, what it computes is part of a branch.
    #[track_caller]
    fn check(&self, inputs: &[&Tensor]) -> Result<()> {
        let Some(message) = self.message else {
            let message = Line::text(self.otherwise);
            return assert_all(&Assert { name: self.name, claim: self.claim, message }, inputs);
        };
        let Some(builder) = builder::current() else {
            if inputs[0].dtype() == DType::Bool && inputs[0].try_to_vec::<bool>()?.into_iter().all(|holds| holds) {
                return Ok(());
            }
            return self.say(message, inputs);
        };
        let (nodes, marks) = (builder.checkpoint(), tape::marks());
        let mut text = Message::new(true);
        message(&mut text);
        if builder.checkpoint() == nodes {
            return self.said(text, inputs);
        }
        builder.rollback(nodes);
        tape::rewind(&marks);
        self.in_branch(message, inputs)
    }

    #[track_caller]
    fn in_branch(&self, message: WriteMessage<'_>, inputs: &[&Tensor]) -> Result<()> {
        let table = crate::structure::result::<()>();
        let all = ops::functions::try_reduce_all(inputs[0], ())?;
        let mut branch = If::new(Slot::<()>::new(), condition(&all), &[], &[]);
        if branch.then() {
            let _ = branch.end_then((), table, &mut []);
        }
        branch.otherwise();
        self.say(message, inputs)?;
        let _ = branch.end_else((), table, &mut []);
        Ok(())
    }

    #[track_caller]
    fn say(&self, message: WriteMessage<'_>, inputs: &[&Tensor]) -> Result<()> {
        let mut text = Message::new(builder::current().is_some());
        message(&mut text);
        self.said(text, inputs)
    }

    #[track_caller]
    fn said(&self, text: Message, inputs: &[&Tensor]) -> Result<()> {
        let (message, values) = text.into_parts();
        let inputs: Vec<&Tensor> = inputs.iter().copied().chain(&values).collect();
        assert_all(&Assert { name: self.name, claim: self.claim, message }, &inputs)
    }
}

/// `assert_eq!` and `assert_ne!` on tensors.
#[track_caller]
fn compare(negated: bool, x: Operand<'_>, y: Operand<'_>, message: Option<WriteMessage<'_>>) {
    let (name, claim, op): (_, _, &dyn Op) = match negated {
        false => ("assert_equal", "x == y", &Equal),
        true => ("assert_none_equal", "x != y", &NotEqual),
    };
    let [condition, x, y] = compared(name, op, x, y).or_fail();
    Claim { name, claim, message, otherwise: "" }.check(&[&condition, &x, &y]).or_fail();
}

/// `assert_eq!` and `assert_ne!` where a tensor is among the operands.
pub trait AssertTensors {
    /// All elements are equal.
    #[track_caller]
    fn assert_eq(&self, message: Option<WriteMessage<'_>>);
    /// No elements are equal.
    #[track_caller]
    fn assert_ne(&self, message: Option<WriteMessage<'_>>);
}

impl<A: TensorSide + ?Sized, B: AnySide + ?Sized> AssertTensors for &Cmp<'_, A, B> {
    #[track_caller]
    fn assert_eq(&self, message: Option<WriteMessage<'_>>) {
        compare(false, self.0.operand(), self.1.any_operand(), message);
    }
    #[track_caller]
    fn assert_ne(&self, message: Option<WriteMessage<'_>>) {
        compare(true, self.0.operand(), self.1.any_operand(), message);
    }
}

/// `assert_eq!` and `assert_ne!` of host values.
pub trait AssertHost<A: ?Sized, B: ?Sized> {
    /// `left == right`
    #[track_caller]
    fn assert_eq(&self, message: Option<WriteMessage<'_>>)
    where
        A: PartialEq<B> + Debug,
        B: Debug;
    /// `left != right`
    #[track_caller]
    fn assert_ne(&self, message: Option<WriteMessage<'_>>)
    where
        A: PartialEq<B> + Debug,
        B: Debug;
}

impl<A: ?Sized, B: ?Sized> AssertHost<A, B> for Cmp<'_, A, B> {
    #[track_caller]
    fn assert_eq(&self, message: Option<WriteMessage<'_>>)
    where
        A: PartialEq<B> + Debug,
        B: Debug,
    {
        match message {
            None => std::assert_eq!(*self.0, *self.1),
            Some(message) => std::assert_eq!(*self.0, *self.1, "{}", said_now(message)),
        }
    }
    #[track_caller]
    fn assert_ne(&self, message: Option<WriteMessage<'_>>)
    where
        A: PartialEq<B> + Debug,
        B: Debug,
    {
        match message {
            None => std::assert_ne!(*self.0, *self.1),
            Some(message) => std::assert_ne!(*self.0, *self.1, "{}", said_now(message)),
        }
    }
}
