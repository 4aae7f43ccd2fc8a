//! The options of `#[tf_function(..)]`.

use crate::diag::tf_function as text;
use crate::names::{CrateOption, Runtime};
use proc_macro2::{Ident, TokenStream};
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
}

enum Option_ {
    Crate(CrateOption),
    Name(LitStr),
    MaxTraces(LitInt),
    RelaxShapes(LitBool),
}

impl Parse for Option_ {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![crate]) {
            return input.parse().map(Self::Crate);
        }
        let word: Ident = input.parse().map_err(|e| Error::new(e.span(), text::OPTIONS))?;
        let known = ["name", "max_traces", "relax_shapes"];
        if !known.iter().any(|name| word == name) {
            return Err(Error::new(word.span(), text::unknown_option(&word.to_string())));
        }
        if !input.peek(Token![=]) {
            return Err(Error::new(word.span(), text::option_value(&word.to_string())));
        }
        input.parse::<Token![=]>()?;
        Ok(match word.to_string().as_str() {
            "name" => Self::Name(input.parse()?),
            "max_traces" => {
                let number: LitInt = input.parse()?;
                if number.base10_parse::<usize>()? == 0 {
                    return Err(Error::new(number.span(), text::NO_TRACES));
                }
                Self::MaxTraces(number)
            }
            _ => Self::RelaxShapes(input.parse()?),
        })
    }
}

pub fn parse(tokens: TokenStream) -> syn::Result<Options> {
    let parser = Punctuated::<Option_, Token![,]>::parse_terminated;
    let mut options = Options::default();
    for option in syn::parse::Parser::parse2(parser, tokens)? {
        match option {
            Option_::Crate(CrateOption(path)) => options.runtime = Runtime::at(&path),
            Option_::Name(name) => options.name = Some(name),
            Option_::MaxTraces(number) => options.max_traces = Some(number),
            Option_::RelaxShapes(relax) => options.relax_shapes = Some(relax),
        }
    }
    Ok(options)
}
