//! The gradient of a loop: time and memory in proportion to its rounds, a graph whose size does not depend on them, and
//! lists in lists that are not copied in each round.

use super::counted::alone;
use eagerflow as tf;
use std::time::Instant;
use tf::{DType, GradientTape, Tensor, TensorArray, tf_function};

/// A loop over numbers, which runs in registers.
#[tf_function]
fn numbers(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while &i < n {
        y = (y * x).sin() + 0.5;
        i = i + 1;
    }
    y
}

/// Defines the loops whose gradients keep something in each round, for one test alone.
macro_rules! loops {
    () => {
        use super::*;

        /// A loop over vectors, which keeps one of a kilobyte per round.
        #[tf_function]
        pub fn vectors(x: &Tensor, n: &Tensor) -> Tensor {
            let mut y = x.clone();
            for _ in tf::range(0, n, 1) {
                y = (y * x).sin() + 0.5;
            }
            tf::reduce_sum(&y, ())
        }

        /// A loop in a loop: what the inner one keeps is a list of the outer one's list.
        #[tf_function]
        pub fn nested(x: &Tensor, n: &Tensor) -> Tensor {
            let mut y = x.clone();
            for _ in tf::range(0, n, 1) {
                let mut i = tf::constant(0);
                while i < 4 {
                    y = (y * x).sin();
                    if tf::reduce_sum(&y, ()) > 1e6 {
                        break;
                    }
                    i = i + 1;
                }
            }
            tf::reduce_sum(&y, ())
        }

        /// Items written in one loop and read in another.
        #[tf_function]
        pub fn written_and_read(x: &Tensor, n: &Tensor) -> Tensor {
            let mut all = TensorArray::new(DType::F32, n);
            let mut y = x.clone();
            for i in tf::range(0, n, 1) {
                y = y * 0.5 + x;
                all = all.write(&i, &y);
            }
            let mut sum = tf::zeros_like(x);
            for i in tf::range(0, n, 1) {
                sum = (sum + all.read(&i)).tanh();
            }
            tf::reduce_sum(&sum, ())
        }
    };
}

mod timed {
    loops!();
}
mod measured {
    loops!();
}
mod sized {
    loops!();
}

type Loop = fn(&Tensor, &Tensor) -> Tensor;

/// The best time of a call with its gradient out of some, in seconds.
fn time(f: Loop, x: &Tensor, rounds: i32) -> f64 {
    let n = tf::constant(rounds);
    let once = || {
        let start = Instant::now();
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = f(x, &n);
        let dx = tape.gradient(&tf::reduce_sum(y, ()), x);
        assert!(dx.to_vec::<f32>().iter().all(|v| v.is_finite()));
        start.elapsed().as_secs_f64()
    };
    (0..2).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// How much longer a round of many takes than one of few.
fn slowdown(f: Loop, x: &Tensor, few: i32, many: i32) -> f64 {
    time(f, x, few);
    let per_round = |rounds: i32| time(f, x, rounds) / f64::from(rounds);
    let (few, many) = (per_round(few), per_round(many));
    println!("{:.0} ns per round of few, {:.0} ns of many", few * 1e9, many * 1e9);
    many / few
}

#[test]
fn time_is_linear() {
    let _alone = alone();
    let (number, vector) = (tf::constant(0.5f32), tf::fill([64], 0.5f32));
    // Memory out of the caches makes rounds of many slower, up to four times. One that copied its list would take ten times
    // as long for the handles alone.
    let cases: [(&str, Loop, &Tensor, i32, i32); 4] = [
        ("numbers", numbers, &number, 1_000, 100_000),
        ("vectors", timed::vectors, &vector, 1_000, 100_000),
        ("loops in loops", timed::nested, &vector, 300, 10_000),
        ("a list written and read", timed::written_and_read, &vector, 1_000, 30_000),
    ];
    for (name, f, x, few, many) in cases {
        let factor = slowdown(f, x, few, many);
        assert!(factor < 10.0, "{name}: a round of {many} takes {factor:.1} times as long as one of {few}");
    }
}

#[test]
fn memory_is_linear() {
    let _alone = alone();
    let x = tf::fill([256], 0.5f32);
    // The elements alone: the heads of tensors lie in blocks that are kept for the next ones.
    let bytes = || tf::memory::stats().in_use;
    let held = |f: Loop, rounds: i32| {
        let before = bytes();
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = f(&x, &tf::constant(rounds));
        let held = bytes() - before;
        let _ = tape.gradient(&y, &x);
        held as f64
    };
    for (name, f) in [
        ("vectors", measured::vectors as Loop),
        ("loops in loops", measured::nested),
        ("a list", measured::written_and_read),
    ] {
        held(f, 10);
        let (few, many) = (held(f, 100), held(f, 10_000));
        println!("{name}: {few} bytes after 100 rounds, {many} after 10000");
        assert!(many < 110.0 * few, "{name}: {few} bytes after 100 rounds, {many} after 10000");
        assert!(many > 1024.0 * 10_000.0, "{name}: a kilobyte per round is kept, not {many} bytes in all");
    }
}

#[test]
fn graphs_do_not_grow_with_rounds() {
    let _alone = alone();
    let x = tf::fill([8], 0.5f32);
    for f in [sized::vectors as Loop, sized::nested, sized::written_and_read] {
        f(&x, &tf::constant(3));
    }
    let counts = || {
        [tf::function(sized::vectors), tf::function(sized::nested), tf::function(sized::written_and_read)]
            .map(|f| (f.node_count(), f.trace_count()))
    };
    let before = counts();
    for f in [sized::vectors as Loop, sized::nested, sized::written_and_read] {
        f(&x, &tf::constant(1000));
    }
    assert_eq!(counts(), before);
    assert!(before.iter().all(|(nodes, _)| (5..100).contains(nodes)), "{before:?}");
}
