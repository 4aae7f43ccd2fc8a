//! Which variables of a pattern are mutable references, by the text of what the pattern is matched with: what changes through
//! them is state like the variables it belongs to. The parser asks for each pattern.

use super::super::ast::*;
use syn::{Expr as Syntax, Pat};

/// What the text says of a value, or of the items of what a loop goes over.
#[derive(Clone, PartialEq, Debug)]
pub enum Reference {
    /// Nothing.
    Unknown,
    Exclusive,
    /// A number of Rust.
    Host,
    Tuple(Vec<Reference>),
    /// A mutable reference, or if it is a map's the pair of a key and one.
    Item,
    /// An `Option` or `Result` of it.
    Some(Box<Reference>),
}

use Reference::{Exclusive, Item, Unknown};

/// Methods that give an `Option` or `Result` of a mutable reference.
const LENDING: [&str; 8] =
    ["get_mut", "first_mut", "last_mut", "as_mut", "as_deref_mut", "back_mut", "front_mut", "peek_mut"];

/// Methods whose items are mutable references.
const LENDING_ITEMS: [&str; 6] =
    ["values_mut", "chunks_mut", "chunks_exact_mut", "rchunks_mut", "split_mut", "split_inclusive_mut"];

/// Methods of iterators that give some of the same items.
const KEEPING: [&str; 11] =
    ["rev", "skip", "take", "step_by", "filter", "take_while", "skip_while", "peekable", "fuse", "by_ref", "into_iter"];

/// Methods of iterators whose closures take items.
const TAKING: [&str; 9] =
    ["for_each", "try_for_each", "map", "filter_map", "find_map", "flat_map", "any", "all", "position"];

/// A value.
pub fn value(expr: &Expr, vars: &[Variable]) -> Reference {
    match &expr.inner().kind {
        Kind::Var(var, _) if vars[*var].hint == Hint::Exclusive => Exclusive,
        Kind::Plain(syntax, parts) => match syntax {
            Syntax::Reference(node) if node.mutability.is_some() => Exclusive,
            Syntax::Tuple(_) => Reference::Tuple(parts.iter().map(|part| value(part, vars)).collect()),
            Syntax::Try(_) => within(value(&parts[0], vars)),
            Syntax::Call(_) if is_some(&parts[0]) => Reference::Some(Box::new(value(&parts[1], vars))),
            Syntax::MethodCall(node) => {
                let name = node.method.to_string();
                match name.as_str() {
                    "unwrap" | "expect" => within(value(&parts[0], vars)),
                    "split_at_mut" => Reference::Tuple(vec![Exclusive, Exclusive]),
                    "split_first_mut" | "split_last_mut" => {
                        Reference::Some(Box::new(Reference::Tuple(vec![Exclusive, Exclusive])))
                    }
                    "next" | "next_back" | "nth" => Reference::Some(Box::new(items(&parts[0], vars))),
                    name if LENDING.contains(&name) => Reference::Some(Box::new(Exclusive)),
                    _ => Unknown,
                }
            }
            _ => Unknown,
        },
        _ => Unknown,
    }
}

/// The items of what a loop goes over.
pub fn items(over: &Expr, vars: &[Variable]) -> Reference {
    if let Kind::Var(var, _) = over.inner().kind {
        return vars[var].items.clone().unwrap_or(Unknown);
    }
    let Kind::Plain(syntax, parts) = &over.inner().kind else { return Unknown };
    match syntax {
        Syntax::Range(_) => Reference::Host,
        Syntax::Reference(node) if node.mutability.is_some() => each(&parts[0], vars),
        Syntax::Array(_) => {
            let mut all = parts.iter().map(|part| value(part, vars));
            let first = all.next().unwrap_or(Unknown);
            if all.all(|other| other == first) { first } else { Unknown }
        }
        Syntax::MethodCall(node) => {
            let name = node.method.to_string();
            match name.as_str() {
                "iter_mut" => each(&parts[0], vars),
                "enumerate" => Reference::Tuple(vec![Unknown, items(&parts[0], vars)]),
                "zip" => Reference::Tuple(vec![items(&parts[0], vars), items(&parts[1], vars)]),
                name if LENDING_ITEMS.contains(&name) => Exclusive,
                name if KEEPING.contains(&name) => items(&parts[0], vars),
                _ => Unknown,
            }
        }
        _ => Unknown,
    }
}

/// What the first parameter of closures is that a method is given.
pub fn taken(method: &syn::Ident, called: &Expr, vars: &[Variable]) -> Reference {
    match TAKING.iter().any(|name| method == name) {
        true => items(called, vars),
        false => Unknown,
    }
}

/// The items of what is lent as a whole: of maps pairs of a key, which nobody changes, and a reference; of iterators theirs.
fn each(lent: &Expr, vars: &[Variable]) -> Reference {
    match lent.inner().kind {
        Kind::Var(var, _) if vars[var].map => Reference::Tuple(vec![Unknown, Exclusive]),
        Kind::Var(var, _) if vars[var].items.is_some() => vars[var].items.clone().unwrap_or(Unknown),
        Kind::Var(var, _) if vars[var].list => Exclusive,
        _ => Reference::Item,
    }
}

/// Whether a value is surely a list: `vec![..]`, `[..]`, `Vec::new()`.
pub fn is_list(init: &Expr) -> bool {
    match &init.inner().kind {
        Kind::Macro(node) => matches!(node.kind, MacroKind::List | MacroKind::Repeat),
        Kind::Plain(Syntax::Array(_) | Syntax::Repeat(_), _) => true,
        _ => super::host::type_made(init).is_some_and(|name| name == "Vec"),
    }
}

fn within(lent: Reference) -> Reference {
    match lent {
        Reference::Some(inner) => *inner,
        _ => Unknown,
    }
}

fn is_some(function: &Expr) -> bool {
    matches!(&function.kind, Kind::Leaf(Syntax::Path(path)) if path.path.is_ident("Some") || path.path.is_ident("Ok"))
}

/// Tells the hints of a pattern's names.
pub fn bound(pat: &Pat, lent: &Reference, tell: &mut dyn FnMut(&syn::Ident, Hint)) {
    // Parts of what a mutable reference points to are bound as such references.
    let through = |pats: &mut dyn Iterator<Item = &Pat>, tell: &mut dyn FnMut(&syn::Ident, Hint)| {
        if matches!(lent, Exclusive | Item) {
            pats.for_each(|pat| bound(pat, &Exclusive, tell));
        }
    };
    match pat {
        Pat::Ident(pat) if pat.by_ref.is_none() => {
            match lent {
                Exclusive | Item => tell(&pat.ident, Hint::Exclusive),
                Reference::Host => tell(&pat.ident, Hint::Host),
                _ => {}
            }
            pat.subpat.iter().for_each(|(_, pat)| bound(pat, lent, tell));
        }
        Pat::Type(typed) => bound(&typed.pat, lent, tell),
        Pat::Paren(inner) => bound(&inner.pat, lent, tell),
        Pat::Or(either) => either.cases.iter().for_each(|pat| bound(pat, lent, tell)),
        Pat::Tuple(pat) => match lent {
            Reference::Tuple(all)
                if all.len() == pat.elems.len() && !pat.elems.iter().any(|p| matches!(p, Pat::Rest(_))) =>
            {
                pat.elems.iter().zip(all).for_each(|(pat, lent)| bound(pat, lent, tell));
            }
            Item if pat.elems.len() == 2 => bound(&pat.elems[1], &Exclusive, tell),
            _ => through(&mut pat.elems.iter(), tell),
        },
        Pat::TupleStruct(pat) => match lent {
            Reference::Some(inner) if pat.elems.len() == 1 => bound(&pat.elems[0], inner, tell),
            _ => through(&mut pat.elems.iter(), tell),
        },
        Pat::Struct(pat) => through(&mut pat.fields.iter().map(|field| &*field.pat), tell),
        Pat::Slice(pat) => through(&mut pat.elems.iter(), tell),
        _ => {}
    }
}
