//! The only stage that refuses: what a traced function cannot do is said here, at the user's tokens, with a way out.
//! What rustc reports well in the expanded code is left to it.

use super::ast::Function;
use super::lower::Plan;
use crate::diag::Faults;
use crate::diag::tf_function as text;
use syn::ItemFn;

/// Rules on the text.
pub fn text(item: &ItemFn) -> syn::Result<()> {
    let mut faults = Faults::new();
    if let Some(word) = &item.sig.asyncness {
        faults.add(word, text::ASYNC);
    }
    faults.check()
}

/// Rules on the tree, which need to know what may be staged.
pub fn tree(_: &Function, _: &Plan) -> syn::Result<()> {
    Ok(())
}
