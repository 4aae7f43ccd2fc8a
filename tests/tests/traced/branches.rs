//! `if`, `else if` and `else` on tensors, as statements and expressions.

use eagerflow as tf;
use tf::{Tensor, tf_function};

/// A statement that changes one variable.
#[tf_function]
fn statement(x: &Tensor) -> Tensor {
    let mut y = x * 2.0;
    if x > 1.0 {
        y = y * x;
    }
    y + 1.0
}

/// Two variables, each changed on one side.
#[tf_function]
fn either_side(x: &Tensor) -> (Tensor, Tensor) {
    let mut big = tf::constant(0.0);
    let mut small = tf::constant(0.0);
    if x > 0.0 {
        big = x * 3.0;
    } else {
        small = x.square();
    }
    (big, small)
}

/// An expression, with `else if`.
#[tf_function]
fn expression(x: &Tensor) -> Tensor {
    let slope = if x < -1.0 {
        x.square()
    } else if x < 1.0 {
        x * 0.5
    } else if x < 3.0 {
        x.exp()
    } else {
        tf::constant(4.0) * x
    };
    slope * x
}

/// An `if` in an `if` in an `else`.
#[tf_function]
fn nested(x: &Tensor, y: &Tensor) -> Tensor {
    let mut z = x.clone();
    if x > y {
        if x > 10.0 {
            z = z - y;
        }
        z = z * 2.0;
    } else {
        let w = if y > 10.0 { y * x } else { y + x };
        z = w.tanh() + z;
    }
    z
}

/// The taken branch alone runs: where the other one would divide by zero nothing is refused.
#[tf_function]
fn only_the_taken_branch(n: &Tensor) -> Tensor {
    if n == 0 { tf::constant(-1) } else { tf::constant(100) / n }
}

/// A square root whose slope at zero must not poison the other side.
#[tf_function]
fn no_poison(x: &Tensor) -> Tensor {
    if x > 0.0 { x.sqrt() } else { x * 0.0 }
}

/// Parts of an expression that are branches.
#[tf_function]
fn in_an_expression(x: &Tensor) -> Tensor {
    x * (if x > 2.0 { x + 1.0 } else { x - 1.0 }) + if x < 0.0 { x.square() } else { tf::constant(0.0) }
}

#[test]
fn branches_are_what_rust_does() {
    eager_vs_graph!(statement(x); x in [0.5, 2.0, 1.0]);
    eager_vs_graph!(either_side(x); x in [1.5, -2.0]);
    eager_vs_graph!(expression(x); x in [-2.0, 0.5, 2.0, 5.0]);
    eager_vs_graph!(nested(x, y); (x, y) in [(1.0, 2.0), (20.0, 2.0), (3.0, 2.0), (1.0, 20.0)]);
    eager_vs_graph!(only_the_taken_branch(n); n in [0, 7]);
    eager_vs_graph!(no_poison(x); x in [4.0, 0.0, -1.0]);
    eager_vs_graph!(in_an_expression(x); x in [3.0, 1.0, -2.0]);
}
