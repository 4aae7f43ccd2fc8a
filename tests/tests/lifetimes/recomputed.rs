//! What `recompute_grad` is for: the gradient of many blocks keeps what goes into each, and not what is computed within, operation by
//! operation and in the arena of a plan.

use super::counted::alone;
use eagerflow as tf;
use tf::{GradientTape, Tensor, tf_function};

const BLOCKS: usize = 12;
const ELEMENTS: usize = 1 << 16;

/// A block that keeps some ten tensors for its gradient.
fn block(x: &Tensor) -> Tensor {
    (0..5).fold(x.clone(), |x, _| tf::matmul(tf::sin(tf::reshape(&x, [256, 256])), tf::eye(256)).reshape([ELEMENTS]))
}

fn whole(x: &Tensor, recomputed: bool) -> Tensor {
    let again = tf::recompute_grad(block);
    (0..BLOCKS).fold(x.clone(), |x, _| if recomputed { again(&x) } else { block(&x) })
}

#[tf_function]
fn slope(x: &Tensor, recomputed: bool) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = whole(x, recomputed);
    tape.gradient(&y, x)
}

#[test]
fn a_tape_keeps_the_inputs_of_blocks_alone() {
    let _alone = alone();
    let x = tf::fill([ELEMENTS], 0.5f32);
    let held = |recomputed| {
        let before = tf::memory::stats().in_use;
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = whole(&x, recomputed);
        let held = tf::memory::stats().in_use - before;
        assert_eq!(tape.gradient(&y, &x).shape(), [ELEMENTS]);
        held as f64 / (4 * ELEMENTS) as f64
    };
    let (plain, recomputed) = (held(false), held(true));
    println!("{plain} tensors are kept, {recomputed} where blocks are computed again");
    assert!(plain > 5.0 * BLOCKS as f64, "{plain}");
    assert!(recomputed < 2.0 * BLOCKS as f64, "{recomputed}");
}

#[test]
fn so_does_the_arena_of_a_plan() {
    let _alone = alone();
    let x = tf::fill([ELEMENTS], 0.5f32);
    let held = |recomputed| {
        let before = tf::memory::stats().in_use;
        drop(slope(&x, recomputed));
        (tf::memory::stats().in_use - before) as f64 / (4 * ELEMENTS) as f64
    };
    let (plain, recomputed) = (held(false), held(true));
    println!("an arena of {plain} tensors, {recomputed} where blocks are computed again");
    assert!(plain > 5.0 * BLOCKS as f64, "{plain}");
    assert!(recomputed < 3.0 * BLOCKS as f64, "{recomputed}");
}
