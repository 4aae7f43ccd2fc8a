//! Which places a part of the function may change, and which variables it mentions.

use super::super::ast::*;
use super::host;
use super::place::{Place, Step, in_an_element};
use std::collections::BTreeSet;
use syn::Expr as Syntax;

/// Methods that surely do not change what they are called on.
const READERS: [&str; 40] = [
    "len",
    "is_empty",
    "clone",
    "iter",
    "shape",
    "dtype",
    "rank",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "as_ref",
    "to_vec",
    "get",
    "first",
    "last",
    "contains",
    "matmul",
    "tanh",
    "sigmoid",
    "relu",
    "exp",
    "log",
    "square",
    "sqrt",
    "sum",
    "mean",
    "abs",
    "max",
    "min",
    "pow",
    "unwrap",
    "cast",
    "item",
    "to_string",
    "to_owned",
    "borrow",
    "at",
    "reshape",
    "transpose",
];

/// The places outside of a construct (declared before `below`) that some expressions may change. The construct stands in a
/// fixed closure if there are variables before `captured`, which that captures.
pub fn writes<'a>(
    exprs: impl IntoIterator<Item = &'a Expr>,
    below: Var,
    captured: Var,
    vars: &[Variable],
) -> BTreeSet<Place> {
    let mut search = Writes { vars, captured, found: BTreeSet::new() };
    exprs.into_iter().for_each(|expr| search.expr(expr));
    search.found.retain(|place| place.root < below);
    search.found
}

/// As [`writes`], of blocks.
pub fn block_writes<'a>(
    blocks: impl IntoIterator<Item = &'a Block>,
    below: Var,
    captured: Var,
    vars: &[Variable],
) -> BTreeSet<Place> {
    let mut exprs = Vec::new();
    blocks.into_iter().for_each(|block| block_parts(block, &mut |expr| exprs.push(expr)));
    writes(exprs, below, captured, vars)
}

struct Writes<'a> {
    vars: &'a [Variable],
    /// No method changes a variable before this one.
    captured: Var,
    found: BTreeSet<Place>,
}

impl Writes<'_> {
    /// Notes a change of a place, or of what it refers to.
    fn place(&mut self, expr: &Expr, by_reference: bool) {
        let Some(mut place) = Place::of(expr) else { return };
        let root = &self.vars[place.root];
        // rustc has something to say about a variable that is not `mut`, unless it is a reference to what changes.
        if place.path.is_empty() && !root.mutable && !root.deferred && !by_reference && !in_an_element(expr) {
            return;
        }
        // A reference that is not `mut` itself: what it points to changes.
        if place.path.first() != Some(&Step::Deref) && !root.mutable && !root.deferred {
            place.path.insert(0, Step::Deref);
        }
        self.found.insert(place);
    }

    /// `update(h)` reborrows a mutable reference.
    fn reborrowed(&mut self, arguments: &[Expr]) {
        for part in arguments {
            if matches!(part.kind, Kind::Var(var, _) if self.vars[var].hint == Hint::Exclusive) {
                self.place(part, true);
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Plain(syntax, parts) => match syntax {
                Syntax::Assign(_) => self.assigned(&parts[0]),
                Syntax::Binary(node) if host::assigns(&node.op) => self.place(&parts[0], false),
                Syntax::Reference(node) if node.mutability.is_some() => self.place(&parts[0], false),
                Syntax::RawAddr(_) => self.place(&parts[0], false),
                Syntax::MethodCall(node) => {
                    if let Some(place) = Place::of(&parts[0])
                        && !READERS.iter().any(|name| node.method == name)
                    {
                        let root = &self.vars[place.root];
                        if place.root >= self.captured && (root.mutable || root.hint == Hint::Exclusive) {
                            self.place(&parts[0], true);
                        }
                    }
                    self.reborrowed(&parts[1..]);
                }
                Syntax::Call(_) => self.reborrowed(&parts[1..]),
                _ => {}
            },
            Kind::Macro(node)
                if matches!(node.kind, MacroKind::Format(_))
                    && matches!(super::super::macros::name(&node.mac).as_str(), "write" | "writeln") =>
            {
                node.args.iter().take(1).for_each(|arg| self.place(arg, true));
            }
            _ => {}
        }
        let captured = self.captured;
        if let Kind::Closure(node) = &expr.kind
            && node.fixed
        {
            self.captured = node.vars.start;
        }
        parts(expr, &mut |part| self.expr(part));
        self.captured = captured;
    }

    /// The left side of `=`, which may be a pattern.
    fn assigned(&mut self, left: &Expr) {
        match &left.kind {
            Kind::Plain(Syntax::Tuple(_) | Syntax::Array(_) | Syntax::Struct(_) | Syntax::Paren(_), parts) => {
                parts.iter().for_each(|part| self.assigned(part));
            }
            Kind::Plain(Syntax::Call(_), parts) => parts[1..].iter().for_each(|part| self.assigned(part)),
            _ => self.place(left, false),
        }
    }
}

/// The variables declared before `below` that an expression mentions.
pub fn mentions(expr: &Expr, below: Var) -> Vec<Var> {
    fn walk(expr: &Expr, found: &mut BTreeSet<Var>) {
        match &expr.kind {
            Kind::Var(var, _) => drop(found.insert(*var)),
            Kind::Macro(node) => found.extend(&node.mentions),
            _ => {}
        }
        parts(expr, &mut |part| walk(part, found));
    }
    let mut found = BTreeSet::new();
    walk(expr, &mut found);
    found.into_iter().filter(|var| *var < below).collect()
}
