//! Loops: one that may be staged becomes a protocol object around one copy of its condition and body; one that Rust runs is
//! written as the user did, with labels where rustc asks for them. The walk over expressions calls it.

use super::super::ast::*;
use super::super::plan::Looped;
use super::state::{State, wanted_type};
use super::{Emit, Wanted, label, local};
use crate::names::{hidden, shown_at};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Lifetime;

impl Looped {
    /// Numbers of loops and of branches meet, so the names of their tables differ.
    fn places(&self, target: Target, at: Span) -> State<'_> {
        State {
            places: &self.state,
            hides: Some(&self.hides),
            k: local("tables", target),
            lent: local("lent", target),
            at,
        }
    }
}

impl Emit<'_> {
    /// The label of a loop: the user's, or one of the macro's.
    pub fn loop_label(&self, node: &Loop) -> Lifetime {
        let name = node.label.as_ref().map_or_else(|| label("loop", node.target), |label| label.name.clone());
        self.labels.borrow_mut()[node.target] = Some(name.clone());
        name
    }

    /// A loop that Rust runs.
    pub fn host_loop(&self, node: &Loop, wanted: &Wanted) -> TokenStream {
        let label = self.loop_label(node);
        let body = self.stmts(&node.body, if matches!(node.kind, LoopKind::Once) { wanted } else { &UNIT });
        let braces = node.body.brace.span.join();
        match &node.kind {
            LoopKind::While(cond) | LoopKind::WhileLet(cond) => {
                let cond = self.expr(cond);
                let rebound = self.rebound(node.bound.iter().copied());
                let body = quote_spanned!(braces=> { #rebound #body });
                quote_spanned!(node.span=> #label: while #cond #body)
            }
            LoopKind::For { pat, over } => {
                let over = self.expr(over);
                let rebound = self.rebound(node.bound.iter().copied());
                let body = quote_spanned!(braces=> { #rebound #body });
                quote_spanned!(node.span=> #label: for #pat in #over #body)
            }
            LoopKind::Loop => {
                let body = quote_spanned!(braces=> { #body });
                quote_spanned!(node.span=> #label: loop #body)
            }
            LoopKind::Once => {
                let body = quote_spanned!(braces=> { #body });
                quote!(#label: #body)
            }
        }
    }

    /// A loop that may become part of a graph.
    pub fn looped(&self, node: &Loop, plan: &Looped, wanted: &Wanted) -> TokenStream {
        let rt = &self.rt;
        let n = node.target;
        // Numbers of loops and of branches meet, so the names of their tables differ.
        let [slot, w, it] = ["slot", "w", "it"].map(|name| local(name, n));
        let places = plan.places(n, node.span);
        let k = &places.k;
        let (done, out, again) = (label("done", n), self.out(), self.loop_label(node));
        let end = label("pass", n);
        let pushed = self.pushed(n);
        let bounded = !plan.never_ends;
        let wanted = if plan.has_value { wanted } else { &UNIT };
        let ty = wanted_type(wanted);
        let head = self.head_state(node, plan);
        self.heads.borrow_mut()[n] = Some(head.clone());
        // A loop that nothing breaks out of has no end: its type stays `!`.
        let endless = matches!(node.kind, LoopKind::Loop) && !plan.has_break;
        let left = if plan.leaves { quote!(break #out) } else { quote!(#rt::never()) };
        let over = match () {
            () if endless => left.clone(),
            () if plan.has_value => quote!(break #again #w.value()),
            () => quote!(break #again),
        };
        let (save, restore) = self.keep(&plan.keep, None, node.span);
        let copies = self.copies(&plan.copy, node.span);
        let next = |fell: bool| {
            quote! {
                #[allow(unreachable_code)]
                match #w.next(&mut [#head], #fell) {
                    #rt::Next::Over => #over,
                    #rt::Next::More => continue #again,
                    #rt::Next::Left => #left,
                };
            }
        };
        let (fell, jumped) = (next(true), next(false));
        let body = match plan.body_leaves {
            true => self.within(end.clone(), || self.pass(node, plan)),
            false => self.pass(node, plan),
        };
        let label = plan.body_leaves.then(|| quote!(#end:));
        let jumped = plan.body_leaves.then_some(jumped);
        let fell = (!matches!(node.kind, LoopKind::Once)).then_some(fell);
        let condition = local("c", n);
        let cond = self.loop_condition(node, &it, &condition);
        let passes = quote! {
            #again: loop {
                #w.head(&mut [#head]);
                #cond
                match #w.test(#condition, &mut [#head]) {
                    #rt::Test::Exit => #over,
                    #rt::Test::Again => continue #again,
                    #rt::Test::Body => {}
                }
                #save
                #label { #copies #body #fell }
                #restore
                #jumped
            }
        };
        let after = self.loop_places(plan, &plan.after, n, node.span);
        let value = hidden("value");
        let finish = match (endless, plan.has_value) {
            (true, _) => passes,
            (false, true) => quote! {
                let #value = #passes;
                break #done #w.after_value(#value, #k[0], &mut [#after]);
            },
            (false, false) => quote! {
                #passes
                #w.after(&mut [#after]);
                break #done;
            },
        };
        let at_loop = self.rt_at(node.span);
        let new = quote_spanned!(node.span=> #at_loop::While::new(#slot, &[#(#pushed),*], #bounded));
        let construct = quote! {
            let mut #w = #new;
            #finish
        };
        let construct = places.late(self, &slot, &done, &construct);
        let construct = quote! {
            let #slot = #rt::Slot::<#ty>::new();
            #construct
        };
        let LoopKind::For { over, .. } = &node.kind else { return quote!({ #construct }) };
        // As Rust does it: what the head borrows lives as long as the loop.
        let (tokens, over_) = (self.expr(over), local("over", node.target));
        let iterate = quote_spanned!(over.span=> iterate(#over_));
        let iterate = quote_spanned!(shown_at(over.span)=> (&&#rt::Iterated::of(&#over_)).#iterate);
        quote!({
            match #tokens {
                #over_ => {
                    let mut #it = #iterate;
                    #construct
                }
            }
        })
    }

    /// The condition of a pass, as a variable.
    fn loop_condition(&self, node: &Loop, it: &Ident, name: &Ident) -> TokenStream {
        let condition = match &node.kind {
            LoopKind::While(cond) => {
                let (tokens, rt) = (self.expr(cond), self.rt_at(cond.span));
                quote_spanned!(cond.span=> #rt::condition(&(#tokens)))
            }
            LoopKind::For { over, .. } => {
                let advance = quote_spanned!(over.span=> advance());
                quote!(#it.#advance)
            }
            LoopKind::WhileLet(_) | LoopKind::Loop | LoopKind::Once => {
                let rt = self.rt_at(node.span);
                quote_spanned!(node.span=> #rt::condition(&true))
            }
        };
        quote!(let #name = #condition;)
    }

    /// The body of one pass.
    fn pass(&self, node: &Loop, plan: &Looped) -> TokenStream {
        let stmts = self.stmts(&node.body, if matches!(node.kind, LoopKind::Once) { &ANY } else { &UNIT });
        let braces = node.body.brace.span.join();
        let body = quote_spanned!(braces=> { #stmts });
        match &node.kind {
            LoopKind::For { pat, .. } => {
                let it = local("it", node.target);
                let rebound = self.rebound(node.bound.iter().copied());
                quote!(let #pat = #it.item(); #rebound let () = #body;)
            }
            LoopKind::WhileLet(cond) => {
                let cond = self.expr(cond);
                let leave = self.leave_loop(node.target, plan, None, node.span);
                let rebound = self.rebound(node.bound.iter().copied());
                let body = if rebound.is_empty() { body } else { quote_spanned!(braces=> { #rebound #body }) };
                quote!(if #cond #body else #leave)
            }
            LoopKind::Once => {
                let result = hidden("result");
                let value = Some((quote!(#result), node.span));
                let leave = self.leave_loop(node.target, plan, value, node.span);
                quote!(let #result = #body; #leave)
            }
            LoopKind::While(_) | LoopKind::Loop => quote!(let () = #body;),
        }
    }

    /// The state that the next pass needs.
    pub fn head_state(&self, node: &Loop, plan: &Looped) -> TokenStream {
        let head = self.loop_places(plan, &plan.head, node.target, node.span);
        let position = matches!(node.kind, LoopKind::For { .. }).then(|| {
            let (it, place) = (local("it", node.target), if plan.changes_items { "lending_place" } else { "place" });
            let place = Ident::new(place, Span::mixed_site());
            quote!(#it.#place(),)
        });
        quote!(#head #position)
    }

    /// Some of a loop's places.
    pub fn loop_places(&self, plan: &Looped, which: &[usize], target: Target, at: Span) -> TokenStream {
        let places = plan.places(target, at);
        which.iter().map(|i| places.place(self, *i, true)).collect()
    }
}

const UNIT: Wanted = Wanted { unit: true, ty: None, truth: false, flag: false };
const ANY: Wanted = Wanted { unit: false, ty: None, truth: false, flag: false };
