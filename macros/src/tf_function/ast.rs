//! The function as the macro sees it: control flow, scopes and variables as nodes of their own, all other expressions as
//! the user's text with their parts taken out. `parse` makes it, the analyses read it, `emit` puts the parts back.

mod hints;
mod parts;

pub use hints::*;
pub use parts::*;

use proc_macro2::{Ident, Span};
use std::ops::Range;
use syn::{Expr as Syntax, Pat};

/// A local variable, by the order of the declarations.
pub type Var = usize;
/// An `if`, by the order of the text.
pub type IfId = usize;
/// Something that can be jumped out of: a loop, a labelled block, or a body.
pub type Target = usize;

/// A local variable of the function.
#[derive(Debug)]
pub struct Variable {
    /// What it is called in the code that is made.
    pub ident: Ident,
    /// What the user calls it.
    pub name: String,
    /// Declared `mut`.
    pub mutable: bool,
    pub hint: Hint,
    /// Declared by `let x;`.
    pub deferred: bool,
    /// Declared by a whole `let x` or parameter `x`, not inside a pattern.
    pub plain: bool,
    /// What a closure that is bound to it captures.
    pub captures: Vec<Var>,
    /// A closure's parameter whose type is not known where it is used.
    pub open: bool,
    /// Surely of a type of the user's, whose methods may be called as those of the library.
    pub own: bool,
    /// Whether it may lead to something that others see, for all that the text says.
    pub lends: bool,
    /// Surely a map of the standard library.
    pub map: bool,
    /// Surely a `Vec` or an array.
    pub list: bool,
    /// What it has to do with truth values.
    pub truth: Truth,
    /// What an iterator of Rust gives.
    pub items: Option<super::analyse::pattern_references::Reference>,
}

pub struct Block {
    pub brace: syn::token::Brace,
    pub stmts: Vec<Stmt>,
}

#[allow(clippy::large_enum_variant, reason = "bodies are small, and a box per statement would only hide it")]
pub enum Stmt {
    Let(Let),
    /// The last one without a semicolon is the block's value.
    Expr(Expr, Option<syn::Token![;]>),
    /// A nested item, which is not looked into.
    Item(syn::Item),
}

pub struct Let {
    /// With the initial value and the `else` taken out.
    pub syntax: syn::Local,
    pub vars: Range<Var>,
    pub init: Option<Expr>,
    pub diverge: Option<Expr>,
}

pub struct Expr {
    pub kind: Kind,
    pub span: Span,
}

pub enum Kind {
    /// Without variables or parts: literals, paths to items.
    Leaf(Syntax),
    Var(Var, Syntax),
    /// Any expression that evaluates its parts and nothing else, with the parts taken out.
    Plain(Syntax, Vec<Expr>),
    /// `a < b` and its like.
    Compare(Box<Compare>),
    /// `a && b`, `a || b`.
    Logic(Box<Logic>),
    /// `let` in a condition, with the scrutinee taken out.
    Let(syn::ExprLet, Box<Expr>),
    Block(Box<Braced>),
    If(Box<If>),
    Loop(Box<Loop>),
    Match(Box<Match>),
    Closure(Box<Closure>),
    Jump(Box<Jump>),
    Macro(Box<Macro>),
}

pub struct Compare {
    pub op: syn::BinOp,
    pub left: Expr,
    pub right: Expr,
}

pub struct Logic {
    pub op: syn::BinOp,
    pub left: Expr,
    pub right: Expr,
}

/// A block as an expression.
pub struct Braced {
    pub attrs: Vec<syn::Attribute>,
    pub is_unsafe: bool,
    pub block: Block,
}

pub struct If {
    pub id: IfId,
    pub token: syn::Token![if],
    pub cond: Expr,
    pub then: Block,
    pub other: Option<Block>,
    /// Whether Rust itself matches patterns in the condition.
    pub matches: bool,
    /// Of one that was `&&` or `||`.
    pub lazy: Option<Lazy>,
    /// The variables of these patterns.
    pub bound: Vec<Var>,
    /// The variables declared inside.
    pub vars: Range<Var>,
}

/// What decides with the right side of an `&&` or `||`.
pub struct Lazy {
    /// The run time's object.
    pub logic: Ident,
    pub is_and: bool,
}

pub struct Loop {
    pub target: Target,
    pub label: Option<syn::Label>,
    pub kind: LoopKind,
    /// The variables of its pattern.
    pub bound: Vec<Var>,
    pub body: Block,
    pub vars: Range<Var>,
    pub span: Span,
}

pub enum LoopKind {
    While(Expr),
    /// `while let`
    WhileLet(Expr),
    Loop,
    For {
        pat: Box<Pat>,
        over: Expr,
    },
    /// A labelled block, which is a loop that always breaks.
    Once,
}

pub struct Match {
    pub syntax: syn::ExprMatch,
    pub scrutinee: Expr,
    pub arms: Vec<Arm>,
}

pub struct Arm {
    /// With guard and body taken out.
    pub syntax: syn::Arm,
    pub guard: Option<Expr>,
    pub body: Expr,
    /// The variables of its pattern.
    pub bound: Range<Var>,
    pub vars: Range<Var>,
}

pub struct Closure {
    pub target: Target,
    /// With the body taken out.
    pub syntax: syn::ExprClosure,
    pub body: Expr,
    /// How many of the variables are parameters.
    pub params: usize,
    /// Those of which the text does not tell the type.
    pub untyped: Vec<Var>,
    pub vars: Range<Var>,
    /// Whether it is bound to a name that is not `mut`: what it captures, its calls leave as it is.
    pub fixed: bool,
}

pub struct Jump {
    pub kind: JumpKind,
    pub target: Target,
    /// With the value taken out.
    pub syntax: Syntax,
    pub value: Option<Expr>,
    /// Variables that cannot be named here, with those that hide them.
    pub hidden: Vec<(Var, Var)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JumpKind {
    Break,
    Continue,
    Return,
}

pub struct Macro {
    pub kind: MacroKind,
    pub mac: syn::Macro,
    /// The expressions among the arguments, as far as they are known.
    pub args: Vec<Expr>,
    /// Variables that are only seen as words: in format texts, and in macros that are not known.
    pub mentions: Vec<Var>,
    /// For `panic!` and its like.
    pub target: Target,
}

pub enum MacroKind {
    /// `println!`, `print!`, `eprintln!`, `eprint!`.
    Print {
        error: bool,
        newline: bool,
        format: Option<Format>,
    },
    Dbg,
    /// `assert!`, `debug_assert!`: a condition, and perhaps a message.
    Assert {
        debug: bool,
        message: Option<Format>,
    },
    /// `assert_eq!`, `assert_ne!` and their `debug_` forms.
    AssertEqual {
        debug: bool,
        negated: bool,
        message: Option<Format>,
    },
    /// `panic!`, `unreachable!`, `todo!`, `unimplemented!`.
    Panic {
        prefix: &'static str,
        message: Option<Format>,
    },
    /// A macro of the standard library that takes a list of expressions, such as `vec!`.
    List,
    /// `vec![x; n]`
    Repeat,
    /// A formatting macro that is not staged, `format!`, `write!`; the arguments before the format come first.
    Format(Option<Format>),
    /// Passed through as it is.
    Unknown,
}

/// A format text with its arguments: `args[from..]` of the macro.
pub struct Format {
    pub literal: syn::LitStr,
    pub from: usize,
    /// The names of named arguments.
    pub names: Vec<Option<Ident>>,
}

/// A function, parsed.
pub struct Function {
    pub item: syn::ItemFn,
    pub options: super::args::Options,
    pub params: Vec<Param>,
    pub body: Block,
    pub vars: Vec<Variable>,
    pub ifs: usize,
    pub targets: usize,
}

/// A parameter other than `self`.
pub struct Param {
    pub pat: Pat,
    pub vars: Range<Var>,
    /// The only variable, of a plain name.
    pub var: Option<Var>,
}

/// The body's own target: what `return` leaves.
pub const BODY: Target = 0;
