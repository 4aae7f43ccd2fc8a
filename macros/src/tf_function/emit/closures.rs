//! Closures: one with staged constructs gets the frame of a function without the call, any other stays as it is.
//! The walk over expressions calls it.

use super::super::analyse::jumps;
use super::super::ast::*;
use super::state::State;
use super::{Emit, Wanted, label, local};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr as Syntax, ReturnType};

impl Emit<'_> {
    /// What a closure may have changed where a jump leaves it.
    pub fn left(&self, target: Target, at: Span) -> State<'_> {
        State { places: &self.plan.left[target], hides: None, k: local("k", target), lent: local("k_lent", target), at }
    }

    /// A closure; one without staged constructs stays as it is.
    pub fn closure(&self, node: &Closure) -> TokenStream {
        let rt = &self.rt;
        let mut syntax = node.syntax.clone();
        let params = node.vars.start..node.vars.start + node.params;
        let rebound = self.rebound(params);
        if !self.plan.bodies[node.target] {
            let body = self.value_for(&node.body, &Wanted::default());
            *syntax.body = Syntax::Verbatim(if rebound.is_empty() { body } else { quote!({ #rebound #body }) });
            return syntax.to_token_stream();
        }
        let n = node.target;
        let (slot, fun, body) = (local("slot", n), local("f", n), label("body", n));
        let state = self.left(n, node.body.span);
        self.bodies.borrow_mut().push(n);
        let stmts = self.within(body.clone(), || self.value_for(&node.body, &Wanted::default()));
        self.bodies.borrow_mut().pop();
        let ty = match &node.syntax.output {
            ReturnType::Type(_, ty) => ty.to_token_stream(),
            ReturnType::Default => quote!(_),
        };
        let leaves = !jumps::expr_escapes(&node.body).is_empty();
        let run = self.run(n, leaves, &ty, &stmts, node.body.span, Some(&state).filter(|state| state.is_some()));
        let k = &state.k;
        let run = quote!(#[allow(unused_mut)] let mut #fun = #rt::Fun::closure(#slot, #k[0]); #run);
        let run = state.late(self, &slot, &label("late", n), &run);
        *syntax.body = Syntax::Verbatim(quote!({
            #rebound
            let #slot = #rt::Slot::<#ty>::new();
            #run
        }));
        syntax.to_token_stream()
    }
}
