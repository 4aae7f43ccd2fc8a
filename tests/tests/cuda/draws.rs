//! Random numbers in traced functions on a GPU: each call draws anew, also when calls are recorded and started again.
//! The numbers are those of the CPU from the same seed.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::layers::Dropout;
use tf::random::{self, Generator, SeedGenerator};
use tf::{DType, Tensor, tf_function};

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

#[test]
fn classes_are_those_of_the_cpu() {
    let Some(_gpu) = gpu() else { return };
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        // Rows of one class, of less than a block, of exactly one, and of several with an end.
        for (rows, classes, samples) in [(3, 1, 4), (5, 17, 41), (2, 256, 300), (3, 1000, 500), (2, 3, 0), (0, 3, 2)] {
            let logits = (random::stateless_normal([rows, classes], [3, 4], 0.0, 1.0) * 2.0).cast(dtype);
            for seed in [tf::constant([5, -6]), tf::constant([5, -6]).gpu()] {
                for out in [DType::I32, DType::I64] {
                    let want = random::stateless_categorical(&logits, samples, [5, -6], out);
                    let got = random::stateless_categorical(logits.gpu(), samples, &seed, out);
                    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()));
                    assert_eq!(got.device().to_string(), "/device:GPU:0");
                    let [got, want] = [got, want].map(|x| x.cast(DType::I64).to_vec::<i64>());
                    assert_eq!(got, want, "{dtype} {rows} {classes}");
                }
            }
        }
    }
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let odd = Tensor::from([[nan, 1.0, -inf], [-inf, nan, inf], [inf, -inf, 1.0]]);
    let got = random::stateless_categorical(odd.gpu(), 2, [1, 2], DType::I32);
    assert_eq!(got.to_vec::<i32>(), [1, 1, 3, 3, 2, 2]);
}

#[test]
fn numbers_by_rejection_come_from_the_host() {
    let Some(_gpu) = gpu() else { return };
    let (alpha, beta) = (tf::constant([0.3, 4.0, 90.0]), tf::constant(2.0));
    let want = random::stateless_gamma([50, 3], [1, 2], &alpha, &beta).to_vec::<f32>();
    assert_eq!(random::stateless_gamma([50, 3], [1, 2], alpha.gpu(), beta.gpu()).to_vec::<f32>(), want);
    let want = random::stateless_poisson([50, 3], [1, 2], &alpha, DType::I32).to_vec::<i32>();
    assert_eq!(random::stateless_poisson([50, 3], [1, 2], alpha.gpu(), DType::I32).to_vec::<i32>(), want);
}

#[tf_function]
fn dropped(x: &Tensor, layer: &Dropout, seeds: &SeedGenerator) -> Tensor {
    layer.call_training(x, true) + random::stateless_categorical(x, 8, seeds.next(), DType::I64).cast(DType::F32)
}

#[test]
fn recorded_seeds_go_on() {
    let Some(gpu) = gpu() else { return };
    let draws = |device: &str| {
        let _there = tf::device(device);
        let (layer, seeds, x) = (Dropout::new(0.5).seed(3), SeedGenerator::new(4), tf::ones([4, 8]));
        (0..8).map(|_| dropped(&x, &layer, &seeds).to_vec::<f32>()).collect::<Vec<_>>()
    };
    let want = draws("/cpu:0");
    assert!(want.windows(2).all(|pair| pair[0] != pair[1]));
    if let Some(emulation) = gpu.emulation {
        emulation.reset_counters();
    }
    assert_eq!(draws("/gpu:0"), want);
    if let Some(emulation) = gpu.emulation {
        assert!(emulation.counters().graph_launches >= 5, "{:?}", emulation.counters());
    }
}
