//! Which constructs a part of the function may leave by a jump.

use super::super::ast::*;
use std::collections::BTreeSet;

/// What jumps in a block lead to, as far as it is outside of the block. A failing `panic!` leaves the body.
pub fn escapes(block: &Block) -> BTreeSet<Target> {
    let mut search = JumpVisitor::default();
    block_parts(block, &mut |expr| search.expr(expr));
    search.targets.difference(&search.inside).copied().collect()
}

/// As [`escapes`], of a closure's body.
pub fn expr_escapes(body: &Expr) -> BTreeSet<Target> {
    let mut search = JumpVisitor::default();
    search.expr(body);
    search.targets.difference(&search.inside).copied().collect()
}

/// Whether nothing follows an `if`, because both branches always jump away, as rustc sees it too.
pub fn is_end(node: &If) -> bool {
    always_leaves(&node.then) && node.other.as_ref().is_some_and(always_leaves)
}

fn always_leaves(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Expr(expr, _) => expr_leaves(expr),
        Stmt::Let(node) => node.init.as_ref().is_some_and(expr_leaves),
        Stmt::Item(_) => false,
    })
}

fn expr_leaves(expr: &Expr) -> bool {
    match &expr.inner().kind {
        Kind::Jump(_) => true,
        Kind::Macro(node) => matches!(node.kind, MacroKind::Panic { .. }),
        Kind::Block(node) => always_leaves(&node.block),
        Kind::If(node) => is_end(node),
        Kind::Match(node) => !node.arms.is_empty() && node.arms.iter().all(|arm| expr_leaves(&arm.body)),
        _ => false,
    }
}

/// Whether a loop or labelled block is left by `break` in some expression, and by one with a value.
pub fn breaks(body: &Block, target: Target) -> (bool, bool) {
    let mut search = JumpVisitor::default();
    block_parts(body, &mut |expr| search.expr(expr));
    let mut own = search.breaks.iter().filter(|(to, _)| *to == target).peekable();
    (own.peek().is_some(), own.any(|(_, value)| *value))
}

#[derive(Default)]
struct JumpVisitor {
    targets: BTreeSet<Target>,
    inside: BTreeSet<Target>,
    breaks: Vec<(Target, bool)>,
}

impl JumpVisitor {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            // Jumps in a closure are its own.
            Kind::Closure(_) => return,
            Kind::Jump(jump) => {
                self.targets.insert(jump.target);
                if jump.kind == JumpKind::Break {
                    self.breaks.push((jump.target, jump.value.is_some()));
                }
            }
            Kind::Macro(node) if matches!(node.kind, MacroKind::Panic { .. }) => {
                self.targets.insert(node.target);
            }
            Kind::Loop(node) => {
                self.inside.insert(node.target);
            }
            _ => {}
        }
        parts(expr, &mut |part| self.expr(part));
    }
}
