//! Gradients of order one and two against central differences in f64.
//! Tests of operations with rules of their own call [`check`].

use crate as tf;
use crate::{GradientTape, Tensor};

/// Numbers without ties or order, the same at every run.
pub(crate) fn numbers(seed: u64, shape: &[usize]) -> Tensor {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    let count = shape.iter().product();
    Tensor::try_from_vec((0..count).map(|_| next()).collect::<Vec<f64>>(), shape.to_vec()).unwrap()
}

type Function<'a> = &'a dyn Fn(&[Tensor]) -> Tensor;

/// A sum of the function's results with weights that tell them apart.
fn weighted(f: Function<'_>, inputs: &[Tensor]) -> Tensor {
    let y = f(inputs);
    let weights = numbers(97, y.shape().dims());
    tf::reduce_sum(&y * &weights, ())
}

/// The gradient's entries with weights, as a scalar function again.
fn slope(f: Function<'_>, inputs: &[Tensor]) -> Tensor {
    let mut sum = Tensor::from(0.0f64);
    for (i, x) in inputs.iter().enumerate() {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = f(inputs);
        if let Some(dx) = tape.gradient_or_none(&y, x) {
            let weights = numbers(31 + i as u64, dx.shape().dims());
            sum = &sum + &tf::reduce_sum(&dx * &weights, ());
        }
    }
    sum
}

fn first_order(f: Function<'_>, inputs: &[Tensor], what: &str) {
    const STEP: f64 = 1e-5;
    for (i, x) in inputs.iter().enumerate() {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = f(inputs);
        let ours = tape.gradient_or_none(&y, x).map(|dx| dx.to_vec::<f64>());
        let values = x.to_vec::<f64>();
        for at in 0..values.len() {
            let moved = |by: f64| {
                let mut values = values.clone();
                values[at] += by;
                let mut inputs = inputs.to_vec();
                inputs[i] = Tensor::try_from_vec(values, x.shape().dims().to_vec()).unwrap();
                f(&inputs).item::<f64>()
            };
            let near = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let ours = ours.as_ref().map_or(0.0, |dx| dx[at]);
            let room = 2e-6 * (1.0 + near.abs());
            assert!((ours - near).abs() <= room, "{what}, input {i}, element {at}: {ours} for {near}");
        }
    }
}

/// Compares the gradients of `f` with differences, and the gradients of those gradients.
pub(crate) fn check(f: Function<'_>, inputs: &[Tensor]) {
    let once: Function<'_> = &|x| weighted(f, x);
    first_order(once, inputs, "order 1");
    first_order(&|x| slope(once, x), inputs, "order 2");
}
