//! Traces that are cleared or pushed out give their graphs, constants and buffers back, and keep no variable alive.

use super::counted::{alone, bytes};
use eagerflow as tf;
use tf::{GradientTape, Tensor, Variable, tf_function};

const MIB: usize = 1 << 20;

/// Defines a function with a trace of a constant of one megabyte for each value of `k`, and an arena of several; and its gradient.
macro_rules! heavy {
    ($name:ident, $gradient:ident) => {
        #[tf_function(max_traces = 3)]
        fn $name(x: &Tensor, k: usize) -> Tensor {
            let table = tf::constant((0..MIB / 4).map(|i| (i * k) as f32).collect::<Vec<f32>>());
            let mut y = tf::broadcast_to(x, [MIB / 4]) + &table;
            while tf::reduce_max(&y, ()) > 1.0 {
                y = tf::reverse(y.tanh() * &table, 0) * 0.0;
            }
            tf::reduce_sum(&y, ())
        }

        fn $gradient(x: &Tensor, k: usize) -> f32 {
            let mut tape = GradientTape::new();
            tape.watch(x);
            let y = $name(x, k);
            tape.gradient(&y, x).item()
        }
    };
}

heavy!(cleared, gradient_of_cleared);
heavy!(pushed_out, gradient_of_pushed_out);

#[test]
fn cleared_traces_are_freed() {
    let _alone = alone();
    let x = tf::constant(0.5f32);
    gradient_of_cleared(&x, 1);
    tf::function(cleared).clear();
    let before = bytes();
    gradient_of_cleared(&x, 2);
    let held = bytes() - before;
    assert!(held > MIB, "the trace holds its constant and an arena: {held} bytes");
    tf::function(cleared).clear();
    let after = bytes().saturating_sub(before);
    assert!(after < MIB / 8, "{after} bytes are still held");
}

#[test]
fn traces_pushed_out_are_freed() {
    let _alone = alone();
    let x = tf::constant(0.5f32);
    tf::function(pushed_out).clear();
    let before = bytes();
    gradient_of_pushed_out(&x, 100);
    let one = bytes() - before;
    for k in 101..112 {
        gradient_of_pushed_out(&x, k);
    }
    assert_eq!(tf::function(pushed_out).reasons().len(), 3);
    let held = bytes() - before;
    assert!(held < 3 * one + MIB, "three traces hold {held} bytes, one {one}");
    tf::function(pushed_out).clear();
    let after = bytes().saturating_sub(before);
    assert!(after < MIB / 8, "{after} bytes are still held");
}

#[tf_function]
fn scaled(v: &Variable, x: f32) -> Tensor {
    tf::reduce_sum(v, ()) * x
}

#[test]
fn traces_keep_no_variable_alive() {
    let _alone = alone();
    let call = |k: f32| {
        let v = Variable::new(tf::ones([MIB / 4]));
        assert_eq!(scaled(&v, k).item::<f32>(), k * (MIB / 4) as f32);
    };
    call(1.0);
    let before = bytes();
    (0..8).for_each(|_| call(1.0));
    let held = bytes().saturating_sub(before);
    assert!(held < MIB, "eight variables that are gone hold {held} bytes");
}
