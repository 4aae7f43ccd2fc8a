//! Attention's memory and work grow as they should: memory with the number of queries and keys, never with their product.
//! A test binary of its own, since what the pool has given out is the whole process's.

use eagerflow as tf;
use std::time::Instant;
use tf::{Attention, GradientTape, Tensor};

/// Bytes that were given out at most so far, and seconds, of one call with its gradient.
fn cost(time: usize) -> (usize, f64) {
    let [q, k, v] = [1, 2, 3].map(|seed| tf::random::stateless_normal([2, time, 16], [seed, 0], 0.0, 1.0));
    let options =
        Attention { causal: true, dropout: 0.1, seed: Some(Tensor::from([1_i64, 2])), ..Attention::default() };
    let step = || {
        let mut tape = GradientTape::new();
        let sources = vec![q.clone(), k.clone(), v.clone()];
        tape.watch(&sources);
        let y = tf::scaled_dot_product_attention(&q, &k, &v, options.clone());
        let gradients = tape.gradient(&y, &sources);
        assert!(gradients.get(0).is_some_and(|dq| dq.shape() == [2, time, 16]));
    };
    step();
    let start = Instant::now();
    step();
    (tf::memory::stats().peak, start.elapsed().as_secs_f64())
}

#[test]
fn memory_grows_with_the_time_and_work_with_its_square() {
    // The peak is the process's, so the smaller call comes first.
    let (small, _) = cost(1024);
    let (middle, fewer) = cost(2048);
    let (large, seconds) = cost(8192);
    // One matrix of scores alone would be 512 MB, 64 times that of the small call.
    assert!(large < 10 * small && large < 5 * middle && large < 96 << 20, "{small}, {middle} and {large} bytes");
    // 16 times the pairs: with room for a busy machine on both sides.
    assert!(seconds < 60.0 * fewer, "{fewer} and {seconds} seconds");
}
