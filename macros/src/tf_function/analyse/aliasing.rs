//! Variables through which a branch or loop may change something without the text saying so: what a function gave may be a
//! mutable reference, and whatever is called with it may write. The planner asks for them; types decide what they are.

use super::super::ast::*;

use super::host;
use super::place::{Place, Step};
use super::reading_methods::READERS;
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::{Expr as Syntax, Type, UnOp};

/// Whether a value may lead to something that others see, for all that the text says.
pub fn may_lend(expr: &Expr, vars: &[Variable]) -> bool {
    /// Methods that give a value of its own, or references that nobody changes anything through.
    const GIVE_NOTHING: [&str; 21] = [
        "abs", "cast", "clone", "exp", "iter", "keys", "len", "log", "matmul", "mean", "pow", "relu", "reshape",
        "shape", "sigmoid", "sqrt", "square", "sum", "tanh", "to_owned", "to_vec",
    ];
    let any = |parts: &[Expr]| parts.iter().any(|part| may_lend(part, vars));
    match &expr.kind {
        _ if host::surely(expr, vars) => false,
        Kind::Leaf(_) | Kind::Compare(_) | Kind::Logic(_) | Kind::Closure(_) => false,
        Kind::Var(var, _) => vars[*var].lends,
        Kind::Plain(syntax, parts) => match syntax {
            Syntax::Binary(_) | Syntax::Range(_) | Syntax::Cast(_) | Syntax::Index(_) => false,
            Syntax::Unary(node) => matches!(node.op, UnOp::Deref(_)) && any(parts),
            Syntax::Reference(node) => node.mutability.is_some(),
            // What is given comes from somewhere: from what the function is given.
            Syntax::Call(_) => any(&parts[1..]),
            Syntax::MethodCall(node)
                if GIVE_NOTHING.iter().any(|name| node.method == name) && !is_own(&parts[0], vars) =>
            {
                false
            }
            Syntax::MethodCall(_) => {
                let borrowed = Place::of(&parts[0]).is_some_and(|place| vars[place.root].mutable);
                borrowed || any(parts)
            }
            _ => any(parts),
        },
        Kind::Macro(node) => match node.kind {
            MacroKind::List | MacroKind::Repeat | MacroKind::Dbg => any(&node.args),
            MacroKind::Unknown => true,
            _ => false,
        },
        Kind::Let(..) | Kind::Block(_) | Kind::If(_) | Kind::Loop(_) | Kind::Match(_) | Kind::Jump(_) => true,
    }
}

/// Whether the text tells that a value is of a type of the user's, whose methods may do anything.
fn is_own(expr: &Expr, vars: &[Variable]) -> bool {
    matches!(expr.inner().kind, Kind::Var(var, _) if vars[var].own)
}

/// Whether a type may be a mutable reference or hold one, for all that its text says.
pub fn type_lends(ty: &Type) -> bool {
    let open = |word: &str| word == "mut" || word == "_" || (word.len() == 1 && word.starts_with(char::is_uppercase));
    let words = ty.to_token_stream().to_string();
    words.split(|c: char| !c.is_alphanumeric() && c != '_').any(open)
}

/// Variables from before `below` that a construct hands on whole or calls something on; it stands in a fixed closure if there
/// are variables before `captured`, which that captures.
pub fn handed_on<'a>(
    exprs: impl IntoIterator<Item = &'a Expr>,
    blocks: impl IntoIterator<Item = &'a Block>,
    below: Var,
    captured: Var,
    vars: &[Variable],
) -> BTreeSet<Place> {
    let mut search = AliasVisitor { vars, captured, found: BTreeSet::new() };
    exprs.into_iter().for_each(|expr| search.read(expr));
    blocks.into_iter().for_each(|block| block_parts(block, &mut |expr| search.expr(expr)));
    search.found.into_iter().filter(|place| place.root < below).map(Place::lent).collect()
}

struct AliasVisitor<'a> {
    vars: &'a [Variable],
    captured: Var,
    found: BTreeSet<Place>,
}

impl AliasVisitor<'_> {
    fn note(&mut self, place: Place) {
        let variable = &self.vars[place.root];
        let may = variable.lends && !matches!(variable.hint, Hint::Host | Hint::Shared);
        if !may || place.root < self.captured {
            return;
        }
        // What a field changes of what a variable surely leads to is known by its path.
        match variable.hint {
            Hint::Exclusive if !place.path.contains(&Step::Deref) => drop(self.found.insert(place)),
            Hint::Exclusive => {}
            _ => self.found.extend(place.lenders()),
        }
    }

    fn note_whole(&mut self, root: Var) {
        self.note(Place { root, path: Vec::new() });
    }

    /// An expression whose value goes on.
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Var(var, _) => self.note_whole(*var),
            Kind::Plain(syntax, parts) => match syntax {
                Syntax::MethodCall(node) => {
                    match Place::of(&parts[0]) {
                        // What is unwrapped goes on as it is.
                        Some(place) if node.method == "unwrap" || !READERS.iter().any(|name| node.method == name) => {
                            self.note(place);
                        }
                        _ => {}
                    }
                    self.read(&parts[0]);
                    parts[1..].iter().for_each(|part| self.expr(part));
                }
                Syntax::Binary(_) | Syntax::Unary(_) | Syntax::Reference(_) | Syntax::Cast(_) | Syntax::RawAddr(_) => {
                    parts.iter().for_each(|part| self.read(part));
                }
                Syntax::Field(_) | Syntax::Index(_) => {
                    // A field or element may be such a reference, too.
                    Place::of(expr).into_iter().for_each(|place| self.note(place));
                    self.read(expr);
                }
                Syntax::Assign(_) | Syntax::Call(_) => {
                    self.read(&parts[0]);
                    parts[1..].iter().for_each(|part| self.expr(part));
                }
                _ => parts.iter().for_each(|part| self.expr(part)),
            },
            Kind::Compare(_) | Kind::Logic(_) => parts(expr, &mut |part| self.read(part)),
            Kind::If(node) => {
                self.read(&node.cond);
                block_parts(&node.then, &mut |expr| self.expr(expr));
                node.other.iter().for_each(|block| block_parts(block, &mut |expr| self.expr(expr)));
            }
            Kind::Macro(node) => {
                let hands_on = matches!(node.kind, MacroKind::List | MacroKind::Repeat | MacroKind::Dbg);
                node.args.iter().for_each(|arg| if hands_on { self.expr(arg) } else { self.read(arg) });
                if matches!(node.kind, MacroKind::Unknown) {
                    node.mentions.iter().for_each(|var| self.note_whole(*var));
                }
            }
            Kind::Closure(node) => {
                let captured = self.captured;
                if node.fixed {
                    self.captured = node.vars.start;
                }
                self.expr(&node.body);
                self.captured = captured;
            }
            _ => parts(expr, &mut |part| self.expr(part)),
        }
    }

    /// An expression that is only looked at: a place as such is no use of its variable.
    fn read(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Var(..) => {}
            Kind::Plain(Syntax::Paren(_) | Syntax::Group(_) | Syntax::Field(_), parts) => self.read(&parts[0]),
            Kind::Plain(Syntax::Index(_), parts) => {
                self.read(&parts[0]);
                self.expr(&parts[1]);
            }
            Kind::Plain(Syntax::Unary(node), parts) if matches!(node.op, UnOp::Deref(_)) => self.read(&parts[0]),
            _ => self.expr(expr),
        }
    }
}
