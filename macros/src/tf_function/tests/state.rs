//! What the state of branches and loops is: the places that change and that somebody needs.
//! The tests of the stages hold it.

use super::planned;
use proc_macro2::TokenStream;
use quote::quote;

/// The names of an `if`'s state.
fn state(item: TokenStream, id: usize) -> Vec<String> {
    let (function, plan) = planned(item);
    let branch = plan.ifs[id].as_ref().expect("the `if` is staged");
    branch.state.iter().map(|place| place.name(&function.vars)).collect()
}

/// The names of the state that the next pass needs, and of that needed after the loop.
fn loop_state(item: TokenStream, target: usize) -> (Vec<String>, Vec<String>) {
    let (function, plan) = planned(item);
    let looped = plan.loops[target].as_ref().expect("the loop is staged");
    let name = |i: &usize| looped.state[*i].name(&function.vars);
    (looped.head.iter().map(name).collect(), looped.after.iter().map(name).collect())
}

#[test]
fn state_is_what_changes_and_is_needed() {
    let body = quote! {
        fn f(x: &Tensor, c: &Tensor) -> Tensor {
            let (mut a, mut unused, same) = (x.clone(), x.clone(), x.clone());
            if c {
                a = a + 1.0;
                unused = x.clone();
                let mut inside = same.clone();
                inside = inside * 2.0;
            }
            a + same
        }
    };
    assert_eq!(state(body, 0), ["a"]);
}

#[test]
fn state_through_references_is_always_needed() {
    let body = quote! {
        fn f(x: &Tensor, c: &Tensor) -> Tensor {
            let mut pair = (x.clone(), x.clone());
            let h = &mut pair;
            if c {
                h.0 = x + 1.0;
                *h = (x.clone(), x.clone());
                h.1 = x - 1.0;
            }
            pair.0
        }
    };
    // A part of a place that is in the list is left out.
    assert_eq!(state(body, 0), ["*h"]);
}

#[test]
fn fields_elements_and_method_calls_change_their_variable() {
    let body = quote! {
        fn f(x: &Tensor, c: &Tensor) -> Tensor {
            let (mut state, mut list, mut other, shared) = (State::new(), vec![], vec![], x.clone());
            if c {
                state.h = x.clone();
                list[0] = x.clone();
                other.push(shared.tanh());
                other.len();
            }
            state.h + &list[0] + &other[0] + shared
        }
    };
    assert_eq!(state(body, 0), ["state.h", "list", "other"]);
}

#[test]
fn loops_need_other_state_at_their_head_than_after() {
    let body = quote! {
        fn f(x: &Tensor) -> Tensor {
            let mut i = tf::constant(0);
            let mut y = x.clone();
            let mut last = x.clone();
            while i < 10 {
                last = y.clone();
                y = y * 2.0;
                i = i + 1;
            }
            last
        }
    };
    let (head, after) = loop_state(body, 1);
    assert_eq!((head, after), (vec!["i".to_string(), "y".into(), "last".into()], vec!["last".to_string()]));
}

#[test]
fn a_counter_that_is_dead_after_the_loop_is_no_state_of_break() {
    let body = quote! {
        fn f(x: &Tensor) -> Tensor {
            let mut y = x.clone();
            let mut i = 0;
            while i < 4 {
                if &y > 10.0 {
                    break;
                }
                y = y * 2.0;
                i += 1;
            }
            y
        }
    };
    let (head, after) = loop_state(body, 1);
    assert_eq!((head, after), (vec!["y".to_string(), "i".into()], vec!["y".to_string()]));
}

#[test]
fn patterns_that_borrow_change_their_place() {
    let body = quote! {
        fn f(x: &Tensor, o: &mut Option<Tensor>) -> Tensor {
            let (mut p, mut q) = (Some(x.clone()), Some(x.clone()));
            if x > 0.0 {
                if let Some(ref mut t) = p {
                    change(t);
                }
                if let Some(t) = o {
                    change(t);
                }
                if let Some(ref t) = q {
                    look(t);
                }
            }
            p.unwrap() + q.unwrap()
        }
    };
    assert_eq!(state(body, 0), ["*o", "p"]);
}
