//! What is lent by `&mut` and changed in a branch or loop of the graph through a reference to a part of it. Where neither text
//! nor type shows the reference, that is an error at each call, in place of a change that happens whatever the condition says.

#![allow(clippy::ptr_arg, reason = "the lists are those of larger programs")]

use eagerflow as tf;
use std::cell::RefCell;
use tf::{Nest, Tensor, tf_function};

#[derive(Clone, Nest)]
struct St {
    a: Tensor,
    b: Vec<Tensor>,
    steps: usize,
}

fn st() -> St {
    St { a: tf::constant(1.0), b: vec![tf::constant(2.0), tf::constant(3.0)], steps: 0 }
}

fn values(s: &St) -> [f32; 3] {
    [s.a.item(), s.b[0].item(), s.b[1].item()]
}

fn bump(t: &mut Tensor, x: &Tensor) {
    *t = &*t + x;
}

/// A reference that a method gives.
#[tf_function]
fn last(s: &mut St, x: &Tensor, c: &Tensor) {
    let t = s.b.last_mut().unwrap();
    if c > 0.0 {
        bump(t, x);
    }
}

/// A reference of a pattern.
#[tf_function]
fn matched(s: &mut St, x: &Tensor, c: &Tensor) {
    if let Some(t) = s.b.get_mut(0) {
        if c > 0.0 {
            bump(t, x);
        }
    }
}

/// The same in the other branch, behind a `return`, and on the way to one.
#[tf_function]
fn otherwise(s: &mut St, x: &Tensor, c: &Tensor) {
    if let Some(t) = s.b.get_mut(1) {
        if c > 0.0 {
            println!("nothing");
        } else {
            bump(t, x);
        }
    }
}

#[tf_function]
fn behind_a_return(s: &mut St, x: &Tensor, c: &Tensor) {
    if let Some(t) = s.b.get_mut(1) {
        if c > 0.0 {
            println!("nothing");
        } else {
            bump(t, x);
            return;
        }
    }
}

#[tf_function]
fn before_a_return(s: &mut St, x: &Tensor, c: &Tensor) {
    if let Some(t) = s.b.get_mut(1) {
        if c > 0.0 {
            bump(t, x);
            return;
        }
    }
}

/// In a loop of the graph.
#[tf_function]
fn looped(s: &mut St, x: &Tensor, c: &Tensor) {
    let St { b, .. } = s;
    let mut k = tf::constant(0.0);
    while &k < c {
        for t in b.iter_mut() {
            t.clone_from(x);
        }
        k += 1.0;
    }
}

/// Two parts of a list, one in each branch.
#[tf_function]
fn split(p: &mut Vec<Tensor>, x: &Tensor, c: &Tensor) {
    let (a, b) = p.split_at_mut(1);
    if c > 0.0 { bump(&mut a[0], x) } else { bump(&mut b[0], x) }
}

/// A host value.
#[tf_function]
fn counted(s: &mut St, _x: &Tensor, c: &Tensor) {
    fn count(steps: &mut usize) {
        *steps += 1;
    }
    if let Some(steps) = Some(&mut s.steps) {
        if c > 0.0 {
            count(steps);
        }
    }
}

/// In a function inside of another one, whose own branch is not to blame.
#[tf_function]
fn calls(s: &mut St, x: &Tensor, c: &Tensor) {
    if x > 0.0 {
        matched(s, x, c);
    }
}

/// Behind a jump, in rounds of the host and in a closure.
#[tf_function]
fn rounds(s: &mut St, x: &Tensor, c: &Tensor) {
    if let Some(t) = s.b.get_mut(0) {
        for i in 0..3 {
            if c > i as f32 {
                continue;
            }
            t.clone_from(x);
        }
    }
}

#[tf_function]
fn left(s: &mut St, x: &Tensor, c: &Tensor) {
    if let Some(t) = s.b.get_mut(1) {
        for i in 0..3 {
            if c > i as f32 {
                break;
            }
            t.clone_from(x);
        }
    }
}

#[tf_function]
fn closure(s: &mut St, x: &Tensor, c: &Tensor) {
    let t = s.b.last_mut().unwrap();
    let mut set = |y: &Tensor| {
        if c > 0.0 {
            return;
        }
        t.clone_from(y);
    };
    set(x);
}

/// Of this type nobody asks, because a cell needs no `mut` to change.
struct Guard<'a>(RefCell<&'a mut Tensor>);

impl Guard<'_> {
    fn set(&self, x: &Tensor) {
        self.0.borrow_mut().clone_from(x);
    }
}

#[tf_function]
fn guarded(s: &mut St, x: &Tensor, c: &Tensor) {
    let guard = Guard(RefCell::new(s.b.last_mut().unwrap()));
    if c > 0.0 {
        guard.set(x);
    }
}

/// The message of the panic of a call; what was lent is as before.
fn message(call: fn(&mut St, &Tensor, &Tensor), c: f32) -> String {
    let mut s = st();
    let (x, c) = (tf::constant(10.0), tf::constant(c));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call(&mut s, &x, &c)));
    assert_eq!((values(&s), s.steps), ([1.0, 2.0, 3.0], 0));
    *caught.unwrap_err().downcast::<String>().unwrap()
}

/// Every call says the same, whatever the condition is, and tracing goes on to work.
#[track_caller]
fn refused(call: fn(&mut St, &Tensor, &Tensor), line: u32, name: &str, help: &str) {
    let first = message(call, 1.0);
    for word in [&format!("`{name}`"), &format!("write `{help} = ..`"), &format!("uncarried.rs:{line}")] {
        assert!(first.contains(word), "`{word}` is not in\n{first}");
    }
    assert_eq!(message(call, 1.0), first);
    assert_eq!(message(call, -1.0), first);
    for c in [1.0, -1.0] {
        let mut s = st();
        by_name(&mut s, &tf::constant(10.0), &tf::constant(c));
        assert_eq!(values(&s), if c > 0.0 { [1.0, 12.0, 3.0] } else { [11.0, 2.0, 10.0] });
    }
}

/// Of these the text tells what the references lead to.
#[test]
fn references_of_patterns() {
    let right = |call: fn(&mut St, &Tensor, &Tensor), name: &str| {
        for c in [1.0, -1.0, 2.5] {
            let (x, c) = (tf::constant(10.0), tf::constant(c));
            let run = || {
                let mut s = st();
                call(&mut s, &x, &c);
                (values(&s), s.steps)
            };
            assert_eq!(run(), tf::config::with_eager_functions(run), "{name} {c}");
        }
    };
    right(last, "last");
    right(matched, "matched");
    right(otherwise, "otherwise");
    right(behind_a_return, "behind_a_return");
    right(before_a_return, "before_a_return");
    right(looped, "looped");
    right(calls, "calls");
    right(rounds, "rounds");
    right(left, "left");
    right(|s, x, c| split(&mut s.b, x, c), "split");
    right(closure, "closure");
}

#[test]
fn branches() {
    // A host value that only one branch changes.
    for c in [1.0, -1.0] {
        let message = message(counted, c);
        assert!(message.contains("the host value `*steps` is not the same"), "{message}");
    }
}

#[test]
fn hidden_in_a_guard() {
    refused(guarded, line_of("fn guarded") + 2, "s.b.1", "s.b[1]");
}

/// The line of this file on which a text first stands.
fn line_of(text: &str) -> u32 {
    let at = include_str!("uncarried.rs").lines().position(|line| line.starts_with(text));
    u32::try_from(at.expect("the text")).unwrap() + 1
}

/// As the messages say to write it.
#[tf_function]
fn by_name(s: &mut St, x: &Tensor, c: &Tensor) {
    if c > 0.0 {
        s.b[0] = &s.b[0] + x;
    } else {
        bump(&mut s.a, x);
    }
    let t = s.b.last_mut().unwrap();
    let mut new = t.clone();
    if c < 0.0 {
        new = x.clone();
    }
    bump(t, &(new - &*t));
}

/// The same references where no condition is, and on the only way that goes on.
#[tf_function]
fn unconditional(s: &mut St, x: &Tensor, c: &Tensor) -> Tensor {
    for i in 0..3 {
        if c > i as f32 {
            continue;
        }
        s.b[0] = x.clone();
        bump(&mut s.b[1], x);
        if c < 0.0 {
            break;
        }
        let t = s.b.last_mut().unwrap();
        bump(t, x);
    }
    if let Some(t) = s.b.get_mut(0) {
        bump(t, x);
        if c > 0.0 {
            return x * 2.0;
        } else {
            bump(t, x);
        }
        if c < -1.0 {
            s.a = &s.b[0] * 2.0;
        }
    }
    s.b.iter_mut().for_each(|t| bump(t, x));
    x.clone()
}

/// A reference that is made in the branch or loop shows what it leads to.
#[tf_function]
fn inside(s: &mut St, x: &Tensor, c: &Tensor) -> Tensor {
    let mut k = tf::constant(0.0);
    while &k < c {
        if let Some(t) = s.b.get_mut(0) {
            bump(t, x);
        }
        if k > 2.0 {
            let t = s.b.last_mut().unwrap();
            bump(t, x);
            by_name(s, x, &k);
            return k;
        }
        k += 1.0;
    }
    k
}

fn run(call: fn(&mut St, &Tensor, &Tensor) -> Tensor, x: &Tensor, c: &Tensor) -> (Tensor, St) {
    let mut s = st();
    (call(&mut s, x, c), s)
}

#[test]
fn changes_that_are_right() {
    eager_vs_graph!({ run(unconditional, x, c) }; (x, c) in [(1.0, 1.0), (2.0, -0.5), (3.0, -2.0)]);
    eager_vs_graph!({ run(inside, x, c) }; (x, c) in [(1.0, 1.0), (2.0, 0.0), (3.0, 9.0)]);
}
