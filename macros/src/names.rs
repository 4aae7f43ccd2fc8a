//! The paths and identifiers that generated code uses: nobody else writes a path to the run time.
//! The emit stages of all macros call it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Path, Token};

/// Where the run time is found.
#[derive(Clone)]
pub struct Runtime(TokenStream);

impl Default for Runtime {
    fn default() -> Self {
        Self(quote!(::eagerflow))
    }
}

impl Runtime {
    /// The crate that `crate = path` names.
    pub fn at(path: &Path) -> Self {
        Self(quote!(#path))
    }

    /// The hidden module that holds everything generated code needs.
    pub fn rt(&self) -> TokenStream {
        let root = &self.0;
        quote!(#root::__rt)
    }

    /// The hidden module of traced functions.
    pub fn autograph(&self) -> TokenStream {
        let rt = self.rt();
        quote!(#rt::autograph)
    }
}

/// An identifier that the user's code cannot see or name.
pub fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// As [`hidden`], shown at a place in the user's code.
pub fn hidden_at(name: &str, place: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(place))
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
