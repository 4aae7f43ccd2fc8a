//! Time in proportion to the rounds: with gradient from a hundred rounds to a hundred thousand, and for lists in lists.

use crate::support::both_ways;
use eagerflow as tf;
use eagerflow_tests::clock::thread_seconds;
use tf::{GradientTape, Tensor, tf_function};

#[tf_function]
fn slope(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while &i < n {
        y = &y * x * 0.5 + 0.4;
        i = i + 1;
    }
    tape.gradient(&y, x)
}

#[tf_function]
fn nested_slope(x: &Tensor, outer: &Tensor, inner: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut sum = tf::constant(0.0);
    let mut i = tf::constant(0);
    while &i < outer {
        let mut power = tf::constant(1.0);
        let mut j = tf::constant(0);
        while &j < inner {
            power = power * x;
            j = j + 1;
        }
        sum = sum * 0.5 + power;
        i = i + 1;
    }
    tape.gradient(&sum, x)
}

/// The fastest of several runs, in nanoseconds per round.
fn time(rounds: f64, mut f: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..12 {
        let start = thread_seconds();
        f();
        best = best.min((thread_seconds() - start) * 1e9 / rounds);
    }
    best
}

#[test]
fn gradients_take_time_in_proportion() {
    let x = tf::constant(0.9f32);
    let per_round = [1000, 10_000, 100_000].map(|n| {
        let n = tf::constant(n);
        both_ways_once(n.item::<i32>() == 1000, || slope(&x, &n));
        time(f64::from(n.item::<i32>()), || drop(slope(&x, &n)))
    });
    println!("ns a round: {per_round:?}");
    // Quadratic growth would be a hundredfold.
    assert!(per_round[2] < 6.0 * per_round[0] && per_round[2] < 6.0 * per_round[1], "{per_round:?}");
}

fn both_ways_once(compare: bool, f: impl Fn() -> Tensor) {
    if compare {
        both_ways(|| vec![f()]);
    }
}

#[test]
fn lists_in_lists_take_time_in_proportion() {
    let x = tf::constant(0.99f32);
    let per_round = [(30, 30), (100, 100), (300, 300)].map(|(a, b)| {
        let (outer, inner) = (tf::constant(a), tf::constant(b));
        both_ways_once(a == 30, || nested_slope(&x, &outer, &inner));
        time(f64::from(a * b), || drop(nested_slope(&x, &outer, &inner)))
    });
    println!("ns a round: {per_round:?}");
    assert!(per_round[2] < 6.0 * per_round[0] && per_round[2] < 6.0 * per_round[1], "{per_round:?}");
}
