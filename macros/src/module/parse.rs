//! From tokens to what the macro knows of a type: its variants, their fields, and how each field is visited.
//! Makes no tokens; faults in attributes are kept for the check stage. `#[derive(Nest)]` uses it as well.

use crate::diag::DeriveTexts;
use crate::diag::module::TWICE;
use crate::names::{CrateOption, Runtime};
use proc_macro2::{Ident, TokenStream};
use syn::parse::ParseStream;
use syn::{Attribute, Data, DeriveInput, Error, Generics, Index, LitStr, Member, Meta, Token};

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
    /// Another name than the field's own, in paths.
    pub rename: Option<LitStr>,
    /// The names that it had before.
    pub former: Vec<LitStr>,
    /// The word of the option that leaves what lies below out of training.
    pub not_trainable: Option<Ident>,
    /// All attributes, for derive macros that have others beside `#[module(..)]`.
    pub attributes: Vec<Attribute>,
}

impl Field {
    /// What paths call the field.
    pub fn path_name(&self) -> String {
        match (&self.rename, &self.member) {
            (Some(name), _) => name.value(),
            (None, Member::Named(name)) => name.to_string().trim_start_matches("r#").to_owned(),
            (None, Member::Unnamed(index)) => index.index.to_string(),
        }
    }
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
    How(Ident, How),
    NotTrainable(Ident),
    Name(Ident, LitStr),
    Former(Ident, LitStr),
}

impl Option_ {
    fn parse(input: ParseStream<'_>, text: &DeriveTexts) -> syn::Result<Self> {
        if input.peek(Token![crate]) {
            return input.parse().map(Self::Crate);
        }
        let word: Ident = input.parse().map_err(|e| Error::new(e.span(), text.options))?;
        let named = text.named_fields;
        let option = match word.to_string().as_str() {
            "skip" => Self::How(word, How::Skip),
            "value" => Self::How(word, How::Value),
            "not_trainable" if named => Self::NotTrainable(word),
            "name" if named => Self::Name(word, text_of(input, text)?),
            "renamed_from" if named => Self::Former(word, text_of(input, text)?),
            _ => return Err(Error::new(word.span(), text.options)),
        };
        match input.is_empty() || input.peek(Token![,]) {
            true => Ok(option),
            false => Err(input.error(text.options)),
        }
    }
}

/// The `= "text"` of an option.
fn text_of(input: ParseStream<'_>, text: &DeriveTexts) -> syn::Result<LitStr> {
    let at = |e: Error| Error::new(e.span(), text.options);
    input.parse::<Token![=]>().map_err(at)?;
    input.parse().map_err(at)
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
            other => module.faults.push(Error::new(span(&other), text.on_a_field)),
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
    let member = match field.ident {
        Some(name) => Member::Named(name),
        None => Member::Unnamed(Index::from(index)),
    };
    let options = options(&field.attrs, text, faults);
    let mut own = Field {
        member,
        ty: field.ty,
        how: How::Visit,
        rename: None,
        former: Vec::new(),
        not_trainable: None,
        attributes: field.attrs,
    };
    for option in options {
        let at = span(&option);
        match option {
            Option_::Crate(_) => faults.push(Error::new(at, text.crate_on_a_field)),
            Option_::How(..) if own.how != How::Visit => faults.push(Error::new(at, text.one_option)),
            Option_::How(_, how) => own.how = how,
            Option_::NotTrainable(_) if own.not_trainable.is_some() => faults.push(Error::new(at, TWICE)),
            Option_::NotTrainable(word) => own.not_trainable = Some(word),
            Option_::Name(..) if own.rename.is_some() => faults.push(Error::new(at, TWICE)),
            Option_::Name(_, name) => own.rename = Some(name),
            Option_::Former(_, name) => own.former.push(name),
        }
    }
    own
}

fn span(option: &Option_) -> proc_macro2::Span {
    match option {
        Option_::Crate(CrateOption(path)) => syn::spanned::Spanned::span(path),
        Option_::How(word, _) | Option_::NotTrainable(word) => word.span(),
        Option_::Name(word, _) | Option_::Former(word, _) => word.span(),
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
