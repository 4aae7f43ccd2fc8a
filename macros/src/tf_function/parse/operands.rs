//! What operands are to Rust outside of the attribute and would not be inside: truth values that are copied, and places that
//! are lent while a later operand jumps. The parser calls it for `let` and for every operator and call.

use super::super::analyse::place::Place;
use super::super::analyse::{activity, host, jumps, lending, lists};
use super::super::ast::*;
use super::Parser;
use crate::names::hidden_at;
use syn::{BinOp, Expr as Syntax, Pat, UnOp, parse_quote_spanned};

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
        let handed_on = lending::handed_on([operand], None, all, 0, &self.vars);
        let is_named = |place: &Place| named.contains(&place.root);
        changed.iter().chain(&handed_on).any(is_named)
            || activity::mentions(operand, all).into_iter().any(|var| self.is_changing_closure(var))
    }

    /// Notes which variables hold truth values, or functions that give them.
    pub fn truths(&mut self, node: &Let) {
        if let Some(parts) = lists::several(node) {
            let said = |part: &Expr| (is_truth(part, &self.vars), is_literal(part));
            let said: Vec<_> = parts.iter().map(|(var, part)| (*var, said(part))).collect();
            for (var, (truth, literal)) in said {
                self.vars[var].truth.is = truth;
                if literal {
                    self.flag(var);
                }
            }
            return;
        }
        let (Some(init), [_]) = (&node.init, &self.vars[node.vars.clone()]) else { return };
        let gives = matches!(&init.inner().kind, Kind::Closure(closure) if is_truth(&closure.body, &self.vars));
        if is_literal(init) && matches!(node.syntax.pat, Pat::Ident(_)) {
            return self.flag(node.vars.start);
        }
        let is = is_truth(init, &self.vars);
        let variable = &mut self.vars[node.vars.start];
        if variable.plain {
            (variable.truth.is, variable.truth.gives) = (is && variable.hint != Hint::Host, gives);
        }
    }

    /// Notes that a variable is given a truth value.
    pub fn truth_assigned(&mut self, syntax: &Syntax, parts: &[Expr]) {
        match syntax {
            Syntax::Assign(_) => self.assigned(&parts[0], &parts[1], true),
            Syntax::Binary(node) if host::assigns(&node.op) && joins(&node.op) => {
                self.assigned(&parts[0], &parts[1], false);
            }
            _ => {}
        }
    }

    /// Of what is assigned as a `whole`, or joined with what is there.
    fn assigned(&mut self, left: &Expr, right: &Expr, whole: bool) {
        match (&left.inner().kind, &right.inner().kind) {
            (Kind::Plain(Syntax::Tuple(_), left), Kind::Plain(Syntax::Tuple(_), right))
                if left.len() == right.len() =>
            {
                left.iter().zip(right).for_each(|(left, right)| self.assigned(left, right, whole));
            }
            (Kind::Plain(Syntax::Tuple(_), left), _) => left.iter().for_each(|left| self.assigned(left, right, whole)),
            (Kind::Var(var, _), _) => {
                let truth = is_truth(right, &self.vars);
                let variable = &mut self.vars[*var];
                variable.truth.is |= truth && variable.plain && variable.hint != Hint::Host;
                if variable.truth.flag {
                    self.given(*var, right, whole);
                }
            }
            _ => {}
        }
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
