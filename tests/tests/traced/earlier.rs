//! Tapes and accumulators that are older than a loop of the graph and are asked inside of it: right values where earlier
//! rounds do not matter, an error that names the variable and the line where they do.

use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{ForwardAccumulator, GradientTape, Tensor, Variable, tf_function};

/// The sum of all rounds so far, asked for in the round that ends the loop.
#[tf_function]
fn asked_before_a_break(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let mut total = x * 0.0;
    let mut slope = x * 0.0;
    loop {
        total = total * x + x.square();
        if &total > 10.0 {
            slope = tape.gradient(&total, x);
            break;
        }
    }
    slope
}

/// State that depends on the source only by way of other state, two rounds later.
#[tf_function]
fn asked_through_others(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let (mut a, mut b, mut c) = (tf::constant(0.0), tf::constant(0.0), tf::constant(0.0));
    let mut slopes = tf::constant(0.0);
    for _ in tf::range(0, n, 1) {
        let y = &c * x;
        slopes = slopes + tape.gradient(&y, x);
        c = &b * 2.0;
        b = a + 1.0;
        a = x.clone() * 3.0;
    }
    slopes
}

/// As above in a branch of an inner loop.
#[tf_function]
fn asked_in_another_loop(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let mut y = x.clone();
    let mut slopes = tf::constant(0.0);
    for i in tf::range(0, n, 1) {
        let z = &y * x;
        for _ in tf::range(0, &i, 1) {
            if &i > 1 {
                slopes = slopes + tape.gradient(&z, x);
            }
        }
        y = y.sin();
    }
    slopes
}

/// There is no other way to the source.
#[tf_function]
fn asked_in_an_inner_loop(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let mut y = x.clone();
    let mut slopes = tf::constant(0.0);
    for i in tf::range(0, n, 1) {
        for _ in tf::range(0, &i, 1) {
            if &i > 1 {
                slopes = slopes + tape.gradient(&y, x);
            }
        }
        y = y.sin();
    }
    slopes
}

/// Forward mode.
#[tf_function]
fn asked_forward(x: &Tensor, n: &Tensor) -> Tensor {
    let forward = ForwardAccumulator::new(x, &tf::constant(1.0));
    let mut y = x.clone();
    let mut slopes = tf::constant(0.0);
    for _ in tf::range(0, n, 1) {
        y = y.square() * x;
        slopes = slopes + forward.jvp(&y).unwrap();
    }
    slopes
}

/// A variable that each round reads.
#[tf_function]
fn asked_of_a_variable(w: &Variable, n: &Tensor) -> Tensor {
    let tape = GradientTape::persistent();
    let mut y = tf::constant(1.0);
    let mut slopes = tf::constant(0.0);
    for _ in tf::range(0, n, 1) {
        y = y * w;
        slopes = slopes + tape.gradient(&y, w);
    }
    slopes
}

/// What a round computes from the source alone; state that has nothing to do with it.
#[tf_function]
fn of_one_round(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let mut rate = tf::constant(1.0);
    let mut slopes = tf::constant(0.0);
    for _ in tf::range(0, n, 1) {
        let y = x.square() * &rate;
        slopes = slopes + tape.gradient(&y, x);
        rate = rate * 0.5;
    }
    slopes
}

/// The state itself is the source.
#[tf_function]
fn by_the_state(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::persistent();
    let mut x = x.clone();
    for _ in tf::range(0, n, 1) {
        tape.watch(&x);
        let y = (&x - 2.0).square();
        x = &x - tape.gradient(&y, &x) * 0.25;
    }
    x
}

/// Earlier rounds are cut off.
#[tf_function]
fn cut_off(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let mut y = x.clone();
    let mut slopes = tf::constant(0.0);
    for _ in tf::range(0, n, 1) {
        let fixed = tf::stop_gradient(&y);
        y = &fixed * x;
        let z = fixed * x.square();
        slopes = slopes + tape.gradient(&z, x);
    }
    slopes
}

/// The message of a call that fails as a graph, and does not operation by operation.
fn refused(call: &dyn Fn() -> Tensor) -> String {
    tf::config::with_eager_functions(call);
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("earlier rounds are missed");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

/// Checks that the message names the variable, and the line of this file with `text`.
fn names(message: &str, variable: &str, text: &str) {
    let line = include_str!("earlier.rs").lines().position(|line| line.contains(text)).unwrap() + 1;
    assert!(message.contains("earlier rounds"), "{message}");
    assert!(
        message.contains(&format!("variable: {variable}\n")) || message.ends_with(&format!("variable: {variable}")),
        "{message}"
    );
    assert!(message.contains(&format!("{}:{line}:", file!())), "{message}");
}

#[test]
fn what_earlier_rounds_did_is_not_missed_silently() {
    let (x, n) = (tf::constant(1.5), tf::constant(4));
    names(&refused(&|| asked_before_a_break(&x)), "total", "slope = tape.gradient(&total, x)");
    names(&refused(&|| asked_through_others(&x, &n)), "c", "slopes = slopes + tape.gradient(&y, x)");
    let text = refused(&|| asked_in_an_inner_loop(&x, &n));
    assert!(text.contains("the target comes from earlier rounds of a loop"), "{text}");
    names(&refused(&|| asked_in_another_loop(&x, &n)), "y", "slopes = slopes + tape.gradient(&z, x)");
    names(&refused(&|| asked_forward(&x, &n)), "y", "forward.jvp(&y).unwrap();");
    let w = Variable::new(2.0);
    names(&refused(&|| asked_of_a_variable(&w, &n)), "y", "slopes = slopes + tape.gradient(&y, w)");
}

#[test]
fn where_they_do_not_matter_the_gradient_is_right() {
    eager_vs_graph!(of_one_round(x, n); (x, n) in [(0.5, 3), (2.0, 0)]);
    eager_vs_graph!(by_the_state(x, n); (x, n) in [(0.5, 3), (2.0, 0)]);
    eager_vs_graph!(cut_off(x, n); (x, n) in [(0.5, 3), (2.0, 0)]);
}
