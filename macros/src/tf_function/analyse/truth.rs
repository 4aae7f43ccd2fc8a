//! Which expressions are truth values by their text: a `bool` where numbers of Rust are compared, a tensor where tensors are.
//! The parser asks for what variables hold, emission for what is joined with a flag.

use super::super::ast::*;
use syn::{BinOp, Expr as Syntax, UnOp};

/// Whether an expression is a truth value by its text: a `bool` where it compares numbers of Rust, a tensor where it compares
/// tensors.
pub fn is_truth(expr: &Expr, vars: &[Variable]) -> bool {
    let truth = |expr: &Expr| is_truth(expr, vars);
    match &expr.inner().kind {
        Kind::Compare(_) | Kind::Logic(_) => true,
        Kind::Var(var, _) => vars[*var].truth.is,
        Kind::Plain(syntax, parts) => match syntax {
            Syntax::Unary(node) => matches!(node.op, UnOp::Not(_)) && truth(&parts[0]),
            Syntax::Binary(node) if matches!(node.op, BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_)) => {
                parts.iter().any(truth)
            }
            Syntax::MethodCall(node) => node.method == "clone" && truth(&parts[0]),
            Syntax::Call(_) => {
                is_constant(parts) || matches!(parts[0].kind, Kind::Var(var, _) if vars[var].truth.gives)
            }
            _ => false,
        },
        Kind::Block(node) => value(&node.block).is_some_and(truth),
        Kind::If(node) => {
            let sides = || Some([value(&node.then)?, value(node.other.as_ref()?)?]);
            node.lazy.is_some() || sides().is_some_and(|sides| are_truths(sides.into_iter(), vars))
        }
        Kind::Match(node) => are_truths(node.arms.iter().map(|arm| &arm.body), vars),
        _ => false,
    }
}

/// The value of a block.
fn value(block: &Block) -> Option<&Expr> {
    match block.stmts.last() {
        Some(Stmt::Expr(value, None)) => Some(value),
        _ => None,
    }
}

/// Whether values of which one is taken are truth values: one surely, and the others so or literals.
fn are_truths<'a>(values: impl Iterator<Item = &'a Expr> + Clone, vars: &[Variable]) -> bool {
    values.clone().any(|value| is_truth(value, vars))
        && values.into_iter().all(|value| is_truth(value, vars) || is_literal(value))
}

/// Whether an operator joins truth values.
pub fn joins(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(op, BitAnd(_) | BitOr(_) | BitXor(_) | BitAndAssign(_) | BitOrAssign(_) | BitXorAssign(_))
}

/// `true` or `false`.
pub fn is_literal(expr: &Expr) -> bool {
    matches!(&expr.inner().kind, Kind::Leaf(Syntax::Lit(value)) if matches!(value.lit, syn::Lit::Bool(_)))
}

/// `tf::constant(false)`, which is where a flag of the graph begins.
fn is_constant(parts: &[Expr]) -> bool {
    let [Expr { kind: Kind::Leaf(Syntax::Path(function)), .. }, Expr { kind: Kind::Leaf(Syntax::Lit(value)), .. }] =
        parts
    else {
        return false;
    };
    matches!(value.lit, syn::Lit::Bool(_)) && function.path.segments.last().is_some_and(|last| last.ident == "constant")
}
