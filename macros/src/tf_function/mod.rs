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
mod plan;
mod receiver;
mod rename;
mod scope;
#[cfg(test)]
mod tests;

use crate::diag::{self, tf_function as text};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
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

/// The function as the macro sees it, with its plan. Where a jump hands over a variable that another one of its name hides,
/// the other one is renamed, which takes a second look.
fn planned(options: args::Options, item: ItemFn) -> (ast::Function, plan::ConstructPlan) {
    let function = parse::parse(options, item, rename::Renames::default());
    let plan = lower::plan(&function);
    let hiding = analyse::shadowing::hiding(&function, &plan);
    if hiding.is_empty() {
        return (function, plan);
    }
    let renames = rename::Renames::of(&hiding, &function.vars, function.item.to_token_stream());
    let function = parse::parse(function.options, function.item, renames);
    let plan = lower::plan(&function);
    (function, plan)
}

fn expanded(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut item: ItemFn = syn::parse2(item).map_err(|mut error| {
        error.combine(Error::new(error.span(), text::NOT_A_FUNCTION));
        error
    })?;
    let options = args::parse(options)?;
    check::text(&item, &options)?;
    receiver::rename(&mut item);
    let (function, plan) = planned(options, item);
    check::tree(&function, &plan)?;
    let tokens = emit::function(&function, &plan);
    dump::dump(&function.item.sig.ident, &tokens);
    Ok(tokens)
}
