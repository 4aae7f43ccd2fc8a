//! Random numbers in traced functions on a GPU: each call draws anew, also when calls are recorded and started again.
//! The numbers are those of the CPU from the same seed.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{Tensor, random::Generator, tf_function};

#[tf_function]
fn noisy(x: &Tensor, generator: &Generator) -> Tensor {
    x + generator.normal([40], 0.0, 1.0)
}

#[test]
fn recorded_draws_go_on() {
    let Some(gpu) = gpu() else { return };
    let draws = |device: &str| {
        let _there = tf::device(device);
        let (generator, x) = (Generator::from_seed(3), tf::zeros([40]));
        (0..8).map(|_| noisy(&x, &generator).to_vec::<f32>()).collect::<Vec<_>>()
    };
    let want = draws("/cpu:0");
    if let Some(emulation) = gpu.emulation {
        emulation.reset_counters();
    }
    let got = draws("/gpu:0");
    for (i, (got, want)) in got.iter().zip(&want).enumerate() {
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-5), "call {i}: {got:?} {want:?}");
    }
    if let Some(emulation) = gpu.emulation {
        assert!(emulation.counters().graph_launches >= 5, "{:?}", emulation.counters());
    }
}
