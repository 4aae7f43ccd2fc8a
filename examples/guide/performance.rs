//! How fast large operations are: a chain of matrix products.
//! The guide's section on performance.

use crate::section;
use eagerflow as tf;
use std::time::Instant;

/// Products in the chain.
const STEPS: u32 = 200;

pub fn matmul_chain() {
    section("performance");
    let size = 1000;
    // Numbers of this size neither grow nor vanish for a while as the matrix is squared.
    let start = tf::random::normal([size, size], 0.0, 0.03);
    let mut x = tf::matmul(&start, &start);
    let begin = Instant::now();
    for _ in 0..STEPS {
        x = tf::matmul(&x, &start);
    }
    let seconds = begin.elapsed().as_secs_f64() / f64::from(STEPS);
    let operations = 2.0 * (size as f64).powi(3);
    println!("{STEPS} products of {size} x {size} matrices: {:.2} ms each", 1e3 * seconds);
    println!("{:.0} GFLOP/s, result {}", operations / seconds / 1e9, x.shape());
}
