//! What a loop that takes or changes a part of a tensor costs per round: bytes moved and steps, counted exactly, at 100 to 10,000
//! rounds (`EAGERFLOW_ROUNDS=100000` goes on), forward, backward and of second order, as graphs and operation by operation.

mod eager;
mod eager_forms;
mod forms;
mod graphs;
mod recurrent;

use eagerflow as tf;
use tf::__testing::{Moved, moved};
use tf::{GradientTape, Tensor};

/// Elements of a row.
const WIDTH: usize = 8;

/// How often loops go round; each number is ten times the one before.
fn rounds() -> Vec<usize> {
    let most = std::env::var("EAGERFLOW_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    [100, 1_000, 10_000, 100_000].into_iter().filter(|&n| n <= most).collect()
}

/// A tensor of as many rows as a loop goes round.
fn rows(n: usize) -> Tensor {
    tf::reshape(tf::range(0.0, (n * WIDTH) as f32, 1.0), [n as isize, WIDTH as isize]) * 1e-3
}

/// Asserts that every further round of `step` costs the same, however many there are, and that it costs something.
#[track_caller]
fn level(name: &str, step: impl Fn(&Tensor, usize)) {
    let bytes = bytes_of_a_round(name, step);
    assert!(bytes > 0.0, "{name}: nothing was counted");
}

/// Asserts that every further round of `step` costs the same, bytes and steps, and tells the bytes. What large tensors need once
/// (scratch memory of their folds, a copy) is a tenth of that at the most, or six times the row; a round that moves the tensor costs
/// ten times as much each time.
#[track_caller]
fn bytes_of_a_round(name: &str, step: impl Fn(&Tensor, usize)) -> f64 {
    // The first size has a trace of its own; the second opens the one that is measured.
    [20, 30].into_iter().for_each(|n| step(&rows(n), n));
    let counts: Vec<(usize, Moved)> = rounds()
        .into_iter()
        .map(|n| {
            let xs = rows(n);
            // What is traced, planned and allocated once is no round's.
            (0..2).for_each(|_| step(&xs, n));
            (n, moved(|| step(&xs, n)).1)
        })
        .collect();
    let further: Vec<(f64, f64)> = counts
        .windows(2)
        .map(|pair| {
            let ((few, before), (many, after)) = (pair[0], pair[1]);
            let each = |a: u64, b: u64| (b as f64 - a as f64) / (many - few) as f64;
            (each(before.bytes, after.bytes), each(before.steps, after.steps))
        })
        .collect();
    let once = (6 * WIDTH * size_of::<f32>()) as f64;
    let same = |(bytes, steps): &(f64, f64)| *bytes <= further[0].0 * 1.1 + once && *steps <= further[0].1 + 0.1;
    assert!(further.iter().all(same), "{name}: bytes and steps of a further round are {further:?}");
    further[0].0
}

/// A step that takes the gradient.
fn gradient(f: impl Fn(&Tensor, usize) -> Tensor) -> impl Fn(&Tensor, usize) {
    move |xs, n| {
        let mut tape = GradientTape::new();
        tape.watch(xs);
        let y = f(xs, n);
        let dx = tape.gradient(&y, xs);
        assert_eq!(dx.shape(), xs.shape());
    }
}

/// A step that takes the gradient of the gradient's sum of squares.
fn second(f: impl Fn(&Tensor, usize) -> Tensor) -> impl Fn(&Tensor, usize) {
    move |xs, n| {
        let mut outer = GradientTape::new();
        outer.watch(xs);
        let mut inner = GradientTape::new();
        inner.watch(xs);
        let y = f(xs, n);
        let slopes = tf::reduce_sum(tf::square(inner.gradient(&y, xs)), ());
        assert_eq!(outer.gradient(&slopes, xs).shape(), xs.shape());
    }
}

/// The traced function as a function of the number of rounds.
fn traced(f: impl Fn(&Tensor, &Tensor) -> Tensor) -> impl Fn(&Tensor, usize) -> Tensor {
    move |xs, n| f(xs, &tf::constant(n as i32))
}
