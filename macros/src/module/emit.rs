//! From a checked type to `impl Module`: one visit per field, in order; enums begin with the variant's number.
//! Cannot fail. Bounds go on the fields' types that mention a parameter, so any generics work.

use super::parse::{Field, How, Module, Variant};
use crate::names::hidden;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Member, parse_quote};

pub fn emit(module: &Module) -> TokenStream {
    let rt = module.runtime.rt();
    let (name, fields) = (&module.name, hidden("fields"));
    let generics = bounded(module, &rt);
    let (implementation, types, bounds) = generics.split_for_impl();
    let body = match module.variants.as_slice() {
        [Variant { name: None, fields: all }] => {
            let visits = all.iter().map(|field| {
                let member = &field.member;
                visit(field, &quote_spanned!(field.ty.span()=> &self.#member), &fields, &rt)
            });
            quote!(#(#visits)*)
        }
        [] => quote!(match *self {}),
        variants => {
            let arms = variants.iter().enumerate().map(|(i, v)| arm(i, v, &fields, &rt));
            quote!(match self { #(#arms)* })
        }
    };
    let setting = is_setting(module).then(|| {
        quote! {
            fn module_name(&self) -> ::core::option::Option<&'static str> {
                ::core::option::Option::None
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #implementation #rt::Module for #name #types #bounds {
            fn visit(&self, #fields: &mut #rt::Fields<'_>) {
                let _ = &#fields;
                #body
            }
            #setting
        }
    }
}

/// Whether the type is a choice and holds nothing, so that it is a setting and no module within another.
fn is_setting(module: &Module) -> bool {
    module.variants.iter().all(|variant| variant.name.is_some() && variant.fields.is_empty())
}

fn visit(field: &Field, value: &TokenStream, fields: &Ident, rt: &TokenStream) -> TokenStream {
    // The span of the type: rustc says there what is wrong with it.
    let span = field.ty.span();
    let name = field.path_name();
    match field.how {
        How::Skip => {
            let may_change = may_change(field.ty.to_token_stream());
            quote!({
                #[allow(unused_imports)]
                use #rt::{SkippedChanging as _, SkippedOther as _};
                (&#rt::Skipped(#value)).tell(#fields, #name, #may_change);
            })
        }
        How::Value => quote_spanned!(span=> #fields.value(#value);),
        How::Visit => match (options(field, rt), &field.member) {
            (None, Member::Unnamed(index)) if field.rename.is_none() => {
                let index = index.index as usize;
                quote_spanned!(span=> #fields.item(#index, #value);)
            }
            (None, _) => quote_spanned!(span=> #fields.field(#name, #value);),
            (Some(options), _) => quote_spanned!(span=> #fields.field_with(#name, #options, #value);),
        },
    }
}

/// What a field's options say of it beside its name.
fn options(field: &Field, rt: &TokenStream) -> Option<TokenStream> {
    let former = &field.former;
    let renamed = (!former.is_empty()).then(|| quote!(.renamed_from(&[#(#former),*])));
    let untrained = field.not_trainable.is_some().then(|| quote!(.not_trainable()));
    (renamed.is_some() || untrained.is_some()).then(|| quote!(#rt::FieldOptions::new() #renamed #untrained))
}

fn arm(index: usize, variant: &Variant, fields: &Ident, rt: &TokenStream) -> TokenStream {
    let (mut patterns, mut visits) = (Vec::new(), Vec::new());
    for (i, field) in variant.fields.iter().enumerate() {
        let member = &field.member;
        let bound = format_ident!("field_{i}", span = proc_macro2::Span::mixed_site());
        patterns.push(quote!(#member: #bound));
        visits.push(visit(field, &bound.to_token_stream(), fields, rt));
    }
    let name = &variant.name;
    quote! {
        Self::#name { #(#patterns,)* .. } => {
            #fields.value(&#index);
            #(#visits)*
        }
    }
}

/// The generics with a bound for each visited type that mentions a type parameter.
///
/// Bounds on the fields' types, not on the parameters: `PhantomData<T>` asks nothing of `T`. A type that mentions the
/// derived type itself gets none, as it would be its own condition.
fn bounded(module: &Module, rt: &TokenStream) -> syn::Generics {
    let mut generics = module.generics.clone();
    let parameters: Vec<Ident> = generics.type_params().map(|p| p.ident.clone()).collect();
    let mut bounds: Vec<syn::WherePredicate> = Vec::new();
    for field in module.variants.iter().flat_map(|v| &v.fields) {
        let ty = &field.ty;
        let tokens = ty.to_token_stream();
        let recursive = mentions(tokens.clone(), &module.name) || mentions(tokens.clone(), &format_ident!("Self"));
        if recursive || !parameters.iter().any(|p| mentions(tokens.clone(), p)) {
            continue;
        }
        match field.how {
            How::Visit => bounds.push(parse_quote!(#ty: #rt::Module)),
            How::Value => bounds.push(parse_quote!(#ty: ::core::hash::Hash)),
            How::Skip => {}
        }
    }
    if !bounds.is_empty() {
        generics.make_where_clause().predicates.extend(bounds);
    }
    generics
}

/// Whether a type is written as that of something which changes behind a shared reference.
fn may_change(ty: TokenStream) -> bool {
    const CHANGING: [&str; 4] = ["Cell", "RefCell", "Mutex", "RwLock"];
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            CHANGING.contains(&name.as_str()) || name.starts_with("Atomic")
        }
        TokenTree::Group(group) => may_change(group.stream()),
        _ => false,
    })
}

/// Whether some tokens hold a name.
pub fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}
