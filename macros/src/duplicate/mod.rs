//! `#[derive(Duplicate)]`: parsed as modules are, checked, emitted; after the check nothing fails.
//! The library's entry point and the unit tests call [`expand`].

mod emit;
#[cfg(test)]
mod tests;

use crate::diag::duplicate as text;
use crate::diag::{self, Faults, MODULE};
use crate::module::parse::{self, Field, Module};
use proc_macro2::{Ident, TokenStream};
use syn::Meta;

/// The implementation of `Duplicate` for a struct or enum.
pub fn expand(item: TokenStream) -> TokenStream {
    match parse::parse(item, &MODULE).and_then(|module| check(&module).map(|()| module)) {
        Ok(module) => emit::emit(&module),
        Err(error) => diag::compile_error(&error),
    }
}

/// Refuses unions, and faults in attributes. What a module's options mean for it, `#[derive(Module)]` says.
fn check(module: &Module) -> syn::Result<()> {
    let mut faults = Faults::new();
    if module.is_union {
        faults.add(&module.name, text::UNION);
    }
    for fault in &module.faults {
        faults.push(fault.clone());
    }
    for field in module.variants.iter().flat_map(|variant| &variant.fields) {
        for attribute in field.attributes.iter().filter(|a| a.path().is_ident("duplicate")) {
            if !is_default(&attribute.meta) {
                faults.add(attribute, text::OPTIONS);
            }
        }
    }
    faults.check()
}

fn is_default(meta: &Meta) -> bool {
    let Meta::List(list) = meta else { return false };
    list.parse_args::<Ident>().is_ok_and(|word| word == "default")
}

/// Whether the copy begins with the default of the field's type.
fn begins_anew(field: &Field) -> bool {
    field.attributes.iter().any(|a| a.path().is_ident("duplicate"))
}
