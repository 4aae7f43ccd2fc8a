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

/// The state of a construct.
pub struct State<'a> {
    pub places: &'a [Place],
    /// Those of which types alone tell what they lead to.
    pub hides: Option<&'a BTreeSet<Place>>,
    /// The tables of the value's type and of the places' types.
    pub k: Ident,
    /// What variables lend.
    pub lent: Ident,
    pub at: Span,
}

impl State<'_> {
    /// Whether there is any.
    pub fn is_some(&self) -> bool {
        !self.places.is_empty()
    }

    /// Where a place's own table is, or what it lends.
    fn position(&self, i: usize) -> usize {
        let same = |place: &&Place| place.is_lent() == self.places[i].is_lent();
        let before = self.places[..i].iter().filter(same).count();
        // The value's table is the first.
        if self.places[i].is_lent() { before } else { before + 1 }
    }

    /// A place to write, or only to look at.
    pub fn place(&self, emit: &Emit<'_>, i: usize, exclusive: bool) -> TokenStream {
        let (rt, vars, place, k, lent) = (&emit.rt, &emit.function.vars, &self.places[i], &self.k, &self.lent);
        let (name, tokens, n) = (place.name(vars), place.tokens(vars, self.at), self.position(i));
        let at = shown_at(self.at);
        let tokens = match (place.is_lent(), exclusive) {
            (true, _) if self.hides.is_some_and(|hides| hides.contains(place)) => {
                quote!(#lent[#n].changed(#name))
            }
            (true, _) => quote!(#lent[#n].place(#name)),
            (false, true) => quote_spanned!(at=> #rt::place(#name, &mut #tokens, #k[#n])),
            (false, false) => quote_spanned!(at=> #rt::place_ref(#name, &#tokens, #k[#n])),
        };
        match self.around(place) {
            around if around.is_empty() => quote!(#tokens,),
            around => quote!(#rt::unless(#tokens, &[#(&#lent[#around]),*]),),
        }
    }

    /// What is lent by variables and fields that a place lies in, so that it may be a part of that.
    fn around(&self, place: &Place) -> Vec<usize> {
        let own = place.lender();
        let holds = |other: &Place| {
            let other = other.lender();
            other.root == own.root && own.path.len() > other.path.len() && own.path.starts_with(&other.path)
        };
        let lent = self.places.iter().filter(|place| place.is_lent()).enumerate();
        lent.filter(|(_, other)| holds(other)).map(|(i, _)| i).collect()
    }

    /// All places, to write.
    pub fn all(&self, emit: &Emit<'_>) -> TokenStream {
        (0..self.places.len()).map(|i| self.place(emit, i, true)).collect()
    }

    /// All places, of which some may be without a value.
    pub fn all_if(&self, emit: &Emit<'_>, set: &[bool], exclusive: bool) -> TokenStream {
        let (rt, k) = (&emit.rt, &self.k);
        let one = |(i, set): (usize, &bool)| match set {
            true => self.place(emit, i, exclusive),
            false => {
                let (name, n) = (self.places[i].name(&emit.function.vars), self.position(i));
                quote!(#rt::unset(#name, #k[#n]),)
            }
        };
        set.iter().enumerate().map(one).collect()
    }

    /// A construct whose tables are written after it and found before it, in a loop of the name `done`.
    pub fn late(&self, emit: &Emit<'_>, slot: &Ident, done: &Lifetime, construct: &TokenStream) -> TokenStream {
        let (rt, k, lent, vars) = (&emit.rt, &self.k, &self.lent, &emit.function.vars);
        let tables = self.places.iter().filter(|place| !place.is_lent()).map(|place| {
            let table = emit.table(place, self.at);
            quote!(#table,)
        });
        let lents = self.places.iter().filter(|place| place.is_lent()).map(|place| {
            let tokens = place.lender().tokens(vars, self.at);
            quote!((&&&&&&&#rt::Probe(&#tokens)).lent(),)
        });
        let (count, lends) = (tables.clone().count() + 1, lents.clone().count());
        let (mut declare, mut found, mut find) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
        if lends > 0 {
            declare = quote! {
                let mut #lent: ::core::option::Option<[#rt::Referents<'_>; #lends]> = ::core::option::Option::None;
            };
            found = quote!(&& let ::core::option::Option::Some(#lent) = &#lent);
            find = quote!(#lent = ::core::option::Option::Some([#(#lents)*]););
        }
        quote! {
            let mut #k: ::core::option::Option<[&'static #rt::StateVtable; #count]> = ::core::option::Option::None;
            #declare
            #done: loop {
                if let ::core::option::Option::Some(#k) = #k #found {
                    #construct
                }
                #k = ::core::option::Option::Some([(&&&&&&#slot).table(), #(#tables)*]);
                #find
            }
        }
    }
}

impl Emit<'_> {
    /// Copies variables and fields that a block moves, and puts them back; those that the first branch of an `if` has changed
    /// and does not move, because the other one needs them.
    pub fn keep(
        &self,
        places: &[Place],
        changed: Option<(&Ident, &BTreeSet<Place>)>,
        at: Span,
    ) -> (TokenStream, TokenStream) {
        let (fun, vars) = (self.fun(), &self.function.vars);
        let (mut save, mut restore) = (TokenStream::new(), TokenStream::new());
        for (i, place) in places.iter().enumerate() {
            let saved = match place.path.is_empty() {
                true => local("saved", place.root),
                false => hidden(&format!("saved{}_{i}", place.root)),
            };
            let tokens = place.tokens(vars, at);
            let copy = self.saved(place, &tokens, &quote!(#fun.tracing()));
            save.extend(quote!(let #saved = #copy;));
            // It is for the graph's other ways alone where Rust's own ones all assign or leave.
            // In the text of the user, so that an error names the line.
            let back = quote_spanned!(at=> restore());
            restore.extend(match changed.filter(|(_, places)| places.contains(place)) {
                Some((s, _)) => {
                    let back = quote_spanned!(at=> restore_to(&mut #tokens, #s.is_staged()));
                    quote!(#saved.#back;)
                }
                None => quote!(#[allow(unused_assignments)] { #tokens = #saved.#back; }),
            });
        }
        (save, restore)
    }

    /// Copies that a block moves in place of captured variables.
    pub fn copies(&self, vars: &[Var], at: Span) -> TokenStream {
        let copy = vars.iter().map(|var| {
            let mut ident = self.function.vars[*var].ident.clone();
            ident.set_span(ident.span().located_at(at));
            let place = Place { root: *var, path: Vec::new() };
            let copy = self.saved(&place, &quote!(#ident), &quote!(true));
            quote!(let #ident = #copy.restore();)
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
