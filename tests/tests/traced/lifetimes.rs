//! How long traces keep what they use: variables that layers and optimizers make for themselves belong to these alone.

use eagerflow as tf;
use std::sync::{Mutex, PoisonError};
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, Variable, tf_function};

/// A layer that is built when its function is traced first.
#[tf_function]
fn forward(layer: &Dense, x: &Tensor) -> Tensor {
    tf::reduce_sum(layer.call(x).square(), ())
}

/// A step whose optimizer makes its slots then.
#[tf_function]
fn step(w: &Variable, optimizer: &Adam, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_sum((w * x).square(), ());
    let variables = vec![w.clone()];
    let gradients = tape.gradient(&loss, &variables);
    optimizer.apply_gradients(&gradients, &variables);
    loss
}

/// Bytes that are far more than all other tests of this file's process use together.
const LARGE: usize = 48 << 20;

fn in_use() -> usize {
    tf::memory::stats().in_use
}

/// What a model takes while it lives and after it is gone, in large steps.
fn taken(model: impl FnOnce() -> usize) -> (bool, bool) {
    // The numbers are the process's own.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = in_use();
    let alive = model();
    (alive > before + LARGE / 2, in_use() > before + LARGE / 2)
}

#[test]
fn a_layer_that_a_trace_built_is_freed() {
    let x = tf::ones([1, 1024]);
    for calls in [1, 3] {
        let (alive, after) = taken(|| {
            let layer = Dense::new(LARGE / 4096).use_bias(false);
            (0..calls).for_each(|_| drop(forward(&layer, &x)));
            assert_eq!(layer.variables().len(), 1);
            in_use()
        });
        assert!(alive && !after, "{calls} calls: {alive} {after}");
    }
}

#[test]
fn slots_that_a_trace_made_are_freed() {
    let (alive, after) = taken(|| {
        let x = tf::ones([LARGE / 12]);
        let (w, optimizer) = (Variable::new(tf::ones([LARGE / 12])), Adam::new(0.1));
        (0..3).for_each(|_| drop(step(&w, &optimizer, &x)));
        in_use()
    });
    assert!(alive && !after, "{alive} {after}");
}

/// A layer that the function makes itself is gone when the trace runs.
#[test]
fn a_layer_of_the_function_alone_is_refused() {
    #[tf_function]
    fn own(x: &Tensor) -> Tensor {
        let layer = Dense::new(2);
        layer.call(x)
    }
    let caught = std::panic::catch_unwind(|| own(&tf::ones([1, 3])));
    let text = *caught.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("make them outside of the function") && text.contains("lifetimes.rs:72"), "{text}");
}
