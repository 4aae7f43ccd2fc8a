//! From a checked type to `impl Duplicate`: the same value with a copy of each field.
//! Cannot fail. Bounds go on the fields' types that mention a parameter, so any generics work.

use super::begins_anew;
use crate::module::mentions;
use crate::module::parse::{Field, How, Module, Variant};
use crate::names::{hidden, shown_at};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::parse_quote;
use syn::spanned::Spanned;

pub fn emit(module: &Module) -> TokenStream {
    let rt = module.runtime.rt();
    let (name, copies) = (&module.name, hidden("copies"));
    let generics = bounded(module, &rt);
    let (implementation, types, bounds) = generics.split_for_impl();
    let arms = module.variants.iter().map(|variant| arm(variant, &rt, &copies));
    // An enum without variants has no values.
    let value = if module.variants.is_empty() { quote!(*self) } else { quote!(self) };
    quote! {
        #[automatically_derived]
        impl #implementation #rt::Duplicate for #name #types #bounds {
            fn duplicate_in(&self, #copies: &mut #rt::Copies) -> Self {
                let _ = &#copies;
                match #value { #(#arms)* }
            }
        }
    }
}

fn arm(variant: &Variant, rt: &TokenStream, copies: &Ident) -> TokenStream {
    let (mut patterns, mut values) = (Vec::new(), Vec::new());
    for (i, field) in variant.fields.iter().enumerate() {
        let (member, span) = (&field.member, field.ty.span());
        // Shown at the type: rustc says there what is wrong with it.
        let bound = format_ident!("field_{i}", span = shown_at(span));
        let value = match field.how {
            _ if begins_anew(field) => quote_spanned!(span=> ::core::default::Default::default()),
            How::Visit => quote_spanned!(span=> #rt::Duplicate::duplicate_in(#bound, #copies)),
            How::Value | How::Skip => quote_spanned!(span=> ::core::clone::Clone::clone(#bound)),
        };
        match begins_anew(field) {
            true => patterns.push(quote!(#member: _)),
            false => patterns.push(quote!(#member: #bound)),
        }
        values.push(quote!(#member: #value));
    }
    let path = match &variant.name {
        Some(name) => quote!(Self::#name),
        None => quote!(Self),
    };
    quote!(#path { #(#patterns,)* } => #path { #(#values,)* },)
}

/// What a field's type must be able to.
fn bound(field: &Field, rt: &TokenStream) -> TokenStream {
    match field.how {
        _ if begins_anew(field) => quote!(::core::default::Default),
        How::Visit => quote!(#rt::Duplicate),
        How::Value | How::Skip => quote!(::core::clone::Clone),
    }
}

/// The generics with a bound for each type that mentions a type parameter. A type that mentions the derived type itself gets none,
/// as it would be its own condition.
fn bounded(module: &Module, rt: &TokenStream) -> syn::Generics {
    let mut generics = module.generics.clone();
    let parameters: Vec<Ident> = generics.type_params().map(|p| p.ident.clone()).collect();
    let mut bounds: Vec<syn::WherePredicate> = Vec::new();
    for field in module.variants.iter().flat_map(|v| &v.fields) {
        let (ty, tokens) = (&field.ty, field.ty.to_token_stream());
        let recursive = mentions(tokens.clone(), &module.name) || mentions(tokens.clone(), &format_ident!("Self"));
        if !recursive && parameters.iter().any(|p| mentions(tokens.clone(), p)) {
            let bound = bound(field, rt);
            bounds.push(parse_quote!(#ty: #bound));
        }
    }
    if !bounds.is_empty() {
        generics.make_where_clause().predicates.extend(bounds);
    }
    generics
}
