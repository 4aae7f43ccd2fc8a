//! Questions about the user's text alone, and the parts of expressions. The parser asks them, and emission puts the parts back.

use super::super::ast::Hint;
use syn::visit::Visit;
use syn::{Expr as Syntax, Pat, Type};

/// Takes an expression out of the user's text.
pub fn take(expr: &mut Box<Syntax>) -> Syntax {
    std::mem::replace(&mut **expr, hole())
}

pub fn hole() -> Syntax {
    Syntax::Verbatim(proc_macro2::TokenStream::new())
}

pub fn unwrapped(pat: &Pat) -> &Pat {
    match pat {
        Pat::Type(typed) => unwrapped(&typed.pat),
        Pat::Paren(inner) => unwrapped(&inner.pat),
        pat => pat,
    }
}

/// Whether a condition changes variables by its text, or jumps.
pub fn changes(cond: &Syntax) -> bool {
    struct TextVisitor(bool);
    impl<'ast> Visit<'ast> for TextVisitor {
        fn visit_expr(&mut self, expr: &'ast Syntax) {
            self.0 |= match expr {
                Syntax::Assign(_) | Syntax::Return(_) | Syntax::Break(_) | Syntax::Continue(_) => true,
                Syntax::Binary(node) => super::super::analyse::host::assigns(&node.op),
                Syntax::Reference(node) => node.mutability.is_some(),
                _ => false,
            };
            syn::visit::visit_expr(self, expr);
        }
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut search = TextVisitor(false);
    search.visit_expr(cond);
    search.0
}

/// Whether a condition matches patterns.
pub fn has_let(cond: &Syntax) -> bool {
    match cond {
        Syntax::Let(_) => true,
        Syntax::Binary(node) => has_let(&node.left) || has_let(&node.right),
        Syntax::Paren(node) => has_let(&node.expr),
        Syntax::Group(node) => has_let(&node.expr),
        _ => false,
    }
}

/// What a written type says.
pub fn type_hint(ty: &Type) -> Hint {
    const HOST: [&str; 16] = [
        "bool", "char", "str", "f32", "f64", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
        "isize",
    ];
    match ty {
        Type::Path(path) if HOST.iter().any(|name| path.path.is_ident(name)) => Hint::Host,
        Type::Reference(reference) if reference.mutability.is_some() => Hint::Exclusive,
        Type::Reference(reference) if type_hint(&reference.elem) == Hint::Host => Hint::Host,
        Type::Reference(_) => Hint::Shared,
        // A type of one letter may stand for a reference.
        Type::Path(path) if path.path.get_ident().is_none_or(|name| name.to_string().len() > 1) => Hint::Owned,
        Type::Tuple(_) | Type::Array(_) => Hint::Owned,
        Type::Paren(inner) => type_hint(&inner.elem),
        Type::Group(inner) => type_hint(&inner.elem),
        _ => Hint::Unknown,
    }
}

/// Whether a type is surely one of the user's.
pub fn own_type(ty: &Type) -> bool {
    name_of(ty).is_some_and(|name| is_own_type(&name))
}

/// Whether a type is a map of the standard library.
pub fn map_type(ty: &Type) -> bool {
    name_of(ty).is_some_and(|name| is_map_type(&name))
}

fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Type::Reference(reference) => name_of(&reference.elem),
        Type::Paren(inner) => name_of(&inner.elem),
        Type::Group(inner) => name_of(&inner.elem),
        _ => None,
    }
}

/// Whether a type's name is that of a map.
pub fn is_map_type(name: &str) -> bool {
    ["HashMap", "BTreeMap"].contains(&name)
}

/// Whether a type's name is none of the library's and the standard library's.
pub fn is_own_type(name: &str) -> bool {
    const KNOWN: [&str; 24] = [
        "Vec",
        "VecDeque",
        "HashMap",
        "BTreeMap",
        "HashSet",
        "BTreeSet",
        "Option",
        "Some",
        "None",
        "Result",
        "Ok",
        "Err",
        "Box",
        "Rc",
        "Arc",
        "Cell",
        "RefCell",
        "Mutex",
        "RwLock",
        "String",
        "Tensor",
        "TensorArray",
        "Variable",
        "Instant",
    ];
    // One letter may be a parameter.
    name.starts_with(char::is_uppercase) && name.len() > 1 && !KNOWN.contains(&name)
}

/// The parts of an expression that does nothing but evaluate them, in the order of the text.
pub fn syntax_parts(expr: &mut Syntax, visit: &mut dyn FnMut(&mut Syntax)) {
    match expr {
        Syntax::Array(e) => e.elems.iter_mut().for_each(visit),
        Syntax::Assign(e) => [&mut *e.left, &mut *e.right].into_iter().for_each(visit),
        Syntax::Await(e) => visit(&mut e.base),
        Syntax::Binary(e) => [&mut *e.left, &mut *e.right].into_iter().for_each(visit),
        Syntax::Call(e) => {
            visit(&mut e.func);
            e.args.iter_mut().for_each(visit);
        }
        Syntax::Cast(e) => visit(&mut e.expr),
        Syntax::Field(e) => visit(&mut e.base),
        Syntax::Group(e) => visit(&mut e.expr),
        Syntax::Index(e) => [&mut *e.expr, &mut *e.index].into_iter().for_each(visit),
        Syntax::MethodCall(e) => {
            visit(&mut e.receiver);
            e.args.iter_mut().for_each(visit);
        }
        Syntax::Paren(e) => visit(&mut e.expr),
        Syntax::Range(e) => e.start.iter_mut().chain(&mut e.end).for_each(|part| visit(part)),
        Syntax::RawAddr(e) => visit(&mut e.expr),
        Syntax::Reference(e) => visit(&mut e.expr),
        Syntax::Repeat(e) => visit(&mut e.expr),
        Syntax::Struct(e) => {
            e.fields.iter_mut().for_each(|field| visit(&mut field.expr));
            e.rest.iter_mut().for_each(|part| visit(part));
        }
        Syntax::Try(e) => visit(&mut e.expr),
        Syntax::Tuple(e) => e.elems.iter_mut().for_each(visit),
        Syntax::Unary(e) => visit(&mut e.expr),
        _ => {}
    }
}
