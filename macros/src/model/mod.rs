//! `#[model]`: an `impl` with a method `call` becomes a model that can be compiled, trained and used.
//! The library's entry point calls [`expand`]; after `parse` nothing fails.

mod emit;
mod parse;

use crate::diag;
use proc_macro2::TokenStream;
use quote::quote;

/// The `impl` that stands in place of the user's, and the one of `Model`.
pub fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    match parse::parse(options, item.clone()) {
        Ok(model) => emit::emit(model),
        Err(error) => {
            let error = diag::compile_error(&error);
            quote!(#error #item)
        }
    }
}
