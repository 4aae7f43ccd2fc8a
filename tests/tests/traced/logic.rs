//! Comparisons and the logical operators, which are lazy in a graph as well.

use eagerflow as tf;
use tf::{Tensor, Variable, tf_function};

/// All six comparisons, of tensors and numbers on either side.
#[tf_function]
fn comparisons(x: &Tensor, y: &Tensor) -> Vec<Tensor> {
    vec![x < y, x <= 1.0, x > y, 2.0 >= x, x == y, &(x + 1.0) != y]
}

/// Comparisons of host values give `bool`s, in the same function.
#[tf_function]
fn host_comparisons(x: &Tensor, n: i64, name: &str) -> Tensor {
    let mut y = x.clone();
    if n > 2 && name == "up" {
        y = y + n as f32;
    }
    if x > n as f32 || n < 0 {
        y = y * 2.0;
    }
    y
}

/// `&&`, `||` and `!` of tensors.
#[tf_function]
fn operators(a: &Tensor, b: &Tensor, c: &Tensor) -> Vec<Tensor> {
    vec![a && b, a || b, !a, a && !b || c, (a || b) && (b || c), !(a && b && c)]
}

/// The right side is evaluated only where it matters: a division by zero is not reached.
#[tf_function]
fn lazy_and(n: &Tensor) -> Tensor {
    if n != 0 && tf::constant(12) / n > 3 { n * 2 } else { n - 1 }
}

/// The same for `||`.
#[tf_function]
fn lazy_or(n: &Tensor) -> Tensor {
    if n == 0 || tf::constant(12) / n > 3 { n * 2 } else { n - 1 }
}

#[tf_function]
fn counted(counter: &Variable, x: &Tensor) -> Tensor {
    counter.assign_add(&tf::constant(1.0));
    x > 2.0
}

/// Effects of the right side happen only where it is evaluated.
#[tf_function]
fn effects(counter: &Variable, x: &Tensor) -> Tensor {
    let a = x > 1.0 && counted(counter, x);
    let b = x > 1.0 || counted(counter, x);
    if a || b { x * 2.0 } else { x * 3.0 }
}

/// Lazy operators in the condition of a loop.
#[tf_function]
fn in_a_loop(n: &Tensor) -> Tensor {
    let mut n = n.clone();
    let mut i = tf::constant(5);
    while i > 0 && 60 / &i < n {
        n = n - 3;
        i = i - 1;
    }
    n * 10 + i
}

/// A host value on one side, a tensor on the other.
#[tf_function]
fn both_kinds(x: &Tensor, training: bool) -> Tensor {
    if training && x > 1.0 {
        return x * 2.0;
    }
    if x < -1.0 || !training {
        return x * 3.0;
    }
    x * 4.0
}

/// Truth values as state.
#[tf_function]
fn flags(x: &Tensor) -> (Tensor, Tensor) {
    let mut seen = tf::constant(false);
    let mut all = tf::constant(true);
    for element in x {
        if element > 2.0 {
            seen = tf::constant(true);
        }
        all = all && element > 0.0;
    }
    (seen, all)
}

/// A condition that is a variable, and one that is a reduction.
#[tf_function]
fn reductions(x: &Tensor, on: &Tensor) -> Tensor {
    let mut y = x.clone();
    if on {
        y = y + 1.0;
    }
    if tf::reduce_any(&(&y > 3.0), ()) && !tf::reduce_all(&(&y > 3.0), ()) {
        y = y * 0.5;
    }
    y
}

#[test]
fn comparing() {
    eager_vs_graph!(comparisons(x, y); (x, y) in [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (f32::NAN, 1.0)]);
    eager_vs_graph!({ host_comparisons(x, 3, "up") }; x in [1.0, 5.0]);
    eager_vs_graph!({ host_comparisons(x, -3, "down") }; x in [1.0, -5.0]);
    eager_vs_graph!(reductions(x, on); (x, on) in [([1.0, 5.0], true), ([1.0, 0.5], false), ([4.0, 5.0], false)]);
}

#[test]
fn logical_operators() {
    eager_vs_graph!(operators(a, b, c);
        (a, b, c) in [(true, false, true), (true, true, true), (false, false, true), (false, false, false)]);
    eager_vs_graph!({ both_kinds(x, true) }; x in [3.0, 0.0, -3.0]);
    eager_vs_graph!({ both_kinds(x, false) }; x in [3.0, 0.0, -3.0]);
    eager_vs_graph!(flags(x); x in [[1.0, 3.0, 2.0], [1.0, -1.0, 2.0], [-1.0, 3.0, 2.0]]);
}

#[test]
fn laziness() {
    eager_vs_graph!(lazy_and(n); n in [0, 2, 9]);
    eager_vs_graph!(lazy_or(n); n in [0, 2, 9]);
    eager_vs_graph!(effects(v, x); v = Variable::new(0.0); x in [0.5, 1.5, 3.0]);
    eager_vs_graph!(in_a_loop(n); n in [100, 0, 15]);
}
