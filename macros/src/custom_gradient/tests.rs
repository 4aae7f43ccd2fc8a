//! The stages as plain functions on tokens: what expansions look like, and which faults are found together.

use super::{emit, expand, parse};
use quote::quote;

/// Compares an expansion with the one that was reviewed.
fn snapshot(name: &str, expansion: String) {
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(name, expansion);
    });
}

/// The expansion as formatted text.
fn expanded(item: proc_macro2::TokenStream) -> String {
    let file = syn::parse2(expand(quote!(), item)).unwrap();
    prettyplease::unparse(&file)
}

#[test]
fn one_parameter() {
    snapshot(
        "one_parameter",
        expanded(quote! {
            /// Documented.
            #[custom_gradient]
            pub fn log1pexp(x: &Tensor) -> Tensor {
                let e = x.exp();
                ((1.0 + &e).log(), move |dy: &Tensor| dy * (1.0 - 1.0 / (1.0 + &e)))
            }
        }),
    );
}

#[test]
fn parameters_used_in_the_closure_are_kept() {
    snapshot(
        "parameters_kept",
        expanded(quote! {
            fn both(x: &Tensor, scale: f32, names: &[String], y: Tensor) -> (Tensor, Tensor) {
                let kept = y.clone();
                ((x * scale, x * y), |da, db| (da * scale + db * &kept, db * x * names.len()))
            }
        }),
    );
}

#[test]
fn results_branches_and_named_closures() {
    snapshot(
        "branches",
        expanded(quote! {
            fn choose(&self, x: &Tensor, how: usize) -> Result<Vec<Tensor>> {
                if how == 0 {
                    return Ok((vec![x.clone()], |dys: &[Tensor]| dys[0].clone()));
                }
                let gradient = |dys: &[Tensor]| x * &dys[0];
                match how {
                    1 => Ok((vec![x.try_tanh()?], gradient)),
                    2 => helper(x),
                    _ => Err(error()),
                }
            }
        }),
    );
}

#[test]
fn all_faults_are_reported_at_once() {
    let text = expanded(quote! {
        async fn wrong(self, n: usize) -> f32 {
            (1.0, 2.0, 3.0)
        }
    });
    assert_eq!(text.matches("compile_error!").count(), 5, "{text}");
    assert!(text.contains("async fn wrong"), "the function is still there: {text}");
}

#[test]
fn tokens_that_are_no_function_come_back_with_an_error() {
    let text = expanded(quote!(
        struct S;
    ));
    assert!(text.contains("struct S;") && text.contains("compile_error!"), "{text}");
}

#[test]
fn mentions_of_a_name() {
    let closure = |tokens| syn::parse2::<syn::ExprClosure>(tokens).unwrap();
    let used = closure(quote!(|dy| dy * x.first));
    assert!(emit::mention(&used, "x").is_some());
    assert!(emit::mention(&used, "first").is_none(), "a field");
    assert!(emit::mention(&closure(quote!(|dy, x| dy * x)), "x").is_none(), "its own argument");
    assert!(emit::mention(&closure(quote!(|dy| println!("{}", vec![x]))), "x").is_some(), "in a macro");
    assert!(emit::mention(&closure(quote!(|dy| f(..x))), "x").is_some(), "a range");
}

#[test]
fn which_parameters_are_differentiable() {
    let function = parse::parse(
        quote!(),
        quote! {
            fn f(a: &Tensor, b: tf::Variable, c: &[&Tensor], d: Option<&Tensor>, e: Dataset<Tensor>, f: impl Fn(Tensor),
                 g: fn(&Tensor), h: &str, #[host] i: &Tensor, #[differentiable] j: T, k: [Tensor; 2], l: &dyn Get<Tensor>)
                -> Tensor { body }
        },
    )
    .unwrap();
    let found: String = function.parameters.iter().map(|p| if p.differentiable { 'd' } else { '-' }).collect();
    assert_eq!(found, "dddd-----dd-");
}
