//! Macros of the standard library: printing and assertions that may be about tensors, and `panic!`, which in a graph is
//! a failing assertion. All others are written as they were, with their arguments' own rewriting.

use super::super::ast::*;
use super::super::format::{self, Piece};
use super::super::rename::undone;
use super::Emit;
use crate::names::{hidden, hidden_at};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::LitStr;

impl Emit<'_> {
    pub fn macro_(&self, node: &Macro, span: Span) -> TokenStream {
        match &node.kind {
            MacroKind::Print { error, newline, format } => self.print(node, *error, *newline, format.as_ref(), span),
            MacroKind::Dbg => self.dbg(node, span),
            MacroKind::Assert { debug, message } => {
                let rt = self.rt_at(span);
                let cond = self.expr(&node.args[0]);
                let cond = quote_spanned!(node.args[0].span=> &(#cond));
                let text = self.text(&node.args[0]);
                let message = self.message(node, message.as_ref());
                debug_only(*debug, quote_spanned!(span=> #rt::assert(#cond, #text, #message)))
            }
            MacroKind::AssertEqual { debug, negated, message } => {
                let rt = &self.rt;
                let (left, right) = (self.expr(&node.args[0]), self.expr(&node.args[1]));
                let message = self.message(node, message.as_ref());
                let name = if *negated { "assert_ne" } else { "assert_eq" };
                let method = Ident::new(name, span);
                let call = quote_spanned!(span=> #method(#message));
                debug_only(*debug, quote!((&&#rt::Cmp(&(#left), &(#right))).#call))
            }
            MacroKind::Panic { prefix, message } => self.panic(node, prefix, message.as_ref(), span),
            MacroKind::List | MacroKind::Repeat | MacroKind::Format(_) => self.rewritten(node),
            MacroKind::Unknown => node.mac.to_token_stream(),
        }
    }

    /// The text of an expression, as `stringify!` gives it.
    fn text(&self, expr: &Expr) -> String {
        let tokens = match &expr.kind {
            Kind::Compare(node) => {
                let op = &node.op;
                return format!("{} {} {}", self.text(&node.left), op.to_token_stream(), self.text(&node.right));
            }
            _ => undone(self.expr(expr), &self.function.vars),
        };
        // The span of several tokens may be that of the first alone.
        let text = tokens.to_string();
        text.strip_prefix("& ").map_or(text.clone(), |place| format!("&{place}"))
    }

    /// The macro again, over arguments that may have been rewritten.
    fn rewritten(&self, node: &Macro) -> TokenStream {
        let mut mac = node.mac.clone();
        let by_value = matches!(node.kind, MacroKind::List | MacroKind::Repeat);
        let arg = |arg| if by_value { self.value_for(arg, &super::Wanted::default()) } else { self.expr(arg) };
        let args: Vec<TokenStream> = node.args.iter().map(arg).collect();
        mac.tokens = match &node.kind {
            MacroKind::Repeat => quote!(#(#args);*),
            MacroKind::Format(Some(format)) | MacroKind::Print { format: Some(format), .. } => {
                let (before, format) = (&args[..format.from], self.format(node, format));
                quote!(#(#before,)* #format)
            }
            _ => quote!(#(#args),*),
        };
        mac.to_token_stream()
    }

    fn message(&self, node: &Macro, message: Option<&Format>) -> TokenStream {
        let Some(message) = message else { return quote!(::core::option::Option::None) };
        let (rt, print, filled) = (&self.rt, hidden("print"), self.filled(node, message));
        quote!(::core::option::Option::Some(&|#print: &mut #rt::Message| { #filled }))
    }

    /// The arguments of a formatting macro: text, values, named values.
    fn format(&self, node: &Macro, message: &Format) -> TokenStream {
        let literal = &message.literal;
        let args = node.args[message.from..].iter().zip(&message.names).map(|(arg, name)| {
            let arg = self.expr(arg);
            match name {
                Some(name) => quote!(, #name = #arg),
                None => quote!(, #arg),
            }
        });
        quote!(#literal #(#args)*)
    }

    fn panic(&self, node: &Macro, prefix: &str, message: Option<&Format>, span: Span) -> TokenStream {
        let (fun, out) = (self.fun(), self.out());
        if !self.plan.bodies[node.target] {
            return node.mac.to_token_stream();
        }
        let print = hidden("print");
        let begin = match (prefix.is_empty(), message.is_some()) {
            (true, true) => String::new(),
            (true, false) => "explicit panic".to_owned(),
            (false, true) => format!("{prefix}: "),
            (false, false) => prefix.to_owned(),
        };
        let begin = (!begin.is_empty()).then(|| quote!(#print.text(#begin);));
        let filled = message.map(|message| self.filled(node, message));
        let panic = quote_spanned!(span=> panic(#print));
        quote!({
            let mut #print = #fun.message();
            #begin
            #filled
            #fun.#panic;
            break #out
        })
    }

    fn dbg(&self, node: &Macro, span: Span) -> TokenStream {
        let rt = &self.rt;
        let values = node.args.iter().map(|arg| {
            let (value, line) = (hidden("value"), hidden("print"));
            let (tokens, text) = (self.expr(arg), self.text(arg));
            let at = self.rt_at(span);
            let begin = quote_spanned!(span=> #at::Print::debug(#text));
            let tensor = match self.is_flag(arg) {
                true => quote!(#rt::shown_flag(&#value)),
                false => quote!((&&#rt::Shown(&#value)).tensor()),
            };
            quote! {
                match #tokens {
                    #value => {
                        let mut #line = #begin;
                        #line.piece(
                            #tensor,
                            |t| ::std::format!("{:#?}", t),
                            &|| ::std::format!("{:#?}", #value),
                        );
                        #line.text("\n");
                        #line.emit();
                        #value
                    }
                }
            }
        });
        let values: Vec<TokenStream> = values.collect();
        if values.len() == 1 { quote!(#(#values)*) } else { quote!((#(#values),*)) }
    }

    /// A line piece by piece; each argument is evaluated once, in order.
    fn print(&self, node: &Macro, error: bool, newline: bool, format: Option<&Format>, span: Span) -> TokenStream {
        let rt = &self.rt;
        let stream = if error { quote!(#rt::Stream::Error) } else { quote!(#rt::Stream::Out) };
        let print = hidden("print");
        let end = newline.then(|| quote!(#print.text("\n");));
        let emit = quote_spanned!(span=> emit());
        let Some(message) = format else {
            return quote!({ let mut #print = #rt::Print::new(#stream); #end #print.#emit; });
        };
        if !all_used(&format::pieces(&message.literal.value()), message) {
            // rustc says what is missing, or too much.
            return self.rewritten(node);
        }
        let filled = self.filled(node, message);
        quote!({ let mut #print = #rt::Print::new(#stream); #filled #end #print.#emit; })
    }

    /// Statements that write a text with values piece by piece; each argument is evaluated once, in order.
    fn filled(&self, node: &Macro, message: &Format) -> TokenStream {
        let print = hidden("print");
        let pieces = format::pieces(&message.literal.value());
        if !all_used(&pieces, message) {
            let format = self.format(node, message);
            return quote!(#print.text(&::std::format!(#format)););
        }
        let args: Vec<&Expr> = node.args[message.from..].iter().collect();
        let names: Vec<Ident> =
            args.iter().enumerate().map(|(i, arg)| hidden_at(&format!("shown{i}"), arg.span)).collect();
        let args = args.iter().map(|arg| self.expr(arg));
        let mut next = 0;
        let pieces = pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => quote!(#print.text(#text);),
            Piece::Value { argument, spec } => {
                let at = place(message, &argument, &mut next);
                let value = self.shown(message, &names, &argument, at);
                let is_flag = match at {
                    Some(at) => node.args.get(message.from + at).is_some_and(|arg| self.is_flag(arg)),
                    None => self.names_a_flag(node, &argument),
                };
                self.piece(message, &names, &value, &spec, is_flag)
            }
        });
        let pieces: TokenStream = pieces.collect();
        quote! {
            match (#(&(#args),)*) {
                (#(#names,)*) => { #pieces }
            }
        }
    }

    /// The value that a `{..}` stands for, as an expression of a reference.
    fn shown(&self, message: &Format, names: &[Ident], argument: &str, at: Option<usize>) -> TokenStream {
        match at {
            Some(position) => match names.get(position) {
                Some(name) => quote!(#name),
                None => TokenStream::new(),
            },
            None => {
                // A variable in the text has the text's own hygiene.
                let name = syn::parse_str::<Ident>(argument).unwrap_or_else(|_| hidden("missing"));
                let name = Ident::new(&name.to_string(), message.literal.span());
                quote!(&#name)
            }
        }
    }

    /// Whether a word of a format text is a flag.
    fn names_a_flag(&self, node: &Macro, word: &str) -> bool {
        let is_it = |var: &Var| self.function.vars[*var].truth.flag && self.function.vars[*var].name == word;
        node.mentions.iter().any(is_it)
    }

    fn piece(&self, message: &Format, names: &[Ident], value: &TokenStream, spec: &str, is_flag: bool) -> TokenStream {
        let rt = &self.rt;
        let print = hidden("print");
        let named = |text: &str| LitStr::new(text, message.literal.span());
        let format = if spec.is_empty() { named("{}") } else { named(&format!("{{:{spec}}}")) };
        // Widths that are arguments are host values, and only known beside the value.
        let widths: Vec<TokenStream> = format::names_in(spec)
            .filter_map(|width| {
                let position = message.names.iter().position(|name| name.as_ref().is_some_and(|name| name == width))?;
                let (key, value) = (Ident::new(width, message.literal.span()), &names[position]);
                Some(quote!(, #key = *#value))
            })
            .collect();
        let kind = spec.chars().last();
        let plain =
            widths.is_empty() && !spec.contains('$') && !matches!(kind, Some('x' | 'X' | 'o' | 'b' | 'e' | 'E' | 'p'));
        let host = quote!(&|| ::std::format!(#format, #value #(#widths)*));
        match plain {
            true if is_flag => {
                quote!(#print.piece(#rt::shown_flag(#value), |t| ::std::format!(#format, t), #host);)
            }
            true => quote!(#print.piece((&&#rt::Shown(#value)).tensor(), |t| ::std::format!(#format, t), #host);),
            false => quote!(#print.piece(::core::option::Option::None, |t| ::std::format!("{}", t), #host);),
        }
    }
}

/// Which of a format's arguments a `{..}` stands for; none for a variable in the text.
fn place(message: &Format, argument: &str, next: &mut usize) -> Option<usize> {
    match argument.parse::<usize>() {
        Ok(position) => Some(position),
        Err(_) if argument.is_empty() => {
            *next += 1;
            Some(*next - 1)
        }
        Err(_) => message.names.iter().position(|name| name.as_ref().is_some_and(|name| name == argument)),
    }
}

/// Whether a format text and its arguments fit together.
fn all_used(pieces: &[Piece], message: &Format) -> bool {
    let count = message.names.len();
    let mut used = vec![false; count];
    let mut next = 0;
    for piece in pieces {
        let Piece::Value { argument, spec } = piece else { continue };
        let named = |name: &str| message.names.iter().position(|n| n.as_ref().is_some_and(|n| n == name));
        let position = place(message, argument, &mut next);
        let widths = format::names_in(spec).filter_map(|name| name.parse().ok().or_else(|| named(name)));
        for position in position.into_iter().chain(widths) {
            match used.get_mut(position) {
                Some(used) => *used = true,
                None => return false,
            }
        }
        // `.*` takes an argument of its own: the text is left to Rust.
        if spec.contains(".*") {
            return false;
        }
    }
    used.into_iter().all(|used| used)
}

fn debug_only(debug: bool, assertion: TokenStream) -> TokenStream {
    if debug { quote!(if ::core::cfg!(debug_assertions) { #assertion }) } else { assertion }
}
