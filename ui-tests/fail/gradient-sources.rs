//! What is neither a tensor, nor a list of them, is no source of a gradient; a float is no size.

use eagerflow as tf;

fn main() {
    let x = tf::constant(1.0);
    let tape = tf::GradientTape::new();
    let _ = tape.gradient(&x, 1.0);
    let _ = x.reshape([0.5, 2.0]);
}
