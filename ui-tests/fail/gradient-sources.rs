//! What is neither a tensor, nor a list of them, is no source of a gradient; sizes to reshape to are of one type.

use eagerflow as tf;

fn main() {
    let x = tf::constant(1.0);
    let tape = tf::GradientTape::new();
    let _ = tape.gradient(&x, 1.0);
    let n = 3_usize;
    let _ = x.reshape([n, n]);
}
