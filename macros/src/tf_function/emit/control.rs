//! `if` and loops. What may be staged becomes a protocol object around one copy of each block; everything else is written
//! as the user did, with labels where rustc asks for them.
//!
//! The tables of the state's types are asked for last and used first, because rustc learns types from top to bottom: the
//! construct stands in a loop whose first pass only fetches them.

use super::super::analyse::place::Place;
use super::super::ast::*;
use super::super::lower::{Branch, Looped};
use super::{Emit, Wanted, label, local};
use crate::names::{hidden, hidden_at, shown_at};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Lifetime;

impl Emit<'_> {
    /// `if` decided by Rust.
    pub fn host_if(&self, node: &If, wanted: &Wanted) -> TokenStream {
        let token = node.token;
        let cond = match node.lends() && !node.matches {
            true => self.lending_condition(&node.cond),
            false => self.expr(&node.cond),
        };
        let rebound = self.rebound(node.vars.start..self.first_inside(&node.then, node.vars.end));
        let then = self.stmts(&node.then, wanted);
        let then = quote_spanned!(node.then.brace.span.join()=> { #rebound #then });
        let other = node.other.as_ref().map(|block| {
            let block = self.block(block, wanted);
            quote!(else #block)
        });
        quote!(#token #cond #then #other)
    }

    /// Where the variables of a block begin: those before are the condition's.
    fn first_inside(&self, block: &Block, end: Var) -> Var {
        let mut first = end;
        for stmt in &block.stmts {
            if let Stmt::Let(node) = stmt {
                first = first.min(node.vars.start);
            }
        }
        first
    }

    pub fn branch(&self, node: &If, plan: &Branch, wanted: &Wanted) -> TokenStream {
        let rt = &self.rt;
        let at = node.token.span;
        let n = node.id;
        let [cond, slot, k, s] = ["if_cond", "if_slot", "if_k", "if_"].map(|name| local(name, n));
        let (done, out) = (label("if", n), self.out());
        let value = self.expr(&node.cond);
        let at_cond = self.rt_at(node.cond.span);
        let value = quote_spanned!(node.cond.span=> #at_cond::condition(&(#value)));
        let at_if = self.rt_at(at);
        let before = self.places_if(&plan.state, &plan.set, &k, at, false);
        let state = self.places(&plan.state, &k, at);
        let yielded = plan.yields.iter().map(|var| self.function.vars[*var].name.clone());
        let ty = self.value_type(wanted, plan.yields.len());
        let left = if plan.leaves_then || plan.leaves_other { quote!(break #out) } else { quote!(#rt::never()) };

        let then = self.side(node, &node.then, plan, wanted, true);
        let left_state = self.places_if(&plan.state, &plan.set_left, &k, at, true);
        let (save, restore) = self.keep(&plan.keep_then, at);
        let after_then = plan.leaves_then.then(|| quote!(if #s.left_then(&mut [#left_state]) { break #out }));
        let empty = Block { brace: syn::token::Brace(at), stmts: Vec::new() };
        let other = self.side(node, node.other.as_ref().unwrap_or(&empty), plan, wanted, false);
        let (save_other, restore_other) = self.keep(&plan.keep_other, at);
        let after_other = plan.leaves_other.then(|| {
            let val = hidden("value");
            quote! {
                match #s.left_else(#k[0], &mut [#state]) {
                    #rt::Else::Val(#val) => break #done #val,
                    #rt::Else::Left => #left,
                }
            }
        });
        let new = quote_spanned!(at=> #at_if::If::new(#slot, #cond, &[#before], &[#(#yielded),*]));
        let construct = quote! {
            let mut #s = #new;
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
        let tables = self.tables(&plan.state, &slot, at);
        let construct = late(rt, &k, &done, plan.state.len() + 1, &construct, &tables);
        let construct = self.yielding(&plan.yields, &construct, wanted);
        quote!({
            let #cond = #value;
            let #slot = #rt::Slot::<#ty>::new();
            #construct
        })
    }

    /// One branch: its block, and what the run time makes of its value.
    fn side(&self, node: &If, block: &Block, plan: &Branch, wanted: &Wanted, first: bool) -> TokenStream {
        let rt = &self.rt;
        let n = node.id;
        let [k, s] = ["if_k", "if_"].map(|name| local(name, n));
        let (done, end) = (label("if", n), label(if first { "then" } else { "else" }, n));
        let leaves = if first { plan.leaves_then } else { plan.leaves_other };
        let copies = self.copies(if first { &plan.copy_then } else { &plan.copy_other }, node.token.span);
        let state = self.places(&plan.state, &k, node.token.span);
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
            let mutable = plan.yields.iter().map(|var| self.function.vars[*var].mutable.then(|| quote!(mut)));
            declare = quote!(#(#[allow(unused_variables)] let #mutable #idents;)*);
            passed = quote!((#result, #(#idents),*));
        }
        let out = self.out();
        let left = if plan.leaves_then || plan.leaves_other { quote!(break #out) } else { quote!(#rt::never()) };
        let close = match first {
            true => quote! {
                #[allow(unreachable_code)]
                match #s.end_then(#passed, #k[0], &mut [#state]) {
                    #rt::Then::Done(#value) => break #done #value,
                    #rt::Then::Else => {}
                };
            },
            false => quote! {
                #[allow(unreachable_code)]
                match #s.end_else(#passed, #k[0], &mut [#state]) {
                    #rt::Else::Val(#value) => break #done #value,
                    #rt::Else::Left => #left,
                };
            },
        };
        let label = leaves.then(|| quote!(#end:));
        // A block without a value is shown where rustc has something to say of that.
        let valued = matches!(block.stmts.last(), Some(Stmt::Expr(_, None)));
        let braces = if valued { node.token.span } else { block.brace.span.join() };
        let block = quote_spanned!(shown_at(braces)=> { #stmts });
        quote!(#label { #declare #copies let #result: #ty = #block; #close })
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

    /// Places to write, with their tables.
    fn places(&self, places: &[Place], k: &Ident, at: Span) -> TokenStream {
        self.places_if(places, &vec![true; places.len()], k, at, true)
    }

    fn places_if(&self, places: &[Place], set: &[bool], k: &Ident, at: Span, exclusive: bool) -> TokenStream {
        let rt = &self.rt;
        let vars = &self.function.vars;
        let one = |(i, (place, set)): (usize, (&Place, &bool))| {
            let (name, tokens, i) = (place.name(vars), place.tokens(vars, at), i + 1);
            match (set, exclusive) {
                (false, _) => quote!(#rt::unset(#name, #k[#i]),),
                (true, true) => quote_spanned!(shown_at(at)=> #rt::place(#name, &mut #tokens, #k[#i]),),
                (true, false) => quote_spanned!(shown_at(at)=> #rt::place_ref(#name, &#tokens, #k[#i]),),
            }
        };
        places.iter().zip(set).enumerate().map(one).collect()
    }

    /// The tables of the value's type and of the places' types.
    fn tables(&self, places: &[Place], slot: &Ident, at: Span) -> TokenStream {
        let rt = &self.rt;
        let tables = places.iter().map(|place| {
            let tokens = place.tokens(&self.function.vars, at);
            quote!((&&&&&#rt::Probe(&#tokens)).table(),)
        });
        quote!((&&&&&#slot).table(), #(#tables)*)
    }

    /// Copies variables and fields that a block moves, and puts them back.
    fn keep(&self, places: &[Place], at: Span) -> (TokenStream, TokenStream) {
        let rt = &self.rt;
        let (fun, vars) = (self.fun(), &self.function.vars);
        let (mut save, mut restore) = (TokenStream::new(), TokenStream::new());
        for (i, place) in places.iter().enumerate() {
            let saved = match place.path.is_empty() {
                true => local("saved", place.root),
                false => hidden(&format!("saved{}_{i}", place.root)),
            };
            let (name, tokens) = (place.name(vars), place.tokens(vars, at));
            save.extend(quote!(let #saved = (&&&#rt::Save(&#tokens)).save(#name, #fun.tracing());));
            restore.extend(quote!(#tokens = #saved.restore();));
        }
        (save, restore)
    }

    /// Copies that a block moves in place of captured variables.
    fn copies(&self, vars: &[Var], at: Span) -> TokenStream {
        let rt = &self.rt;
        let copy = vars.iter().map(|var| {
            let mut ident = self.function.vars[*var].ident.clone();
            let name = &self.function.vars[*var].name;
            ident.set_span(ident.span().located_at(at));
            quote!(let #ident = (&&&#rt::Save(&#ident)).save(#name, true).restore();)
        });
        copy.collect()
    }

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
                let first = self.first_inside(&node.body, node.vars.end);
                let rebound = self.rebound(node.vars.start..first);
                let body = quote_spanned!(braces=> { #rebound #body });
                quote_spanned!(node.span=> #label: while #cond #body)
            }
            LoopKind::For { pat, over } => {
                let over = self.expr(over);
                let first = self.first_inside(&node.body, node.vars.end);
                let rebound = self.rebound(node.vars.start..first);
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
        let [slot, k, w, it] = ["slot", "tables", "w", "it"].map(|name| local(name, n));
        let (done, out, again) = (label("done", n), self.out(), self.loop_label(node));
        let end = label("pass", n);
        let names = plan.head.iter().map(|i| plan.state[*i].name(&self.function.vars));
        let bounded = !node.is_endless();
        let unit = Wanted { unit: true, ty: None };
        let wanted = if plan.has_value { wanted } else { &unit };
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
        let (save, restore) = self.keep(&plan.keep, node.span);
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
        let new = quote_spanned!(node.span=> #at_loop::While::new(#slot, &[#(#names),*], #bounded));
        let construct = quote! {
            let mut #w = #new;
            #finish
        };
        let tables = self.tables(&plan.state, &slot, node.span);
        let construct = late(rt, &k, &done, plan.state.len() + 1, &construct, &tables);
        let begin = self.begin(node, &it);
        quote!({
            #begin
            let #slot = #rt::Slot::<#ty>::new();
            #construct
        })
    }

    /// What a `for` goes over.
    fn begin(&self, node: &Loop, it: &Ident) -> TokenStream {
        let LoopKind::For { over, .. } = &node.kind else { return TokenStream::new() };
        let rt = &self.rt;
        let tokens = self.expr(over);
        let over_ = local("over", node.target);
        let iterate = quote_spanned!(over.span=> iterate(#over_));
        let iterate = quote_spanned!(shown_at(over.span)=> (&&#rt::Iterated::of(&#over_)).#iterate);
        quote! {
            let #over_ = #tokens;
            let mut #it = #iterate;
        }
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
                let first = self.first_inside(&node.body, node.vars.end);
                let rebound = self.rebound(node.vars.start..first);
                quote!(let #pat = #it.item(); #rebound let () = #body;)
            }
            LoopKind::WhileLet(cond) => {
                let cond = self.expr(cond);
                let leave = self.leave_loop(node.target, plan, None, node.span);
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
            let it = local("it", node.target);
            quote!(#it.place(),)
        });
        quote!(#head #position)
    }

    /// Some of a loop's places.
    pub fn loop_places(&self, plan: &Looped, which: &[usize], target: Target, at: Span) -> TokenStream {
        let rt = &self.rt;
        let (vars, k) = (&self.function.vars, local("tables", target));
        let one = |i: &usize| {
            let place = &plan.state[*i];
            let (name, tokens, i) = (place.name(vars), place.tokens(vars, at), i + 1);
            quote_spanned!(shown_at(at)=> #rt::place(#name, &mut #tokens, #k[#i]),)
        };
        which.iter().map(one).collect()
    }
}

const UNIT: Wanted = Wanted { unit: true, ty: None };
const ANY: Wanted = Wanted { unit: false, ty: None };

fn wanted_type(wanted: &Wanted) -> TokenStream {
    match (&wanted.ty, wanted.unit) {
        // `impl Trait` cannot be written for a variable.
        (Some(ty), _) if !super::function::is_impl(ty) => quote!(#ty),
        (_, true) => quote!(()),
        _ => quote!(_),
    }
}

/// A construct whose tables are written after it and found before it.
fn late(
    rt: &TokenStream,
    k: &Ident,
    done: &Lifetime,
    count: usize,
    construct: &TokenStream,
    tables: &TokenStream,
) -> TokenStream {
    quote! {
        let mut #k: ::core::option::Option<[&'static #rt::Table; #count]> = ::core::option::Option::None;
        #done: loop {
            if let ::core::option::Option::Some(#k) = #k {
                #construct
            }
            #k = ::core::option::Option::Some([#tables]);
        }
    }
}
