//! `self` under a name of its own: what a trace sees of the receiver is not what the caller has lent, and `self` cannot be
//! bound again. Runs before parsing; from then on the receiver is a parameter like the others.

use crate::names::RECEIVER;
use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, FnArg, ItemFn, LitStr, Receiver, ReceiverKind, Type};

/// How a method takes its receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    Value,
    Shared,
    Exclusive,
}

pub fn taken(receiver: &Receiver) -> Taken {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, Some(_)) => Taken::Exclusive,
        ReceiverKind::Reference(_, _, None) => Taken::Shared,
        ReceiverKind::Typed(_, ty) => match &**ty {
            Type::Reference(reference) if reference.mutability.is_some() => Taken::Exclusive,
            // A counted pointer is handed on like a reference.
            _ => Taken::Shared,
        },
        _ => Taken::Value,
    }
}

/// Whether a method is lent its receiver by a reference that is not exclusive, and no counted pointer.
pub fn is_reference(receiver: &Receiver) -> bool {
    taken(receiver) == Taken::Shared
        && match &receiver.kind {
            ReceiverKind::Typed(_, ty) => matches!(&**ty, Type::Reference(_)),
            _ => true,
        }
}

/// Gives `self` its other name in the body of a method.
pub fn rename(item: &mut ItemFn) {
    if item.sig.inputs.iter().any(|input| matches!(input, FnArg::Receiver(_))) {
        Rename.visit_block_mut(&mut item.block);
    }
}

/// The other name, where the user has written `self`.
pub fn ident(word: proc_macro2::Span) -> Ident {
    Ident::new(RECEIVER, word)
}

struct Rename;

impl VisitMut for Rename {
    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        if path.path.is_ident("self") {
            let word = &mut path.path.segments[0].ident;
            *word = ident(word.span());
        }
        visit_mut::visit_expr_path_mut(self, path);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = renamed(std::mem::take(&mut mac.tokens));
    }

    /// An item has a `self` of its own.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
    }
}

/// The tokens of a macro, in which `self` may also stand in a format text; `self::path` is no receiver.
fn renamed(tokens: TokenStream) -> TokenStream {
    let mut rest = tokens.into_iter().peekable();
    let mut done = Vec::new();
    while let Some(token) = rest.next() {
        done.push(match token {
            TokenTree::Ident(word) if word == "self" => {
                let path = matches!(rest.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
                TokenTree::Ident(if path { word } else { ident(word.span()) })
            }
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), renamed(group.stream()));
                inside.set_span(group.span());
                TokenTree::Group(inside)
            }
            TokenTree::Literal(literal) => TokenTree::Literal(format_text(literal)),
            token => token,
        });
    }
    done.into_iter().collect()
}

fn format_text(literal: Literal) -> Literal {
    let text = literal.to_string();
    if !(text.contains("{self}") || text.contains("{self:")) {
        return literal;
    }
    let Ok(text) = syn::parse_str::<LitStr>(&text) else { return literal };
    let text = text.value().replace("{self}", &format!("{{{RECEIVER}}}")).replace("{self:", &format!("{{{RECEIVER}:"));
    let mut other = Literal::string(&text);
    other.set_span(literal.span());
    other
}
