//! Variables that branches, loops and conditions read and write.

use super::{Twin, twin};
use eagerflow as tf;
use tf::{GradientTape, Tensor, Variable, tf_function};

pub const TWINS: &[Twin] = &[
    twin!(variable_in_a_branch(v; x)),
    twin!(variable_in_a_loop(v; x)),
    twin!(swapping(a, b; x)),
    twin!(counted_evaluations(counter; x)),
    twin!(descent_of_a_variable(w; x, n)),
];

#[tf_function]
fn variable_in_a_branch(v: &Variable, x: &Tensor) -> Tensor {
    let scaled = x * v;
    if &scaled > 2.0 {
        v.assign(x);
    } else {
        v.assign_add(x * 2.0);
    }
    scaled + v
}

#[tf_function]
fn variable_in_a_loop(v: &Variable, x: &Tensor) -> Tensor {
    let mut total = tf::zeros_like(x);
    while v < 10.0 {
        v.assign_add(x);
        total = total + v * x;
    }
    total
}

#[tf_function]
fn swapping(a: &Variable, b: &Variable, x: &Tensor) -> Tensor {
    let old = a.value();
    a.assign(b * x);
    b.assign(old);
    a - b
}

#[tf_function]
fn counted_evaluations(counter: &Variable, x: &Tensor) -> Tensor {
    let large = |limit: f32| {
        counter.assign_add(&tf::constant(1));
        x > limit
    };
    let a = x > 1.0 && large(2.0);
    let b = x > 1.0 || large(0.25);
    if a || b {
        return x * 2.0;
    }
    x * 3.0
}

#[tf_function]
fn descent_of_a_variable(w: &Variable, x: &Tensor, n: &Tensor) -> Tensor {
    let mut last = tf::zeros_like(x);
    for _ in tf::range(0, n, 1) {
        let tape = GradientTape::new();
        let loss = (x * w - 1.0).square();
        let dw = tape.gradient(&loss, w);
        w.assign_sub(dw * 0.0625);
        last = loss;
    }
    last
}
