//! The stages as plain functions on tokens.

use super::expand;
use quote::quote;

/// Compares an expansion with the one that was reviewed.
fn snapshot(name: &str, expansion: String) {
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(name, expansion);
    });
}

fn expanded(item: proc_macro2::TokenStream) -> String {
    let file = syn::parse2(expand(item)).unwrap();
    prettyplease::unparse(&file)
}

#[test]
fn a_generic_struct() {
    snapshot(
        "struct",
        expanded(quote! {
            struct Net<'a, L: Layer, const N: usize> {
                layers: [L; N],
                name: &'a str,
                #[module(value)]
                key: Key<L>,
                #[module(skip)]
                cache: Cache<L>,
                r#type: u8,
            }
        }),
    );
}

#[test]
fn an_enum() {
    snapshot(
        "enum",
        expanded(quote! {
            enum Mode {
                Off,
                Scaled(f32, #[module(skip)] Cache),
                Learned { by: Variable },
            }
        }),
    );
}

#[test]
fn options_of_fields() {
    snapshot(
        "options",
        expanded(quote! {
            struct Net<L> {
                #[module(name = "trunk", renamed_from = "body", renamed_from = "base")]
                layers: Vec<L>,
                #[module(not_trainable)]
                target: L,
                #[module(not_trainable, renamed_from = "old")]
                r#type: u8,
                plain: u8,
            }
        }),
    );
    snapshot(
        "options_of_items",
        expanded(quote! {
            struct Pair(#[module(name = "kernel")] Variable, #[module(not_trainable)] Variable, Variable);
        }),
    );
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let text = expanded(quote! {
        struct Wrong {
            #[module(skip, name = "a")]
            a: f32,
            #[module(value, not_trainable, renamed_from = "z")]
            b: f32,
            #[module(name = "")]
            c: f32,
            #[module(name = "/", name = "y")]
            d: f32,
            #[module(name = "f")]
            e: f32,
            #[module(renamed_from = "f", renamed_from = "g", renamed_from = "h", renamed_from = "h")]
            f: f32,
            #[module(renamed_from = "h", not_trainable, not_trainable)]
            g: f32,
            #[module(renamed_from = "body/0/kernel", renamed_from = "body//kernel")]
            kernel: f32,
        }
    });
    let faults = [
        "no name there",
        "no variables that",
        "needs a name",
        "has no `/`",
        "stands twice on one field",
        "are called `f`",
        "this is the field's name now",
        "another field is called `g`",
        "former name stands twice",
        "was called `h` too",
        "on the former path is empty",
    ];
    for fault in faults {
        assert!(text.contains(fault), "{fault}: {text}");
    }
    assert_eq!(text.matches("compile_error!").count(), 13, "{text}");
}

#[test]
fn faults_are_reported_together() {
    let text = expanded(quote! {
        #[module(skip)]
        struct Wrong {
            #[module(ignore)]
            a: f32,
            #[module(skip, value)]
            b: f32,
        }
    });
    assert_eq!(text.matches("compile_error!").count(), 3, "{text}");
}
