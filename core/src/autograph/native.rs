//! The protocol objects of generated code, for functions that run operation by operation: every condition is known, so
//! each branch and jump is Rust's own.

use super::dispatch::{Cond, Nest, Place, Slot, Table};
use crate::error::OrFail;
use crate::module::Module;
use std::any::TypeId;
use std::marker::PhantomData;
use std::panic::Location;

/// The attributes of a traced function.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most traces that are kept.
    pub max_traces: Option<usize>,
    /// Whether a changed dimension becomes a symbol.
    pub relax_shapes: bool,
}

/// A function that can be traced: one per definition.
#[derive(Debug)]
pub struct Function {
    name: &'static str,
    options: Options,
    location: &'static Location<'static>,
}

impl Function {
    /// A function without traces.
    #[track_caller]
    pub const fn new(name: &'static str, options: Options) -> Self {
        Self { name, options, location: Location::caller() }
    }
}

/// One call of a function.
#[derive(Debug)]
pub struct Call {
    function: &'static Function,
    instance: TypeId,
}

impl Call {
    /// A call of one instance of a function.
    pub fn new(function: &'static Function, instance: TypeId) -> Self {
        let _ = (function.name, function.options, function.location);
        Self { function, instance }
    }

    /// The result, if a trace for these arguments exists.
    pub fn ready<R>(&mut self) -> Option<R> {
        let _ = (self.function, self.instance);
        None
    }

    pub(crate) fn note_nest<T: Nest>(&mut self, _: &'static str, _: &T) {}
    pub(crate) fn note_slice<T: Nest>(&mut self, _: &'static str, _: &[T]) {}
    pub(crate) fn note_option<T: Nest>(&mut self, _: &'static str, _: Option<&T>) {}
    pub(crate) fn note_module(&mut self, _: &'static str, _: &dyn Module) {}
    pub(crate) fn note_opaque<T>(&mut self, _: &'static str) {}

    /// A copy whose tensors are symbols, while a trace is made.
    pub(crate) fn symbols<T: Nest>(&self, _: usize, _: &T) -> Option<T> {
        None
    }
    pub(crate) fn symbols_of_slice<T: Nest>(&self, _: usize, _: &[T]) -> Option<Vec<T>> {
        None
    }

    /// Keeps a copy for as long as the call.
    pub(crate) fn lend<T>(&self, value: T) -> &T {
        // Never reached: there are no copies without a trace.
        Box::leak(Box::new(value))
    }
}

/// The body of a function, or of a closure in one.
pub struct Fun<R>(PhantomData<fn() -> R>);

impl<R> Fun<R> {
    /// The function's own body.
    pub fn enter(_: &Call, _: Slot<R>, _: &'static Table) -> Self {
        Self(PhantomData)
    }

    /// A closure's body.
    pub fn closure(_: Slot<R>, _: &'static Table) -> Self {
        Self(PhantomData)
    }

    /// Whether both branches of a condition may run, so that moved values are needed twice.
    pub fn tracing(&self) -> bool {
        false
    }

    /// `return value`: the value again where the host leaves.
    pub fn ret(&mut self, value: R) -> Option<R> {
        Some(value)
    }

    /// `panic!(..)`: returns only where a graph records it as a failing assertion.
    #[track_caller]
    pub fn panic(&mut self, message: std::fmt::Arguments<'_>) {
        panic!("{message}")
    }

    /// The end of the body.
    pub fn finish(self, value: R) -> R {
        value
    }

    /// The end of a body whose every path in the graph has left.
    pub fn finish_left(self) -> R {
        super::rt::never()
    }
}

/// An `if` with value `V`.
pub struct If<V> {
    holds: bool,
    value: PhantomData<fn() -> V>,
}

/// After a then-block.
#[derive(Debug)]
pub enum Then<V> {
    /// The host took it: leave with the value.
    Done(V),
    /// Both branches are recorded: go on with the other one.
    Else,
}

/// After an else-block.
#[derive(Debug)]
pub enum Else<V> {
    /// The value of the whole.
    Val(V),
    /// Every path has left.
    Left,
}

impl<V> If<V> {
    /// An `if` on a condition; `state` is what its branches change. Variables without a value before are yielded: they
    /// stand behind the value, which is a tuple then.
    #[track_caller]
    pub fn new(_: Slot<V>, condition: Cond, _state: &[Place<'_>], _yields: &'static [&'static str]) -> Self {
        Self { holds: condition.decide().or_fail(), value: PhantomData }
    }

    /// Whether to run the then-block.
    pub fn then(&mut self) -> bool {
        self.holds
    }

    /// The then-block came to its end.
    pub fn end_then(&mut self, value: V, _: &'static Table, _: &mut [Place<'_>]) -> Then<V> {
        Then::Done(value)
    }

    /// The then-block was left by a jump; whether the host has to go on leaving.
    pub fn left_then(&mut self, _: &mut [Place<'_>]) -> bool {
        true
    }

    /// The else-block begins.
    pub fn otherwise(&mut self) {}

    /// The else-block came to its end.
    pub fn end_else(&mut self, value: V, _: &'static Table, _: &mut [Place<'_>]) -> Else<V> {
        Else::Val(value)
    }

    /// The else-block was left by a jump.
    pub fn left_else(&mut self, _: &'static Table, _: &mut [Place<'_>]) -> Else<V> {
        Else::Left
    }
}

/// A loop with value `V`.
pub struct While<V> {
    value: PhantomData<fn() -> V>,
}

/// After a loop's condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// The loop is over.
    Exit,
    /// Evaluate the condition once more.
    Again,
    /// Run the body.
    Body,
}

/// After a loop's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The loop is over.
    Over,
    /// Go on.
    More,
    /// Every path has left.
    Left,
}

impl<V> While<V> {
    /// A loop; `bounded` if its condition ends it sooner or later, whatever its body does.
    pub fn new(_: Slot<V>, _state: &'static [&'static str], _bounded: bool) -> Self {
        Self { value: PhantomData }
    }

    /// The head of each pass.
    pub fn head(&mut self, _: &mut [Place<'_>]) {}

    /// The condition.
    #[track_caller]
    pub fn test(&mut self, condition: Cond, _: &mut [Place<'_>]) -> Test {
        if condition.decide().or_fail() { Test::Body } else { Test::Exit }
    }

    /// The end of the body; `fell` unless a jump led there.
    pub fn next(&mut self, _: &mut [Place<'_>], _fell: bool) -> Next {
        Next::More
    }

    /// `break`: whether the host breaks.
    pub fn brk(&mut self, _: &mut [Place<'_>]) -> bool {
        true
    }

    /// `continue`: whether the host continues.
    pub fn cont(&mut self, _: &mut [Place<'_>]) -> bool {
        true
    }

    /// `break value`: the value again where the host breaks.
    pub fn brk_value(&mut self, value: V, _: &'static Table, _: &mut [Place<'_>]) -> Option<V> {
        Some(value)
    }

    /// The loop is over: what follows sees the state with which it was left.
    pub fn after(&mut self, _: &mut [Place<'_>]) {}

    /// As [`after`](Self::after), for a loop whose breaks have values.
    pub fn after_value(&mut self, value: V, _: &'static Table, _: &mut [Place<'_>]) -> V {
        value
    }

    /// The value of a loop whose breaks are part of the graph.
    pub fn value(&mut self) -> V {
        super::rt::never()
    }
}
