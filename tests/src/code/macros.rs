//! Macros by name, and the paths in what is not parsed: bodies of `macro_rules!` and arguments of calls.
//! `scope` knows macros by the module that defines them; `paths` looks for segments between `::` in tokens.

use super::modules::Crate;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::HashMap;
use syn::{Item, ItemMacro};

/// Where macros are defined, and the modules that calls of theirs make.
pub struct Macros {
    defined: HashMap<(usize, String), Vec<(usize, usize)>>,
    /// What the items are called that a body makes, whatever it is given.
    items: HashMap<(usize, String), Vec<String>>,
    /// By the module with the call.
    modules: HashMap<(usize, usize), Vec<String>>,
}

impl Macros {
    /// The macros of all crates.
    pub fn of(crates: &[Crate]) -> Self {
        let (mut defined, mut bodies) = (HashMap::new(), HashMap::new());
        let mut modules: HashMap<(usize, usize), Vec<String>> = HashMap::new();
        for (c, read) in crates.iter().enumerate() {
            for (m, module) in read.modules.iter().enumerate() {
                for item in &module.items {
                    if let Item::Macro(ItemMacro { ident: Some(name), mac, .. }) = item {
                        defined.entry((c, name.to_string())).or_insert_with(Vec::new).push((c, m));
                        bodies.insert((c, name.to_string()), idents(&mac.tokens));
                    }
                }
            }
        }
        for (c, read) in crates.iter().enumerate() {
            for (m, module) in read.modules.iter().enumerate() {
                for item in &module.items {
                    let Item::Macro(ItemMacro { ident: None, mac, .. }) = item else { continue };
                    let name = mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                    let body = bodies.get(&(c, name)).map_or(&[][..], Vec::as_slice);
                    let made = body.windows(2).filter(|pair| pair[0] == "mod").map(|pair| pair[1].clone());
                    modules.entry((c, m)).or_default().extend(made);
                }
            }
        }
        let keyword = |word: &str| matches!(word, "fn" | "struct" | "enum" | "trait" | "const" | "static" | "type");
        let made = |body: Vec<String>| {
            body.windows(2).filter(|pair| keyword(&pair[0])).map(|pair| pair[1].clone()).collect::<Vec<_>>()
        };
        let items = bodies.into_iter().map(|(name, body)| (name, made(body))).collect();
        Self { defined, items, modules }
    }

    /// The modules of a crate that define a macro by this name.
    pub fn find(&self, krate: usize, name: &str) -> &[(usize, usize)] {
        self.defined.get(&(krate, name.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// What the items are called that a macro of a crate makes, whatever it is given.
    pub fn items(&self, krate: usize, name: &str) -> &[String] {
        self.items.get(&(krate, name.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Whether a call of a macro in this module makes a module by this name.
    pub fn makes_module(&self, at: (usize, usize), name: &str) -> bool {
        self.modules.get(&at).is_some_and(|made| made.iter().any(|m| m == name))
    }
}

/// Whether a macro has a name at the root of its crate.
pub fn exported(item: &ItemMacro) -> bool {
    item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"))
}

/// All identifiers among tokens, in groups too.
pub fn idents(tokens: &TokenStream) -> Vec<String> {
    let mut all = Vec::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(name) => all.push(name.to_string()),
            TokenTree::Group(group) => all.extend(idents(&group.stream())),
            _ => {}
        }
    }
    all
}

/// A path as tokens write it, and the line of its first segment.
pub struct Written {
    /// The segments.
    pub path: Vec<String>,
    /// Counted from 1.
    pub line: usize,
}

/// The paths of at least two segments among tokens; `$crate` is one segment, and a group after `::` ends a path.
pub fn paths(tokens: &TokenStream) -> Vec<Written> {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found
}

fn collect(tokens: &TokenStream, found: &mut Vec<Written>) {
    let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is = |at: usize, c: char| matches!(all.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
    let mut at = 0;
    while at < all.len() {
        match &all[at] {
            TokenTree::Group(group) => {
                collect(&group.stream(), found);
                at += 1;
            }
            TokenTree::Ident(first) => {
                let line = first.span().start().line;
                let dollar = at > 0 && is(at - 1, '$');
                let after_path = at > 1 && is(at - 1, ':') && is(at - 2, ':');
                let mut path = vec![if dollar { format!("${first}") } else { first.to_string() }];
                at += 1;
                while is(at, ':') && is(at + 1, ':') {
                    match all.get(at + 2) {
                        Some(TokenTree::Ident(next)) => {
                            path.push(next.to_string());
                            at += 3;
                        }
                        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                            let inner = listed(&group.stream());
                            for name in inner {
                                found.push(Written { path: [&path[..], &name[..]].concat(), line });
                            }
                            at += 3;
                        }
                        _ => break,
                    }
                }
                let variable = dollar && first != "crate";
                if path.len() > 1 && !variable && !after_path {
                    found.push(Written { path, line });
                }
            }
            _ => at += 1,
        }
    }
}

/// The paths between the commas of a group behind `::`.
fn listed(tokens: &TokenStream) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    for token in tokens.clone() {
        match token {
            TokenTree::Punct(p) if p.as_char() == ',' => all.push(Vec::new()),
            TokenTree::Ident(name) if name == "self" || name == "as" => {}
            TokenTree::Ident(name) => all.last_mut().expect("one").push(name.to_string()),
            _ => {}
        }
    }
    all.retain(|path| !path.is_empty());
    all
}
