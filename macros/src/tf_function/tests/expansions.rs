//! What expansions look like: each form beside the text that was reviewed.
//! The tests of the stages hold it; `cargo insta` shows what has changed.

use super::super::{args, check, emit};
use super::planned;
use proc_macro2::TokenStream;
use quote::quote;

/// Compares an expansion with the one that was reviewed.
fn snapshot(name: &str, item: TokenStream) {
    check::text(&syn::parse2(item.clone()).unwrap(), &args::Options::default()).unwrap();
    let (function, plan) = planned(item);
    check::tree(&function, &plan).unwrap();
    let tokens = emit::function(&function, &plan);
    let expansion = prettyplease::unparse(&syn::parse2(tokens).unwrap());
    insta::with_settings!({omit_expression => true, snapshot_path => "../snapshots", prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(name, expansion);
    });
}

#[test]
fn expansion_of_host_control_flow() {
    snapshot(
        "host",
        quote! {
            /// Documented.
            pub fn f(x: &Tensor, training: bool) -> Tensor {
                let mut y = x.clone();
                for i in 0..3 {
                    if training {
                        continue;
                    }
                    y = y + i;
                }
                y
            }
        },
    );
}

#[test]
fn expansion_of_if() {
    snapshot(
        "if_",
        quote! {
            fn f(x: Tensor, c: &Tensor) -> Tensor {
                let mut y = x + 1.0;
                if c {
                    y = y * 2.0;
                }
                y
            }
        },
    );
}

#[test]
fn expansion_of_early_return() {
    snapshot(
        "return_",
        quote! {
            fn f(x: Tensor, c: &Tensor) -> Tensor {
                if c {
                    return x;
                }
                x + 1.0
            }
        },
    );
}

#[test]
fn expansion_of_deferred_variables() {
    snapshot(
        "deferred",
        quote! {
            fn f(x: &Tensor, c: &Tensor) -> Tensor {
                let z;
                let v = if c {
                    z = x + 1.0;
                    1.0
                } else {
                    z = x - 1.0;
                    2.0
                };
                z * v
            }
        },
    );
}

#[test]
fn expansion_of_while() {
    snapshot(
        "while_",
        quote! {
            fn f(x: &Tensor) -> Tensor {
                let mut n = x.clone();
                while n != 1 && n < 100 {
                    n = n / 2;
                }
                n
            }
        },
    );
}

#[test]
fn expansion_of_flags() {
    snapshot(
        "flag",
        quote! {
            fn f(x: &Tensor) -> Tensor {
                let (mut done, mut y) = (false, x * 1.0);
                let low = x < 0.0;
                while !done {
                    y = y * 2.0;
                    done = low || y > 8.0;
                }
                if done & low { y } else { -y }
            }
        },
    );
}

#[test]
fn expansion_of_for_with_jumps() {
    snapshot(
        "for_",
        quote! {
            fn f(x: &Tensor) -> Tensor {
                let mut sum = tf::constant(0.0);
                'rows: for row in x {
                    if row < 0.0 {
                        continue;
                    }
                    if sum > 10.0 {
                        break 'rows;
                    }
                    sum = sum + row;
                }
                sum
            }
        },
    );
}

#[test]
fn expansion_of_loop_with_value() {
    snapshot(
        "loop_",
        quote! {
            fn f(x: &Tensor) -> Tensor {
                let mut y = x.clone();
                let z = loop {
                    if y > 10.0 {
                        break y.clone();
                    }
                    y = y * 2.0;
                };
                z + y
            }
        },
    );
}

#[test]
fn expansion_of_closures_and_effects() {
    snapshot(
        "closure",
        quote! {
            fn f(x: &Tensor) -> Tensor {
                let relu = |t: &Tensor| if t > 0.0 { t.clone() } else { panic!("negative {t}") };
                println!("x = {x:.3} of {}", relu(x));
                assert!(x < 3.0);
                relu(x)
            }
        },
    );
}

#[test]
fn expansion_of_jumps_past_hidden_variables() {
    snapshot(
        "hidden",
        quote! {
            fn f(x: &Tensor) -> Tensor {
                let mut y = x.clone();
                while y < 10.0 {
                    y = y + 1.0;
                    let y = &y * 2.0;
                    if y > 7.0 {
                        break;
                    }
                }
                y
            }
        },
    );
}
