//! What the attribute is put on: the methods `call`, `train_step`, `test_step` and `output_names` are taken out of the `impl`.
//! All refusals are here.

use crate::diag::model as text;
use crate::names::{CrateOption, Runtime};
use proc_macro2::{Ident, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, FnArg, ImplItem, ImplItemFn, ItemImpl, ReceiverKind, ReturnType, Token, Type};

/// Methods of the trait that a user may write in the same `impl`.
const STEPS: [&str; 4] = ["train_step", "test_step", "predict_step", "output_names"];

pub struct Model {
    pub runtime: Runtime,
    /// Whether the model is a layer, too.
    pub layer: bool,
    /// The `impl` without the methods below.
    pub item: ItemImpl,
    pub call: ImplItemFn,
    /// The types of the inputs, without their references.
    pub inputs: Vec<Type>,
    /// Whether the last parameter is the context of the call.
    pub has_context: bool,
    /// What the call answers, without a `Result` around it.
    pub output: Type,
    pub is_result: bool,
    /// Those of [`STEPS`] that the user has written.
    pub steps: Vec<ImplItemFn>,
}

#[derive(Default)]
struct Options {
    runtime: Runtime,
    layer: bool,
}

enum Given {
    Crate(CrateOption),
    Layer,
}

impl Parse for Given {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![crate]) {
            return input.parse().map(Self::Crate);
        }
        let word: Ident = input.parse().map_err(|e| Error::new(e.span(), text::OPTIONS))?;
        match word == "layer" {
            true => Ok(Self::Layer),
            false => Err(Error::new(word.span(), text::OPTIONS)),
        }
    }
}

fn options(tokens: TokenStream) -> syn::Result<Options> {
    let given = syn::parse::Parser::parse2(Punctuated::<Given, Token![,]>::parse_terminated, tokens)?;
    let mut options = Options::default();
    for option in given {
        match option {
            Given::Crate(CrateOption(path)) => options.runtime = Runtime::at(&path),
            Given::Layer => options.layer = true,
        }
    }
    Ok(options)
}

pub fn parse(tokens: TokenStream, item: TokenStream) -> syn::Result<Model> {
    let Options { runtime, layer } = options(tokens)?;
    let mut item: ItemImpl = syn::parse2(item).map_err(|mut error| {
        error.combine(Error::new(error.span(), text::NOT_AN_IMPL));
        error
    })?;
    if let Some((path, _)) = &item.trait_ {
        return Err(Error::new(path.span(), text::OF_A_TRAIT));
    }
    let (mut call, mut steps, mut rest) = (None, Vec::new(), Vec::new());
    for part in std::mem::take(&mut item.items) {
        match part {
            ImplItem::Fn(method) if method.sig.ident == "call" => call = Some(method),
            ImplItem::Fn(method) if STEPS.iter().any(|name| method.sig.ident == name) => steps.push(method),
            other => rest.push(other),
        }
    }
    item.items = rest;
    let Some(call) = call else { return Err(Error::new(item.self_ty.span(), text::NO_CALL)) };
    check(&call)?;
    let (inputs, has_context) = inputs(&call)?;
    let (output, is_result) = output(&call)?;
    for step in &steps {
        if let Some(public) = match &step.vis {
            syn::Visibility::Inherited => None,
            other => Some(other.span()),
        } {
            return Err(Error::new(public, text::PUBLIC_STEP));
        }
    }
    Ok(Model { runtime, layer, item, call, inputs, has_context, output, is_result, steps })
}

fn check(call: &ImplItemFn) -> syn::Result<()> {
    let signature = &call.sig;
    match signature.receiver() {
        Some(receiver) if matches!(receiver.kind, ReceiverKind::Reference(_, _, None)) => {}
        Some(receiver) => return Err(Error::new(receiver.span(), text::RECEIVER)),
        None => return Err(Error::new(signature.ident.span(), text::RECEIVER)),
    }
    if let Some(parameter) = signature.generics.params.first() {
        return Err(Error::new(parameter.span(), text::GENERIC));
    }
    if let Some(word) = &signature.asyncness {
        return Err(Error::new(word.span(), text::ASYNC));
    }
    Ok(())
}

/// The types of the inputs, and whether a context follows.
fn inputs(call: &ImplItemFn) -> syn::Result<(Vec<Type>, bool)> {
    let mut types = Vec::new();
    for input in &call.sig.inputs {
        let FnArg::Typed(input) = input else { continue };
        match &*input.ty {
            Type::Reference(reference) if reference.mutability.is_none() => types.push((*reference.elem).clone()),
            other => return Err(Error::new(other.span(), text::BY_REFERENCE)),
        }
    }
    let has_context = types.last().is_some_and(|ty| last_word(ty).is_some_and(|word| word == "Call"));
    if has_context {
        types.pop();
    }
    match types.is_empty() {
        true => Err(Error::new(call.sig.ident.span(), text::NO_INPUT)),
        false => Ok((types, has_context)),
    }
}

/// The last word of the path that a type is.
pub fn last_word(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// What the call answers, and whether it is in a `Result`.
fn output(call: &ImplItemFn) -> syn::Result<(Type, bool)> {
    let ReturnType::Type(_, ty) = &call.sig.output else {
        return Err(Error::new(call.sig.ident.span(), text::NO_OUTPUT));
    };
    if let Type::ImplTrait(ty) = &**ty {
        return Err(Error::new(ty.span(), text::IMPL_OUTPUT));
    }
    if last_word(ty).is_some_and(|word| word == "Result")
        && let Type::Path(path) = &**ty
        && let Some(segment) = path.path.segments.last()
        && let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments
        && let Some(syn::GenericArgument::Type(inner)) = arguments.args.first()
    {
        return Ok((inner.clone(), true));
    }
    Ok(((**ty).clone(), false))
}
