//! `break`, `continue` and `return`: native jumps where the host takes them; inside the graph they tell the run time and
//! go to the end of the innermost branch or pass, from where everything else is recorded under a guard.

use super::super::ast::*;
use super::super::plan::Looped;
use super::{Emit, Wanted};
use crate::names::{hidden, hidden_at, shown_at};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr as Syntax, ReturnType};

impl Emit<'_> {
    /// What `?` is asked of, in a body with branches of the graph: it must not leave from one.
    pub fn tried(&self, value: &TokenStream, at: Span) -> TokenStream {
        // In the text of the user, where rustc shows what it has to say of `?`.
        let mut fun = self.fun();
        fun.set_span(fun.span().located_at(at));
        quote_spanned!(at=> #fun.tried(#value))
    }

    pub fn jump(&self, node: &Jump, span: Span) -> TokenStream {
        match node.kind {
            JumpKind::Return => self.leave_body(node, span),
            JumpKind::Break => match &self.plan.loops[node.target] {
                Some(plan) => {
                    let value =
                        node.value.as_ref().map(|value| (self.value_for(value, &Wanted::default()), value.span));
                    self.leave_loop(node.target, plan, value, span)
                }
                None => self.host_jump(node),
            },
            JumpKind::Continue => match &self.plan.loops[node.target] {
                Some(_) => self.next_pass(node.target, span),
                None => self.host_jump(node),
            },
        }
    }

    /// A jump as the user wrote it, with a label: rustc asks for one inside of labelled blocks.
    fn host_jump(&self, node: &Jump) -> TokenStream {
        let label = self.labels.borrow()[node.target].clone();
        let value =
            node.value.as_ref().map(|value| Box::new(Syntax::Verbatim(self.value_for(value, &Wanted::default()))));
        let mut syntax = node.syntax.clone();
        match &mut syntax {
            Syntax::Break(jump) => {
                jump.label = label;
                jump.expr = value;
            }
            Syntax::Continue(jump) => jump.label = label,
            Syntax::Return(jump) => jump.expr = value,
            _ => {}
        }
        syntax.to_token_stream()
    }

    fn leave_body(&self, node: &Jump, span: Span) -> TokenStream {
        if !self.plan.bodies[node.target] && node.target != BODY {
            return self.host_jump(node);
        }
        let (fun, out) = (self.fun(), self.out());
        let ty = match (&self.function.item.sig.output, node.target) {
            (ReturnType::Type(_, ty), BODY) if !super::function::is_impl(ty) => Some((**ty).clone()),
            _ => None,
        };
        let wanted = Wanted { ty: ty.clone(), ..Wanted::default() };
        let value = node.value.as_ref().map_or_else(|| quote!(()), |value| self.value_for(value, &wanted));
        let ty = ty.map(|ty| quote!(: #ty));
        let (value_, result) = (hidden("value"), hidden("result"));
        // The user's own token, so that an error is reported at this `return`.
        let state = self.left(node.target, span);
        let leave = match state.is_some() {
            true => {
                let state = state.all(self);
                quote_spanned!(span=> ret_with(#value_, &mut [#state]))
            }
            false => quote_spanned!(span=> ret(#value_)),
        };
        quote_spanned!(shown_at(span)=> {
            let #value_ #ty = #value;
            if let ::core::option::Option::Some(#result) = #fun.#leave {
                return #result;
            }
            break #out
        })
    }

    /// `break`, with a value or without.
    pub fn leave_loop(
        &self,
        target: Target,
        plan: &Looped,
        value: Option<(TokenStream, Span)>,
        span: Span,
    ) -> TokenStream {
        let again = self.labels.borrow()[target].clone();
        let (w, k) = (super::local("w", target), super::local("tables", target));
        let state = self.loop_places(plan, &plan.after, target, span);
        let out = self.out();
        if !plan.has_value {
            let leave = quote_spanned!(span=> brk(&mut [#state]));
            return quote_spanned!(shown_at(span)=> {
                if #w.#leave {
                    break #again;
                }
                break #out
            });
        }
        let (value, at) = value.unwrap_or_else(|| (quote!(()), span));
        let (value_, result) = (hidden_at("value", at), hidden("result"));
        // The user's own token, so that an error is reported at this `break`.
        let leave = quote_spanned!(span=> brk_value(#value_, #k[0], &mut [#state]));
        quote_spanned!(shown_at(span)=> {
            let #value_ = #value;
            if let ::core::option::Option::Some(#result) = #w.#leave {
                break #again #result;
            }
            break #out
        })
    }

    fn next_pass(&self, target: Target, span: Span) -> TokenStream {
        let again = self.labels.borrow()[target].clone();
        let w = super::local("w", target);
        let out = self.out();
        let state = self.heads.borrow()[target].clone();
        let leave = quote_spanned!(span=> cont(&mut [#state]));
        quote_spanned!(shown_at(span)=> {
            if #w.#leave {
                continue #again;
            }
            break #out
        })
    }
}
