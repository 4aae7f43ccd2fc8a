//! Texts of `#[derive(Duplicate)]`; those about `#[module(..)]` are `#[derive(Module)]`'s.
//! Its check stage takes them from here.

pub const UNION: &str =
    "`Duplicate` cannot be derived for a union: it is not known which field is there\nhelp: make it an enum";

pub const OPTIONS: &str =
    "the option is `#[duplicate(default)]`, on a field whose copy begins with the default of its type";
