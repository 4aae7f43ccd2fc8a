//! What a tape that is older than a branch or loop of the graph cannot do inside of it, what it can around it, and Jacobians in
//! traced functions, which have a walk for each element and so a trace for each size.

use crate::harness::tensor;
use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{GradientTape, Tensor, tf_function};

/// The message of a call that fails as a graph, and does not operation by operation.
fn refused(call: &dyn Fn() -> Tensor) -> String {
    tf::config::with_eager_functions(call);
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("a tape that is older than the body");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[tf_function]
fn paused_in_a_branch(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x.square();
    if y > 2.0 {
        let z = {
            let _pause = tape.stop_recording();
            y.exp()
        };
        y = y * z;
    }
    tape.gradient(&y, x)
}

#[tf_function]
fn going_on_in_a_branch(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x.square();
    let pause = tape.stop_recording(); // ends in the branch
    if y > 2.0 {
        drop(pause);
        y = y * x;
    }
    tape.gradient(&y, x)
}

#[tf_function]
fn forgotten_in_a_loop(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::persistent();
    tape.watch(x);
    let mut y = x.square();
    for _ in tf::range(0, n, 1) {
        tape.reset(); // in a round
        tape.watch(x);
        y = &y * x;
    }
    tape.gradient(&y, x)
}

/// A tape may pause around a branch, and inside of the branch it began in.
#[tf_function]
fn paused_around(x: &Tensor) -> (Tensor, Tensor) {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = x.square();
    let z = {
        let _pause = tape.stop_recording();
        if y > 2.0 { y.exp() } else { x.sin() }
    };
    let mut inside = x * 0.0;
    if x > 1.0 {
        let mut tape = GradientTape::persistent();
        tape.watch(x);
        tape.reset();
        tape.watch(x);
        let fixed = {
            let _pause = tape.stop_recording();
            x.exp()
        };
        inside = tape.gradient(&(fixed * x), x);
    }
    (tape.gradient(&(y * z), x), inside)
}

#[test]
fn a_tape_in_a_body_it_is_older_than() {
    let names = |message: &str, text: &str, help: &str| {
        let line = include_str!("pauses.rs").lines().position(|line| line.contains(text)).unwrap() + 1;
        assert!(message.contains(&format!("{}:{line}:", file!())) && message.contains(help), "{message}");
        assert!(message.contains("inside of a branch, loop or traced function that it is older than"), "{message}");
    };
    let (x, n) = (tf::constant(1.5), tf::constant(2));
    let text = refused(&|| paused_in_a_branch(&x));
    names(&text, "let _pause = tape.stop_recording();", "`tf::stop_gradient`");
    names(&refused(&|| going_on_in_a_branch(&x)), "// ends in the branch", "drop the guard");
    names(&refused(&|| forgotten_in_a_loop(&x, &n)), "// in a round", "outside of the branch or loop");
    eager_vs_graph!(paused_around(x); x in [0.5, 1.5, 2.0]);
}

#[tf_function]
fn jacobian(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = x.square() * x.sum();
    tape.jacobian(&y, x)
}

#[tf_function]
fn batch_jacobian(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = x.square() * x;
    tape.batch_jacobian(&y, x)
}

/// A scalar's needs no size.
#[tf_function]
fn jacobian_of_a_sum(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    tape.jacobian(&x.square().sum(), x)
}

#[test]
fn jacobians_of_several_sizes() {
    eager_vs_graph!(jacobian(x); x in [
        tensor([0.5, 0.2]), tensor([0.5, 0.2, 0.1]), tensor([1.0, 2.0, 3.0, 4.0]), tensor([0.5, 0.25]), tensor([1.0])];
        traces 4);
    eager_vs_graph!(batch_jacobian(x); x in [
        tf::constant([[0.5, 0.2]]), tf::constant([[0.5, 0.2], [0.1, 0.3]]), tf::constant([[1.0], [2.0], [3.0]]),
        tf::constant([[0.5, 0.25, 1.0], [0.5, 0.25, 1.0]])]; traces 4);
    eager_vs_graph!(jacobian_of_a_sum(x); x in [tensor([0.5, 0.2]), tensor([0.5, 0.2, 0.1]), tensor([1.0, 2.0, 0.5, 3.0])]; traces 2);
}
