//! Every message of the macros, and the collector that reports all faults of one item at once.
//! Check stages call [`Faults::add`]; texts are written here and below alone, so that they can be read in one sitting.

pub mod custom_gradient;
pub mod duplicate;
pub mod model;
pub mod module;
pub mod tf_function;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

/// The faults found in one item. Dropping it unread would lose them, so it refuses to.
pub struct Faults(Option<Vec<Error>>);

impl Faults {
    pub fn new() -> Self {
        Self(Some(Vec::new()))
    }

    /// Notes a fault at the tokens that the user has to change.
    pub fn add(&mut self, at: impl ToTokens, message: impl AsRef<str>) {
        self.push(Error::new_spanned(at, message.as_ref()));
    }

    /// Notes a fault at a place without tokens of its own, such as an end of a block.
    pub fn add_at(&mut self, at: Span, message: impl AsRef<str>) {
        self.push(Error::new(at, message.as_ref()));
    }

    /// Notes a fault that an earlier stage found.
    pub fn push(&mut self, error: Error) {
        if let Some(list) = &mut self.0 {
            list.push(error);
        }
    }

    /// Ok if there are none.
    pub fn check(mut self) -> syn::Result<()> {
        let all = self.0.take().unwrap_or_default();
        match all.into_iter().reduce(|mut all, one| {
            all.combine(one);
            all
        }) {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        if self.0.is_some() && !std::thread::panicking() {
            panic!("the faults of an item were not checked");
        }
    }
}

/// The faults as tokens that make rustc print them.
pub fn compile_error(error: &Error) -> TokenStream {
    error.to_compile_error()
}

/// The helper attribute and the texts of a derive macro.
pub struct DeriveTexts {
    pub attribute: &'static str,
    pub options: &'static str,
    pub on_a_field: &'static str,
    pub crate_on_a_field: &'static str,
    pub one_option: &'static str,
    pub union: &'static str,
    /// Whether fields have names, which options may change.
    pub named_fields: bool,
}

/// Texts of `#[derive(Module)]`.
pub const MODULE: DeriveTexts = DeriveTexts {
    attribute: "module",
    options: "the options are `skip`, `value`, `not_trainable`, `name = \"..\"` and `renamed_from = \"..\"` on a field, and \
              `crate = path` on the type, in `#[module(..)]`",
    on_a_field: "this option goes on a field\nhelp: write it before the field that it is about",
    crate_on_a_field: "`crate = path` goes on the type\nhelp: write it before `struct` or `enum`",
    one_option: "a field is either skipped or a value\nhelp: leave one of the options out",
    union: "`Module` cannot be derived for a union: it is not known which field is there\nhelp: make it an enum",
    named_fields: true,
};

/// Texts of `#[derive(Nest)]`.
pub const NEST: DeriveTexts = DeriveTexts {
    attribute: "nest",
    options: "the options are `#[nest(skip)]` and `#[nest(value)]` on a field, and `#[nest(crate = path)]` on the type",
    on_a_field: "this option goes on a field\nhelp: write it before the field that it is about",
    crate_on_a_field: "`crate = path` goes on the type\nhelp: write it before `struct` or `enum`",
    one_option: "a field is either skipped or a value\nhelp: leave one of the options out",
    union: "`Nest` cannot be derived for a union: it is not known which field is there\nhelp: make it an enum",
    named_fields: false,
};
