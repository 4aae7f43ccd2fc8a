//! `__call!`: a call with arguments by name and with defaults, which Rust's functions do not have.
//! The short forms of the library, such as `softmax!(x, axis = 0)`, hand their arguments over to it.

use crate::diag;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Token, parenthesized};

/// `name(required, ..; optional = default, ..) => (call) (arguments)`
struct Form {
    name: Ident,
    required: Vec<Ident>,
    optional: Vec<(Ident, Expr)>,
    /// The call, in which the names of parameters stand for what they are given.
    call: TokenStream,
    arguments: TokenStream,
}

impl Parse for Form {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        let parameters;
        parenthesized!(parameters in input);
        let mut required = Vec::new();
        while !parameters.is_empty() && !parameters.peek(Token![;]) {
            required.push(parameters.parse()?);
            if parameters.peek(Token![,]) {
                parameters.parse::<Token![,]>()?;
            }
        }
        let mut optional = Vec::new();
        if parameters.peek(Token![;]) {
            parameters.parse::<Token![;]>()?;
            for given in Punctuated::<Argument, Token![,]>::parse_terminated(&parameters)? {
                let name = given.name.ok_or_else(|| parameters.error("a parameter without a name"))?;
                optional.push((name, given.value));
            }
        }
        input.parse::<Token![=>]>()?;
        let (call, arguments);
        parenthesized!(call in input);
        parenthesized!(arguments in input);
        Ok(Self { name, required, optional, call: call.parse()?, arguments: arguments.parse()? })
    }
}

/// `value` or `name = value`
struct Argument {
    name: Option<Ident>,
    value: Expr,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let named = input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let name = if named {
            let name = input.call(Ident::parse_any)?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        Ok(Self { name, value: input.parse()? })
    }
}

/// The call that a short form stands for.
pub fn expand(input: TokenStream) -> TokenStream {
    match syn::parse2::<Form>(input).and_then(|form| form.call()) {
        Ok(call) => call,
        Err(error) => diag::compile_error(&error),
    }
}

impl Form {
    fn call(&self) -> syn::Result<TokenStream> {
        let given = self.given()?;
        let mut values: Vec<(&Ident, TokenStream)> = Vec::new();
        for (place, name) in self.names().enumerate() {
            let default = place.checked_sub(self.required.len()).map(|i| self.optional[i].1.to_token_stream());
            let value = given[place].as_ref().map(ToTokens::to_token_stream).or(default);
            let value = value.ok_or_else(|| {
                syn::Error::new(Span::call_site(), format!("`{}!` needs `{name}`: {}", self.name, self.usage()))
            })?;
            values.push((name, value));
        }
        Ok(filled(self.call.clone(), &values))
    }

    fn names(&self) -> impl Iterator<Item = &Ident> {
        self.required.iter().chain(self.optional.iter().map(|(name, _)| name))
    }

    /// How the form is written.
    fn usage(&self) -> String {
        // Tokens print with spaces between, and with the path to the library.
        let written = |default: &Expr| quote!(#default).to_string().replace(' ', "").replace("$crate::", "");
        let optional = self.optional.iter().map(|(name, default)| format!("{name} = {}", written(default)));
        let all: Vec<String> = self.required.iter().map(Ident::to_string).chain(optional).collect();
        format!("it is `{}!({})`", self.name, all.join(", "))
    }

    /// What each parameter is given, if anything.
    fn given(&self) -> syn::Result<Vec<Option<Expr>>> {
        let list = Punctuated::<Argument, Token![,]>::parse_terminated.parse2(self.arguments.clone())?;
        let mut given: Vec<Option<Expr>> = self.names().map(|_| None).collect();
        let mut by_name = false;
        for (place, argument) in list.into_iter().enumerate() {
            let refuse = |at: &dyn ToTokens, what: String| Err(syn::Error::new_spanned(at, what));
            let place = match &argument.name {
                Some(name) => {
                    by_name = true;
                    match self.names().position(|own| own == name) {
                        Some(place) => place,
                        None => {
                            return refuse(
                                name,
                                format!("`{}!` has no argument `{name}`: {}", self.name, self.usage()),
                            );
                        }
                    }
                }
                None if by_name => {
                    return refuse(
                        &argument.value,
                        "an argument without a name stands after one with a name".to_owned(),
                    );
                }
                None if place >= given.len() => {
                    return refuse(
                        &argument.value,
                        format!("`{}!` takes no more arguments: {}", self.name, self.usage()),
                    );
                }
                None => place,
            };
            if given[place].is_some() {
                return refuse(&argument.name, "this argument is given twice".to_owned());
            }
            given[place] = Some(argument.value);
        }
        Ok(given)
    }
}

/// The tokens with values in place of names; methods and parts of paths that are called as a parameter stay.
fn filled(tokens: TokenStream, values: &[(&Ident, TokenStream)]) -> TokenStream {
    let mut out = TokenStream::new();
    let mut before = [' '; 2];
    for token in tokens {
        let belongs = matches!(before, [_, ':']) || (before[1] == '.' && before[0] != '.');
        let mark = if let TokenTree::Punct(mark) = &token { mark.as_char() } else { ' ' };
        before = [before[1], mark];
        match token {
            TokenTree::Ident(ident) => match values.iter().find(|(name, _)| **name == ident && !belongs) {
                Some((_, value)) => out.extend(value.clone()),
                None => out.extend([TokenTree::Ident(ident)]),
            },
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), filled(group.stream(), values));
                new.set_span(group.span());
                out.extend([TokenTree::Group(new)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(arguments: &str) -> String {
        let arguments: TokenStream = arguments.parse().unwrap();
        expand(quote!(sum(x, y; axis = (), keep = false) => (tf::sum(x, tf::axes(axis, keep), y)) (#arguments)))
            .to_string()
    }

    #[test]
    fn methods_and_paths_keep_their_names() {
        let form = quote!(f(axis; keep = 1) => (tf::axis(axis).keep(keep, ..axis)) (a));
        assert_eq!(expand(form).to_string(), "tf :: axis (a) . keep (1 , .. a)");
    }

    #[test]
    fn arguments_by_place_and_by_name() {
        let call =
            |x: &str, axis: &str, keep: &str, y: &str| format!("tf :: sum ({x} , tf :: axes ({axis} , {keep}) , {y})");
        assert_eq!(expanded("a, b"), call("a", "()", "false", "b"));
        assert_eq!(expanded("a, b, 1"), call("a", "1", "false", "b"));
        assert_eq!(expanded("a, b, keep = true,"), call("a", "()", "true", "b"));
        assert_eq!(expanded("y = f(a), x = &b, axis = [0, 1]"), call("& b", "[0 , 1]", "false", "f (a)"));
        assert_eq!(expanded("a == b, b"), call("a == b", "()", "false", "b"));
    }

    #[test]
    fn mistakes_say_how_the_form_is_written() {
        for (arguments, part) in [
            ("a", "`sum!` needs `y`: it is `sum!(x, y, axis = (), keep = false)`"),
            ("a, b, axes = 1", "`sum!` has no argument `axes`: it is `sum!("),
            ("a, b, 1, true, 2", "`sum!` takes no more arguments"),
            ("a, x = b", "given twice"),
            ("x = a, b", "an argument without a name stands after one with a name"),
        ] {
            let text = expanded(arguments);
            assert!(text.contains("compile_error") && text.contains(part), "{text}");
        }
    }
}
