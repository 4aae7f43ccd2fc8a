//! The only stage that refuses: one function per rule, all faults of a function reported at once.
//! What rustc reports well at the user's tokens (types of tensors and closures) is left to it.

use super::emit::{self, MOST_OUTPUTS};
use super::parse::{Function, Outputs, result_value};
use super::results::{self, ResultPosition};
use crate::diag::Faults;
use crate::diag::custom_gradient as text;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Expr, ExprClosure, ExprTuple, FnArg, Local, Pat, ReceiverKind, ReturnType, Stmt, Type};

/// The most differentiable parameters that the run time has tuples for.
const MOST_PARAMETERS: usize = 8;

pub fn check(function: &Function) -> syn::Result<()> {
    let mut faults = Faults::new();
    qualifiers(function, &mut faults);
    parameters(function, &mut faults);
    outputs(function, &mut faults);
    body(function, &mut faults);
    faults.check()
}

/// Tapes belong to a thread and run at run time; a method must leave `self` to the caller.
fn qualifiers(function: &Function, faults: &mut Faults) {
    let sig = &function.item.sig;
    if let Some(word) = &sig.asyncness {
        faults.add(word, text::ASYNC);
    }
    if let Some(word) = &sig.constness {
        faults.add(word, text::CONST);
    }
    if let Some(dots) = &sig.variadic {
        faults.add(dots, text::VARIADIC);
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first()
        && !matches!(receiver.kind, ReceiverKind::Reference(..))
    {
        faults.add(receiver, text::SELF_BY_VALUE);
    }
}

fn parameters(function: &Function, faults: &mut Faults) {
    for (mark, message) in &function.bad_marks {
        faults.add(mark, message);
    }
    let count = function.parameters.iter().filter(|p| p.differentiable).count();
    if count == 0 {
        faults.add(&function.item.sig.ident, text::NO_PARAMETER);
    }
    if count > MOST_PARAMETERS {
        faults.add(&function.item.sig.ident, text::too_many_parameters(count, MOST_PARAMETERS));
    }
    for parameter in function.parameters.iter().filter(|p| p.differentiable && p.name.is_none()) {
        faults.add(&parameter.pattern, text::PATTERN);
    }
}

/// The signature shows tensors; host types are refused by name, others by the run time's traits.
fn outputs(function: &Function, faults: &mut Faults) {
    let ReturnType::Type(_, ty) = &function.item.sig.output else {
        let end = function.item.sig.paren_token.span.close();
        return faults.add_at(end, text::NO_OUTPUT);
    };
    let ty = result_value(ty).unwrap_or(ty);
    let Type::Tuple(tuple) = ty else { return host_type(ty, faults) };
    match tuple.elems.len() {
        0 => faults.add(tuple, text::NO_OUTPUT),
        n if n > MOST_OUTPUTS => faults.add(tuple, text::too_many_outputs(n, MOST_OUTPUTS)),
        _ => tuple.elems.iter().for_each(|ty| host_type(ty, faults)),
    }
}

fn host_type(ty: &Type, faults: &mut Faults) {
    const HOST: [&str; 17] = [
        "f32", "f64", "bool", "char", "str", "String", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64",
        "isize", "Variable",
    ];
    match ty {
        Type::Path(path) if HOST.iter().any(|name| path.path.is_ident(name)) => {
            faults.add(ty, text::not_a_tensor(&path.path.to_token_stream().to_string()));
        }
        Type::Reference(inner) => faults.add(ty, text::not_a_tensor(&format!("&{}", inner.elem.to_token_stream()))),
        _ => {}
    }
}

/// Every place that yields a result is a pair whose second part may be the gradient.
fn body(function: &Function, faults: &mut Faults) {
    let mut block = (*function.item.block).clone();
    let mut named = Vec::new();
    let ended = results::for_each(&mut block, function.fallible, &mut |expr, place| {
        named.extend(pair(function, expr, &place, faults));
    });
    if !ended {
        faults.add_at(function.item.block.brace_token.span.close(), text::EMPTY);
    }
    let mut closures = Closures { names: &named, found: Vec::new() };
    closures.visit_block(&function.item.block);
    for found in closures.found {
        closure(function, found, faults);
    }
}

/// Checks one place; answers the name of the closure where it is bound to one.
fn pair(function: &Function, expr: &Expr, place: &ResultPosition, faults: &mut Faults) -> Option<String> {
    match (expr, place) {
        (Expr::Tuple(_), ResultPosition::ResultOfPair) => faults.add(expr, text::NOT_OK),
        (Expr::Tuple(tuple), ResultPosition::Pair) => return parts(function, tuple, faults),
        (Expr::Closure(_), _) => faults.add(expr, text::NO_OUTPUT_VALUE),
        (
            Expr::Lit(_)
            | Expr::Binary(_)
            | Expr::Unary(_)
            | Expr::Array(_)
            | Expr::Reference(_)
            | Expr::Cast(_)
            | Expr::Index(_)
            | Expr::Struct(_),
            _,
        ) => faults.add(expr, text::NO_CLOSURE),
        // Anything else may be a pair; the run time's trait says if it is not.
        _ => {}
    }
    None
}

fn parts(function: &Function, tuple: &ExprTuple, faults: &mut Faults) -> Option<String> {
    if tuple.elems.len() != 2 {
        faults.add(tuple, text::pair_length(tuple.elems.len()));
        return None;
    }
    match &tuple.elems[1] {
        Expr::Closure(literal) => closure(function, literal, faults),
        Expr::Path(path) => return path.path.get_ident().map(ToString::to_string),
        Expr::Lit(_) | Expr::Binary(_) | Expr::Tuple(_) | Expr::Reference(_) => {
            faults.add(&tuple.elems[1], text::NO_CLOSURE);
        }
        _ => {}
    }
    None
}

/// Finds `let name = closure` for the names that end up as gradients.
struct Closures<'n, 'ast> {
    names: &'n [String],
    found: Vec<&'ast ExprClosure>,
}

impl<'ast> Visit<'ast> for Closures<'_, 'ast> {
    fn visit_local(&mut self, local: &'ast Local) {
        if let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init)
            && let Expr::Closure(closure) = &*init.expr
            && self.names.iter().any(|n| name.ident == n)
        {
            self.found.push(closure);
        }
        syn::visit::visit_local(self, local);
    }
}

/// A gradient closure takes a cotangent per output, gives one per parameter, and keeps no borrow.
fn closure(function: &Function, closure: &ExprClosure, faults: &mut Faults) {
    if let Some(word) = &closure.asyncness {
        faults.add(word, text::CLOSURE_ASYNC);
    }
    let got = closure.inputs.len();
    match function.outputs {
        Outputs::Count(n) if got != n => faults.add_at(arguments_span(closure), text::closure_arguments(got, n)),
        Outputs::List if got != 1 => faults.add_at(arguments_span(closure), text::closure_list_argument(got)),
        _ => {}
    }
    if let Some(word) = emit::mention(closure, "self") {
        faults.add(word, text::CLOSURE_SELF);
    }
    for parameter in function.parameters.iter().filter(|p| p.reference() == Some(true)) {
        if let Some(name) = &parameter.name
            && !emit::shadowed(function, name)
            && let Some(word) = emit::mention(closure, &name.to_string())
        {
            faults.add(word, text::mutable(&name.to_string()));
        }
    }
    cotangents(function, &closure.body, faults);
}

/// A tuple written at the closure's end has one part per parameter, and perhaps the list for variables.
fn cotangents(function: &Function, expr: &Expr, faults: &mut Faults) {
    match expr {
        Expr::Block(block) => {
            if let Some(Stmt::Expr(last, None)) = block.block.stmts.last() {
                cotangents(function, last, faults);
            }
        }
        Expr::Tuple(tuple) => {
            let named = function.parameters.iter().filter(|p| p.differentiable);
            let names: Vec<String> = named.filter_map(|p| p.name.as_ref().map(ToString::to_string)).collect();
            let got = tuple.elems.len();
            let nothing = got == 0 && names.len() == 1;
            if got != names.len() && got != names.len() + 1 && !nothing {
                faults.add(tuple, text::cotangents(got, &names));
            }
        }
        _ => {}
    }
}

fn arguments_span(closure: &ExprClosure) -> proc_macro2::Span {
    let begin = closure.inputs_begin.span();
    begin.join(closure.inputs_end.span()).unwrap_or(begin)
}
