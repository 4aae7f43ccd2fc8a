//! The options of `#[tf_function(..)]`.

use super::declared::{self, Entry};
use crate::diag::tf_function as text;
use crate::names::{CrateOption, Runtime};
use proc_macro2::{Ident, Span, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, LitBool, LitInt, LitStr, Token};

/// What the attribute says.
#[derive(Default)]
pub struct Options {
    pub runtime: Runtime,
    pub name: Option<LitStr>,
    pub max_traces: Option<LitInt>,
    pub relax_shapes: Option<LitBool>,
    pub input_signature: Option<(Span, Vec<Entry>)>,
}

enum Option_ {
    Crate(CrateOption),
    Name(LitStr),
    MaxTraces(LitInt),
    RelaxShapes(LitBool),
    InputSignature(Span, Vec<Entry>),
}

/// An option with the word it begins with.
struct Given {
    word: Ident,
    option: Option_,
}

impl Parse for Given {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![crate]) {
            let word = Ident::new("crate", input.span());
            return Ok(Self { word, option: Option_::Crate(input.parse()?) });
        }
        let word: Ident = input.parse().map_err(|e| Error::new(e.span(), text::OPTIONS))?;
        let known = ["name", "max_traces", "relax_shapes", "input_signature"];
        if !known.iter().any(|name| word == name) {
            return Err(Error::new(word.span(), text::unknown_option(&word.to_string())));
        }
        if !input.peek(Token![=]) {
            return Err(Error::new(word.span(), text::option_value(&word.to_string())));
        }
        input.parse::<Token![=]>()?;
        let wrong = |error: Error| Error::new(error.span(), text::wrong_value(&word.to_string()));
        let option = match word.to_string().as_str() {
            "name" => {
                let name: LitStr = input.parse().map_err(wrong)?;
                if name.value().is_empty() {
                    return Err(Error::new(name.span(), text::EMPTY_NAME));
                }
                Option_::Name(name)
            }
            "max_traces" => {
                let number: LitInt = input.parse().map_err(wrong)?;
                if number.base10_parse::<usize>().map_err(|e| wrong(Error::new(number.span(), e)))? == 0 {
                    return Err(Error::new(number.span(), text::NO_TRACES));
                }
                Option_::MaxTraces(number)
            }
            "relax_shapes" => Option_::RelaxShapes(input.parse().map_err(wrong)?),
            _ => {
                let (span, entries) = declared::parse(input)?;
                Option_::InputSignature(span, entries)
            }
        };
        Ok(Self { word, option })
    }
}

pub fn parse(tokens: TokenStream) -> syn::Result<Options> {
    let parser = Punctuated::<Given, Token![,]>::parse_terminated;
    let mut options = Options::default();
    let mut seen: Vec<String> = Vec::new();
    for Given { word, option } in syn::parse::Parser::parse2(parser, tokens)? {
        if seen.contains(&word.to_string()) {
            return Err(Error::new(word.span(), text::option_twice(&word.to_string())));
        }
        seen.push(word.to_string());
        match option {
            Option_::Crate(CrateOption(path)) => options.runtime = Runtime::at(&path),
            Option_::Name(name) => options.name = Some(name),
            Option_::MaxTraces(number) => options.max_traces = Some(number),
            Option_::RelaxShapes(relax) => options.relax_shapes = Some(relax),
            Option_::InputSignature(span, entries) => options.input_signature = Some((span, entries)),
        }
    }
    Ok(options)
}
