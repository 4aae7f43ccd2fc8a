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
