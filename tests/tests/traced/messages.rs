//! Messages of assertions and panics with tensors in them: they show the values of the call that fails, as `println!` does.

use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{Tensor, tf_function};

/// The message of a call that fails, as a graph and operation by operation, up to the values of the condition.
fn message(call: &dyn Fn() -> Tensor) -> String {
    // On a GPU a failure comes to light when elements are read.
    let run = || match catch_unwind(AssertUnwindSafe(|| call().cpu())) {
        Ok(result) => panic!("no error, but {result:?}"),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            text.lines().next().unwrap_or_default().to_owned()
        }
    };
    let eager = tf::config::with_eager_functions(run);
    let graph = run();
    // Rust's own panics have no status code.
    assert!(graph == eager || graph.ends_with(&format!("panic: {eager}")), "{graph} is not {eager}");
    graph
}

#[tf_function]
fn positive(x: &Tensor, unit: &str) -> Tensor {
    assert!(x > 0.0, "{x:>8.2} {unit} ({} {{}})", x.rank());
    x.log()
}

#[tf_function]
fn element(x: &Tensor, i: &Tensor) -> Tensor {
    assert!(i != 1, "element {} at {i}", x.at(i));
    assert!(i < 3, "there is no element {i}");
    i * 2
}

#[tf_function]
fn rounds(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    for i in tf::range(0, 4, 1) {
        y = y * 2.0;
        if y > 20.0 {
            panic!("y is {y} in round {i}, not {:?}", x + 1.0);
        }
        assert_ne!(y, 3.0, "y in round {}", &i + 10);
    }
    y
}

#[tf_function]
fn branches(x: &Tensor) -> Tensor {
    if x > 2.0 {
        unreachable!("x = {x:.1}");
    } else if x < -2.0 {
        todo!();
    }
    x * 2.0
}

/// A strided tensor, and one that the assertion is about.
#[tf_function]
fn rows(x: &Tensor) -> Tensor {
    let turned = tf::transpose(x, [1, 0]);
    assert_eq!(turned.at(0), tf::constant([1.0, 2.0]), "columns {turned}");
    turned
}

#[test]
fn values_of_the_failing_call() {
    let number = |x: f32| tf::constant(x);
    assert_eq!(positive(&number(1.0), "m").item::<f32>(), 0.0);
    for x in [-3.5, -0.125] {
        let text = message(&|| positive(&number(x), "m"));
        assert_eq!(text, format!("InvalidArgument: assert: {x:>8.2} m (0 {{}})"));
    }
    assert_eq!(tf::function(positive).trace_count(), 1);
    let text = message(&|| rows(&tf::constant([[1.0, 5.0], [3.0, 4.0]])));
    assert_eq!(text, "InvalidArgument: assert_equal: columns [[1. 3.]");
}

/// What a message computes is computed where the assertion fails, and nowhere else.
#[test]
fn computed_values() {
    let x = tf::constant([5.0, 6.0, 7.0]);
    let call = |i: i32| element(&x, &tf::constant(i));
    assert_eq!([call(0), call(2)].map(|t| t.item::<i32>()), [0, 4]);
    assert_eq!(message(&|| call(1)), "InvalidArgument: assert: element 6.0 at 1");
    // An index out of range, which the first message would read.
    assert_eq!(message(&|| call(7)), "InvalidArgument: assert: there is no element 7");
    assert_eq!(tf::function(element).trace_count(), 1);
}

#[test]
fn in_loops_and_branches() {
    let number = |x: f32| tf::constant(x);
    assert_eq!(rounds(&number(1.0)).item::<f32>(), 16.0);
    let text = message(&|| rounds(&number(3.0)));
    assert_eq!(text, "InvalidArgument: panic: y is 24.0 in round 2, not <Tensor: shape=[], dtype=float32, value=4.0>");
    assert_eq!(message(&|| rounds(&number(0.75))), "InvalidArgument: assert_none_equal: y in round 11");
    assert_eq!(branches(&number(1.0)).item::<f32>(), 2.0);
    let text = message(&|| branches(&number(2.5)));
    assert_eq!(text, "InvalidArgument: panic: internal error: entered unreachable code: x = 2.5");
    assert_eq!(message(&|| branches(&number(-3.0))), "InvalidArgument: panic: not yet implemented");
}

#[tf_function]
fn of_the_host(x: &Tensor, n: usize) -> Tensor {
    assert!(n < 3, "n is {n}, x a {}", x.dtype());
    x * n as f32
}

/// A message is made where it is needed.
#[test]
fn made_when_needed() {
    let x = tf::constant(1.0);
    of_the_host(&x, 2);
    assert_eq!(message(&|| of_the_host(&x, 3)), "n is 3, x a float32");
    #[tf_function]
    fn noting(x: &Tensor, notes: &std::cell::Cell<usize>) -> Tensor {
        assert!(x > 0.0, "{x} {}", notes.replace(notes.get() + 1));
        x * 1.0
    }
    let notes = std::cell::Cell::new(0);
    tf::config::with_eager_functions(|| noting(&x, &notes));
    assert_eq!(notes.get(), 0);
}
