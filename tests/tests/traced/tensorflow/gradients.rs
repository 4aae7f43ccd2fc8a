//! Tapes inside functions, gradients of the user's own, and functions that call others.

use super::{Twin, twin};
use eagerflow as tf;
use tf::{GradientTape, Tensor, custom_gradient, tf_function};

pub const TWINS: &[Twin] = &[
    twin!(slope(x)),
    twin!(slope_of_a_loop(x, n)),
    twin!(curvature(x)),
    twin!(descent(x, n)),
    twin!(own_gradient(x)),
    twin!(stopped(x)),
    twin!(nested_functions(x)),
];

#[tf_function]
fn slope(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = if x > 1.0 { x.square() * x } else { x.sin() };
    tape.gradient(&y, x)
}

#[tf_function]
fn slope_of_a_loop(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x.clone();
    for _ in tf::range(0, n, 1) {
        y = y.sin() + x;
    }
    tape.gradient(&y, x)
}

#[tf_function]
fn curvature(x: &Tensor) -> Tensor {
    let mut outer = GradientTape::new();
    outer.watch(x);
    let mut inner = GradientTape::new();
    inner.watch(x);
    let y = if x < 0.0 { x.exp() } else { x.square() * x.square() };
    let first = inner.gradient(&y, x);
    outer.gradient(&first, x)
}

#[tf_function]
fn descent(x: &Tensor, n: &Tensor) -> Tensor {
    let mut x = x.clone();
    for _ in tf::range(0, n, 1) {
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = (&x - 2.0).square() + x.cos();
        let dx = tape.gradient(&y, &x);
        x = x - dx * 0.125;
    }
    x
}

#[custom_gradient]
fn clipped(x: &Tensor) -> Tensor {
    (x * 1.0, |dy: &Tensor| tf::clip_by_value(dy, -1.5, 1.5))
}

#[tf_function]
fn own_gradient(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 3 {
        if y > 1.0 {
            y = clipped(&(&y * &y));
        } else {
            y = y + 0.75;
        }
        i += 1;
    }
    y
}

#[tf_function]
fn stopped(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 3 {
        y = &y * x + tf::stop_gradient(&y) * 0.5;
        i += 1;
    }
    y
}

#[tf_function]
fn reduced(x: &Tensor) -> Tensor {
    if x > 1.0 {
        return x - 1.0;
    }
    x * x
}

#[tf_function]
fn nested_functions(x: &Tensor) -> Tensor {
    let mut y = reduced(x);
    let mut i = tf::constant(0);
    while i < 3 {
        y = if y > 0.5 { reduced(&(&y + 0.75)) } else { &y + reduced(&(x * 0.0 + 1.5)) };
        i += 1;
    }
    y
}
