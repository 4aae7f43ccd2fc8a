//! `if`: one that may be staged becomes a protocol object around one copy of each block; one that Rust decides is written as
//! the user did, and `match`, which Rust decides. The walk over expressions calls it.

use super::super::ast::*;
use super::super::plan::Branch;
use super::state::{State, wanted_type};
use super::{Emit, Wanted, label, local};
use crate::names::{hidden, hidden_at, shown_at};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr as Syntax;

impl Branch {
    fn places(&self, id: IfId, at: Span) -> State<'_> {
        State { places: &self.state, hides: Some(&self.hides), k: local("if_k", id), lent: local("if_lent", id), at }
    }
}

impl Emit<'_> {
    /// `if` decided by Rust.
    pub fn host_if(&self, node: &If, wanted: &Wanted) -> TokenStream {
        let token = node.token;
        let cond = match node.lends() && !node.matches {
            true => self.lending_condition(&node.cond),
            false => self.expr(&node.cond),
        };
        let rebound = self.rebound(node.bound.iter().copied());
        let then = self.stmts(&node.then, wanted);
        let then = quote_spanned!(node.then.brace.span.join()=> { #rebound #then });
        let other = node.other.as_ref().map(|block| {
            let block = self.block(block, wanted);
            quote!(else #block)
        });
        quote!(#token #cond #then #other)
    }

    pub fn branch(&self, node: &If, plan: &Branch, wanted: &Wanted) -> TokenStream {
        let rt = &self.rt;
        let at = node.token.span;
        let n = node.id;
        let [cond, slot, s] = ["if_cond", "if_slot", "if_"].map(|name| local(name, n));
        let places = plan.places(n, at);
        let k = &places.k;
        let (done, out) = (label("if", n), self.out());
        let value = self.expr(&node.cond);
        let at_cond = self.rt_at(node.cond.span);
        let at_if = self.rt_at(at);
        let (logic, value) = match &node.lazy {
            None => (None, quote_spanned!(node.cond.span=> #at_cond::condition(&(#value)))),
            Some(lazy) => {
                let (logic, open) = (&lazy.logic, Ident::new(if lazy.is_and { "and" } else { "or" }, at));
                let left = quote_spanned!(node.cond.span=> &(#value));
                (Some(quote_spanned!(at=> let #logic = #at_if::Logic::#open(#left);)), quote!(#logic.condition()))
            }
        };
        let before = places.all_if(self, &plan.set, false);
        let state = places.all(self);
        let yielded = plan.yields.iter().map(|var| self.function.vars[*var].name.clone());
        let ty = self.value_type(wanted, plan.yields.len());
        let leaves = plan.leaves_then || plan.leaves_other;
        let left = if leaves { quote!(break #out) } else { quote!(#rt::never()) };

        let then = self.side(node, &node.then, plan, wanted, true);
        let left_state = places.all_if(self, &plan.set_left, true);
        let (save, restore) = self.keep(&plan.keep_then, Some((&s, &plan.changed_then)), at);
        let after_then = plan.leaves_then.then(|| quote!(if #s.left_then(&mut [#left_state]) { break #out }));
        let empty = Block { brace: syn::token::Brace(at), stmts: Vec::new() };
        let other = self.side(node, node.other.as_ref().unwrap_or(&empty), plan, wanted, false);
        let (save_other, restore_other) = self.keep(&plan.keep_other, None, at);
        let after_other = plan.leaves_other.then(|| {
            let val = hidden("value");
            // rustc knows that nobody comes behind it: what the branches moved is not missing there.
            let (pattern, on) = match plan.is_end {
                true => (quote!(_), quote!(#rt::never())),
                false => (quote!(#val), quote!(break #done #val)),
            };
            quote! {
                match #s.left_else(#k[0], &mut [#state]) {
                    #rt::Else::Val(#pattern) => #on,
                    #rt::Else::Left => #left,
                }
            }
        });
        let new = quote_spanned!(at=> #at_if::If::new(#slot, #cond, &[#before], &[#(#yielded),*]));
        let lazy = node.lazy.as_ref().map(|lazy| {
            let is_and = lazy.is_and;
            quote!(.lazy(#is_and))
        });
        let jumping = leaves.then(|| quote!(.jumping()));
        let construct = quote! {
            let mut #s = #new #lazy #jumping;
            if #s.then() {
                #save
                #then
                #restore
                #after_then
            }
            #s.otherwise();
            #save_other
            #other
            #restore_other
            #after_other
        };
        let construct = places.late(self, &slot, &done, &construct);
        let construct = self.yielding(&plan.yields, &construct, wanted);
        quote!({
            #logic
            let #cond = #value;
            let #slot = #rt::Slot::<#ty>::new();
            #construct
        })
    }

    /// One branch: its block, and what the run time makes of its value.
    fn side(&self, node: &If, block: &Block, plan: &Branch, wanted: &Wanted, first: bool) -> TokenStream {
        let rt = &self.rt;
        let n = node.id;
        let (s, state) = (local("if_", n), plan.places(n, node.token.span));
        let (done, end) = (label("if", n), label(if first { "then" } else { "else" }, n));
        let leaves = if first { plan.leaves_then } else { plan.leaves_other };
        let copies = self.copies(if first { &plan.copy_then } else { &plan.copy_other }, node.token.span);
        let (k, state) = (&state.k, state.all(self));
        let stmts = match leaves {
            true => self.within(end.clone(), || self.stmts(block, wanted)),
            false => self.stmts(block, wanted),
        };
        let ty = wanted_type(wanted);
        // A type error between the branches points at the block's value.
        let at = block.stmts.last().map_or(block.brace.span.join(), |stmt| match stmt {
            Stmt::Expr(expr, _) => expr.span,
            _ => block.brace.span.close(),
        });
        let result = hidden_at("result", at);
        let value = hidden("value");
        let mut declare = TokenStream::new();
        let mut passed = quote!(#result);
        if !plan.yields.is_empty() {
            let idents: Vec<_> = plan.yields.iter().map(|var| &self.function.vars[*var].ident).collect();
            // Both branches run when a graph is recorded, and rustc lets only one of them assign such a variable. Others are
            // assigned as they are, so that a jump finds the value in its place.
            let once = plan.yields.iter().map(|var| &self.function.vars[*var]).filter(|var| !var.mutable);
            let once = once.map(|var| &var.ident);
            declare = quote!(#(#[allow(unused_variables)] let #once;)*);
            passed = quote!((#result, #(#idents),*));
        }
        let out = self.out();
        let left = if plan.leaves_then || plan.leaves_other { quote!(break #out) } else { quote!(#rt::never()) };
        let on = if first { TokenStream::new() } else { left };
        let (back, handed) = self.handed_back(&plan.yields, &s);
        // In the user's text, where an error that is the block's value is made.
        let end_of = Ident::new(if first { "end_then" } else { "end_else" }, at);
        let ends = quote_spanned!(at=> #end_of(#passed, #k[0], &mut [#state]));
        let close = quote! {
            #[allow(unreachable_code)]
            match #s.#ends {
                #rt::End::Done(#value) => break #done #value,
                #rt::End::Back(#handed) => { #back #on }
            };
        };
        let label = leaves.then(|| quote!(#end:));
        // A block without a value is shown where rustc has something to say of that.
        let valued = matches!(block.stmts.last(), Some(Stmt::Expr(_, None)));
        let braces = if valued { node.token.span } else { block.brace.span.join() };
        let block = quote_spanned!(shown_at(braces)=> { #stmts });
        quote!(#label { #declare #copies let #result: #ty = #block; #close })
    }

    /// Puts variables back that a block has handed over with its value, where the program goes on elsewhere; with the pattern
    /// for them.
    fn handed_back(&self, yields: &[Var], s: &Ident) -> (TokenStream, TokenStream) {
        let value = hidden("value");
        let held = |var: &Var| self.function.vars[*var].mutable;
        if !yields.iter().any(held) {
            return (TokenStream::new(), quote!(_));
        }
        let parts: Vec<_> = (0..yields.len()).map(|i| hidden(&format!("back{i}"))).collect();
        let puts = yields.iter().zip(&parts).filter(|(var, _)| held(var)).map(|(var, part)| {
            let ident = &self.function.vars[*var].ident;
            quote!(#ident = #part;)
        });
        let puts: TokenStream = puts.collect();
        let back = quote! {
            #[allow(unused_variables, unused_assignments)] {
                let (_, #(#parts),*) = #s.handed_back(#value);
                #puts
            }
        };
        (back, quote!(#value))
    }

    /// Wraps a construct that yields variables besides its value.
    fn yielding(&self, yields: &[Var], construct: &TokenStream, wanted: &Wanted) -> TokenStream {
        if yields.is_empty() {
            return construct.clone();
        }
        let idents = yields.iter().map(|var| &self.function.vars[*var].ident);
        if wanted.unit {
            return quote!((_, #(#idents),*) = { #construct };);
        }
        let result = hidden("result");
        quote!(let #result; (#result, #(#idents),*) = { #construct }; #result)
    }

    fn value_type(&self, wanted: &Wanted, yields: usize) -> TokenStream {
        let ty = wanted_type(wanted);
        let more = (0..yields).map(|_| quote!(_));
        if yields == 0 { ty } else { quote!((#ty, #(#more),*)) }
    }

    pub fn choice(&self, node: &Match, wanted: &Wanted) -> TokenStream {
        let mut syntax = node.syntax.clone();
        *syntax.expr = Syntax::Verbatim(self.expr(&node.scrutinee));
        syntax.arms = node.arms.iter().map(|arm| self.arm(arm, wanted)).collect();
        syntax.to_token_stream()
    }

    fn arm(&self, arm: &Arm, wanted: &Wanted) -> syn::Arm {
        let mut syntax = arm.syntax.clone();
        if let (syn::Pat::Guard(guarded), Some(guard)) = (&mut syntax.pat, &arm.guard) {
            *guarded.guard = Syntax::Verbatim(self.host_condition(guard));
        }
        let body = self.value_for(&arm.body, wanted);
        let rebound = self.rebound(arm.bound.clone());
        *syntax.body = Syntax::Verbatim(if rebound.is_empty() { body } else { quote!({ #rebound #body }) });
        // Whatever the body has become, a comma ends it.
        syntax.comma = Some(syn::token::Comma(arm.body.span));
        syntax
    }
}
