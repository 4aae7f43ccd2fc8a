//! Errors: the same kind at the same line of the user, and a function that works again afterwards.

use eagerflow as tf;
use tf::{DType, Tensor, Variable, tf_function};

/// Sizes that do not fit are refused where they meet.
#[tf_function]
fn sizes(x: &Tensor, y: &Tensor) -> Tensor {
    let doubled = x * 2.0;
    let sum = &doubled + y;
    sum * 0.5
}

/// Division by zero of integers.
#[tf_function]
fn division(n: &Tensor) -> Tensor {
    let m = n - 1;
    tf::constant(10) / m
}

/// Division by zero in a later round of a loop.
#[tf_function]
fn division_in_a_loop(n: &Tensor) -> Tensor {
    let mut n = n.clone();
    let mut sum = tf::constant(0);
    while sum < 100 {
        sum = sum + 60 / &n;
        n = n - 1;
    }
    sum
}

/// An index out of range, in a branch.
#[tf_function]
fn index(x: &Tensor, i: &Tensor) -> Tensor {
    if i > 1 {
        return tf::gather(x, i, 0);
    }
    tf::reduce_sum(x, ())
}

/// What was written before the failure stays written.
#[tf_function]
fn partly(v: &Variable, n: &Tensor) -> Tensor {
    v.assign_add(&tf::constant(1.0));
    let q = tf::constant(12) / n;
    v.assign_add(&tf::constant(10.0));
    q
}

/// dtypes that do not fit.
#[tf_function]
fn dtypes(x: &Tensor) -> Tensor {
    let y = x.cast(DType::I32);
    x + y
}

/// A failing check of the library.
#[tf_function]
fn checked(x: &Tensor) -> Tensor {
    let y = x.log();
    tf::debugging::assert_all_finite(&y, "log of x");
    y * 2.0
}

/// An error in a nested function.
#[tf_function]
fn inner(n: &Tensor) -> Tensor {
    tf::constant(7) / n
}

#[tf_function]
fn outer(n: &Tensor) -> Tensor {
    if n < 5 { inner(&(n - 2)) } else { n.clone() }
}

/// A condition of several elements is none.
#[tf_function]
fn condition(x: &Tensor) -> Tensor {
    if x > 0.0 { x * 2.0 } else { x * 3.0 }
}

#[test]
fn sizes_and_dtypes() {
    eager_vs_graph!({ sizes(x, y) };
        (x, y) in [([1.0, 2.0], tf::ones([2])), ([1.0, 2.0], tf::ones([3])), ([1.0, 2.0], tf::ones([2]))]);
    eager_vs_graph!({ dtypes(x) }; x in [1.0]);
    eager_vs_graph!({ condition(x) }; x in [[1.0, -2.0]]);
}

#[test]
fn at_run_time() {
    eager_vs_graph!(division(n); n in [3, 1, 6]);
    eager_vs_graph!(division_in_a_loop(n); n in [9, 3, 1]);
    eager_vs_graph!(index(x, i); (x, i) in [([1.0, 2.0], 0), ([1.0, 2.0], 5), ([1.0, 2.0], 1)]);
    eager_vs_graph!(partly(v, n); v = Variable::new(0.0); n in [3, 0, 6]);
    eager_vs_graph!(checked(x); x in [3.0, 0.0, 6.0]);
    eager_vs_graph!(outer(n); n in [3, 2, 6]);
}
