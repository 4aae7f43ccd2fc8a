//! `#[tf_function]`: check the text, parse it into the macro's own tree, analyse, plan, emit, in this order.
//! Only `check` refuses; after it nothing fails. The library's entry point and the unit tests call [`expand`].

mod analyse;
mod args;
mod ast;
mod check;
mod declared;
mod dump;
mod emit;
mod format;
mod lower;
mod macros;
mod parse;
mod receiver;
mod scope;
#[cfg(test)]
mod tests;

use crate::diag::{self, tf_function as text};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, ItemFn};

/// The function that stands in place of the user's.
pub fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    match expanded(options, item.clone()) {
        Ok(tokens) => tokens,
        Err(error) => {
            // The user's function stays, so that editors keep working and its callers are not in error, too.
            let error = diag::compile_error(&error);
            quote!(#error #item)
        }
    }
}

fn expanded(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut item: ItemFn = syn::parse2(item).map_err(|mut error| {
        error.combine(Error::new(error.span(), text::NOT_A_FUNCTION));
        error
    })?;
    let options = args::parse(options)?;
    check::text(&item, &options)?;
    receiver::rename(&mut item);
    let function = parse::parse(options, item);
    let plan = lower::plan(&function);
    check::tree(&function, &plan)?;
    let tokens = emit::function(&function, &plan);
    dump::dump(&function.item.sig.ident, &tokens);
    Ok(tokens)
}
