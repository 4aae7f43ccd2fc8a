//! Variables that a loop or branch makes longer: declared as the run time's `List`, which is a `Vec` until a graph makes it longer.
//! Where one is used by value it becomes the `Vec` that the user wrote.

use super::super::analyse::host;
use super::super::analyse::lists::{Lists, several, whole};
use super::super::analyse::truth::is_literal;
use super::super::ast::*;
use super::{Emit, Wanted};
use crate::names::shown_at;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr as Syntax, Pat};

/// Whether an expression uses its part number `index` by value, so that a list has to become a `Vec` and a truth value is
/// copied.
pub fn by_value(syntax: &Syntax, index: usize) -> bool {
    match syntax {
        Syntax::Binary(node) => index > 0 || !host::assigns(&node.op),
        Syntax::Call(_) | Syntax::MethodCall(_) | Syntax::Assign(_) => index > 0,
        Syntax::Tuple(_) | Syntax::Array(_) | Syntax::Struct(_) | Syntax::Repeat(_) => true,
        _ => false,
    }
}

/// As Rust copies a `bool`.
pub fn copy(tokens: &TokenStream, expr: &Expr) -> TokenStream {
    quote_spanned!(shown_at(expr.span)=> ::core::clone::Clone::clone(&#tokens))
}

impl Emit<'_> {
    /// The name of the list that an expression names.
    pub fn list(&self, expr: &Expr) -> Option<String> {
        match expr.inner().kind {
            Kind::Var(var, _) => self.plan.lists.vars.contains(&var).then(|| self.function.vars[var].name.clone()),
            _ => None,
        }
    }

    /// The names of the lists that a loop pushes onto.
    pub fn pushed(&self, target: Target) -> Vec<String> {
        let Lists { vars, pushed } = &self.plan.lists;
        let pushed = pushed.get(&target).into_iter().flatten().filter(|var| vars.contains(var));
        pushed.map(|var| self.function.vars[*var].name.clone()).collect()
    }

    /// Whether an expression is a list or a copy of one.
    pub fn is_whole_list(&self, expr: &Expr) -> bool {
        whole(expr).is_some_and(|var| self.plan.lists.vars.contains(&var))
    }

    /// Whether an expression names a truth value, which is copied wherever it is used.
    pub fn is_copied(&self, expr: &Expr) -> bool {
        matches!(expr.inner().kind, Kind::Var(var, _) if self.function.vars[var].truth.is)
    }

    /// An expression whose value is used.
    pub fn value_for(&self, expr: &Expr, wanted: &Wanted) -> TokenStream {
        let tokens = self.expr_for(expr, wanted);
        if wanted.truth && is_literal(expr) {
            let rt = self.rt_at(expr.span);
            let call = quote_spanned!(expr.span=> flag(#tokens));
            return quote_spanned!(shown_at(expr.span)=> #rt::#call);
        }
        if self.is_copied(expr) {
            return copy(&tokens, expr);
        }
        if !self.is_whole_list(expr) {
            return tokens;
        }
        let rt = self.rt_at(expr.span);
        let call = quote_spanned!(expr.span=> into_vec(#tokens));
        quote_spanned!(shown_at(expr.span)=> #rt::List::#call)
    }

    /// A `let` that declares lists.
    pub fn let_list(&self, node: &Let) -> Option<TokenStream> {
        let lists = |var: &Var| self.plan.lists.vars.contains(var);
        if !node.vars.clone().any(|var| lists(&var)) {
            return None;
        }
        let rt = &self.rt;
        let mut syntax = node.syntax.clone();
        let init = match several(node) {
            Some(parts) => {
                let values = parts.into_iter().map(|(var, init)| {
                    let truth = self.function.vars[var].truth.flag;
                    let value = self.value_for(init, &Wanted { truth, ..Wanted::default() });
                    let name = self.function.vars[var].name.clone();
                    if lists(&var) { quote!(#rt::List::of(#name, #value)) } else { value }
                });
                let values: Vec<TokenStream> = values.collect();
                quote!((#(#values),*))
            }
            None => {
                let name = self.function.vars[node.vars.start].name.clone();
                let init = node.init.as_ref()?;
                match syntax.pat.clone() {
                    Pat::Type(typed) => {
                        let ty = typed.ty.to_token_stream();
                        let value =
                            self.value_for(init, &Wanted { ty: Some((*typed.ty).clone()), ..Wanted::default() });
                        syntax.pat = *typed.pat;
                        quote!(#rt::List::of(#name, { let list: #ty = #value; list }))
                    }
                    _ if self.is_whole_list(init) => {
                        let list = self.expr(init);
                        quote!(#rt::List::renamed(#list, #name))
                    }
                    _ => {
                        let value = self.value_for(init, &Wanted::default());
                        quote!(#rt::List::of(#name, #value))
                    }
                }
            }
        };
        *syntax.init.as_mut()?.expr = Syntax::Verbatim(init);
        let rebound = self.rebound(node.vars.clone());
        let stmt = syn::Stmt::Local(syntax);
        Some(quote!(#stmt #rebound))
    }
}
