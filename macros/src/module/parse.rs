//! From tokens to what the macro knows of a type: its variants, their fields, and how each field is visited.
//! Makes no tokens; faults in attributes are kept for the check stage. `#[derive(Nest)]` uses it as well.

use crate::diag::DeriveTexts;
use crate::names::{CrateOption, Runtime};
use proc_macro2::{Ident, TokenStream};
use syn::parse::ParseStream;
use syn::{Attribute, Data, DeriveInput, Error, Generics, Index, Member, Meta, Token};

/// A type that becomes a module.
pub struct Module {
    pub name: Ident,
    pub generics: Generics,
    /// One without a name for a struct.
    pub variants: Vec<Variant>,
    pub runtime: Runtime,
    pub faults: Vec<Error>,
    /// Set for a `union`, which cannot be visited.
    pub is_union: bool,
}

pub struct Variant {
    pub name: Option<Ident>,
    pub fields: Vec<Field>,
}

pub struct Field {
    pub member: Member,
    pub ty: syn::Type,
    pub how: How,
}

/// How a field is visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// As a module of its own.
    Visit,
    /// As a setting by its `Hash`.
    Value,
    /// Not at all.
    Skip,
}

/// One word in `#[module(..)]`.
enum Option_ {
    Crate(CrateOption),
    Field(Ident, How),
}

impl Option_ {
    fn parse(input: ParseStream<'_>, text: &DeriveTexts) -> syn::Result<Self> {
        if input.peek(Token![crate]) {
            return input.parse().map(Self::Crate);
        }
        let word: Ident = input.parse().map_err(|e| Error::new(e.span(), text.options))?;
        let how = match word.to_string().as_str() {
            "skip" => How::Skip,
            "value" => How::Value,
            _ => return Err(Error::new(word.span(), text.options)),
        };
        match input.is_empty() || input.peek(Token![,]) {
            true => Ok(Self::Field(word, how)),
            false => Err(input.error(text.options)),
        }
    }
}

/// A type whose helper attribute and messages are those of `text`.
pub fn parse(item: TokenStream, text: &DeriveTexts) -> syn::Result<Module> {
    let input: DeriveInput = syn::parse2(item)?;
    let mut module = Module {
        name: input.ident,
        generics: input.generics,
        variants: Vec::new(),
        runtime: Runtime::default(),
        faults: Vec::new(),
        is_union: false,
    };
    for option in options(&input.attrs, text, &mut module.faults) {
        match option {
            Option_::Crate(CrateOption(path)) => module.runtime = Runtime::at(&path),
            Option_::Field(word, _) => module.faults.push(Error::new(word.span(), text.on_a_field)),
        }
    }
    match input.data {
        Data::Struct(data) => {
            module.variants.push(Variant { name: None, fields: fields(data.fields, text, &mut module.faults) })
        }
        Data::Enum(data) => {
            for variant in data.variants {
                for option in options(&variant.attrs, text, &mut module.faults) {
                    module.faults.push(Error::new(span(&option), text.on_a_field));
                }
                let fields = fields(variant.fields, text, &mut module.faults);
                module.variants.push(Variant { name: Some(variant.ident), fields });
            }
        }
        Data::Union(_) => module.is_union = true,
    }
    Ok(module)
}

fn fields(fields: syn::Fields, text: &DeriveTexts, faults: &mut Vec<Error>) -> Vec<Field> {
    fields.into_iter().enumerate().map(|(i, field)| one_field(i, field, text, faults)).collect()
}

fn one_field(index: usize, field: syn::Field, text: &DeriveTexts, faults: &mut Vec<Error>) -> Field {
    let mut how = None;
    for option in options(&field.attrs, text, faults) {
        match option {
            Option_::Crate(_) => faults.push(Error::new(span(&option), text.crate_on_a_field)),
            Option_::Field(word, _) if how.is_some() => faults.push(Error::new(word.span(), text.one_option)),
            Option_::Field(_, what) => how = Some(what),
        }
    }
    let member = match field.ident {
        Some(name) => Member::Named(name),
        None => Member::Unnamed(Index::from(index)),
    };
    Field { member, ty: field.ty, how: how.unwrap_or(How::Visit) }
}

fn span(option: &Option_) -> proc_macro2::Span {
    match option {
        Option_::Crate(CrateOption(path)) => syn::spanned::Spanned::span(path),
        Option_::Field(word, _) => word.span(),
    }
}

/// The options of all helper attributes among some attributes.
fn options(attributes: &[Attribute], text: &DeriveTexts, faults: &mut Vec<Error>) -> Vec<Option_> {
    let mut all = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident(text.attribute)) {
        let Meta::List(list) = &attribute.meta else {
            faults.push(Error::new_spanned(attribute, text.options));
            continue;
        };
        let parser = |input: ParseStream<'_>| {
            let mut options = Vec::new();
            while !input.is_empty() {
                options.push(Option_::parse(input, text)?);
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(options)
        };
        match list.parse_args_with(parser) {
            Ok(options) if options.is_empty() => faults.push(Error::new_spanned(attribute, text.options)),
            Ok(options) => all.extend(options),
            Err(error) => faults.push(error),
        }
    }
    all
}
