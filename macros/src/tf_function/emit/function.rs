//! The function around the body: its arguments become a signature, a fitting trace answers at once, else the body runs.
//! Closures with staged constructs get the same frame without the call.

use super::super::analyse::jumps;
use super::super::ast::*;
use super::super::lower::Plan;
use super::{Emit, Wanted, hidden, label, local};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use std::cell::RefCell;
use syn::spanned::Spanned;
use syn::{Expr as Syntax, FnArg, Pat, ReturnType, Type};

/// The function that stands in place of the user's.
pub fn function(function: &Function, plan: &Plan) -> TokenStream {
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

/// Whether a type cannot be written for a variable.
pub fn is_impl(ty: &Type) -> bool {
    ty.to_token_stream().into_iter().any(|token| matches!(token, proc_macro2::TokenTree::Ident(word) if word == "impl"))
}

impl Emit<'_> {
    fn function(&self) -> TokenStream {
        let rt = &self.rt;
        let mut item = self.function.item.clone();
        let call = hidden("call");
        let (mut notes, mut traced) = (TokenStream::new(), TokenStream::new());
        // The receiver is noted first, and counts among the arguments.
        let first = usize::from(item.sig.receiver().is_some());
        let mut params = self.function.params.iter().enumerate();
        for input in &mut item.sig.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    let word = &receiver.self_token;
                    notes.extend(
                        quote_spanned!(word.span=> (&&&&#rt::Arg::of(&#word)).note(&mut #call, "self", &#word);),
                    );
                }
                FnArg::Typed(input) => {
                    let Some((i, param)) = params.next() else { continue };
                    let (note, bind) = self.argument(input, param, first + i);
                    notes.extend(note);
                    traced.extend(bind);
                }
            }
        }
        let definition = self.definition();
        let at = self.rt_at(self.function.item.sig.ident.span());
        let result = hidden("result");
        let (slot, fun) = (hidden("slot"), local("f", BODY));
        let ty = self.result_type();
        let wanted = match &self.function.item.sig.output {
            ReturnType::Default => Wanted { unit: true, ty: None },
            ReturnType::Type(_, ty) => Wanted { unit: false, ty: Some((**ty).clone()) },
        };
        let stmts = self.stmts(&self.function.body, &wanted);
        let braces = self.function.body.brace.span.join();
        let stmts = quote_spanned!(braces=> { #stmts });
        let leaves = !jumps::escapes(&self.function.body).is_empty();
        let run = self.run(BODY, leaves, &ty, &stmts);
        let span = self.function.item.sig.output.span();
        let rt_at = self.rt_at(span);
        let table = quote_spanned!(span=> #rt_at::result::<#ty>());
        let body = quote_spanned!(braces=> {
            #[allow(unused_imports)]
            use #rt::tiers::*;
            #definition
            let mut #call = #at::Call::new(&__FUNCTION, #rt::instance(&|| ()));
            #notes
            if let ::core::option::Option::Some(#result) = #call.ready::<#ty>() {
                return #result;
            }
            #traced
            let #slot = #rt::Slot::<#ty>::new();
            let mut #fun = #rt::Fun::enter(&#call, #slot, #table);
            #run
        });
        let (attrs, visibility, signature) = (&item.attrs, &item.vis, &item.sig);
        quote!(#(#attrs)* #visibility #signature #body)
    }

    /// A body and its end; one that a jump in the graph may leave has a second end.
    fn run(&self, target: Target, leaves: bool, ty: &TokenStream, stmts: &TokenStream) -> TokenStream {
        let (fun, body, result) = (local("f", target), label("body", target), hidden("result"));
        if !leaves {
            return quote! {
                let #result: #ty = #stmts;
                #[allow(unreachable_code)]
                return #fun.finish(#result);
            };
        }
        // A body may end in `return`, which leaves nothing for the first end to do.
        quote! {
            #body: {
                let #result: #ty = #stmts;
                #[allow(unreachable_code)]
                return #fun.finish(#result);
            }
            return #fun.finish_left();
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

    /// Notes an argument, and binds the user's pattern to what the trace sees of it.
    fn argument(&self, input: &mut syn::PatType, param: &Param, i: usize) -> (TokenStream, TokenStream) {
        let rt = &self.rt;
        let call = hidden("call");
        let vars = &self.function.vars;
        let (ident, name) = match param.var {
            Some(var) => (vars[var].ident.clone(), vars[var].ident.to_string()),
            None => (local("argument", i), format!("argument {i}")),
        };
        let at = ident.span();
        let note = quote_spanned!(at=> (&&&&#rt::Arg::of(&#ident)).note(&mut #call, #name, &#ident););
        let value = quote_spanned!(at=> (&&&&#rt::Arg::of(&#ident)).traced(&#call, #i, #ident));
        let bind = match param.var {
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
        (note, bind)
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
        let new = quote_spanned!(at=> #rt_at::Function::new(#name, #options));
        quote!(static __FUNCTION: #rt::Function = #new;)
    }

    /// A closure; one without staged constructs stays as it is.
    pub fn closure(&self, node: &Closure) -> TokenStream {
        let rt = &self.rt;
        let mut syntax = node.syntax.clone();
        let params = node.vars.start..node.vars.start + node.params;
        let rebound = self.rebound(params);
        if !self.plan.bodies[node.target] {
            let body = self.value_for(&node.body, &Wanted::default());
            *syntax.body = Syntax::Verbatim(if rebound.is_empty() { body } else { quote!({ #rebound #body }) });
            return syntax.to_token_stream();
        }
        let n = node.target;
        let (slot, fun, k, body) = (local("slot", n), local("f", n), local("k", n), label("body", n));
        self.bodies.borrow_mut().push(n);
        let stmts = self.within(body.clone(), || self.value_for(&node.body, &Wanted::default()));
        self.bodies.borrow_mut().pop();
        let ty = match &node.syntax.output {
            ReturnType::Type(_, ty) => ty.to_token_stream(),
            ReturnType::Default => quote!(_),
        };
        let run = self.run(n, !jumps::expr_escapes(&node.body).is_empty(), &ty, &stmts);
        *syntax.body = Syntax::Verbatim(quote!({
            #rebound
            let #slot = #rt::Slot::<#ty>::new();
            let mut #k: ::core::option::Option<&'static #rt::Table> = ::core::option::Option::None;
            loop {
                if let ::core::option::Option::Some(#k) = #k {
                    let mut #fun = #rt::Fun::closure(#slot, #k);
                    #run
                }
                #k = ::core::option::Option::Some((&&&&&#slot).table());
            }
        }));
        syntax.to_token_stream()
    }
}
