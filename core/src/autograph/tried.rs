//! [`Tried`]: what the operator `?` may be asked of. Generated code asks where `?` may leave from a branch of the graph.

use std::ops::ControlFlow;

/// A value of which `?` makes a result, or leaves.
pub trait Tried {
    /// What it leaves with, in words; nothing where it goes on.
    fn leaves(&self) -> Option<&'static str>;
}

impl<T, E> Tried for Result<T, E> {
    fn leaves(&self) -> Option<&'static str> {
        self.is_err().then_some("an `Err`")
    }
}

impl<T> Tried for Option<T> {
    fn leaves(&self) -> Option<&'static str> {
        self.is_none().then_some("a `None`")
    }
}

impl<B, C> Tried for ControlFlow<B, C> {
    fn leaves(&self) -> Option<&'static str> {
        self.is_break().then_some("a `Break`")
    }
}
