//! Other names for variables that hide one which a jump hands over: both must be nameable where the jump stands. The parser
//! asks for them wherever it meets a variable; messages go on with the user's own names.

use super::ast::{Var, Variable};
use super::format;
use super::scope::Scopes;
use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use syn::visit_mut::VisitMut;
use syn::{LitStr, Pat};

/// The variables that go by other names.
#[derive(Default)]
pub struct Renames(BTreeMap<Var, String>);

impl Renames {
    /// A name of its own for each of some variables, which is none of the words of the function.
    pub fn of(hiding: &BTreeSet<Var>, vars: &[Variable], text: TokenStream) -> Self {
        let mut used = BTreeSet::new();
        words_of(text, &mut used);
        let fresh = |var: &Var| {
            let base = format!("{}_inner", vars[*var].name.trim_start_matches("r#"));
            let more = (2..).map(|n| format!("{base}{n}"));
            let name = std::iter::once(base.clone()).chain(more).find(|name| used.insert(name.clone()));
            (*var, name.unwrap_or(base))
        };
        Self(hiding.iter().map(fresh).collect())
    }

    /// What a variable is called.
    pub fn ident(&self, var: Var, user: &Ident) -> Ident {
        self.0.get(&var).map_or_else(|| user.clone(), |name| Ident::new(name, user.span()))
    }

    /// Renames the variables that a pattern has declared.
    pub fn pattern(&self, pat: &mut Pat, declared: Range<Var>, vars: &[Variable]) {
        let new = |var: Var| self.0.get(&var).map(|name| (vars[var].name.clone(), name.as_str()));
        let names: BTreeMap<String, &str> = declared.filter_map(new).collect();
        if !names.is_empty() {
            InPattern(names).visit_pat_mut(pat);
        }
    }

    /// `S { y }` where `y` has another name becomes `S { y: y }`, whose second part the parser renames.
    pub fn fields(&self, node: &mut syn::ExprStruct, scopes: &Scopes) {
        for field in node.fields.iter_mut().filter(|field| field.colon_token.is_none()) {
            if let syn::Member::Named(name) = &field.member
                && self.found(&name.to_string(), scopes).is_some()
            {
                field.colon_token = Some(syn::token::Colon(name.span()));
            }
        }
    }

    /// Renames variables among the words of a macro of which no more is known.
    pub fn words(&self, mac: &mut syn::Macro, scopes: &Scopes) {
        if !self.0.is_empty() {
            mac.tokens = self.tokens(std::mem::take(&mut mac.tokens), scopes);
        }
    }

    /// Renames the variables that a format text names, but for those that are arguments of the macro.
    pub fn literal(&self, literal: &mut LitStr, arguments: &[Option<Ident>], scopes: &Scopes) {
        let argument = |name: &str| arguments.iter().flatten().any(|argument| argument == name);
        let new = |name: &str| (!argument(name)).then(|| self.found(name, scopes)).flatten().map(str::to_owned);
        if let Some(text) = format::renamed(&literal.value(), &new) {
            *literal = LitStr::new(&text, literal.span());
        }
    }

    fn found(&self, name: &str, scopes: &Scopes) -> Option<&str> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&scopes.find(name)?).map(String::as_str)
    }

    /// Fields, methods, paths and a macro's own `$names` are no variables.
    fn tokens(&self, tokens: TokenStream, scopes: &Scopes) -> TokenStream {
        let mut rest = tokens.into_iter().peekable();
        let mut done: Vec<TokenTree> = Vec::new();
        let is = |token: Option<&TokenTree>, c: char| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c);
        while let Some(token) = rest.next() {
            let before = done.len();
            let member = is(done.last(), '.') && !is(before.checked_sub(2).map(|i| &done[i]), '.');
            let other = member || is(done.last(), '$') || is(rest.peek(), ':');
            done.push(match token {
                TokenTree::Ident(word) if !other => match self.found(&word.to_string(), scopes) {
                    Some(name) => TokenTree::Ident(Ident::new(name, word.span())),
                    None => TokenTree::Ident(word),
                },
                TokenTree::Group(group) => {
                    let mut inside = Group::new(group.delimiter(), self.tokens(group.stream(), scopes));
                    inside.set_span(group.span());
                    TokenTree::Group(inside)
                }
                TokenTree::Literal(literal) => TokenTree::Literal(self.text(literal, scopes)),
                token => token,
            });
        }
        done.into_iter().collect()
    }

    fn text(&self, literal: Literal, scopes: &Scopes) -> Literal {
        let Ok(mut text) = syn::parse_str::<LitStr>(&literal.to_string()) else { return literal };
        let before = text.value();
        self.literal(&mut text, &[], scopes);
        if text.value() == before {
            return literal;
        }
        let mut other = Literal::string(&text.value());
        other.set_span(literal.span());
        other
    }
}

struct InPattern<'a>(BTreeMap<String, &'a str>);

impl VisitMut for InPattern<'_> {
    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        if let Some(name) = self.0.get(&pat.ident.to_string()) {
            pat.ident = Ident::new(name, pat.ident.span());
        }
        syn::visit_mut::visit_pat_ident_mut(self, pat);
    }

    /// `S { y }` becomes `S { y: other }`.
    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        if let (syn::Member::Named(name), None) = (&field.member, &field.colon_token)
            && self.0.contains_key(&name.to_string())
        {
            field.colon_token = Some(syn::token::Colon(name.span()));
        }
        syn::visit_mut::visit_field_pat_mut(self, field);
    }

    /// A pattern's expressions are no part of what it declares.
    fn visit_expr_mut(&mut self, _: &mut syn::Expr) {}
}

/// Tokens with the variables' names as the user has written them.
pub fn undone(tokens: TokenStream, vars: &[Variable]) -> TokenStream {
    let renamed: BTreeMap<String, &Variable> =
        vars.iter().filter(|var| var.ident != var.name).map(|var| (var.ident.to_string(), var)).collect();
    if renamed.is_empty() { tokens } else { undone_by(tokens, &renamed) }
}

fn undone_by(tokens: TokenStream, renamed: &BTreeMap<String, &Variable>) -> TokenStream {
    let one = |token| match token {
        TokenTree::Ident(word) => match renamed.get(&word.to_string()).and_then(|var| syn::parse_str(&var.name).ok()) {
            Some(name) => TokenTree::Ident(name),
            None => TokenTree::Ident(word),
        },
        TokenTree::Group(group) => TokenTree::Group(Group::new(group.delimiter(), undone_by(group.stream(), renamed))),
        token => token,
    };
    tokens.into_iter().map(one).collect()
}

fn words_of(tokens: TokenStream, words: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => drop(words.insert(word.to_string())),
            TokenTree::Group(group) => words_of(group.stream(), words),
            TokenTree::Literal(_) | TokenTree::Punct(_) => {}
        }
    }
}
