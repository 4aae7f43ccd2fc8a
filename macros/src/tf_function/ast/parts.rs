//! Questions to the tree: what an expression is made of, and what its form alone says about it.
//! Every stage after parsing walks with [`parts`].

use super::{Block, Expr, If, Kind, Loop, LoopKind, Stmt};
use syn::Expr as Syntax;

impl If {
    /// Whether its value is borrowed mutably, so that Rust alone can choose it.
    pub fn lends(&self) -> bool {
        lends(&self.then) || self.other.as_ref().is_some_and(lends)
    }
}

fn lends(block: &Block) -> bool {
    let Some(Stmt::Expr(value, None)) = block.stmts.last() else { return false };
    match &value.inner().kind {
        Kind::Plain(Syntax::Reference(node), _) => node.mutability.is_some(),
        Kind::Block(node) => lends(&node.block),
        Kind::If(node) => node.lends(),
        _ => false,
    }
}

impl Loop {
    /// Whether only a jump ends it, whatever Rust's own values are.
    pub fn is_endless(&self) -> bool {
        match &self.kind {
            LoopKind::Loop => true,
            LoopKind::While(cond) => matches!(cond.inner().kind, Kind::Leaf(_)),
            _ => false,
        }
    }
}

impl Expr {
    /// What parentheses and invisible groups hold.
    pub fn inner(&self) -> &Expr {
        match &self.kind {
            Kind::Plain(Syntax::Paren(_) | Syntax::Group(_), parts) => parts[0].inner(),
            _ => self,
        }
    }
}

/// The parts of a left side of `=` that takes a value apart, which are left sides themselves: `(a, b) = ..`, `[a, b] = ..`,
/// `S { a, b } = ..`, `S(a, b) = ..`. None where the side is one place.
pub fn assigned_parts(left: &Expr) -> Option<&[Expr]> {
    match &left.kind {
        Kind::Plain(Syntax::Call(_), parts) => Some(&parts[1..]),
        Kind::Plain(
            Syntax::Tuple(_) | Syntax::Array(_) | Syntax::Struct(_) | Syntax::Paren(_) | Syntax::Group(_),
            parts,
        ) => Some(parts),
        _ => None,
    }
}

/// Calls `visit` for every direct part of an expression, in the order of the text; blocks count by their statements.
pub fn parts<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        Kind::Leaf(_) | Kind::Var(..) => {}
        Kind::Plain(_, parts) => parts.iter().for_each(visit),
        Kind::Compare(compare) => [&compare.left, &compare.right].into_iter().for_each(visit),
        Kind::Logic(logic) => [&logic.left, &logic.right].into_iter().for_each(visit),
        Kind::Let(_, scrutinee) => visit(scrutinee),
        Kind::Block(braced) => block_parts(&braced.block, visit),
        Kind::If(node) => {
            visit(&node.cond);
            block_parts(&node.then, visit);
            node.other.iter().for_each(|block| block_parts(block, visit));
        }
        Kind::Loop(node) => {
            match &node.kind {
                LoopKind::While(cond) | LoopKind::WhileLet(cond) => visit(cond),
                LoopKind::For { over, .. } => visit(over),
                LoopKind::Loop | LoopKind::Once => {}
            }
            block_parts(&node.body, visit);
        }
        Kind::Match(node) => {
            visit(&node.scrutinee);
            for arm in &node.arms {
                arm.guard.iter().for_each(&mut *visit);
                visit(&arm.body);
            }
        }
        Kind::Closure(node) => visit(&node.body),
        Kind::Jump(node) => node.value.iter().for_each(visit),
        Kind::Macro(node) => node.args.iter().for_each(visit),
    }
}

/// As [`parts`], of a block.
pub fn block_parts<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Expr)) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let(node) => node.init.iter().chain(&node.diverge).for_each(&mut *visit),
            Stmt::Expr(expr, _) => visit(expr),
            Stmt::Item(_) => {}
        }
    }
}
