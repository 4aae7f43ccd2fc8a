//! Which places a part of the function may change, and which variables it mentions.

use super::super::ast::*;
use super::host;
use super::place::{Place, Step, in_an_element};
use super::reading_methods::READERS;
use std::collections::BTreeSet;
use syn::visit::Visit;
use syn::{Expr as Syntax, Pat};

/// The places outside of a construct (declared before `below`) that some expressions may change. The construct stands in a
/// fixed closure if there are variables before `captured`, which that captures.
pub fn writes<'a>(
    exprs: impl IntoIterator<Item = &'a Expr>,
    below: Var,
    captured: Var,
    vars: &[Variable],
) -> BTreeSet<Place> {
    let mut search = Writes::new(vars, captured);
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
    let mut search = Writes::new(vars, captured);
    blocks.into_iter().for_each(|block| search.block(block));
    search.found.retain(|place| place.root < below);
    search.found
}

/// What variables and fields lead to whose own methods are called, or which are called themselves: where their type does not
/// tell, nobody can.
pub fn hides<'a>(
    exprs: impl IntoIterator<Item = &'a Expr>,
    blocks: impl IntoIterator<Item = &'a Block>,
    captured: Var,
    vars: &[Variable],
) -> BTreeSet<Place> {
    let mut search = Writes::new(vars, captured);
    exprs.into_iter().for_each(|expr| search.expr(expr));
    blocks.into_iter().for_each(|block| search.block(block));
    search.hides
}

struct Writes<'a> {
    vars: &'a [Variable],
    /// No method changes a variable before this one.
    captured: Var,
    found: BTreeSet<Place>,
    /// See [`hides`].
    hides: BTreeSet<Place>,
}

impl<'a> Writes<'a> {
    fn new(vars: &'a [Variable], captured: Var) -> Self {
        Self { vars, captured, found: BTreeSet::new(), hides: BTreeSet::new() }
    }

    /// Notes a change of a place, or of what it refers to.
    fn place(&mut self, expr: &Expr, by_reference: bool) {
        self.changed(expr, by_reference, false);
    }

    fn changed(&mut self, expr: &Expr, by_reference: bool, is_assigned: bool) {
        let Some(mut place) = Place::of(expr) else { return };
        let root = &self.vars[place.root];
        // rustc has something to say about a variable that is not `mut`, unless it is a reference to what changes.
        if place.path.is_empty() && !root.mutable && !root.deferred && !by_reference && !in_an_element(expr) {
            return;
        }
        if (root.mutable || root.deferred) && root.lends && !is_assigned && place.path.last() != Some(&Step::Deref) {
            self.found.insert(place.clone().lent());
            self.hides.insert(place.clone().lent());
        }
        if root.mutable || root.deferred {
            self.found.insert(place);
            return;
        }
        let direct = !by_reference && !in_an_element(expr);
        let starred = place.path.first() == Some(&Step::Deref);
        match root.hint {
            // Fields are found through references, wherever in the path these are.
            Hint::Owned | Hint::Unknown if direct && !place.path.is_empty() && !starred => {}
            // A structure that holds references: what one of these leads to changes.
            Hint::Owned if !place.path.is_empty() && !starred => {
                self.found.extend(place.lenders().map(Place::lent));
                return;
            }
            // What a reference points to changes.
            _ if !starred => place.path.insert(0, Step::Deref),
            _ => {}
        }
        if place.path == [Step::Deref] {
            place = Place { root: place.root, path: Vec::new() }.lent();
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

    /// A macro that is not known may do anything with a variable.
    fn mentioned(&mut self, var: Var) {
        let root = &self.vars[var];
        if (root.mutable || root.hint == Hint::Exclusive) && var >= self.captured {
            let place = Place { root: var, path: Vec::new() };
            let place = if root.mutable { place } else { place.lent() };
            self.found.insert(place);
        }
    }

    /// What is `mut` and called is a closure that changes what it holds. Of those that are written here more is known.
    fn called(&mut self, callee: &Expr) {
        if let Some(place) = Place::of(callee) {
            let root = &self.vars[place.root];
            if root.mutable && root.captures.is_empty() && place.root >= self.captured {
                self.place(callee, true);
                self.found.insert(place.clone().lent());
                self.hides.insert(place.lent());
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let Stmt::Let(Let { syntax, init: Some(init), .. }) = stmt {
                self.matched([&syntax.pat], init);
            }
        }
        block_parts(block, &mut |expr| self.expr(expr));
    }

    /// Patterns that borrow parts of a place to change them: by their own words, or because the place is a mutable reference,
    /// which a pattern without a name for the whole goes through.
    fn matched<'p>(&mut self, patterns: impl IntoIterator<Item = &'p Pat> + Clone, matched: &Expr) {
        let Some(place) = Place::of(matched) else { return };
        let borrows = patterns.clone().into_iter().any(borrows_to_change);
        let takes_apart = !patterns.into_iter().any(|pat| matches!(pat, Pat::Ident(_) | Pat::Type(_)));
        let is_reference = place.path.is_empty() && self.vars[place.root].hint == Hint::Exclusive;
        if borrows || takes_apart && is_reference {
            self.place(matched, is_reference);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Let(node, matched) => self.matched([&*node.pat], matched),
            Kind::Match(node) => self.matched(node.arms.iter().map(|arm| &arm.syntax.pat), &node.scrutinee),
            Kind::Plain(syntax, parts) => match syntax {
                Syntax::Assign(_) => self.assigned(&parts[0]),
                Syntax::Binary(node) if host::assigns(&node.op) => self.assigned(&parts[0]),
                Syntax::Reference(node) if node.mutability.is_some() => self.place(&parts[0], false),
                Syntax::RawAddr(_) => self.place(&parts[0], false),
                Syntax::MethodCall(node) => {
                    if let Some(place) = Place::of(&parts[0]) {
                        let root = &self.vars[place.root];
                        let reads = READERS.iter().any(|name| node.method == name);
                        // What the user calls so may do anything.
                        let own = root.own && place.path.is_empty();
                        if (own || !reads)
                            && place.root >= self.captured
                            && (root.mutable || root.hint == Hint::Exclusive)
                        {
                            self.place(&parts[0], true);
                        }
                    }
                    self.reborrowed(&parts[1..]);
                }
                Syntax::Call(_) => {
                    self.called(&parts[0]);
                    self.reborrowed(&parts[1..]);
                }
                _ => {}
            },
            Kind::Macro(node)
                if matches!(node.kind, MacroKind::Format(_))
                    && matches!(super::super::macros::name(&node.mac).as_str(), "write" | "writeln") =>
            {
                node.args.iter().take(1).for_each(|arg| self.place(arg, true));
            }
            Kind::Macro(node) if matches!(node.kind, MacroKind::Unknown) => {
                node.mentions.iter().for_each(|var| self.mentioned(*var));
            }
            _ => {}
        }
        let captured = self.captured;
        if let Kind::Closure(node) = &expr.kind
            && node.fixed
        {
            self.captured = node.vars.start;
        }
        match &expr.kind {
            Kind::Block(node) => self.block(&node.block),
            Kind::If(node) => {
                self.expr(&node.cond);
                self.block(&node.then);
                node.other.iter().for_each(|block| self.block(block));
            }
            Kind::Loop(node) => {
                match &node.kind {
                    LoopKind::While(head) | LoopKind::WhileLet(head) | LoopKind::For { over: head, .. } => {
                        self.expr(head)
                    }
                    LoopKind::Loop | LoopKind::Once => {}
                }
                self.block(&node.body);
            }
            _ => parts(expr, &mut |part| self.expr(part)),
        }
        self.captured = captured;
    }

    /// The left side of `=`, which may be a pattern.
    fn assigned(&mut self, left: &Expr) {
        match (&left.kind, assigned_parts(left)) {
            (_, Some(parts)) => parts.iter().for_each(|part| self.assigned(part)),
            (Kind::Var(..), _) => self.changed(left, false, true),
            _ if Place::of(left).is_some() => self.place(left, false),
            _ => self.behind_a_method(left),
        }
    }

    /// `*grid.at(0) = ..`: whatever the method is called, it lends a part of what it is called on.
    fn behind_a_method(&mut self, left: &Expr) {
        match &left.kind {
            Kind::Plain(Syntax::MethodCall(_), parts) => match Place::of(&parts[0]) {
                Some(_) => self.place(&parts[0], true),
                None => self.behind_a_method(&parts[0]),
            },
            Kind::Plain(Syntax::Unary(_) | Syntax::Field(_) | Syntax::Index(_) | Syntax::Paren(_), parts) => {
                self.behind_a_method(&parts[0]);
            }
            _ => {}
        }
    }
}

/// Whether a pattern says `ref mut`.
fn borrows_to_change(pat: &Pat) -> bool {
    struct ActivityVisitor(bool);
    impl<'ast> Visit<'ast> for ActivityVisitor {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0 |= pat.by_ref.is_some() && pat.mutability.is_some();
            syn::visit::visit_pat_ident(self, pat);
        }
        fn visit_expr(&mut self, _: &'ast Syntax) {}
    }
    let mut search = ActivityVisitor(false);
    search.visit_pat(pat);
    search.0
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
