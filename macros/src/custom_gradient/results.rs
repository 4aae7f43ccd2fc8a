//! Where a body yields its results: the tail expression, the branches it consists of, and each `return`.
//! `check` reads these places and `emit` rewrites them, so both walk them here.

use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Block, Expr, ExprCall, Item, Stmt};

/// What stands at such a place.
pub enum ResultPosition {
    /// A pair is expected.
    Pair,
    /// A `Result` of a pair is expected, and the expression is not written `Ok(..)`.
    ResultOfPair,
}

/// Calls `visit` at every place where the body yields its result; answers whether the block has a tail at all.
pub fn for_each(block: &mut Block, fallible: bool, visit: &mut dyn FnMut(&mut Expr, ResultPosition)) -> bool {
    // The returns first: afterwards the places hold generated code.
    Returns { fallible, visit }.visit_block_mut(block);
    tail(block, fallible, visit)
}

struct Returns<'a> {
    fallible: bool,
    visit: &'a mut dyn FnMut(&mut Expr, ResultPosition),
}

impl VisitMut for Returns<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            // A `return` in there belongs to it.
            Expr::Closure(_) | Expr::Async(_) => return,
            _ => visit_expr_mut(self, expr),
        }
        if let Expr::Return(returned) = expr
            && let Some(value) = &mut returned.expr
        {
            result(value, self.fallible, self.visit);
        }
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

fn tail(block: &mut Block, fallible: bool, visit: &mut dyn FnMut(&mut Expr, ResultPosition)) -> bool {
    match block.stmts.last_mut() {
        Some(Stmt::Expr(expr, None)) => {
            result(expr, fallible, visit);
            true
        }
        // `return x;` and `panic!()` end a body as well.
        Some(Stmt::Expr(expr, Some(_))) => diverges(expr),
        Some(Stmt::Macro(stmt)) => stmt.semi_token.is_none() || never(&stmt.mac),
        _ => false,
    }
}

fn result(expr: &mut Expr, fallible: bool, visit: &mut dyn FnMut(&mut Expr, ResultPosition)) {
    match expr {
        Expr::Block(block) if block.label.is_none() => drop(tail(&mut block.block, fallible, visit)),
        Expr::Unsafe(block) => drop(tail(&mut block.block, fallible, visit)),
        Expr::If(branch) => {
            tail(&mut branch.then_branch, fallible, visit);
            if let Some((_, other)) = &mut branch.else_branch {
                result(other, fallible, visit);
            }
        }
        Expr::Match(choice) => choice.arms.iter_mut().for_each(|arm| result_of_arm(arm, fallible, visit)),
        Expr::Paren(inner) => result(&mut inner.expr, fallible, visit),
        Expr::Group(inner) => result(&mut inner.expr, fallible, visit),
        Expr::Call(call) if fallible && calls(call, "Ok") && call.args.len() == 1 => {
            result(&mut call.args[0], false, visit);
        }
        Expr::Call(call) if fallible && calls(call, "Err") => {}
        expr if diverges(expr) => {}
        expr if fallible => visit(expr, ResultPosition::ResultOfPair),
        expr => visit(expr, ResultPosition::Pair),
    }
}

fn result_of_arm(arm: &mut syn::Arm, fallible: bool, visit: &mut dyn FnMut(&mut Expr, ResultPosition)) {
    result(&mut arm.body, fallible, visit);
}

fn calls(call: &ExprCall, name: &str) -> bool {
    matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == name))
}

/// Whether control does not come out of an expression at its end.
fn diverges(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Loop(_) => true,
        Expr::Macro(expr) => never(&expr.mac),
        _ => false,
    }
}

fn never(mac: &syn::Macro) -> bool {
    let last = mac.path.segments.last();
    last.is_some_and(|s| ["panic", "unreachable", "todo", "unimplemented"].iter().any(|name| s.ident == name))
}
