//! From tokens to what the macro knows of a function: its differentiable parameters, its outputs, whether it can fail.
//! Makes no tokens, and refuses only what is no function at all.

use crate::diag::custom_gradient as text;
use crate::names::{CrateOption, Runtime};
use proc_macro2::{Ident, TokenStream};
use syn::visit::Visit;
use syn::{Attribute, Error, FnArg, ItemFn, Meta, Pat, PatType, ReturnType, Type, TypePath};

/// A function with a gradient of its own.
pub struct Function {
    /// As the user wrote it, without the marks on parameters.
    pub item: ItemFn,
    pub parameters: Vec<Parameter>,
    pub outputs: Outputs,
    /// Whether it returns a `Result`.
    pub fallible: bool,
    pub runtime: Runtime,
    /// Marks that contradict each other or carry options.
    pub bad_marks: Vec<(Attribute, &'static str)>,
}

/// A parameter other than `self`.
pub struct Parameter {
    /// Its name, unless it is a pattern.
    pub name: Option<Ident>,
    pub pattern: Pat,
    pub ty: Type,
    pub differentiable: bool,
}

impl Parameter {
    /// Whether it is a reference, and a mutable one.
    pub fn reference(&self) -> Option<bool> {
        match &self.ty {
            Type::Reference(reference) => Some(reference.mutability.is_some()),
            _ => None,
        }
    }
}

/// How many outputs the signature shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outputs {
    /// A type of its own, or a tuple.
    Count(usize),
    /// An array or `Vec`.
    List,
}

pub fn parse(options: TokenStream, item: TokenStream) -> syn::Result<Function> {
    let runtime = match options.is_empty() {
        true => Runtime::default(),
        false => {
            let CrateOption(path) = syn::parse2(options).map_err(|e| Error::new(e.span(), text::OPTIONS))?;
            Runtime::at(&path)
        }
    };
    let mut item: ItemFn = syn::parse2(item).map_err(|e| {
        let mut all = e;
        all.combine(Error::new(all.span(), text::NOT_A_FUNCTION));
        all
    })?;
    let mut bad_marks = Vec::new();
    let mut parameters = Vec::new();
    for argument in &mut item.sig.inputs {
        if let FnArg::Typed(argument) = argument {
            parameters.push(parameter(argument, &mut bad_marks));
        }
    }
    let (outputs, fallible) = outputs(&item.sig.output);
    Ok(Function { item, parameters, outputs, fallible, runtime, bad_marks })
}

fn parameter(argument: &mut PatType, bad: &mut Vec<(Attribute, &'static str)>) -> Parameter {
    let (mut differentiable, mut host) = (false, false);
    argument.attrs.retain(|attribute| {
        let mark = if attribute.path().is_ident("differentiable") {
            &mut differentiable
        } else if attribute.path().is_ident("host") {
            &mut host
        } else {
            return true;
        };
        *mark = true;
        if !matches!(attribute.meta, Meta::Path(_)) {
            bad.push((attribute.clone(), text::MARK_OPTIONS));
        } else if differentiable && host {
            bad.push((attribute.clone(), text::BOTH_MARKS));
        }
        false
    });
    let name = match &*argument.pat {
        Pat::Ident(ident) if ident.subpat.is_none() => Some(ident.ident.clone()),
        _ => None,
    };
    let differentiable = differentiable || (!host && names_tensor(&argument.ty));
    Parameter { name, pattern: (*argument.pat).clone(), ty: (*argument.ty).clone(), differentiable }
}

/// Whether a type is `Tensor` or `Variable`, behind references and in lists.
fn names_tensor(ty: &Type) -> bool {
    struct TensorTypeVisitor(bool);
    impl<'ast> Visit<'ast> for TensorTypeVisitor {
        fn visit_type_path(&mut self, path: &'ast TypePath) {
            let last = path.path.segments.last();
            self.0 |= last.is_some_and(|s| s.ident == "Tensor" || s.ident == "Variable");
            // Of generic types only lists hold tensors to differentiate by; a dataset or model of them does not.
            if last.is_some_and(|s| s.ident == "Vec" || s.ident == "Option") {
                syn::visit::visit_type_path(self, path);
            }
        }
        fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}
        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {}
        fn visit_type_trait_object(&mut self, _: &'ast syn::TypeTraitObject) {}
    }
    let mut search = TensorTypeVisitor(false);
    search.visit_type(ty);
    search.0
}

fn outputs(output: &ReturnType) -> (Outputs, bool) {
    let ReturnType::Type(_, ty) = output else { return (Outputs::Count(1), false) };
    match result_value(ty) {
        Some(value) => (count(value), true),
        None => (count(ty), false),
    }
}

/// The `T` of a type written `Result<T, ..>`.
pub fn result_value(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(arguments) if last.ident == "Result" => match arguments.args.first()? {
            syn::GenericArgument::Type(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

fn count(ty: &Type) -> Outputs {
    match ty {
        Type::Tuple(tuple) => Outputs::Count(tuple.elems.len()),
        Type::Array(_) | Type::Slice(_) => Outputs::List,
        Type::Paren(inner) => count(&inner.elem),
        Type::Group(inner) => count(&inner.elem),
        Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Vec") => Outputs::List,
        _ => Outputs::Count(1),
    }
}
