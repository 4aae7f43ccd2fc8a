//! `#[derive(Nest)]`: parsed as modules are, checked, emitted; after the check nothing fails.
//! The library's entry point and the unit tests call [`expand`].

mod emit;
#[cfg(test)]
mod tests;

use crate::diag::{self, Faults, NEST};
use crate::module::parse::{self, Module};
use proc_macro2::TokenStream;

/// The implementation of `Nest` for a struct or enum.
pub fn expand(item: TokenStream) -> TokenStream {
    match parse::parse(item, &NEST).and_then(|nest| check(&nest).map(|()| nest)) {
        Ok(nest) => emit::emit(&nest),
        Err(error) => diag::compile_error(&error),
    }
}

/// Refuses unions, and faults that parsing found in attributes.
fn check(nest: &Module) -> syn::Result<()> {
    let mut faults = Faults::new();
    if nest.is_union {
        faults.add(&nest.name, NEST.union);
    }
    nest.faults.iter().for_each(|fault| faults.push(fault.clone()));
    faults.check()
}
