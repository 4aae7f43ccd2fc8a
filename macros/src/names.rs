//! The paths and identifiers that generated code uses: nobody else writes a path to the run time.
//! The emit stages of all macros call it.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{Path, Token};

/// What `self` is called in the body of a traced method.
pub const RECEIVER: &str = "__self";

/// A variable's name as the user has written it.
pub fn written(ident: &Ident) -> String {
    if ident == RECEIVER { "self".to_owned() } else { ident.to_string() }
}

/// Where the run time is found.
#[derive(Clone, Default)]
pub struct Runtime(Option<Path>);

impl Runtime {
    /// The crate that `crate = path` names.
    pub fn at(path: &Path) -> Self {
        Self(Some(path.clone()))
    }

    /// The library.
    pub fn root(&self) -> TokenStream {
        match &self.0 {
            Some(root) => quote!(#root),
            None => quote!(::eagerflow),
        }
    }

    /// The option that hands the path on to another attribute, where one was given.
    pub fn option(&self) -> Option<TokenStream> {
        self.0.as_ref().map(|root| quote!(crate = #root))
    }

    /// The hidden module that holds everything generated code needs.
    pub fn rt(&self) -> TokenStream {
        match &self.0 {
            Some(root) => quote!(#root::__rt),
            None => quote!(::eagerflow::__rt),
        }
    }

    /// The hidden module of traced functions.
    pub fn autograph(&self) -> TokenStream {
        let rt = self.rt();
        quote!(#rt::autograph)
    }

    /// As [`autograph`](Self::autograph), for a call that `#[track_caller]` reports at a place of the user's code. Tokens
    /// of the macro's own are reported at the attribute, wherever they are located.
    pub fn autograph_at(&self, place: Span) -> TokenStream {
        match &self.0 {
            Some(root) => {
                let root = relocated(root.to_token_stream(), place);
                quote_spanned!(place=> #root::__rt::autograph)
            }
            None => quote_spanned!(place=> ::eagerflow::__rt::autograph),
        }
    }
}

/// The user's tokens, shown at another place of his code.
fn relocated(tokens: TokenStream, place: Span) -> TokenStream {
    let at_place = |mut token: TokenTree| {
        token.set_span(token.span().located_at(place));
        token
    };
    tokens.into_iter().map(at_place).collect()
}

/// A span of the macro's own, for lints and names, that messages show at a place in the user's code.
pub fn shown_at(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}

/// An identifier that the user's code cannot see or name.
pub fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// As [`hidden`], shown at a place in the user's code.
pub fn hidden_at(name: &str, place: Span) -> Ident {
    Ident::new(name, shown_at(place))
}

/// One `crate = path`.
pub struct CrateOption(pub Path);

impl Parse for CrateOption {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse::<Token![crate]>()?;
        input.parse::<Token![=]>()?;
        Ok(Self(input.call(Path::parse_mod_style)?))
    }
}
