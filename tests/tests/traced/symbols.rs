//! Open sizes of several traces: `s0` of one is not `s0` of another where they meet.

use eagerflow as tf;
use std::cell::RefCell;
use tf::{GradientTape, Tensor, tf_function};

/// Serves vectors of any length; its gradient is full of sizes.
#[tf_function]
fn spread(x: &Tensor) -> Tensor {
    let centred = x - tf::reduce_mean(x, ());
    let wide = tf::concat(&[&centred, &x.tanh()], 0);
    let tall = tf::reshape(&wide, [2, -1]) * tf::reduce_sum(x, ());
    tf::reduce_sum(tall.square(), ()) + tf::reduce_mean(wide, ())
}

thread_local! {
    /// A tape that recorded a call of a trace, with the source and target.
    static RECORDED: RefCell<Option<(GradientTape, Tensor, Tensor)>> = const { RefCell::new(None) };
}

fn recorded() -> (GradientTape, Tensor, Tensor) {
    RECORDED.take().expect("a tape was left there")
}

fn record(x: Tensor) {
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = spread(&x);
    RECORDED.set(Some((tape, x, y)));
}

/// Takes the gradient of a call that was recorded outside, where its own sizes have the same names.
#[tf_function]
fn elsewhere(z: &Tensor) -> Tensor {
    let scaled = z * tf::reduce_mean(z, ());
    let (tape, x, y) = recorded();
    let gradient = tape.gradient(&y, &x);
    tf::reduce_sum(gradient, ()) * 100.0 + tf::reduce_sum(scaled, ()) + tf::reduce_mean(z, ())
}

fn expected(x: &Tensor, z: &Tensor) -> Tensor {
    tf::config::with_eager_functions(|| {
        record(x.clone());
        elsewhere(z)
    })
}

#[test]
fn a_recorded_call_in_another_trace() {
    let vector = |n: usize| tf::range(1, n as i32 + 1, 1).cast(tf::DType::F32) * 0.25;
    // Two lengths make one trace of any length, of either function.
    [3, 4, 6].iter().for_each(|n| drop(spread(&vector(*n))));
    for (x, z) in [(3, 2), (3, 5), (6, 5), (6, 7)] {
        let (x, z) = (vector(x), vector(z));
        let expected = expected(&x, &z).item::<f32>();
        record(x.clone());
        tf::function(elsewhere).clear();
        let got = elsewhere(&z).item::<f32>();
        assert!((got - expected).abs() < 1e-4 * expected.abs(), "{x} {z}: {got}, not {expected}");
    }
    // The second trace is one for any length, too.
    tf::function(elsewhere).clear();
    let before = tf::function(elsewhere).trace_count();
    for n in [5, 7, 4] {
        let (x, z) = (vector(6), vector(n));
        let expected = expected(&x, &z).item::<f32>();
        record(x.clone());
        let got = elsewhere(&z).item::<f32>();
        assert!((got - expected).abs() < 1e-4 * expected.abs(), "{z}: {got}, not {expected}");
    }
    assert_eq!(tf::function(elsewhere).trace_count() - before, 2);
}
