//! `#[derive(Module)]`: parse, check, emit, in this order; after `check` nothing fails.
//! The library's entry point and the unit tests call [`expand`].

mod check;
mod emit;
pub mod parse;
#[cfg(test)]
mod tests;

pub use emit::mentions;

use crate::diag;
use proc_macro2::TokenStream;

/// The implementation of `Module` for a struct or enum.
pub fn expand(item: TokenStream) -> TokenStream {
    match parse::parse(item, &diag::MODULE).and_then(|module| check::check(&module).map(|()| module)) {
        Ok(module) => emit::emit(&module),
        Err(error) => diag::compile_error(&error),
    }
}
