//! What the text alone says of a variable: what kind of value it holds, and what it has to do with truth values.
//! The parser fills it in, the analyses and emission read it.

use super::Var;

/// What the text alone says of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    /// Nothing.
    Unknown,
    /// Surely a host value: a `bool`, a number of Rust, a text.
    Host,
    /// A mutable reference.
    Exclusive,
    /// A reference, which is copied and never moved.
    Shared,
    /// Surely no reference: what is moved out of it can be put back.
    Owned,
}

/// What a variable has to do with truth values.
#[derive(Default, Debug)]
pub struct Truth {
    /// It holds one, of Rust or of the graph, which is copied as a `bool` is.
    pub is: bool,
    /// It begins with a literal, so that its type is inferred from what it is given.
    pub flag: bool,
    /// Of a flag: whether it is given what tells its type.
    pub told: bool,
    /// Of a flag: whether something tells it that is made of no flags.
    pub alone: bool,
    /// Of a flag: the other flags that it is given.
    pub given: Vec<Var>,
    /// It is a closure whose value is one.
    pub gives: bool,
}
