//! Which expressions are surely host values, by their text alone: conditions on them stay Rust's own.
//! "No" means that the types decide, when the function is compiled.

use super::super::ast::*;
use syn::{BinOp, Expr as Syntax, UnOp};

/// Methods whose answer is a host value whatever they are called on.
const HOST_METHODS: [&str; 17] = [
    "len",
    "is_empty",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "rank",
    "num_elements",
    "contains_key",
    "starts_with",
    "ends_with",
    "trainable",
    "is_some_and",
    "is_none_or",
    "is_char_boundary",
    "is_alphabetic",
    "dim",
];

const HOST_TYPES: [&str; 15] =
    ["bool", "char", "f32", "f64", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "isize"];

/// Whether an expression is surely a host value.
pub fn surely(expr: &Expr, vars: &[Variable]) -> bool {
    let host = |expr: &Expr| surely(expr, vars);
    match &expr.kind {
        Kind::Leaf(Syntax::Lit(_)) => true,
        Kind::Leaf(Syntax::Path(path)) => constant(&path.path),
        Kind::Leaf(_) => false,
        Kind::Var(var, _) => vars[*var].hint == Hint::Host,
        Kind::Compare(compare) => host(&compare.left) && host(&compare.right),
        Kind::Logic(logic) => host(&logic.left) && host(&logic.right),
        Kind::Plain(syntax, parts) => match syntax {
            Syntax::Paren(_) | Syntax::Group(_) => host(&parts[0]),
            // What a mutable reference leads to may change.
            Syntax::Reference(node) => node.mutability.is_none() && host(&parts[0]),
            Syntax::Unary(node) => matches!(node.op, UnOp::Not(_) | UnOp::Neg(_) | UnOp::Deref(_)) && host(&parts[0]),
            Syntax::Cast(_) => true,
            Syntax::Binary(node) => !assigns(&node.op) && parts.iter().all(host),
            Syntax::MethodCall(node) => HOST_METHODS.iter().any(|name| node.method == name),
            Syntax::Call(_) => matches!(&parts[0].kind, Kind::Leaf(Syntax::Path(path)) if of_type(&path.path)),
            _ => false,
        },
        Kind::Macro(node) => node.mac.path.is_ident("matches") || node.mac.path.is_ident("cfg"),
        _ => false,
    }
}

/// `usize::MAX`, `f32::EPSILON`.
fn constant(path: &syn::Path) -> bool {
    let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    match segments.as_slice() {
        [.., ty, name] => HOST_TYPES.contains(&ty.as_str()) && name.chars().all(|c| !c.is_lowercase()),
        _ => false,
    }
}

/// `usize::from`, `i32::pow`.
fn of_type(path: &syn::Path) -> bool {
    path.segments.len() > 1 && HOST_TYPES.iter().any(|ty| path.segments[0].ident == ty)
}

/// Whether an operator changes its left side.
pub fn assigns(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// What the initial value of a variable says of it.
pub fn hint(init: &Expr, vars: &[Variable]) -> Hint {
    match &init.inner().kind {
        Kind::Plain(Syntax::Reference(node), _) if node.mutability.is_some() => Hint::Exclusive,
        Kind::Var(var, _) if matches!(vars[*var].hint, Hint::Exclusive | Hint::Shared) => vars[*var].hint,
        // A text or a moved variable may be a `String`, which is not copied: types decide.
        Kind::Leaf(Syntax::Lit(lit)) if matches!(lit.lit, syn::Lit::Str(_)) => Hint::Unknown,
        _ if surely(init, vars) => Hint::Host,
        Kind::Plain(Syntax::Reference(_), _) => Hint::Shared,
        Kind::Plain(Syntax::Struct(_) | Syntax::Tuple(_) | Syntax::Array(_), _) => Hint::Owned,
        Kind::Plain(Syntax::Call(_), parts) if makes(&parts[0]) => Hint::Owned,
        _ => Hint::Unknown,
    }
}

/// Whether a function makes a value: `Pair(..)`, `State::new(..)`.
pub fn makes(function: &Expr) -> bool {
    let Kind::Leaf(Syntax::Path(path)) = &function.kind else { return false };
    let is_maker = |name: &syn::Ident| {
        let name = name.to_string();
        name.starts_with(char::is_uppercase) || ["new", "default", "from"].contains(&name.as_str())
    };
    path.path.segments.last().is_some_and(|last| is_maker(&last.ident))
}

/// The name of the type of a value that is surely made here: `Decay { .. }`, `Decay::new(..)`.
pub fn type_made(init: &Expr) -> Option<String> {
    let path = match &init.inner().kind {
        Kind::Plain(Syntax::Struct(node), _) | Kind::Leaf(Syntax::Struct(node)) => &node.path,
        Kind::Plain(Syntax::Call(_), parts) if makes(&parts[0]) => match &parts[0].kind {
            Kind::Leaf(Syntax::Path(path)) => &path.path,
            _ => return None,
        },
        _ => return None,
    };
    let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    names.find(|name| name.starts_with(char::is_uppercase))
}

/// Whether `for` surely goes over a host iterator.
pub fn iterates(over: &Expr) -> bool {
    const ITERATORS: [&str; 20] = [
        "iter",
        "iter_mut",
        "into_iter",
        "enumerate",
        "zip",
        "rev",
        "chars",
        "bytes",
        "lines",
        "keys",
        "values",
        "values_mut",
        "drain",
        "windows",
        "chunks",
        "skip",
        "step_by",
        "map",
        "filter",
        "chain",
    ];
    match &over.inner().kind {
        Kind::Plain(Syntax::Range(_) | Syntax::Array(_), _) => true,
        Kind::Plain(Syntax::MethodCall(node), parts) => {
            // Datasets have some of these methods too; arrays and vectors are told by the first one of a chain.
            let certain = ["iter", "iter_mut", "into_iter", "chars", "bytes", "lines", "keys", "values", "drain"];
            certain.iter().any(|name| node.method == name)
                || (ITERATORS.iter().any(|name| node.method == name) && iterates(&parts[0]))
        }
        Kind::Plain(Syntax::Reference(node), parts) => node.mutability.is_some() || iterates(&parts[0]),
        Kind::Macro(node) => node.mac.path.is_ident("vec"),
        _ => false,
    }
}
