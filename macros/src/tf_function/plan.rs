//! What is decided of each construct that may be staged, written down for the emission.
//! `lower` makes the plans, `check` and `emit` read them.

use super::analyse::lists::Lists;
use super::analyse::place::Place;
use super::ast::*;
use std::collections::BTreeSet;

/// The plans of a function's constructs; none for those that stay Rust's own.
pub struct ConstructPlan {
    pub ifs: Vec<Option<Branch>>,
    /// By target.
    pub loops: Vec<Option<Looped>>,
    /// Variables that are put back somewhere, so that they must be `mut`.
    pub put_back: BTreeSet<Var>,
    /// Bodies with staged constructs of their own, by target.
    pub bodies: Vec<bool>,
    /// What the bodies of closures that branches of the graph may leave change of what they captured or were lent, by target.
    pub left: Vec<Vec<Place>>,
    /// Variables that a loop or a branch makes longer.
    pub lists: Lists,
}

/// What an `if` does.
#[derive(Debug)]
pub struct Branch {
    /// What the branches change and somebody needs afterwards, sorted.
    pub state: Vec<Place>,
    /// Of each, whether it has a value before.
    pub set: Vec<bool>,
    /// See [`hides`](super::analyse::activity::hides).
    pub hides: BTreeSet<Place>,
    /// Of each, whether it surely has a value when the first branch has left.
    pub set_left: Vec<bool>,
    /// Variables without a value before, which the branches yield.
    pub yields: Vec<Var>,
    /// Variables and fields that a branch moves and another one, or what follows a jump, still needs.
    pub keep_then: Vec<Place>,
    /// Those of them that the then-branch may have changed, and does not move.
    pub changed_then: BTreeSet<Place>,
    pub keep_other: Vec<Place>,
    /// Captured variables, of which a branch moves a copy: what a closure captures it may not be able to put back.
    pub copy_then: Vec<Var>,
    pub copy_other: Vec<Var>,
    pub leaves_then: bool,
    pub leaves_other: bool,
    /// Whether nothing follows it, because both branches always jump away.
    pub is_end: bool,
}

/// What a loop does.
#[derive(Debug)]
pub struct Looped {
    /// The state, sorted; both lists are parts of it.
    pub state: Vec<Place>,
    /// As [`Branch::hides`].
    pub hides: BTreeSet<Place>,
    /// What the next pass needs, as positions in `state`.
    pub head: Vec<usize>,
    /// What is needed after the loop.
    pub after: Vec<usize>,
    pub keep: Vec<Place>,
    /// As [`Branch::copy_then`].
    pub copy: Vec<Var>,
    /// Whether only a jump ends it, because nothing changes its condition.
    pub never_ends: bool,
    /// Whether the body may change what the items of a `for` lead to, and may be left.
    pub changes_items: bool,
    pub has_break: bool,
    pub has_value: bool,
    /// Whether the body may be left by a jump, the loop's own ones included.
    pub body_leaves: bool,
    /// Whether a jump in it leads further out.
    pub leaves: bool,
}
