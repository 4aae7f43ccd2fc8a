//! Loops that only a jump ends: what a trace unrolled would have no end. The staging and the planner ask.

use super::super::ast::*;
use super::activity;
use super::place::Place;
use std::collections::BTreeSet;
use syn::Expr as Syntax;

/// Whether a loop's condition is always true, or what it always was.
pub fn never_ends(node: &Loop, vars: &[Variable]) -> bool {
    let LoopKind::While(cond) = &node.kind else { return node.is_endless() };
    let mut changed = activity::writes([cond], node.vars.start, 0, vars);
    changed.extend(activity::block_writes([&node.body], node.vars.start, 0, vars));
    node.is_endless() || is_constant(cond, &changed)
}

/// Whether a condition is the same in all rounds, by its text: no part of it changes.
fn is_constant(cond: &Expr, changed: &BTreeSet<Place>) -> bool {
    let all = |parts: &[Expr]| parts.iter().all(|part| is_constant(part, changed));
    match &cond.kind {
        Kind::Leaf(_) => true,
        Kind::Var(var, _) => changed.iter().all(|place| place.root != *var),
        Kind::Compare(node) => is_constant(&node.left, changed) && is_constant(&node.right, changed),
        Kind::Logic(node) => is_constant(&node.left, changed) && is_constant(&node.right, changed),
        Kind::Plain(Syntax::Binary(_) | Syntax::Unary(_) | Syntax::Paren(_) | Syntax::Group(_), parts) => all(parts),
        Kind::Plain(Syntax::Field(_) | Syntax::Cast(_) | Syntax::Reference(_), parts) => all(parts),
        _ => false,
    }
}
