//! From a checked function to the tokens in its place: a call of the run time around the user's body. Cannot fail.
//! Gradient closures get `move`, and copies of the reference parameters that they use.

use super::parse::{Function, Outputs};
use super::results::{self, ResultPosition};
use crate::names::{hidden, hidden_at};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_local_mut};
use syn::{Expr, ExprClosure, Local, Pat, PatIdent, ReturnType, parse_quote, parse_quote_spanned};

/// The most outputs that the run time has tuples for.
pub const MOST_OUTPUTS: usize = 6;

pub fn emit(function: Function) -> TokenStream {
    let rt = function.runtime.rt();
    let call = hidden("call");
    let mut item = function.item.clone();
    let mut closures = Vec::new();
    results::for_each(&mut item.block, function.fallible, &mut |expr, place| {
        closures.extend(wrap(&function, expr, &place));
    });
    NamedClosures { function: &function, names: closures }.visit_block_mut(&mut item.block);
    let body = &item.block;
    let name = item.sig.ident.to_string();
    let inputs = function.parameters.iter().filter(|p| p.differentiable).filter_map(|p| p.name.as_ref()).map(|ident| {
        let name = ident.to_string();
        quote_spanned!(ident.span()=> #rt::input(#name, &#ident))
    });
    let inputs: Vec<_> = inputs.collect();
    let inputs = if inputs.len() == 1 { quote!(#(#inputs)*) } else { quote!((#(#inputs),*)) };
    let run = run(&function, &rt, body.to_token_stream());
    if !item.attrs.iter().any(|a| a.path().is_ident("track_caller")) {
        item.attrs.push(parse_quote!(#[track_caller]));
    }
    *item.block = parse_quote!({
        let #call = #rt::call(#name, #inputs);
        #run
    });
    item.into_token_stream()
}

/// The body, run as a closure so that `return` and `?` stay in it, and the call's end.
fn run(function: &Function, rt: &TokenStream, body: TokenStream) -> TokenStream {
    let ReturnType::Type(_, ty) = &function.item.sig.output else { return body };
    let span = ty.span();
    // The same names, seen at the return type: there rustc says what it finds wrong with the outputs.
    let (call, parts) = (hidden_at("call", span), hidden_at("parts", span));
    let count = match function.outputs {
        Outputs::Count(n) => quote!(#n),
        Outputs::List => quote!({ #rt::LIST }),
    };
    if !function.fallible {
        let finish = quote_spanned!(span=> #call.finish(#parts));
        return quote! {
            #[allow(clippy::redundant_closure_call)]
            let #parts = (|| -> (#ty, #rt::Rule<#count>) #body)();
            #finish
        };
    }
    let value = quote_spanned!(span=> <#ty as #rt::Fallible>::Value);
    let finish = quote_spanned!(span=> #call.try_finish(#parts));
    quote! {
        #[allow(clippy::redundant_closure_call)]
        let #parts = (|| -> ::core::result::Result<(#value, #rt::Rule<#count>), <#ty as #rt::Fallible>::Error> #body)()?;
        ::core::result::Result::Ok(#finish?)
    }
}

/// Hands the gradient of one result to the run time; answers its name where it is bound to one.
fn wrap(function: &Function, expr: &mut Expr, place: &ResultPosition) -> Option<String> {
    if let (Expr::Tuple(tuple), ResultPosition::Pair) = (&mut *expr, place) {
        let gradient = &mut tuple.elems[1];
        let name = match &*gradient {
            Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        if let Expr::Closure(closure) = gradient {
            *gradient = closed(function, closure);
        }
        *gradient = noted(function, gradient);
        return name;
    }
    let rt = function.runtime.rt();
    let (parts, outputs, gradient) = (hidden("parts"), hidden("outputs"), hidden("gradient"));
    let note = noted(function, &parse_quote!(#gradient));
    let split = |of: TokenStream| {
        quote_spanned!(expr.span()=> {
            let (#outputs, #gradient) = #rt::Parts::parts(#of);
            (#outputs, #note)
        })
    };
    let tokens = match place {
        ResultPosition::Pair => split(expr.to_token_stream()),
        ResultPosition::ResultOfPair => {
            let split = split(parts.to_token_stream());
            quote_spanned!(expr.span()=> ::core::result::Result::map(#expr, |#parts| #split))
        }
    };
    *expr = Expr::Verbatim(tokens);
    None
}

/// `call.gradient_n(gradient)`
fn noted(function: &Function, gradient: &Expr) -> Expr {
    let call = hidden("call");
    // What rustc has to say of the cotangents, it says at the closure's body.
    let place = match gradient {
        Expr::Closure(closure) => closure.body.span(),
        other => other.span(),
    };
    let method = match function.outputs {
        Outputs::Count(n) => hidden_at(&format!("gradient_{n}"), place),
        Outputs::List => hidden_at("gradient_list", place),
    };
    parse_quote_spanned!(gradient.span()=> #call.#method(#gradient))
}

/// Rewrites `let name = closure` for the names that are gradients.
struct NamedClosures<'a> {
    function: &'a Function,
    names: Vec<String>,
}

impl VisitMut for NamedClosures<'_> {
    fn visit_local_mut(&mut self, local: &mut Local) {
        if let (Pat::Ident(name), Some(init)) = (&local.pat, &mut local.init)
            && let Expr::Closure(closure) = &*init.expr
            && self.names.iter().any(|n| name.ident == n)
        {
            *init.expr = closed(self.function, closure);
            return;
        }
        visit_local_mut(self, local);
    }
}

/// The closure with `move`, and with its own copies of the reference parameters it uses.
fn closed(function: &Function, closure: &ExprClosure) -> Expr {
    let rt = function.runtime.rt();
    let mut closure = closure.clone();
    // At the closure's own place, where rustc looks for it in its messages.
    let start = closure.inputs_begin.span;
    closure.capture.get_or_insert(syn::token::Move { span: start });
    let mut copies = TokenStream::new();
    let mut uses = TokenStream::new();
    for parameter in function.parameters.iter().filter(|p| p.reference() == Some(false)) {
        let Some(name) = &parameter.name else { continue };
        if mention(&closure, &name.to_string()).is_none() || shadowed(function, name) {
            continue;
        }
        let kept = hidden(&format!("kept_{name}"));
        copies.extend(quote!(let #kept = #rt::Kept::new(#name);));
        uses.extend(quote!(let #name = #kept.get();));
    }
    if copies.is_empty() {
        return Expr::Closure(closure);
    }
    *closure.body = match &*closure.body {
        // A block in a block would be called unnecessary braces.
        Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => {
            let stmts = &block.block.stmts;
            parse_quote_spanned!(block.span()=> { #uses #(#stmts)* })
        }
        body => parse_quote_spanned!(body.span()=> { #uses #body }),
    };
    parse_quote_spanned!(closure.span()=> { #copies #closure })
}

/// Where a closure mentions a name that it does not bind itself, in macros too.
pub fn mention(closure: &ExprClosure, name: &str) -> Option<Ident> {
    let mut binds = Binds { name, found: false };
    closure.inputs.iter().for_each(|pattern| binds.visit_pat(pattern));
    if binds.found {
        return None;
    }
    find(closure.body.to_token_stream(), name)
}

fn find(tokens: TokenStream, name: &str) -> Option<Ident> {
    let mut after_dot = false;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == name && !after_dot => return Some(ident),
            TokenTree::Group(group) => {
                if let Some(found) = find(group.stream(), name) {
                    return Some(found);
                }
                after_dot = false;
            }
            // `a.name` is a field or method, `..name` is not.
            TokenTree::Punct(dot) if dot.as_char() == '.' => after_dot = !after_dot,
            _ => after_dot = false,
        }
    }
    None
}

/// Whether the body binds a parameter's name anew, so that closures may mean another value by it.
pub fn shadowed(function: &Function, name: &Ident) -> bool {
    struct BindingVisitor<'a>(Binds<'a>);
    impl<'ast> Visit<'ast> for BindingVisitor<'_> {
        fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
            self.0.visit_pat_ident(pattern);
        }
        fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let name = name.to_string();
    let mut search = BindingVisitor(Binds { name: &name, found: false });
    search.visit_block(&function.item.block);
    search.0.found
}

struct Binds<'a> {
    name: &'a str,
    found: bool,
}

impl<'ast> Visit<'ast> for Binds<'_> {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.found |= pattern.ident == self.name;
        syn::visit::visit_pat_ident(self, pattern);
    }
}

/// The user's function, for the compiler and editors to look at beside the errors: the body stands in a closure that is
/// never called, because its pair is not what the signature promises.
pub fn original(function: &Function) -> TokenStream {
    let mut item = function.item.clone();
    let body = &item.block;
    item.attrs.push(parse_quote!(#[allow(unused)]));
    let unfit = item.sig.asyncness.is_some() || leaves(body);
    *item.block = match unfit {
        true => parse_quote!({ ::core::unreachable!() }),
        false => parse_quote!({
            let _ = || #body;
            ::core::unreachable!()
        }),
    };
    item.into_token_stream()
}

/// Whether a body has jumps whose type only the signature tells.
fn leaves(body: &syn::Block) -> bool {
    struct JumpVisitor(bool);
    impl<'ast> Visit<'ast> for JumpVisitor {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            self.0 |= matches!(expr, Expr::Try(_) | Expr::Return(_) | Expr::Closure(_));
            syn::visit::visit_expr(self, expr);
        }
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            self.0 |= matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Ok") || path.path.is_ident("Err"));
            syn::visit::visit_expr_call(self, call);
        }
    }
    let mut search = JumpVisitor(false);
    search.visit_block(body);
    search.0
}
