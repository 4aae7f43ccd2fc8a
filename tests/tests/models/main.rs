//! Whole models, written as a user would from the documentation alone: a causal transformer, a variational autoencoder, a GAN and a
//! character LSTM. Each learns something, and batches and lengths of twenty sizes take two traces at most and pin nothing.

mod char_lstm;
mod gan;
mod transformer;
mod vae;

use eagerflow as tf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lets one test draw random numbers at a time: the seed is the process's.
fn seeded(seed: i64) -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    tf::random::set_seed(seed);
    alone
}

/// Asserts that a step was traced twice at most, and depends on no size.
#[track_caller]
fn two_traces<F>(step: F) {
    let about = tf::function(step);
    assert!(about.trace_count() <= 2, "{:?}", about.reasons());
    assert!(about.pins().is_empty(), "{:?}", about.pins());
}

/// Asserts that the mean of the last losses is below a part of that of the first ones.
#[track_caller]
fn learnt(losses: &[f32], part: f32) {
    let mean = |some: &[f32]| some.iter().sum::<f32>() / some.len() as f32;
    let count = losses.len() / 5;
    let (first, last) = (mean(&losses[..count]), mean(&losses[losses.len() - count..]));
    assert!(last < part * first, "{first} before, {last} after");
}
