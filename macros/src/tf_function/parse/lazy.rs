//! `&&` and `||`: where the right side may change something or jump, they are an `if`, whose branches see what each way does.
//! The parser calls it for each of them.

use super::super::analyse::{activity, aliasing, host, jumps};
use super::super::ast::*;
use super::Parser;
use super::text::{has_let, hole, take};
use crate::names::hidden_at;
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{BinOp, Expr as Syntax, parse_quote_spanned};

impl Parser {
    pub fn lazy(&mut self, mut node: syn::ExprBinary) -> Kind {
        let has_patterns = has_let(&node.left) || has_let(&node.right);
        let start = self.vars.len();
        let left = self.expr(take(&mut node.left));
        let inside = self.vars.len();
        let right = self.expr(take(&mut node.right));
        if has_patterns || host::surely(&left, &self.vars) || !self.acts(&right, inside) {
            return Kind::Logic(Box::new(Logic { op: node.op, left, right }));
        }
        let (id, at) = (self.ifs, node.op.span());
        self.ifs += 1;
        let logic = hidden_at(&format!("logic{id}"), at);
        let is_and = matches!(node.op, BinOp::And(_));
        let block = |value: Expr| Block { brace: syn::token::Brace(value.span), stmts: vec![Stmt::Expr(value, None)] };
        let short = Expr { kind: Kind::Leaf(parse_quote_spanned!(at=> #logic.short())), span: at };
        let (right, short) = (block(decides(&logic, right, at)), block(short));
        let (then, other) = if is_and { (right, short) } else { (short, right) };
        let vars = start..self.vars.len();
        let lazy = Some(Lazy { logic, is_and });
        Kind::If(Box::new(If {
            id,
            token: syn::Token![if](at),
            cond: left,
            then,
            other: Some(other),
            matches: false,
            lazy,
            bound: Vec::new(),
            vars,
        }))
    }

    /// Whether a variable is a closure that changes what it holds.
    pub fn is_changing_closure(&self, var: Var) -> bool {
        self.vars[var].mutable && !self.vars[var].captures.is_empty()
    }

    /// Whether an expression may change something that was there before it, or jump.
    fn acts(&self, expr: &Expr, below: Var) -> bool {
        !activity::writes([expr], below, 0, &self.vars).is_empty()
            || !aliasing::handed_on([expr], None, below, 0, &self.vars).is_empty()
            || !jumps::expr_escapes(expr).is_empty()
            || activity::mentions(expr, below).into_iter().any(|var| self.is_changing_closure(var))
    }
}

/// `logic.right(&(value))`, in the text of the operator.
fn decides(logic: &Ident, value: Expr, at: Span) -> Expr {
    let span = value.span;
    let lent = Kind::Plain(parse_quote_spanned!(at=> &hole), vec![value]);
    let mut call: syn::ExprMethodCall = parse_quote_spanned!(at=> #logic.right(hole));
    let receiver = std::mem::replace(&mut *call.receiver, hole());
    call.args = std::iter::once(hole()).collect();
    let parts = vec![Expr { kind: Kind::Leaf(receiver), span: at }, Expr { kind: lent, span }];
    Expr { kind: Kind::Plain(Syntax::MethodCall(call), parts), span }
}
