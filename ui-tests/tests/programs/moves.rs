//! Values that one branch moves and another one needs, and variables without a first value.

use eagerflow::{self as tf, Tensor, tf_function};

/// Owned by both branches.
#[tf_function]
fn both(x: Tensor, c: &Tensor) -> Tensor {
    if c { x + 1.0 } else { x * 2.0 }
}

/// Moved by a `return`, needed after it.
#[tf_function]
fn early(x: Tensor, c: &Tensor) -> Tensor {
    if c {
        return x;
    }
    x + 1.0
}

/// Set in both branches.
#[tf_function]
fn set_in_both(x: &Tensor, c: &Tensor) -> Tensor {
    let z;
    if c {
        z = x + 1.0;
    } else {
        z = x - 1.0;
    }
    z * 2.0
}

/// Set in one branch, while the other one leaves.
#[tf_function]
fn set_or_leave(x: &Tensor, c: &Tensor) -> Tensor {
    let z;
    if c {
        z = x + 1.0;
    } else {
        return x.clone();
    }
    z * 2.0
}

/// Two values, one `mut`, in an `if` that has a value of its own.
#[tf_function]
fn set_two(x: &Tensor, c: &Tensor) -> Tensor {
    let a;
    let mut b;
    let v = if c {
        a = x + 1.0;
        b = x * 2.0;
        x.clone()
    } else {
        a = x - 1.0;
        b = x / 2.0;
        -x
    };
    b = b + &a;
    a + b + v
}

/// Moved, then left by `break`.
#[tf_function]
fn moved_then_break(x: Tensor, limit: &Tensor) -> Tensor {
    let mut i = tf::constant(0.0);
    let mut out = tf::constant(-1.0);
    let x = x;
    while i < 10.0 {
        if &i > limit {
            out = x;
            break;
        }
        i = i + 1.0;
    }
    out + i
}

/// Moved and assigned again.
#[tf_function]
fn moved_and_reassigned(x: Tensor, c: &Tensor) -> Tensor {
    let mut x = x;
    let y = x + 1.0;
    if c {
        x = y;
    } else {
        x = y * 2.0;
    }
    x
}

/// An optional tensor, taken out in one branch and in both.
#[tf_function]
fn unwrapped(o: Option<Tensor>, c: &Tensor) -> Tensor {
    let first = if c { o.unwrap() } else { tf::constant(0.0) };
    let p = Some(first);
    if c { p.unwrap() } else { p.unwrap() - 1.0 }
}

/// A host value that cannot be copied.
struct Owned(f32);

fn spent(owned: Owned) -> f32 {
    owned.0
}

#[tf_function]
fn not_copied(x: &Tensor, c: &Tensor, rate: f32) -> Tensor {
    let owned = Owned(rate);
    if c { x * spent(owned) } else { x + spent(owned) }
}

#[tf_function]
fn rotation(n: &Tensor) -> Tensor {
    let (mut a, mut b, mut c, mut d) = (tf::constant(1), tf::constant(2), tf::constant(3), tf::constant(4));
    let mut i = tf::constant(0);
    while &i < n {
        let t = a;
        a = b;
        b = c;
        c = d;
        d = t;
        i += 1;
    }
    tf::stack(&[&a, &b, &c, &d], 0)
}

/// Shadowed, assigned then shadowed.
#[tf_function]
fn shadowed(x: &Tensor, c: &Tensor) -> Tensor {
    let mut x = x + 1.0;
    if c {
        x = x * 2.0;
        let x = &x + 100.0;
        let _ = x;
    }
    let x = x + 0.5;
    x
}

/// A pattern's variables, moved in a branch.
#[tf_function]
fn taken_apart((a, b): (Tensor, Tensor), c: &Tensor) -> Tensor {
    if c {
        return a;
    }
    let (d, e) = (a + 1.0, b + 1.0);
    if c { d } else { d + e }
}

#[test]
fn runs() {
    let (yes, no) = (tf::constant(true), tf::constant(false));
    let x = || tf::constant(3.0);
    let value = |t: Tensor| t.item::<f32>();
    assert_eq!((value(both(x(), &yes)), value(both(x(), &no))), (4.0, 6.0));
    assert_eq!((value(early(x(), &yes)), value(early(x(), &no))), (3.0, 4.0));
    assert_eq!((value(set_in_both(&x(), &yes)), value(set_in_both(&x(), &no))), (8.0, 4.0));
    assert_eq!((value(set_or_leave(&x(), &yes)), value(set_or_leave(&x(), &no))), (8.0, 3.0));
    assert_eq!((value(set_two(&x(), &yes)), value(set_two(&x(), &no))), (17.0, 2.5));
    assert_eq!(value(moved_then_break(x(), &tf::constant(4.0))), 8.0);
    assert_eq!(value(moved_then_break(x(), &tf::constant(40.0))), 9.0);
    assert_eq!((value(moved_and_reassigned(x(), &yes)), value(moved_and_reassigned(x(), &no))), (4.0, 8.0));
    assert_eq!((value(unwrapped(Some(x()), &yes)), value(unwrapped(Some(x()), &no))), (3.0, -1.0));
    // A trace needs the value in both branches; operation by operation one of them runs.
    tf::config::run_functions_eagerly(true);
    assert_eq!((value(not_copied(&x(), &yes, 2.0)), value(not_copied(&x(), &no, 2.0))), (6.0, 5.0));
    tf::config::run_functions_eagerly(false);
    assert_eq!(rotation(&tf::constant(5)).to_vec::<i32>(), [2, 3, 4, 1]);
    assert_eq!((value(shadowed(&x(), &yes)), value(shadowed(&x(), &no))), (8.5, 4.5));
    assert_eq!((value(taken_apart((x(), x()), &yes)), value(taken_apart((x(), x()), &no))), (3.0, 8.0));
}
