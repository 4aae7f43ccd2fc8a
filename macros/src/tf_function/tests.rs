//! The stages as plain functions on tokens: what the analyses find, what expansions look like, what is refused.

use super::analyse::liveness::liveness;
use super::analyse::staging::staging;
use super::ast::Function;
use super::plan::ConstructPlan;
use super::{args, emit, expand};
use proc_macro2::TokenStream;
use quote::quote;

mod expansions;
mod state;

fn parsed(item: TokenStream) -> Function {
    planned(item).0
}

fn planned(item: TokenStream) -> (Function, ConstructPlan) {
    super::planned(args::parse(TokenStream::new()).unwrap(), syn::parse2(item).unwrap())
}

fn names(function: &Function, vars: impl IntoIterator<Item = usize>) -> Vec<String> {
    vars.into_iter().map(|var| function.vars[var].name.clone()).collect()
}

#[test]
fn fields_that_a_branch_moves_are_put_back() {
    let body = quote! {
        fn f(x: &Tensor, pair: Pair, other: &Pair, c: &Tensor) -> Tensor {
            let made = Pair::new(x);
            let got = pair.first();
            if c { made.0 + pair.parts.1 + other.n + got.n } else { made.1 + pair.sum() + other.n + got.n }
        }
    };
    let (function, plan) = planned(body);
    let branch = plan.ifs[0].as_ref().unwrap();
    // What may be a reference cannot be moved out of.
    let kept: Vec<String> = branch.keep_then.iter().map(|place| place.name(&function.vars)).collect();
    assert_eq!(kept, ["pair.parts.1", "made.0"]);
}

#[test]
fn host_conditions_stay_native() {
    let function = parsed(quote! {
        fn f(x: &Tensor, training: bool, n: usize, o: Option<f32>, c: &Tensor) -> Tensor {
            if training && n > 3 { g(); }
            if x.rank() == 2 { g(); }
            if let Some(v) = o { g(); }
            for i in 0..n { if i % 2 == 0 { g(); } }
            for layer in self.layers.iter() { if c { g(); } }
            for i in 0..n { if c { break; } }
            while n < 3 { g(); }
            for row in x { g(); }
            loop { if n == 2 { break; } }
            x
        }
    });
    let staging = staging(&function);
    assert_eq!(staging.ifs, [false, false, false, false, true, true, false]);
    assert_eq!(staging.loops, [false, false, false, true, false, true, false]);
}

#[test]
fn a_jump_out_of_an_inner_loop_stages_both() {
    let function = parsed(quote! {
        fn f(c: &Tensor) {
            'a: for i in 0..3 {
                for j in 0..3 {
                    if c { break 'a; }
                }
                for j in 0..3 {
                    if j == i { break 'a; }
                }
            }
        }
    });
    // The inner ones are not left by a jump of their own.
    assert_eq!(staging(&function).loops, [false, true, false, false]);
}

#[test]
fn a_loop_that_only_a_staged_return_ends_is_staged() {
    let function = parsed(quote! {
        fn f(x: &Tensor, n: usize) -> Tensor {
            for i in 0..n { if x > 0.0 { return x.clone(); } }
            loop { loop { if x > 0.0 { return x.clone(); } } }
        }
    });
    assert_eq!(staging(&function).loops, [false, false, true, true]);
}

#[test]
fn values_that_one_branch_moves_are_kept_for_the_other() {
    let (function, plan) = planned(quote! {
        fn f(x: Tensor, y: Tensor, z: Tensor, n: f32, c: &Tensor) -> Tensor {
            if c {
                return g(x, &y, n);
            }
            let a = if c { z } else { h(z, n) };
            x + y + a
        }
    });
    let first = plan.ifs[0].as_ref().unwrap();
    assert_eq!(names(&function, first.keep_then.iter().map(|place| place.root)), ["x"]);
    assert!(first.leaves_then && !first.leaves_other);
    let second = plan.ifs[1].as_ref().unwrap();
    assert_eq!(names(&function, second.keep_then.iter().map(|place| place.root)), ["z"]);
    assert_eq!(names(&function, plan.put_back.iter().copied()), ["x", "z"]);
}

#[test]
fn what_one_branch_changes_is_put_back_for_the_other() {
    let (function, plan) = planned(quote! {
        fn f(x: &Tensor, c: &Tensor) -> Tensor {
            let mut a = x.clone();
            if c {
                a = &a + 1.0;
                return g(&a);
            } else {
                return h(&a);
            }
        }
    });
    let branch = plan.ifs[0].as_ref().unwrap();
    assert!(branch.state.is_empty());
    assert_eq!(names(&function, branch.keep_then.iter().map(|place| place.root)), ["a"]);
    // It is `mut` as it stands.
    assert!(function.vars[branch.keep_then[0].root].mutable);
}

#[test]
fn variables_without_a_value_are_yielded() {
    let (function, plan) = planned(quote! {
        fn f(x: &Tensor, c: &Tensor) -> Tensor {
            let (mut m, w) = (x.clone(), x.clone());
            let z;
            let unused;
            if c { z = x + 1.0; unused = 1; } else { z = x - 1.0; unused = 2; }
            let moved = m;
            if c { m = moved; } else { m = w; }
            if c { m = m + z; }
            m
        }
    });
    let yields = |id: usize| names(&function, plan.ifs[id].as_ref().unwrap().yields.clone());
    assert_eq!(yields(0), ["z"]);
    assert_eq!(yields(1), ["m"]);
    assert!(yields(2).is_empty());
}

#[test]
fn liveness_follows_jumps() {
    let function = parsed(quote! {
        fn f(a: Tensor, b: Tensor, c: &Tensor) -> Tensor {
            let r = loop {
                if c {
                    break a;
                }
                g(&b);
            };
            r
        }
    });
    let live = liveness(&function);
    assert_eq!(names(&function, live.ifs[0].then.clone()), ["a"]);
    assert_eq!(names(&function, live.ifs[0].other.clone()), ["a", "b", "c"]);
    assert!(live.loops[1].after.is_empty());
}

#[test]
fn the_original_stays_beside_a_fault() {
    let text = expand(
        quote!(),
        quote!(
            async fn f(x: &mut Tensor) -> &Tensor {
                x.await
            }
        ),
    )
    .to_string();
    assert_eq!(text.matches("compile_error").count(), 3, "{text}");
    assert!(text.ends_with("async fn f (x : & mut Tensor) -> & Tensor { x . await }"), "{text}");
    let text = expand(
        quote!(),
        quote!(
            struct S;
        ),
    )
    .to_string();
    assert!(text.contains("goes on a function") && text.ends_with("struct S ;"), "{text}");
    let text = expand(
        quote!(max_traces = 0),
        quote!(
            fn f() {}
        ),
    )
    .to_string();
    assert!(text.contains("at least one trace"), "{text}");
}

#[test]
fn options_are_read() {
    let options = args::parse(quote!(name = "step", max_traces = 3, relax_shapes = false, crate = a::b)).unwrap();
    assert_eq!(options.name.unwrap().value(), "step");
    assert_eq!(options.max_traces.unwrap().base10_digits(), "3");
    assert!(!options.relax_shapes.unwrap().value);
    assert_eq!(options.runtime.autograph().to_string(), "a :: b :: __rt :: autograph");
}

#[test]
fn what_hides_the_state_of_a_jump_is_renamed() {
    let body = quote! {
        fn f(x: &Tensor, y_inner: f32) -> Tensor {
            let mut y = x.clone();
            while y < 10.0 {
                y = y + y_inner;
                let before = Pair { y: 1.0, z: 2.0 };
                let Pair { y, z } = before;
                println!("{y} {z} {y:>w$}", w = 3);
                if y > z {
                    break;
                }
                let after = Pair { y, z };
                unknown!(y, after.y, { y: y });
            }
            y
        }
    };
    let (function, plan) = planned(body);
    let renamed = function.vars.iter().filter(|var| var.ident != var.name);
    let renamed: Vec<(String, String)> = renamed.map(|var| (var.name.clone(), var.ident.to_string())).collect();
    assert_eq!(renamed, [("y".to_owned(), "y_inner2".to_owned())]);
    let tokens = emit::function(&function, &plan).to_string();
    for text in [
        "let Pair { y : y_inner2 , z } = before",
        "Pair { y : y_inner2 , z }",
        "unknown ! (y_inner2 , after . y , { y : y_inner2 })",
    ] {
        assert!(tokens.contains(text), "`{text}` is not in\n{tokens}");
    }
    assert!(!tokens.contains("{y}"), "{tokens}");
}

#[test]
fn what_is_lent_is_chosen_by_the_host() {
    let function = parsed(quote! {
        fn f(x: &Tensor, c: &Flags) {
            let (mut a, mut b) = (x.clone(), x.clone());
            let side = if c.on { &mut a } else { &mut b };
            let other = if c.on { &a } else { &b };
        }
    });
    assert_eq!(staging(&function).ifs, [false, true]);
}
