//! `input_signature = [f32[_, 784], i32[_]]`: one entry for each parameter, read here and written as constants.
//! The options call [`parse`], the checks ask whether there is an entry for each parameter, `emit` writes them down.

use crate::diag::tf_function as text;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Error, LitInt, Token, bracketed, parenthesized};

/// What is declared of one parameter.
pub enum Entry {
    /// `_`: nothing.
    Any,
    /// `f32[_]`, or `(f32[_], i32[])` for a structure of several tensors.
    Tensors(Vec<Spec>),
}

pub struct Spec {
    dtype: &'static str,
    sizes: Vec<Size>,
}

enum Size {
    Known(LitInt),
    Any,
    Named(Ident),
}

/// The words for dtypes, with their names in the library.
const DTYPES: [(&str, &str); 13] = [
    ("bool", "Bool"),
    ("u8", "U8"),
    ("u16", "U16"),
    ("u32", "U32"),
    ("u64", "U64"),
    ("i8", "I8"),
    ("i16", "I16"),
    ("i32", "I32"),
    ("i64", "I64"),
    ("f16", "F16"),
    ("bf16", "BF16"),
    ("f32", "F32"),
    ("f64", "F64"),
];

/// The list, with a place to show.
pub fn parse(input: ParseStream<'_>) -> syn::Result<(Span, Vec<Entry>)> {
    let span = input.span();
    if !input.peek(syn::token::Bracket) {
        return Err(Error::new(span, text::wrong_value("input_signature")));
    }
    let list;
    let bracket = bracketed!(list in input);
    let entries = Punctuated::<Entry, Token![,]>::parse_terminated_with(&list, entry)?;
    Ok((bracket.span.join(), entries.into_iter().collect()))
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    if input.peek(Token![_]) {
        input.parse::<Token![_]>()?;
        return Ok(Entry::Any);
    }
    if input.peek(syn::token::Paren) {
        let list;
        parenthesized!(list in input);
        let specs = Punctuated::<Spec, Token![,]>::parse_terminated_with(&list, spec)?;
        return Ok(Entry::Tensors(specs.into_iter().collect()));
    }
    Ok(Entry::Tensors(vec![spec(input)?]))
}

fn spec(input: ParseStream<'_>) -> syn::Result<Spec> {
    let word = input.call(Ident::parse_any).map_err(|e| Error::new(e.span(), text::SPEC))?;
    let Some((_, dtype)) = DTYPES.iter().find(|(name, _)| word == name) else {
        return Err(Error::new(word.span(), text::unknown_dtype(&word.to_string())));
    };
    if !input.peek(syn::token::Bracket) {
        return Err(Error::new(word.span(), text::spec_without_sizes(&word.to_string())));
    }
    let list;
    bracketed!(list in input);
    let sizes = Punctuated::<Size, Token![,]>::parse_terminated_with(&list, size)?;
    Ok(Spec { dtype, sizes: sizes.into_iter().collect() })
}

fn size(input: ParseStream<'_>) -> syn::Result<Size> {
    if input.peek(Token![_]) {
        input.parse::<Token![_]>()?;
        return Ok(Size::Any);
    }
    if input.peek(LitInt) {
        let number: LitInt = input.parse()?;
        number.base10_parse::<u32>().map_err(|_| Error::new(number.span(), text::SIZE))?;
        return Ok(Size::Known(number));
    }
    input.call(Ident::parse_any).map(Size::Named).map_err(|e| Error::new(e.span(), text::SIZE))
}

/// The constants; `first` is the number of the first parameter.
pub fn tokens(entries: &[Entry], first: usize, rt: &TokenStream) -> TokenStream {
    let declared = entries.iter().enumerate().filter_map(|(i, entry)| {
        let Entry::Tensors(specs) = entry else { return None };
        let (argument, specs) = (first + i, specs.iter().map(|spec| spec.tokens(rt)));
        Some(quote!(#rt::Declared { argument: #argument, tensors: &[#(#specs),*] }))
    });
    quote!(&[#(#declared),*])
}

impl Spec {
    fn tokens(&self, rt: &TokenStream) -> TokenStream {
        let dtype = Ident::new(self.dtype, Span::mixed_site());
        let sizes = self.sizes.iter().map(|size| match size {
            Size::Known(number) => {
                let number = LitInt::new(number.base10_digits(), number.span()).into_token_stream();
                quote!(#rt::Size::Known(#number))
            }
            Size::Any => quote!(#rt::Size::Any),
            Size::Named(name) => {
                let name = name.to_string();
                quote!(#rt::Size::Named(#name))
            }
        });
        quote!(#rt::Spec { dtype: #rt::DType::#dtype, sizes: &[#(#sizes),*] })
    }
}
