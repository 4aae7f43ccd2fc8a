//! The function around the body: its arguments become a signature, a fitting trace answers at once, else the body runs.
//! The macro's last stage begins here; `closures` writes the same frame without the call.

use super::super::analyse::jumps;
use super::super::ast::*;
use super::super::declared;
use super::super::plan::ConstructPlan;
use super::super::receiver::{self, Taken};
use super::state::State;
use super::{Emit, Wanted, hidden, label, local};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::cell::RefCell;
use syn::spanned::Spanned;
use syn::{FnArg, Pat, ReturnType, Type};

/// The function that stands in place of the user's.
pub fn function(function: &Function, plan: &ConstructPlan) -> TokenStream {
    let emit = Emit {
        function,
        plan,
        rt: function.options.runtime.autograph(),
        out: RefCell::new(vec![label("body", BODY)]),
        labels: RefCell::new(vec![None; function.targets]),
        heads: RefCell::new(vec![None; function.targets]),
        bodies: RefCell::new(vec![BODY]),
    };
    emit.function()
}

/// What becomes of one argument.
struct Argument {
    note: TokenStream,
    /// Where its new value goes.
    written: TokenStream,
    /// Of a reference: what a module leaves out of its state is watched.
    watch: TokenStream,
    /// The value that the body sees, then its binding.
    bind: TokenStream,
}

/// The `&mut` that a parameter is by its type.
pub fn exclusive(ty: &Type) -> Option<&syn::TypeReference> {
    match ty {
        Type::Reference(reference) => reference.mutability.is_some().then_some(reference),
        Type::Paren(inner) => exclusive(&inner.elem),
        Type::Group(inner) => exclusive(&inner.elem),
        _ => None,
    }
}

/// Whether a parameter is a shared reference by its type.
fn is_shared(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Paren(inner) => is_shared(&inner.elem),
        Type::Group(inner) => is_shared(&inner.elem),
        _ => false,
    }
}

/// Whether a type cannot be written for a variable.
pub fn is_impl(ty: &Type) -> bool {
    ty.to_token_stream().into_iter().any(|token| matches!(token, proc_macro2::TokenTree::Ident(word) if word == "impl"))
}

impl Emit<'_> {
    fn function(&self) -> TokenStream {
        let rt = &self.rt;
        let mut item = self.function.item.clone();
        // What stood inside of the body would come too late there.
        item.attrs.iter_mut().for_each(|attribute| attribute.style = syn::AttrStyle::Outer);
        let call = hidden("call");
        let [mut notes, mut written, mut traced, mut watches] = std::array::from_fn(|_| TokenStream::new());
        // The receiver is noted first, and counts among the arguments.
        let first = usize::from(item.sig.receiver().is_some());
        let mut params = self.function.params.iter().enumerate();
        for input in &mut item.sig.inputs {
            let argument = match input {
                FnArg::Receiver(receiver) => self.receiver(receiver),
                FnArg::Typed(input) => {
                    let Some((i, param)) = params.next() else { continue };
                    self.argument(input, param, first + i)
                }
            };
            notes.extend(argument.note);
            written.extend(argument.written);
            traced.extend(argument.bind);
            watches.extend(argument.watch);
        }
        let definition = self.definition();
        let at = self.rt_at(self.function.item.sig.ident.span());
        let result = hidden("result");
        let (slot, fun) = (hidden("slot"), local("f", BODY));
        let ty = self.result_type();
        let wanted = match &self.function.item.sig.output {
            ReturnType::Default => Wanted { unit: true, ..Wanted::default() },
            ReturnType::Type(_, ty) => Wanted { ty: Some((**ty).clone()), ..Wanted::default() },
        };
        let stmts = self.stmts(&self.function.body, &wanted);
        let braces = self.function.body.brace.span.join();
        let stmts = quote_spanned!(braces=> { #stmts });
        let leaves = !jumps::escapes(&self.function.body).is_empty();
        let run = self.run(BODY, leaves, &ty, &stmts, end(&self.function.body), None);
        let span = self.function.item.sig.output.span();
        let rt_at = self.rt_at(span);
        let table = quote_spanned!(span=> #rt_at::result::<#ty>());
        let places = hidden("written");
        let ready = match written.is_empty() {
            true => quote!(#call.ready::<#ty>()),
            // In a block of its own, so that what it borrows can be lent to the body.
            false => quote!({
                let mut #places = #rt::Written::new();
                #written
                #call.ready_and_written::<#ty>(&mut #places)
            }),
        };
        let recorded = quote_spanned! {braces=>
            #watches
            #traced
            let #slot = #rt::Slot::<#ty>::new();
            #[allow(unused_mut)]
            let mut #fun = #rt::Fun::enter(&#call, #slot, #table);
            #run
        };
        let recorded = self.below_the_call(&mut item.attrs, &ty, recorded);
        let body = quote_spanned!(braces=> {
            #[allow(unused_imports)]
            use #rt::tiers::*;
            #definition
            let mut #call = #at::Call::new(&__FUNCTION, #rt::instance(&|| ()));
            #notes
            if let ::core::option::Option::Some(#result) = #ready {
                return #result;
            }
            #recorded
        });
        let (attrs, visibility, signature) = (&item.attrs, &item.vis, &item.sig);
        quote!(#(#attrs)* #visibility #signature #body)
    }

    /// What runs where no trace answers. Where the caller may be at fault, because a signature is declared, the function knows
    /// the caller's line; the body is then a closure, in which lines are those of the body.
    fn below_the_call(
        &self,
        attributes: &mut Vec<syn::Attribute>,
        ty: &TokenStream,
        recorded: TokenStream,
    ) -> TokenStream {
        if self.function.options.input_signature.is_none() {
            return recorded;
        }
        if !attributes.iter().any(|a| a.path().is_ident("track_caller")) {
            attributes.push(syn::parse_quote!(#[track_caller]));
        }
        quote! {
            #[allow(clippy::redundant_closure_call, clippy::unused_unit)]
            return (move || -> #ty { #recorded })();
        }
    }

    /// A body and its end; one that a jump in the graph may leave has a second end.
    pub(super) fn run(
        &self,
        target: Target,
        leaves: bool,
        ty: &TokenStream,
        stmts: &TokenStream,
        end: Span,
        state: Option<&State<'_>>,
    ) -> TokenStream {
        let (fun, body, result) = (local("f", target), label("body", target), hidden("result"));
        // The user's own line, so that an error is reported where the value is.
        let (finish, finish_left) = match state.map(|state| state.all(self)) {
            Some(state) => {
                (quote_spanned!(end=> finish_with(#result, &mut [#state])), quote!(finish_left_with(&mut [#state])))
            }
            None => (quote_spanned!(end=> finish(#result)), quote!(finish_left())),
        };
        if !leaves {
            return quote! {
                let #result: #ty = #stmts;
                #[allow(unreachable_code)]
                return #fun.#finish;
            };
        }
        // A body may end in `return`, which leaves nothing for the first end to do.
        quote! {
            #body: {
                let #result: #ty = #stmts;
                #[allow(unreachable_code)]
                return #fun.#finish;
            }
            #[allow(unreachable_code)]
            return #fun.#finish_left;
        }
    }

    /// The type that the function returns, as far as it can be written.
    fn result_type(&self) -> TokenStream {
        match &self.function.item.sig.output {
            ReturnType::Default => quote!(()),
            ReturnType::Type(_, ty) if is_impl(ty) => quote_spanned!(ty.span()=> _),
            ReturnType::Type(_, ty) => ty.to_token_stream(),
        }
    }

    /// The receiver, which the body knows by another name.
    fn receiver(&self, receiver: &syn::Receiver) -> Argument {
        let word = &receiver.self_token;
        let ident = receiver::ident(word.span);
        let value = word.to_token_stream();
        let exclusive = receiver::taken(receiver) == Taken::Exclusive;
        let mut argument = self.passed(&value, "self", 0, word.span, exclusive.then_some(word.span));
        if receiver::is_reference(receiver) {
            argument.watch = self.watched(&value, "self");
        }
        let value = argument.bind;
        argument.bind = quote!(#[allow(unused_variables)] let #ident = #value;);
        argument
    }

    /// A parameter: its pattern is bound to what the trace sees of it.
    fn argument(&self, input: &mut syn::PatType, param: &Param, i: usize) -> Argument {
        let vars = &self.function.vars;
        let (ident, name) = match param.var {
            Some(var) => (vars[var].ident.clone(), vars[var].name.clone()),
            None => (local("argument", i), format!("argument {i}")),
        };
        let exclusive = exclusive(&input.ty).map(|reference| reference.elem.span());
        let mut argument = self.passed(&ident.to_token_stream(), &name, i, ident.span(), exclusive);
        if is_shared(&input.ty) {
            argument.watch = self.watched(&ident.to_token_stream(), &name);
        }
        let value = argument.bind;
        argument.bind = match param.var {
            Some(var) => {
                let put_back = self.plan.put_back.contains(&var) || vars[var].mutable;
                let word = put_back.then(|| quote!(mut));
                quote!(let #word #ident = #value;)
            }
            None => {
                let (pat, rebound) = (&param.pat, self.rebound(param.vars.clone()));
                quote!(let #pat = #value; #rebound)
            }
        };
        *input.pat =
            Pat::Ident(syn::PatIdent { attrs: Vec::new(), by_ref: None, mutability: None, ident, subpat: None });
        argument
    }

    /// How argument `i` is noted and handed to the body; what is lent by `&mut`, with a place to show its type, is written
    /// too.
    fn passed(&self, value: &TokenStream, name: &str, i: usize, at: Span, exclusive: Option<Span>) -> Argument {
        let (rt, call, places) = (&self.rt, hidden("call"), hidden("written"));
        let Some(ty) = exclusive else {
            return Argument {
                note: quote_spanned!(at=> (&&&&#rt::Arg::of(&#value)).note(&mut #call, #name, &#value);),
                written: TokenStream::new(),
                watch: TokenStream::new(),
                bind: quote_spanned!(at=> (&&&&#rt::Arg::of(&#value)).traced(&#call, #i, #value)),
            };
        };
        let write = quote_spanned!(ty=> written);
        Argument {
            note: quote_spanned!(at=> (&&#rt::Arg::of(&#value)).note_exclusive(&mut #call, #name, &*#value);),
            written: quote_spanned!(at=> (&&#rt::Arg::of(&#value)).#write(&mut #places, #name, &mut *#value);),
            bind: quote_spanned!(at=> (&&#rt::Arg::of(&#value)).lend(&#call, #i, #name, #value)),
            watch: TokenStream::new(),
        }
    }

    /// Watches what an argument leaves out of its state, if it is a module.
    fn watched(&self, value: &TokenStream, name: &str) -> TokenStream {
        let (rt, call) = (&self.rt, hidden("call"));
        quote!((&#rt::Skips(#value)).watch(&#call, #name);)
    }

    /// The function's own record, shared by all its instances.
    fn definition(&self) -> TokenStream {
        let rt = &self.rt;
        let options = &self.function.options;
        let name = options.name.as_ref().map_or_else(|| self.function.item.sig.ident.to_string(), syn::LitStr::value);
        let max_traces = match &options.max_traces {
            Some(number) => quote!(::core::option::Option::Some(#number)),
            None => quote!(::core::option::Option::None),
        };
        let relax = options.relax_shapes.as_ref().map_or_else(|| quote!(true), ToTokens::to_token_stream);
        let at = self.function.item.sig.ident.span();
        let rt_at = self.rt_at(at);
        let options = quote!(#rt::Options { max_traces: #max_traces, relax_shapes: #relax });
        let declared = self.function.options.input_signature.as_ref().map(|(_, entries)| {
            let first = usize::from(self.function.item.sig.receiver().is_some());
            let list = declared::tokens(entries, first, rt);
            quote!(.declaring(#list))
        });
        let new = quote_spanned!(at=> #rt_at::Function::new(#name, #options) #declared);
        quote!(static __FUNCTION: #rt::Function = #new;)
    }
}

/// Where a body's value is: its last expression, or the closing brace.
fn end(body: &Block) -> Span {
    match body.stmts.last() {
        Some(Stmt::Expr(value, None)) => value.span,
        _ => body.brace.span.close(),
    }
}
