//! What the body of a custom gradient function yields: its outputs, and the closure that takes their cotangents.
//! Generated code hands both to [`Call`](super::Call).

use super::cotangents::Answers;
use crate::tensor::Tensor;
use kernels::error::Result;
use std::borrow::Borrow;

/// The number that stands for "a list" where outputs are counted.
pub const LIST: usize = usize::MAX;

/// What a custom gradient function may return: `N` tensors.
#[diagnostic::on_unimplemented(
    message = "a custom gradient function returns tensors, not `{Self}`",
    label = "not a tensor, nor a tuple, array or `Vec` of tensors",
    note = "return a `Tensor`, a tuple or array of them, a `Vec<Tensor>`, or a `Result` of one of these"
)]
pub trait Outputs<const N: usize>: Sized {
    /// The tensors, in order.
    fn tensors(&self) -> Vec<&Tensor>;
    /// The same with other tensors in their places.
    fn replaced(self, with: impl FnMut(Tensor) -> Tensor) -> Self;
}

impl Outputs<1> for Tensor {
    fn tensors(&self) -> Vec<&Tensor> {
        vec![self]
    }
    fn replaced(self, mut with: impl FnMut(Tensor) -> Tensor) -> Self {
        with(self)
    }
}

impl<const M: usize> Outputs<LIST> for [Tensor; M] {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }
    fn replaced(self, with: impl FnMut(Tensor) -> Tensor) -> Self {
        self.map(with)
    }
}

impl Outputs<LIST> for Vec<Tensor> {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }
    fn replaced(self, with: impl FnMut(Tensor) -> Tensor) -> Self {
        self.into_iter().map(with).collect()
    }
}

/// A gradient closure without its type: answers from the outputs' cotangents.
pub(super) type Closure = Box<dyn Fn(&[Tensor]) -> Result<Answers>>;

/// A gradient closure without its type, for a function with `N` outputs.
pub struct Rule<const N: usize> {
    pub(super) run: Closure,
    pub(super) variables: bool,
}

/// What the body of a custom gradient function yields.
#[diagnostic::on_unimplemented(
    message = "the body of a custom gradient function yields its outputs and a gradient closure",
    label = "this is `{Self}`, not a pair of outputs and closure",
    note = "end the body with `(outputs, move |dy: &Tensor| ...)`"
)]
pub trait Parts {
    /// The outputs.
    type Outputs;
    /// The closure.
    type Gradient;
    /// Both.
    fn parts(self) -> (Self::Outputs, Self::Gradient);
}

impl<O, G> Parts for (O, G) {
    type Outputs = O;
    type Gradient = G;
    fn parts(self) -> (O, G) {
        self
    }
}

/// The two halves of a `Result` type.
pub trait Fallible {
    /// The value.
    type Value;
    /// The error.
    type Error;
}

impl<T, E> Fallible for Result<T, E> {
    type Value = T;
    type Error = E;
}

/// A copy of what a reference parameter points to, for a gradient closure that outlives the call.
pub struct Kept<T: ToOwned + ?Sized>(T::Owned);

impl<T: ToOwned + ?Sized> Kept<T> {
    /// Copies; for a tensor or variable that is one more handle.
    pub fn new(value: &T) -> Self {
        Self(value.to_owned())
    }

    /// The copy, by reference as the parameter was.
    pub fn get(&self) -> &T {
        self.0.borrow()
    }
}
