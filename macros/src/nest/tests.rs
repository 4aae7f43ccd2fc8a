//! What `impl Nest` looks like, and what is refused.

use super::expand;
use quote::quote;

/// Compares an expansion with the one that was reviewed.
fn snapshot(name: &str, item: proc_macro2::TokenStream) {
    let expansion = prettyplease::unparse(&syn::parse2(expand(item)).unwrap());
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(name, expansion);
    });
}

#[test]
fn a_generic_struct() {
    snapshot(
        "nest_struct",
        quote! {
            struct State<T> {
                hidden: Tensor,
                inner: Option<T>,
                #[nest(value)]
                mode: Mode,
                #[nest(skip)]
                log: Log,
            }
        },
    );
}

#[test]
fn an_enum() {
    snapshot(
        "nest_enum",
        quote!(
            enum Carry {
                Nothing,
                Pair(Tensor, Tensor),
                Named { h: Tensor },
            }
        ),
    );
}

#[test]
fn faults_are_found_together() {
    let text = expand(quote! {
        #[nest(skip)]
        struct State {
            #[nest(other)]
            a: Tensor,
            #[nest(skip, value)]
            b: Tensor,
        }
    });
    assert_eq!(text.to_string().matches("compile_error").count(), 3, "{text}");
    assert!(expand(quote!(union U { a: f32 })).to_string().contains("cannot be derived for a union"));
}
