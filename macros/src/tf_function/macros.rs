//! The macros of the standard library whose arguments the macro looks into: printing, assertions, lists, formats.
//! Of all others only the words among their tokens are seen, as uses of variables.

use super::ast::*;
use super::parse::Parser;
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr as Syntax, LitStr, Token};

/// One argument of a formatting macro: `x` or `name = x`.
struct Argument {
    name: Option<Ident>,
    value: Syntax,
}

impl syn::parse::Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let named = input.peek(syn::Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let name = if named {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        Ok(Self { name, value: input.parse()? })
    }
}

/// How many arguments stand before the format text.
fn before_format(name: &str) -> Option<usize> {
    Some(match name {
        "println" | "print" | "eprintln" | "eprint" | "format" | "panic" | "unreachable" | "todo" | "unimplemented" => {
            0
        }
        "assert" | "debug_assert" | "write" | "writeln" => 1,
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => 2,
        _ => return None,
    })
}

/// The name of a macro that the standard library may provide.
pub fn name(mac: &syn::Macro) -> String {
    let segments = &mac.path.segments;
    let foreign = segments.len() > 1 && !["std", "core", "alloc"].iter().any(|c| segments[0].ident == c);
    match segments.last() {
        Some(last) if !foreign => last.ident.to_string(),
        _ => String::new(),
    }
}

pub fn parse(parser: &mut Parser, mac: syn::Macro, target: Target) -> Macro {
    let mut parsed = known(parser, &mac, target).unwrap_or_else(|| {
        let mentions = words(parser, mac.tokens.clone());
        Macro { kind: MacroKind::Unknown, mac, args: Vec::new(), mentions, target }
    });
    parser.renames.words(&mut parsed.mac, &parser.scopes);
    parsed
}

fn known(parser: &mut Parser, mac: &syn::Macro, target: Target) -> Option<Macro> {
    let name = name(mac);
    let done = |kind, args, mentions| Some(Macro { kind, mac: mac.clone(), args, mentions, target });
    if name == "vec" {
        if let Ok((item, count)) = repeat.parse2(mac.tokens.clone()) {
            let args = vec![parser.expr(item), parser.expr(count)];
            return done(MacroKind::Repeat, args, Vec::new());
        }
        let list = Punctuated::<Syntax, Token![,]>::parse_terminated.parse2(mac.tokens.clone()).ok()?;
        return done(MacroKind::List, list.into_iter().map(|e| parser.expr(e)).collect(), Vec::new());
    }
    if name == "dbg" {
        let list = Punctuated::<Syntax, Token![,]>::parse_terminated.parse2(mac.tokens.clone()).ok()?;
        return done(MacroKind::Dbg, list.into_iter().map(|e| parser.expr(e)).collect(), Vec::new());
    }
    let before = before_format(&name)?;
    let list = Punctuated::<Argument, Token![,]>::parse_terminated.parse2(mac.tokens.clone()).ok()?;
    let mut list = list.into_iter();
    let mut args: Vec<Expr> = Vec::new();
    for _ in 0..before {
        args.push(parser.expr(list.next()?.value));
    }
    let mut mentions = Vec::new();
    let message = match list.next() {
        None => None,
        Some(first) => {
            let mut literal = text(&first.value)?;
            mentions = inline(parser, &literal);
            let from = args.len();
            let mut names = Vec::new();
            for argument in list {
                names.push(argument.name);
                args.push(parser.expr(argument.value));
            }
            parser.renames.literal(&mut literal, &names, &parser.scopes);
            Some(Format { literal, from, names })
        }
    };
    let debug = name.starts_with("debug_");
    let kind = match name.as_str() {
        "println" | "print" | "eprintln" | "eprint" => {
            MacroKind::Print { error: name.starts_with('e'), newline: name.ends_with("ln"), format: message }
        }
        "assert" | "debug_assert" => MacroKind::Assert { debug, message },
        "assert_eq" | "debug_assert_eq" => MacroKind::AssertEqual { debug, negated: false, message },
        "assert_ne" | "debug_assert_ne" => MacroKind::AssertEqual { debug, negated: true, message },
        "panic" => MacroKind::Panic { prefix: "", message },
        "unreachable" => MacroKind::Panic { prefix: "internal error: entered unreachable code", message },
        "todo" => MacroKind::Panic { prefix: "not yet implemented", message },
        "unimplemented" => MacroKind::Panic { prefix: "not implemented", message },
        _ => MacroKind::Format(message),
    };
    done(kind, args, mentions)
}

/// `x; n`
fn repeat(input: ParseStream<'_>) -> syn::Result<(Syntax, Syntax)> {
    let item = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok((item, input.parse()?))
}

/// The text of a format that is written out.
fn text(expr: &Syntax) -> Option<LitStr> {
    match expr {
        Syntax::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.clone()),
        Syntax::Group(group) => text(&group.expr),
        _ => None,
    }
}

/// The variables that a format text names: `{x}`, `{x:>w$}`.
fn inline(parser: &Parser, literal: &LitStr) -> Vec<Var> {
    let mut found = Vec::new();
    for piece in super::format::pieces(&literal.value()) {
        if let super::format::Piece::Value { argument, spec } = piece {
            let names = std::iter::once(argument.as_str()).chain(super::format::names_in(&spec));
            found.extend(names.filter_map(|name| parser.scopes.find(name)));
        }
    }
    found
}

/// The variables among the words of some tokens, also in texts that may be formats.
fn words(parser: &Parser, tokens: TokenStream) -> Vec<Var> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => found.extend(parser.scopes.find(&ident.to_string())),
            TokenTree::Group(group) => found.extend(words(parser, group.stream())),
            TokenTree::Literal(literal) => {
                if let Ok(literal) = syn::parse_str::<LitStr>(&literal.to_string()) {
                    found.extend(inline(parser, &literal));
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
    found
}
