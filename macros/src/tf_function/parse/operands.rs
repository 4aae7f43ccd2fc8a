//! What operands are to Rust outside of the attribute and would not be inside: truth values that are copied, and places that
//! are lent while a later operand jumps. The parser calls it for `let` and for every operator and call.

use super::super::analyse::jumps;
use super::super::ast::*;
use super::Parser;
use crate::names::hidden_at;
use syn::{BinOp, Expr as Syntax, UnOp, parse_quote_spanned};

/// Whether an expression is a truth value by its text: a `bool` where it compares numbers of Rust, a tensor where it compares
/// tensors.
pub fn is_truth(expr: &Expr, vars: &[Variable]) -> bool {
    let truth = |expr: &Expr| is_truth(expr, vars);
    match &expr.inner().kind {
        Kind::Compare(_) | Kind::Logic(_) => true,
        Kind::Var(var, _) => vars[*var].truth,
        Kind::Plain(syntax, parts) => match syntax {
            Syntax::Unary(node) => matches!(node.op, UnOp::Not(_)) && truth(&parts[0]),
            Syntax::Binary(node) if matches!(node.op, BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_)) => {
                parts.iter().any(truth)
            }
            Syntax::MethodCall(node) => node.method == "clone" && truth(&parts[0]),
            Syntax::Call(_) => is_constant(parts),
            _ => false,
        },
        Kind::Block(node) => is_truth_block(&node.block, vars),
        Kind::If(node) => {
            let is_truth = |block| is_truth_block(block, vars);
            node.lazy.is_some() || is_truth(&node.then) && node.other.as_ref().is_some_and(is_truth)
        }
        _ => false,
    }
}

fn is_truth_block(block: &Block, vars: &[Variable]) -> bool {
    matches!(block.stmts.last(), Some(Stmt::Expr(value, None)) if is_truth(value, vars))
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

impl Parser {
    /// An operator or a call. Where later operands jump while earlier ones lend what the jump takes along, those that jump are
    /// evaluated in front of it: naming a place does nothing that could come too late.
    pub fn operation(&mut self, syntax: Syntax, mut parts: Vec<Expr>) -> Kind {
        let is_operation = matches!(
            syntax,
            Syntax::Binary(_) | Syntax::Call(_) | Syntax::MethodCall(_) | Syntax::Tuple(_) | Syntax::Array(_)
        );
        let jumps = |part: &Expr| !jumps::expr_escapes(part).is_empty();
        if !is_operation || !parts[1..].iter().any(jumps) {
            return Kind::Plain(syntax, parts);
        }
        let lends = parts.iter().any(|part| names_a_place(part) && !matches!(part.kind, Kind::Leaf(_)));
        if !lends || !parts.iter().all(|part| names_a_place(part) || jumps(part)) {
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
}

/// Whether evaluating an expression does nothing but name a place, or a constant.
fn names_a_place(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Leaf(_) | Kind::Var(..) => true,
        Kind::Plain(syntax, parts) => {
            let names = match syntax {
                Syntax::Unary(node) => matches!(node.op, UnOp::Deref(_)),
                Syntax::Paren(_) | Syntax::Group(_) | Syntax::Reference(_) | Syntax::Field(_) | Syntax::Index(_) => {
                    true
                }
                _ => false,
            };
            names && parts.iter().all(names_a_place)
        }
        _ => false,
    }
}
