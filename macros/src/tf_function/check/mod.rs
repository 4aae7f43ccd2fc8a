//! The only stage that refuses: what a traced function cannot do is said here, at the user's tokens, with a way out.
//! What rustc reports well in the expanded code is left to it.

mod macros;
mod tree;

use super::args::Options;
use super::receiver::{self, Taken};
use crate::diag::Faults;
use crate::diag::tf_function as text;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, FnArg, ItemFn, Pat, ReturnType, Stmt, Type};

pub use tree::tree;

/// Rules on the text.
pub fn text(item: &ItemFn, options: &Options) -> syn::Result<()> {
    let mut faults = Faults::new();
    signature(item, options, &mut faults);
    qualifiers(item, &mut faults);
    parameters(item, &mut faults);
    result(item, &mut faults);
    Body { faults: &mut faults }.visit_block(&item.block);
    faults.check()
}

/// An entry for each parameter.
fn signature(item: &ItemFn, options: &Options, faults: &mut Faults) {
    let Some((span, entries)) = &options.input_signature else { return };
    let params = item.sig.inputs.iter().filter(|input| matches!(input, FnArg::Typed(_))).count();
    if entries.len() != params {
        faults.add_at(*span, text::signature_length(entries.len(), params));
    }
}

/// A trace is recorded in one go, while the program runs, and called from Rust.
fn qualifiers(item: &ItemFn, faults: &mut Faults) {
    let sig = &item.sig;
    if let Some(word) = &sig.asyncness {
        faults.add(word, text::ASYNC);
    }
    if let Some(word) = &sig.constness {
        faults.add(word, text::CONST);
    }
    if let Some(abi) = &sig.abi {
        faults.add(abi, text::ABI);
    }
    if let Some(dots) = &sig.variadic {
        faults.add(dots, text::VARIADIC);
    }
    if sig.ident == "main" {
        faults.add(&sig.ident, text::MAIN);
    }
    for attribute in &item.attrs {
        if ["test", "bench"].iter().any(|name| attribute.path().is_ident(name)) {
            faults.add(attribute, text::TEST);
        }
    }
}

/// What a call hands over is what its trace was made for; what it lends by `&mut` is written when the trace has run.
fn parameters(item: &ItemFn, faults: &mut Faults) {
    for input in &item.sig.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                if receiver::taken(receiver) == Taken::Value {
                    faults.add(receiver, text::SELF_BY_VALUE);
                }
            }
            FnArg::Typed(input) => {
                match super::emit::exclusive(&input.ty) {
                    Some(reference) => {
                        unsized_(&reference.elem, faults);
                        Nested(faults).visit_type(&reference.elem);
                    }
                    None => Nested(faults).visit_type(&input.ty),
                }
                if has_ref(&input.pat) {
                    faults.add(&input.pat, text::REF_PATTERN);
                }
            }
        }
    }
}

/// What is behind a `&mut` is kept by the branches that change it, so it has a size.
fn unsized_(ty: &Type, faults: &mut Faults) {
    match ty {
        Type::TraitObject(_) => faults.add(ty, text::EXCLUSIVE_OBJECT),
        Type::Path(path) if path.path.is_ident("str") => faults.add(ty, text::EXCLUSIVE_TEXT),
        _ => {}
    }
}

/// A `&mut` inside of a parameter's type: what it leads to would have to be found among the parts of a value.
struct Nested<'f>(&'f mut Faults);

impl<'ast> Visit<'ast> for Nested<'_> {
    fn visit_type_reference(&mut self, ty: &'ast syn::TypeReference) {
        match &ty.mutability {
            Some(word) => self.0.add(word, text::nested_exclusive(&ty.elem.to_token_stream().to_string())),
            None => visit::visit_type_reference(self, ty),
        }
    }
    // The parameters of a function that is handed over are its own.
    fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}
    fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {}
    fn visit_type_trait_object(&mut self, _: &'ast syn::TypeTraitObject) {}
}

/// `ref` in a parameter borrows from the argument, which is not there in a trace.
fn has_ref(pat: &Pat) -> bool {
    struct RefPatternVisitor(bool);
    impl<'ast> Visit<'ast> for RefPatternVisitor {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0 |= pat.by_ref.is_some();
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut search = RefPatternVisitor(false);
    search.visit_pat(pat);
    search.0
}

/// The result of a trace is new: it cannot borrow from the arguments.
fn result(item: &ItemFn, faults: &mut Faults) {
    struct BorrowVisitor<'f>(&'f mut Faults);
    impl<'ast> Visit<'ast> for BorrowVisitor<'_> {
        fn visit_type_reference(&mut self, ty: &'ast syn::TypeReference) {
            let of_static = ty.lifetime.as_ref().is_some_and(|l| l.ident == "static");
            if !of_static {
                self.0.add(ty, text::borrowed_result(&ty.elem.to_token_stream().to_string()));
            }
        }
        fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}
        fn visit_type_impl_trait(&mut self, ty: &'ast syn::TypeImplTrait) {
            self.0.add(ty, text::IMPL_RESULT);
        }
        fn visit_type_trait_object(&mut self, _: &'ast syn::TypeTraitObject) {}
        fn visit_type_never(&mut self, ty: &'ast syn::TypeNever) {
            self.0.add(ty, text::NEVER);
        }
    }
    if let ReturnType::Type(_, ty) = &item.sig.output {
        BorrowVisitor(faults).visit_type(ty);
    }
}

/// What stands in the body, nested items aside.
struct Body<'f> {
    faults: &'f mut Faults,
}

impl<'ast> Visit<'ast> for Body<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if let syn::Item::Macro(item) = item
            && item.ident.is_some()
        {
            self.macro_rules(item);
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Async(node) => self.faults.add(node.async_token, text::ASYNC_BLOCK),
            Expr::Await(node) => self.faults.add(node.await_token, text::AWAIT),
            Expr::Yield(node) => self.faults.add(node.yield_token, text::YIELD),
            Expr::TryBlock(node) => self.faults.add(node.try_token, text::TRY_BLOCK),
            Expr::Verbatim(tokens) if !tokens.is_empty() => self.faults.add(tokens, text::UNKNOWN_SYNTAX),
            Expr::Closure(node) if node.asyncness.is_some() => self.faults.add(node.asyncness, text::ASYNC_CLOSURE),
            Expr::If(node) => self.attributes(&node.attrs),
            Expr::While(node) => self.attributes(&node.attrs),
            Expr::ForLoop(node) => self.attributes(&node.attrs),
            Expr::Loop(node) => self.attributes(&node.attrs),
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        macros::check(mac, self.faults, &mut |expr, faults| Body { faults }.visit_expr(expr));
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        visit::visit_stmt(self, stmt);
    }
}

impl Body<'_> {
    /// An attribute on a construct would get lost where the construct is rewritten.
    fn attributes(&mut self, attributes: &[syn::Attribute]) {
        for attribute in attributes.iter().filter(|a| !a.path().is_ident("doc")) {
            self.faults.add(attribute, text::attribute(&attribute.path().to_token_stream().to_string()));
        }
    }

    /// A macro of the body's own may hide jumps that have to be rewritten.
    fn macro_rules(&mut self, item: &syn::ItemMacro) {
        if let Some(word) = macros::jump_word(item.mac.tokens.clone()) {
            self.faults.add_at(word.span(), text::hidden_jump(&word.to_string()));
        }
    }
}
