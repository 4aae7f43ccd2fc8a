//! The stages as plain functions on tokens.

use super::expand;
use quote::quote;

fn expanded(item: proc_macro2::TokenStream) -> String {
    let file = syn::parse2(expand(item)).unwrap();
    prettyplease::unparse(&file)
}

#[test]
fn a_generic_enum_with_all_options() {
    let expansion = expanded(quote! {
        enum Net<'a, L: Layer, const N: usize> {
            Empty,
            Layers([L; N], #[module(value)] Key<L>),
            Chain {
                first: L,
                #[module(not_trainable, name = "rest")]
                next: Option<Box<Self>>,
                #[module(skip)]
                note: &'a str,
                #[module(skip)]
                #[duplicate(default)]
                cache: Cache<L>,
            },
        }
    });
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!("duplicate", expansion);
    });
}

#[test]
fn faults_are_reported_together() {
    let text = expanded(quote! {
        struct Wrong {
            #[duplicate]
            a: f32,
            #[duplicate(clone)]
            b: f32,
            #[module(ignore)]
            c: f32,
        }
    });
    assert_eq!(text.matches("compile_error!").count(), 3, "{text}");
    let text = expanded(quote!(union Both { a: f32, b: u32 }));
    assert!(text.contains("cannot be derived for a union"), "{text}");
}
