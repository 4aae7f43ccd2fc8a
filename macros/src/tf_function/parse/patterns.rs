//! Variables as patterns declare them: their names, and what the text says of what they are bound to.
//! The parser calls it for parameters, `let`, arms, loops and closures.

use super::super::analyse::aliasing;
use super::super::analyse::pattern_references::{self, Reference};
use super::super::analyse::place::Place;
use super::super::ast::*;
use super::Parser;
use super::text::{map_type, own_type, type_hint, unwrapped};
use crate::names::written;
use proc_macro2::Ident;
use syn::visit::Visit;
use syn::{Expr as Syntax, Pat};

impl Parser {
    pub fn declare(&mut self, ident: &Ident, mutable: bool, plain: bool) -> Var {
        let var = self.vars.len();
        self.scopes.add(ident.to_string(), var);
        let renamed = self.renames.ident(var, ident);
        self.variable(renamed, written(ident), mutable, plain)
    }

    /// A variable that the user has not written and cannot name.
    pub fn hidden(&mut self, ident: &Ident) -> Var {
        self.variable(ident.clone(), ident.to_string(), false, true)
    }

    fn variable(&mut self, ident: Ident, name: String, mutable: bool, plain: bool) -> Var {
        self.vars.push(Variable {
            ident,
            name,
            mutable,
            hint: Hint::Unknown,
            deferred: false,
            plain,
            captures: Vec::new(),
            open: false,
            own: false,
            lends: true,
            map: false,
            list: false,
            truth: Truth::default(),
            items: None,
        });
        self.vars.len() - 1
    }

    pub fn param(&mut self, input: &syn::PatType) -> Param {
        let mut pat = (*input.pat).clone();
        let vars = self.pattern(&mut pat, false);
        let var = matches!(&*input.pat, Pat::Ident(p) if p.subpat.is_none() && p.by_ref.is_none());
        let var = var.then_some(vars.start);
        let hint = type_hint(&input.ty);
        // A pattern over a reference binds references to the parts.
        let parts = matches!(hint, Hint::Exclusive | Hint::Shared) && !matches!(&*input.pat, Pat::Reference(_));
        if var.is_some() || parts {
            vars.clone().for_each(|var| self.vars[var].hint = hint);
        }
        if let Some(var) = var {
            (self.vars[var].own, self.vars[var].map) = (own_type(&input.ty), map_type(&input.ty));
        }
        self.lends(vars.clone(), aliasing::type_lends(&input.ty));
        Param { pat, vars, var }
    }

    /// Declares the variables of a pattern; `refutable` where it may name constants.
    pub fn pattern(&mut self, pat: &mut Pat, refutable: bool) -> std::ops::Range<Var> {
        struct Names(Vec<(Ident, bool)>, bool);
        impl<'ast> Visit<'ast> for Names {
            fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
                // There a word in capitals without `mut`, `ref` or `@` is a constant or a variant.
                let constant = self.1 && pat.ident.to_string().starts_with(char::is_uppercase);
                if !constant || pat.mutability.is_some() || pat.by_ref.is_some() || pat.subpat.is_some() {
                    // `a | a` in alternatives is one variable.
                    if self.0.iter().all(|(ident, _)| *ident != pat.ident) {
                        self.0.push((pat.ident.clone(), pat.mutability.is_some()));
                    }
                }
                syn::visit::visit_pat_ident(self, pat);
            }
            fn visit_expr(&mut self, _: &'ast Syntax) {}
        }
        let mut names = Names(Vec::new(), refutable);
        names.visit_pat(pat);
        let plain = matches!(unwrapped(pat), Pat::Ident(_));
        let start = self.vars.len();
        for (ident, mutable) in names.0 {
            self.declare(&ident, mutable, plain);
        }
        let vars = start..self.vars.len();
        self.renames.pattern(pat, vars.clone(), &self.vars);
        vars
    }

    /// Notes whether variables may lend.
    pub fn lends(&mut self, vars: std::ops::Range<Var>, lends: bool) {
        self.vars[vars].iter_mut().for_each(|variable| variable.lends = lends);
    }

    /// Variables that are given references: by a method (`list.push(&mut a)`, `map.entry(0).or_insert(&mut a)`), by a function
    /// (`give(&mut list, &mut a)`), or by assigning to them.
    pub fn given_to(&mut self, expr: &Syntax, parts: &[Expr]) {
        let gives = |part: &Expr| match &part.inner().kind {
            Kind::Closure(node) => aliasing::may_lend(&node.body, &self.vars),
            _ => aliasing::may_lend(part, &self.vars),
        };
        let given: Vec<Var> = match expr {
            Syntax::MethodCall(_) | Syntax::Assign(_) if parts[1..].iter().any(gives) => receivers(&parts[0]),
            Syntax::Call(_) if parts[1..].iter().filter(|part| gives(part)).count() > 1 => {
                parts[1..].iter().flat_map(receivers).collect()
            }
            _ => return,
        };
        for var in given {
            let variable = &mut self.vars[var];
            variable.lends |= variable.mutable || variable.deferred || variable.hint == Hint::Exclusive;
        }
    }

    /// Notes which variables of a pattern are mutable references, from what it is matched with.
    pub fn lent(&mut self, pat: &Pat, declared: std::ops::Range<Var>, lent: &Reference) {
        pattern_references::bound(pat, lent, &mut |ident, hint| {
            let name = written(ident);
            // A renamed one is found in the pattern under its new name.
            let is_it = |var: &Var| self.vars[*var].name == name || self.vars[*var].ident == *ident;
            if let Some(var) = declared.clone().find(is_it) {
                self.vars[var].hint = hint;
            }
        });
    }
}

/// The variables that a value is put into: those of a place, of what methods give of one, and of a pattern.
fn receivers(expr: &Expr) -> Vec<Var> {
    match (&expr.kind, Place::of(expr)) {
        (_, Some(place)) => vec![place.root],
        (Kind::Plain(Syntax::MethodCall(_) | Syntax::Reference(_), parts), _) => receivers(&parts[0]),
        _ => assigned_parts(expr).into_iter().flatten().flat_map(receivers).collect(),
    }
}
