//! From a checked type to `impl Nest`: `visit` tells the fields in order, `map` makes the same value with other tensors.
//! Cannot fail. Bounds go on the fields' types that mention a parameter, so any generics work.

use crate::module::mentions;
use crate::module::parse::{Field, How, Module, Variant};
use crate::names::hidden;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Member, parse_quote};

pub fn emit(nest: &Module) -> TokenStream {
    let rt = nest.runtime.autograph();
    let (name, leaves, with) = (&nest.name, hidden("leaves"), hidden("with"));
    let generics = bounded(nest, &rt);
    let (implementation, types, bounds) = generics.split_for_impl();
    let (visits, maps): (Vec<_>, Vec<_>) = nest
        .variants
        .iter()
        .enumerate()
        .map(|(i, variant)| {
            let index = variant.name.as_ref().map(|_| i);
            (visit_arm(name, index, variant, &leaves), map_arm(variant, &rt, &with))
        })
        .unzip();
    let of_tensors = of_tensors(nest, &rt);
    // An enum without variants has no values.
    let value = if nest.variants.is_empty() { quote!(*self) } else { quote!(self) };
    quote! {
        #[automatically_derived]
        impl #implementation #rt::Nest for #name #types #bounds {
            fn visit(&self, #leaves: &mut #rt::Leaves<'_>) {
                let _ = &#leaves;
                match #value { #(#visits)* }
            }
            fn map(
                &self,
                #with: &mut dyn ::core::ops::FnMut(&#rt::Tensor) -> #rt::Tensor,
            ) -> Self {
                let _ = &#with;
                match #value { #(#maps)* }
            }
            #of_tensors
        }
    }
}

/// The structure of tensors alone, for a struct whose fields are all structures of tensors.
fn of_tensors(nest: &Module, rt: &TokenStream) -> TokenStream {
    let [only] = &nest.variants[..] else { return TokenStream::new() };
    if only.name.is_some() || only.fields.iter().any(|field| field.how != How::Visit) {
        return TokenStream::new();
    }
    let tensors = hidden("tensors");
    let fields = only.fields.iter().map(|field| {
        let (member, ty, span) = (&field.member, &field.ty, field.ty.span());
        // What is no structure is told by `visit`, once.
        quote_spanned!(span=> #member: #rt::ByType::<#ty>::new().of_tensors(#tensors)?)
    });
    quote! {
        fn of_tensors(
            #tensors: &mut dyn ::core::iter::Iterator<Item = #rt::Tensor>,
        ) -> ::core::option::Option<Self> {
            use #rt::NoStructure as _;
            let _ = &#tensors;
            ::core::option::Option::Some(Self { #(#fields,)* })
        }
    }
}

/// `Self` or `Self::Variant`.
fn path(variant: &Variant) -> TokenStream {
    match &variant.name {
        Some(name) => quote!(Self::#name),
        None => quote!(Self),
    }
}

fn bound(index: usize) -> Ident {
    format_ident!("field_{index}", span = proc_macro2::Span::mixed_site())
}

fn visit_arm(of: &Ident, index: Option<usize>, variant: &Variant, leaves: &Ident) -> TokenStream {
    let (mut patterns, mut visits) = (Vec::new(), Vec::new());
    for (i, field) in variant.fields.iter().enumerate().filter(|(_, f)| f.how != How::Skip) {
        let (member, bound) = (&field.member, bound(i));
        patterns.push(quote!(#member: #bound));
        visits.push(visit(field, &bound, leaves));
    }
    let path = path(variant);
    let form = variant.name.as_ref().map_or(String::new(), |name| format!("`{}::{name}`", of));
    let number = index.map(|index| quote!(#leaves.value(&#index); #leaves.form(&#form);));
    quote!(#path { #(#patterns,)* .. } => { #number #(#visits)* })
}

fn visit(field: &Field, bound: &Ident, leaves: &Ident) -> TokenStream {
    // The span of the type: rustc says there what is wrong with it.
    let span = field.ty.span();
    match (&field.how, &field.member) {
        (How::Skip, _) => TokenStream::new(),
        (How::Value, _) => quote_spanned!(span=> #leaves.value(#bound);),
        (How::Visit, Member::Named(name)) => {
            let name = name.to_string();
            let name = name.trim_start_matches("r#");
            quote_spanned!(span=> #leaves.field(#name, #bound);)
        }
        (How::Visit, Member::Unnamed(index)) => {
            let index = index.index as usize;
            quote_spanned!(span=> #leaves.item(#index, #bound);)
        }
    }
}

fn map_arm(variant: &Variant, rt: &TokenStream, with: &Ident) -> TokenStream {
    let (mut patterns, mut values) = (Vec::new(), Vec::new());
    for (i, field) in variant.fields.iter().enumerate() {
        let (member, bound, span) = (&field.member, bound(i), field.ty.span());
        patterns.push(quote!(#member: #bound));
        let value = match field.how {
            How::Visit => quote_spanned!(span=> #rt::Nest::map(#bound, #with)),
            How::Value | How::Skip => quote_spanned!(span=> ::core::clone::Clone::clone(#bound)),
        };
        values.push(quote!(#member: #value));
    }
    let path = path(variant);
    quote!(#path { #(#patterns,)* } => #path { #(#values,)* },)
}

/// The generics with a bound for each type that mentions a type parameter.
fn bounded(nest: &Module, rt: &TokenStream) -> syn::Generics {
    let mut generics = nest.generics.clone();
    let parameters: Vec<Ident> = generics.type_params().map(|p| p.ident.clone()).collect();
    let mut bounds: Vec<syn::WherePredicate> = Vec::new();
    for field in nest.variants.iter().flat_map(|v| &v.fields) {
        let ty = &field.ty;
        let tokens = ty.to_token_stream();
        if !parameters.iter().any(|p| mentions(tokens.clone(), p)) || mentions(tokens, &nest.name) {
            continue;
        }
        bounds.push(match field.how {
            How::Visit => parse_quote!(#ty: #rt::Nest),
            How::Value => parse_quote!(#ty: ::core::hash::Hash + ::core::clone::Clone),
            How::Skip => parse_quote!(#ty: ::core::clone::Clone),
        });
    }
    if !bounds.is_empty() {
        generics.make_where_clause().predicates.extend(bounds);
    }
    generics
}
