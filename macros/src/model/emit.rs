//! From a parsed model to its code: the user's `call` as a traced function, and the `impl` of `Model`.
//! Cannot fail.

use super::parse::{Model, last_word};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Pat, Type};

pub fn emit(model: Model) -> TokenStream {
    let Model { runtime, layer, item, call, inputs, has_context, output, is_result, steps } = model;
    let root = runtime.root();
    let option = runtime.option();
    let of_call = match &option {
        Some(option) => quote!(#[#root::tf_function(name = "call", #option)]),
        None => quote!(#[#root::tf_function(name = "call")]),
    };
    let (generics, _, bounds) = item.generics.split_for_impl();
    let (name, attributes, others) = (&item.self_ty, &item.attrs, &item.items);
    let span = call.sig.ident.span();

    // The user's body, recorded in place: only `call` and steps come to it.
    let mut body = call.clone();
    body.sig.ident = format_ident!("__call_body", span = span);
    body.vis = syn::Visibility::Inherited;
    body.attrs.retain(|attribute| !attribute.path().is_ident("doc"));

    // The same with the losses that layers added, as a function of its own outside of any trace.
    let names: Vec<_> = (0..call.sig.inputs.len() - 1).map(|at| format_ident!("argument_{at}")).collect();
    let params: Vec<TokenStream> = call
        .sig
        .inputs
        .iter()
        .filter_map(|input| if let FnArg::Typed(input) = input { Some(&input.ty) } else { None })
        .zip(&names)
        .map(|(ty, name)| quote!(#name: #ty))
        .collect();
    let with_losses: Type = match is_result {
        true => syn::parse_quote!(#root::Result<(#output, ::std::vec::Vec<#root::Tensor>)>),
        false => syn::parse_quote!((#output, ::std::vec::Vec<#root::Tensor>)),
    };
    let (question, wrapped) = match is_result {
        true => (quote!(?), quote!(::core::result::Result::Ok((result, losses.end())))),
        false => (quote!(), quote!((result, losses.end()))),
    };
    let mut public = call.clone();
    for (input, name) in public.sig.inputs.iter_mut().filter(|i| matches!(i, FnArg::Typed(_))).zip(&names) {
        if let FnArg::Typed(input) = input {
            *input.pat = Pat::Ident(syn::PatIdent {
                attrs: Vec::new(),
                by_ref: None,
                mutability: None,
                ident: name.clone(),
                subpat: None,
            });
        }
    }
    let context = names.last().filter(|_| has_context);
    let told = match context {
        Some(context) => quote!(#root::__model::told(#context)),
        None => quote!(#root::__model::inherited()),
    };
    let (docs, visibility, signature) = (&public.attrs, &public.vis, &public.sig);
    let called = match is_result {
        true => quote!({
            let (result, losses) = Self::__call_with_losses(self, #(#names),*)?;
            #root::__model::add(losses);
            ::core::result::Result::Ok(result)
        }),
        false => quote!({
            let (result, losses) = Self::__call_with_losses(self, #(#names),*);
            #root::__model::add(losses);
            result
        }),
    };

    let (input, parts): (TokenStream, Vec<TokenStream>) = match &inputs[..] {
        [one] => (quote!(#one), vec![quote!(input)]),
        several => {
            let parts = (0..several.len()).map(|at| {
                let at = syn::Index::from(at);
                quote!(&input.#at)
            });
            (quote!((#(#several,)*)), parts.collect())
        }
    };
    let given = has_context.then(|| quote!(cx));
    let arguments: Vec<TokenStream> = parts.into_iter().chain(given).collect();
    // A layer's own `call` takes nodes, too, as those of the library's layers: what the user wrote goes by another name then.
    let takes_nodes = layer && !is_result && !has_context;
    let written = if takes_nodes { format_ident!("__call", span = span) } else { call.sig.ident.clone() };
    let answered = match is_result {
        true => quote!(Self::#written(self, #(#arguments),*)),
        false => quote!(::core::result::Result::Ok(Self::#written(self, #(#arguments),*))),
    };
    let shown = match takes_nodes {
        true => layers_call(&root, docs, visibility, span),
        false => quote!(#(#docs)* #visibility),
    };
    let mut signature = signature.clone();
    signature.ident = written;
    let as_layer = layer.then(|| as_layer(&root, name, &item.generics));
    let forward = quote_spanned! {name.span()=>
        fn forward(&self, input: &Self::Input, cx: &#root::layers::Call) -> #root::Result<Self::Output> {
            let _ = cx;
            #answered
        }
    };
    let inherent = quote! {
        #(#attributes)*
        impl #generics #name #bounds {
            #shown #signature {
                let _told = #told;
                #called
            }

            #[doc(hidden)]
            #of_call
            fn __call_with_losses(&self, #(#params),*) -> #with_losses {
                let losses = #root::__model::Collected::begin();
                let result = Self::__call_body(self, #(#names),*)#question;
                #wrapped
            }

            #[doc(hidden)]
            #of_call
            #body

            #(#others)*
        }
    };
    quote! {
        #inherent

        #[automatically_derived]
        impl #generics #root::Model for #name #bounds {
            type Input = #input;
            type Output = #output;

            #[track_caller]
            #forward

            #(#steps)*
        }

        #as_layer
    }
}

/// The method `call` of a layer, which takes tensors and nodes, and what hides the one that follows.
fn layers_call(root: &TokenStream, docs: &[syn::Attribute], visibility: &syn::Visibility, span: Span) -> TokenStream {
    quote_spanned! {span=>
        #(#docs)*
        #[track_caller]
        #visibility fn call<__X: #root::layers::LayerInput>(&self, input: __X) -> __X::Output {
            #root::layers::LayerExt::apply(self, input)
        }

        #[doc(hidden)]
    }
}

/// The `impl` of `Layer` for a model of one tensor.
fn as_layer(root: &TokenStream, name: &Type, generics: &syn::Generics) -> TokenStream {
    let kind = kind_of(name);
    let (generics, _, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics #root::layers::Layer for #name #bounds {
            fn layer_name(&self) -> &str {
                #kind
            }

            #[track_caller]
            fn forward(
                &self,
                inputs: &[#root::Tensor],
                cx: &#root::layers::Call,
            ) -> #root::Result<#root::layers::Outputs> {
                let input = #root::__model::single(<Self as #root::layers::Layer>::layer_name(self), inputs)?;
                #root::Model::try_call_with(self, input, cx).map(#root::layers::Outputs::one)
            }
        }
    }
}

/// What Keras calls a layer of a type that has no name of its own: `TransformerBlock` is `transformer_block`.
fn kind_of(name: &Type) -> String {
    let word = last_word(name).map_or("model".to_owned(), ToString::to_string);
    let mut kind = String::new();
    let mut before = '_';
    for letter in word.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            kind.push('_');
        }
        kind.extend(letter.to_lowercase());
        before = letter;
    }
    kind
}
