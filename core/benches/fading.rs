//! What a layer costs in deep networks whose activations fade until they are denormal: `cargo bench -p eagerflow --bench fading`.
//! Prints microseconds per layer at several depths, which must stay level, and how many steps of a measured call met denormal numbers.

use eagerflow as tf;
use std::time::{Duration, Instant};
use tf::{GradientTape, Tensor, tf_function};

const WIDTH: usize = 128;
const BATCH: usize = 32;
/// By how much a layer makes activations smaller: they fall below 1.2e-38 behind some 54 layers.
const FADING: f32 = 0.2;

fn network(x: &Tensor, layers: &[Tensor]) -> Tensor {
    let mut y = x.clone();
    for w in layers {
        y = tf::relu(y.matmul(w));
    }
    tf::reduce_sum(y, ())
}

#[tf_function]
fn traced(x: &Tensor, layers: &[Tensor]) -> Tensor {
    network(x, layers)
}

fn with_gradients(x: &Tensor, layers: &[Tensor]) {
    let mut tape = GradientTape::new();
    layers.iter().for_each(|w| tape.watch(w));
    let y = network(x, layers);
    drop(tape.gradient(&y, &layers.to_vec()));
}

/// The fastest of many calls.
fn fastest(mut run: impl FnMut()) -> Duration {
    (0..60)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn main() {
    println!("{:>6} {:>10} {:>10} {:>10}   us per layer", "layers", "eager", "traced", "gradients");
    for depth in [30, 50, 55, 60, 65, 70, 100] {
        let scale = FADING * (2.0 / WIDTH as f32).sqrt();
        let layer = |i: usize| tf::random::stateless_normal([WIDTH, WIDTH], [i as i64, 1], 0.0, 1.0) * scale;
        let layers: Vec<Tensor> = (0..depth).map(layer).collect();
        let x = tf::random::stateless_normal([BATCH, WIDTH], [7_i64, 7], 0.0, 1.0);
        let each = |time: Duration| time.as_secs_f64() * 1e6 / depth as f64;
        let eager = each(fastest(|| drop(network(&x, &layers))));
        let graph = each(fastest(|| drop(traced(&x, &layers))));
        let gradients = each(fastest(|| with_gradients(&x, &layers)));
        println!("{depth:>6} {eager:>10.2} {graph:>10.2} {gradients:>10.2}");
        if depth == 70 {
            tf::profile(|| traced(&x, &layers));
            let plan = tf::function(traced).plan().unwrap_or_default();
            println!("       {} steps of a call met denormal numbers", plan.matches("[denormal").count());
        }
    }
}
