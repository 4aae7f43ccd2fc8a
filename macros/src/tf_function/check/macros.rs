//! Macros in a traced function: those of the standard library are looked into, all others pass through as they are, so
//! no control flow may hide in them.

use super::super::macros as known;
use crate::diag::Faults;
use crate::diag::tf_function as text;
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

/// Macros whose arguments are expressions that the macro rewrites.
const REWRITTEN: [&str; 19] = [
    "println",
    "print",
    "eprintln",
    "eprint",
    "dbg",
    "vec",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "unreachable",
    "todo",
    "unimplemented",
    "format",
    "write",
    "writeln",
];

/// Macros whose arguments stay as they are, because Rust matches or concatenates them itself.
const QUIET: [&str; 13] = [
    "matches",
    "cfg",
    "concat",
    "stringify",
    "line",
    "file",
    "column",
    "module_path",
    "env",
    "option_env",
    "include_str",
    "include_bytes",
    "format_args",
];

pub fn check(mac: &syn::Macro, faults: &mut Faults, inside: &mut dyn FnMut(&Expr, &mut Faults)) {
    let name = known::name(mac);
    if ["asm", "global_asm", "naked_asm"].iter().any(|asm| name == *asm) {
        faults.add(&mac.path, text::ASM);
        return;
    }
    if let Some(word) = jump_word(mac.tokens.clone())
        && !REWRITTEN.contains(&name.as_str()) {
            return faults.add_at(word.span(), text::jump_in_macro(&word.to_string(), &mac_name(mac)));
        }
    if REWRITTEN.contains(&name.as_str()) {
        if let Ok(list) = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone()) {
            list.iter().for_each(|expr| inside(expr, faults));
        }
    } else if let Some(word) = control_word(mac.tokens.clone()).filter(|_| !QUIET.contains(&name.as_str())) {
        faults.add_at(word.span(), text::control_in_macro(&word.to_string(), &mac_name(mac)));
    }
}

fn mac_name(mac: &syn::Macro) -> String {
    mac.path.segments.last().map_or_else(String::new, |s| s.ident.to_string())
}

/// The first word that jumps out of some tokens, those of nested closures and items included.
pub fn jump_word(tokens: TokenStream) -> Option<Ident> {
    first_word(tokens, &["return", "break", "continue", "await", "yield"])
}

fn control_word(tokens: TokenStream) -> Option<Ident> {
    first_word(tokens, &["if", "while", "for", "loop"])
}

fn first_word(tokens: TokenStream, words: &[&str]) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if words.iter().any(|word| ident == word) => Some(ident),
        TokenTree::Group(group) => first_word(group.stream(), words),
        _ => None,
    })
}
