//! Places that are lent while a later operand jumps: Rust outside of the attribute allows what a jump inside, which hands over what
//! it takes along, would not. The parser calls it for every operator and call.

use super::super::analyse::place::Place;
use super::super::analyse::{activity, aliasing, host, jumps};
use super::super::ast::*;
use super::Parser;
use crate::names::hidden_at;
use syn::{Expr as Syntax, UnOp, parse_quote_spanned};

impl Parser {
    /// An operator or a call. Where later operands jump while earlier ones lend what the jump takes along, those that jump are
    /// evaluated in front of it: naming a place does nothing that could come too late.
    pub fn operation(&mut self, syntax: Syntax, mut parts: Vec<Expr>) -> Kind {
        self.truth_assigned(&syntax, &parts);
        let is_operation = matches!(
            syntax,
            Syntax::Binary(_) | Syntax::Call(_) | Syntax::MethodCall(_) | Syntax::Tuple(_) | Syntax::Array(_)
        );
        let jumps = |part: &Expr| !jumps::expr_escapes(part).is_empty();
        if !is_operation || !parts[1..].iter().any(jumps) {
            return Kind::Plain(syntax, parts);
        }
        let (places, others): (Vec<&Expr>, Vec<&Expr>) = parts.iter().partition(|part| names_a_place(part));
        if !others.iter().all(|part| jumps(part) && !self.changes(part, &places)) {
            return Kind::Plain(syntax, parts);
        }
        let span = parts[0].span;
        let mut stmts = Vec::new();
        for part in parts.iter_mut().filter(|part| !names_a_place(part)) {
            let name = hidden_at(&format!("operand{}", self.vars.len()), part.span);
            let var = self.hidden(&name);
            let named = Expr { kind: Kind::Var(var, parse_quote_spanned!(part.span=> #name)), span: part.span };
            let init = Some(std::mem::replace(part, named));
            let syn::Stmt::Local(syntax) = parse_quote_spanned!(span=> let #name = hole;) else { continue };
            stmts.push(Stmt::Let(Let { syntax, vars: var..var + 1, init, diverge: None }));
        }
        stmts.push(Stmt::Expr(Expr { kind: Kind::Plain(syntax, parts), span }, None));
        let block = Block { brace: syn::token::Brace(span), stmts };
        Kind::Block(Box::new(Braced { attrs: Vec::new(), is_unsafe: false, block }))
    }

    /// Whether an operand may change a variable that one of the places names, which would then be named too late.
    fn changes(&self, operand: &Expr, places: &[&Expr]) -> bool {
        let all = self.vars.len();
        let named: Vec<Var> = places.iter().flat_map(|place| activity::mentions(place, all)).collect();
        let changed = activity::writes([operand], all, 0, &self.vars);
        let handed_on = aliasing::handed_on([operand], None, all, 0, &self.vars);
        let is_named = |place: &Place| named.contains(&place.root);
        changed.iter().chain(&handed_on).any(is_named)
            || activity::mentions(operand, all).into_iter().any(|var| self.is_changing_closure(var))
    }
}

/// Whether evaluating an expression does nothing but name a place, or a constant.
fn names_a_place(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Leaf(_) | Kind::Var(..) => true,
        Kind::Plain(syntax, parts) => {
            let names = match syntax {
                Syntax::Unary(node) => matches!(node.op, UnOp::Deref(_)),
                Syntax::Index(_) => return names_a_place(&parts[0]) && is_number(&parts[1]),
                Syntax::Paren(_) | Syntax::Group(_) | Syntax::Reference(_) | Syntax::Field(_) => true,
                _ => false,
            };
            names && parts.iter().all(names_a_place)
        }
        _ => false,
    }
}

/// Whether evaluating an index does nothing but calculate.
fn is_number(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Plain(Syntax::Binary(node), parts) => !host::assigns(&node.op) && parts.iter().all(is_number),
        Kind::Plain(Syntax::Paren(_) | Syntax::Group(_) | Syntax::Cast(_), parts) => is_number(&parts[0]),
        _ => names_a_place(expr),
    }
}
