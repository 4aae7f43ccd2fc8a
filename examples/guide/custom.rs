//! Control flow on values inside an optimisation, and functions with gradients of their own.
//! The guide's sections on dynamic models and custom gradients.

use crate::section;
use eagerflow as tf;
use tf::{GradientTape, Tensor, custom_gradient};

/// Goes back from a long step until the function has become small enough; answers the place and the value.
fn line_search_step(f: impl Fn(&Tensor) -> Tensor, start: &Tensor, mut rate: f32) -> (Tensor, Tensor) {
    let mut tape = GradientTape::new();
    tape.watch(start);
    let first = f(start);
    let grad = tape.gradient(&first, start);
    let grad_norm = tf::reduce_sum(&grad * &grad, ());
    let (mut x, mut value) = (start.clone(), first.clone());
    while value > &first - &grad_norm * rate {
        x = start - &grad * rate;
        value = f(&x);
        rate /= 2.0;
    }
    (x, value)
}

pub fn line_search() {
    section("dynamic models: backtracking line search");
    let parabola = |x: &Tensor| (x - 2.0).square() * 3.0 + 1.0;
    let mut x = tf::constant(10.0);
    for step in 1..=3 {
        let value;
        (x, value) = line_search_step(parabola, &x, 1.0);
        println!("step {step}: x = {}, value = {}", x.item::<f32>(), value.item::<f32>());
    }
}

#[custom_gradient]
fn clip_gradient_by_norm(x: &Tensor, norm: f32) -> Tensor {
    (x.identity(), move |dy: &Tensor| dy.clip_by_norm(norm, ()))
}

pub fn clipped_gradients() {
    section("custom gradients");
    let x = tf::constant([3.0, 4.0]);
    let mut tape = GradientTape::persistent();
    tape.watch(&x);
    let plain = tf::reduce_sum(x.square(), ());
    let clipped = tf::reduce_sum(clip_gradient_by_norm(&x, 0.5).square(), ());
    println!("gradient: {}", tape.gradient(&plain, &x));
    println!("clipped to norm 0.5: {}", tape.gradient(&clipped, &x));
}

fn log1pexp_plain(x: &Tensor) -> Tensor {
    (1.0 + x.exp()).log()
}

#[custom_gradient]
fn log1pexp_stable(x: &Tensor) -> Tensor {
    let e = x.exp();
    ((1.0 + &e).log(), move |dy: &Tensor| dy * (1.0 - 1.0 / (1.0 + &e)))
}

pub fn log1pexp() {
    let plain = tf::gradients_function(log1pexp_plain);
    let stable = tf::gradients_function(log1pexp_stable);
    for at in [0.0, 100.0] {
        let x = tf::constant(at);
        let (plain, stable) = (plain(&x).item::<f32>(), stable(&x).item::<f32>());
        println!("gradient of log(1 + exp(x)) at {at}: {plain:?} as it stands, {stable:?} with one of its own");
    }
}
