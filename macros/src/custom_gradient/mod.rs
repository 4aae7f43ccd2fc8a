//! `#[custom_gradient]`: parse, check, emit, in this order; after `check` nothing fails.
//! The library's entry point and the unit tests call [`expand`].

mod check;
mod emit;
mod parse;
mod results;
#[cfg(test)]
mod tests;

use crate::diag;
use proc_macro2::TokenStream;
use quote::quote;

/// The function that stands in place of the user's.
pub fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let function = match parse::parse(options, item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = diag::compile_error(&error);
            return quote!(#error #item);
        }
    };
    match check::check(&function) {
        Ok(()) => emit::emit(function),
        Err(error) => {
            let error = diag::compile_error(&error);
            let original = emit::original(&function);
            quote!(#error #original)
        }
    }
}
