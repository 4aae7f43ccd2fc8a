//! State on its way into the run time's protocol objects: places with the tables of their types, copies of what a block moves.
//! The emission of branches and loops calls it.
//!
//! The tables of the state's types are asked for last and used first, because rustc learns types from top to bottom: the
//! construct stands in a loop whose first pass only fetches them.

use super::super::analyse::place::Place;
use super::super::ast::*;
use super::{Emit, Wanted, local};
use crate::names::{hidden, shown_at};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::BTreeSet;
use syn::Lifetime;

impl Emit<'_> {
    /// Places to write, with their tables.
    pub fn places(&self, places: &[Place], k: &Ident, at: Span) -> TokenStream {
        self.places_if(places, &vec![true; places.len()], k, at, true)
    }

    pub fn places_if(&self, places: &[Place], set: &[bool], k: &Ident, at: Span, exclusive: bool) -> TokenStream {
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
    pub fn tables(&self, places: &[Place], slot: &Ident, at: Span) -> TokenStream {
        let rt = &self.rt;
        let tables = places.iter().map(|place| {
            let tokens = place.tokens(&self.function.vars, at);
            quote!((&&&&&#rt::Probe(&#tokens)).table(),)
        });
        quote!((&&&&&#slot).table(), #(#tables)*)
    }

    /// Copies variables and fields that a block moves, and puts them back; of those in `changed`, which it does not move,
    /// only what can be copied.
    pub fn keep(&self, places: &[Place], changed: &BTreeSet<Var>, at: Span) -> (TokenStream, TokenStream) {
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
            // It is for the graph's other ways alone where Rust's own ones all assign or leave.
            // In the text of the user, so that an error names the line.
            let back = quote_spanned!(at=> restore());
            restore.extend(match changed.contains(&place.root) && place.path.is_empty() {
                true => quote!(#saved.restore_to(&mut #tokens);),
                false => quote!(#[allow(unused_assignments)] { #tokens = #saved.#back; }),
            });
        }
        (save, restore)
    }

    /// Copies that a block moves in place of captured variables.
    pub fn copies(&self, vars: &[Var], at: Span) -> TokenStream {
        let rt = &self.rt;
        let copy = vars.iter().map(|var| {
            let mut ident = self.function.vars[*var].ident.clone();
            let name = &self.function.vars[*var].name;
            ident.set_span(ident.span().located_at(at));
            quote!(let #ident = (&&&#rt::Save(&#ident)).save(#name, true).restore();)
        });
        copy.collect()
    }
}

pub fn wanted_type(wanted: &Wanted) -> TokenStream {
    match (&wanted.ty, wanted.unit) {
        // `impl Trait` cannot be written for a variable.
        (Some(ty), _) if !super::function::is_impl(ty) => quote!(#ty),
        (_, true) => quote!(()),
        _ => quote!(_),
    }
}

/// A construct whose tables are written after it and found before it.
pub fn late(
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
