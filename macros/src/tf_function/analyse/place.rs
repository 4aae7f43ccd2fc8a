//! Places: variables and their fields, as state of a branch or loop.

use super::super::ast::*;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr as Syntax, Member, UnOp};

/// A variable, or a part of one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub root: Var,
    pub path: Vec<Step>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    /// What a variable or field leads to, if its type turns out to be a mutable reference or made of such. The last step.
    Reference,
    Deref,
    Named(String),
    Index(u32),
}

/// Whether an expression names a part of a list.
pub fn in_an_element(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Plain(Syntax::Index(_), _) => true,
        Kind::Plain(Syntax::Paren(_) | Syntax::Group(_) | Syntax::Field(_), parts) => in_an_element(&parts[0]),
        Kind::Plain(Syntax::Unary(node), parts) => matches!(node.op, UnOp::Deref(_)) && in_an_element(&parts[0]),
        _ => false,
    }
}

impl Place {
    /// The place that an expression names, as far as it is one; an element of a list counts as the list.
    pub fn of(expr: &Expr) -> Option<Self> {
        match &expr.kind {
            Kind::Var(root, _) => Some(Self { root: *root, path: Vec::new() }),
            Kind::Plain(syntax, parts) => match syntax {
                Syntax::Paren(_) | Syntax::Group(_) => Self::of(&parts[0]),
                Syntax::Index(_) => Self::of(&parts[0]),
                // What lies in an element is a part of the list, too.
                Syntax::Field(_) | Syntax::Unary(_) if in_an_element(expr) => Self::of(&parts[0]),
                Syntax::Unary(node) if matches!(node.op, UnOp::Deref(_)) => Self::of(&parts[0])?.step(Step::Deref),
                Syntax::Field(node) => Self::of(&parts[0])?.step(match &node.member {
                    Member::Named(name) => Step::Named(name.to_string()),
                    Member::Unnamed(index) => Step::Index(index.index),
                }),
                _ => None,
            },
            _ => None,
        }
    }

    fn step(mut self, step: Step) -> Option<Self> {
        self.path.push(step);
        Some(self)
    }

    /// Whether this place is another one or contains it. What a place leads to is no part of it.
    pub fn contains(&self, other: &Self) -> bool {
        let within = match (self.path.split_last(), other.path.split_last()) {
            (Some((Step::Reference | Step::Deref, own)), Some((Step::Reference, theirs))) => own == theirs,
            (_, Some((Step::Reference, _))) => false,
            (Some((Step::Reference, own)), _) => {
                other.path.get(own.len() + 1).is_some() && {
                    other.path.starts_with(own) && other.path[own.len()] == Step::Deref
                }
            }
            _ => other.path.starts_with(&self.path),
        };
        self.root == other.root && within
    }

    /// What this place leads to, if it is a mutable reference or made of such.
    pub fn lent(mut self) -> Self {
        self.path.push(Step::Reference);
        self
    }

    /// The variable and its fields down to this place, up to the first star: one of them may be a reference.
    pub fn lenders(&self) -> impl Iterator<Item = Self> + '_ {
        let plain = self.path.iter().take_while(|step| **step != Step::Deref).count();
        (0..=plain).map(|len| Self { root: self.root, path: self.path[..len].to_vec() })
    }

    pub fn is_lent(&self) -> bool {
        self.path.last() == Some(&Step::Reference)
    }

    /// The place whose type tells what it lends.
    pub fn lender(&self) -> Self {
        let path = self.path.iter().filter(|step| **step != Step::Reference).cloned().collect();
        Self { root: self.root, path }
    }

    /// Whether a change is seen by others than the variable's later readers.
    pub fn through_reference(&self, vars: &[Variable]) -> bool {
        let root = &vars[self.root];
        self.path.iter().any(|step| matches!(step, Step::Deref | Step::Reference))
            || root.hint == Hint::Exclusive
            || (!root.mutable && !root.deferred)
    }

    /// As the user writes it.
    pub fn name(&self, vars: &[Variable]) -> String {
        let mut name = vars[self.root].name.clone();
        let mut steps = self.path.iter().peekable();
        while let Some(step) = steps.next() {
            name = match step {
                // A field is found through a reference without a star.
                Step::Deref if steps.peek().is_some_and(|next| **next != Step::Deref) => name,
                Step::Deref | Step::Reference => format!("*{name}"),
                Step::Named(field) => format!("{name}.{field}"),
                Step::Index(index) => format!("{name}.{index}"),
            };
        }
        name
    }

    /// As an expression, shown at the construct whose state it is.
    pub fn tokens(&self, vars: &[Variable], at: Span) -> TokenStream {
        let mut ident = vars[self.root].ident.clone();
        ident.set_span(ident.span().located_at(at));
        self.path.iter().fold(quote!(#ident), |base, step| match step {
            Step::Deref | Step::Reference => quote!((*#base)),
            Step::Named(name) => {
                let name = syn::parse_str::<proc_macro2::Ident>(name.trim_start_matches("r#"))
                    .unwrap_or_else(|_| proc_macro2::Ident::new_raw(name.trim_start_matches("r#"), Span::call_site()));
                quote!(#base.#name)
            }
            Step::Index(index) => {
                let index = syn::Index::from(*index as usize);
                quote_spanned!(Span::mixed_site()=> #base.#index)
            }
        })
    }
}
