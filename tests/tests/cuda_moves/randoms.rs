//! Random numbers: those of the CPU, whichever device draws them, and a state that moves on by the same rule.

use super::{alike, near};
use eagerflow::random::{self, Generator};
use eagerflow::{self as tf, DType, Tensor, tf_function};
use eagerflow_tests::cuda::watched_gpu as gpu;

const REALS: [DType; 4] = [DType::F32, DType::F64, DType::F16, DType::BF16];
const COUNTS: [isize; 6] = [0, 1, 3, 4, 1023, 20_001];

#[test]
fn stateless_numbers() {
    let Some(_gpu) = gpu() else { return };
    for n in COUNTS {
        for dtype in REALS {
            alike(format!("uniform {dtype} {n}"), || {
                random::try_stateless_uniform([n], [7, -3], -1.5, 2.25, dtype).unwrap()
            });
            let normal = || random::try_stateless_normal([n], [7, 8], 2.0, 0.5, dtype).unwrap();
            let cut = || random::try_stateless_truncated_normal([n], [1_i64 << 40, 8], -2.0, 0.5, dtype).unwrap();
            if dtype == DType::F64 {
                // Logarithm, sine and cosine of double precision are the library's of each device.
                near(format!("normal {n}"), 1e-15, normal);
                near(format!("truncated {n}"), 1e-15, cut);
            } else {
                alike(format!("normal {dtype} {n}"), normal);
                alike(format!("truncated {dtype} {n}"), cut);
            }
        }
        for dtype in [DType::I32, DType::I64, DType::U32, DType::U64] {
            let (low, high) = if matches!(dtype, DType::I32 | DType::I64) { (-7, 1000) } else { (3, 10) };
            alike(format!("integers {dtype} {n}"), || {
                random::try_stateless_uniform_int([n], [5, 6], low, high, dtype).unwrap()
            });
            alike(format!("all integers {dtype} {n}"), || random::stateless_uniform_full_int([n], [5, 6], dtype));
        }
    }
    let wide = || random::try_stateless_uniform_int([9], [5, 6], i64::MIN, i64::MAX, DType::I64).unwrap();
    alike("the widest range", wide);
}

#[test]
fn seeds_of_any_kind() {
    let Some(_gpu) = gpu() else { return };
    let draw = |seed: &Tensor| random::stateless_normal([50], seed, 0.0, 1.0);
    alike("int32", || draw(&tf::constant([-5, 9])));
    alike("int64", || draw(&tf::constant_of([-5, 9], DType::I64)));
    alike("a column", || {
        let seeds = Generator::from_seed(3).make_seeds(4);
        draw(&tf::gather(&seeds, &tf::constant(1), 1)) + draw(&tf::transpose(&seeds, []).at(2))
    });
    alike("split", || draw(&random::split([1, 2], 3).at(1)));
    alike("folded in", || draw(&random::fold_in([1, 2], &tf::constant(4))));
    alike("order", || random::stateless_shuffle(&tf::range(0.0, 100.0, 1.0), [1, 2]));
}

#[test]
fn generators_move_on() {
    let Some(_gpu) = gpu() else { return };
    for words in [[1234, 0, 0], [-1, -1, 77], [-200, 5, i64::MIN]] {
        alike(format!("{words:?}"), || {
            let generator = Generator::from_state(words);
            let a = generator.normal([33], 1.0, 2.0);
            let b = generator.truncated_normal([7, 3], 0.0, 1.0);
            generator.skip(11);
            let c = generator.uniform([5], -1.0, 1.0);
            let d = tf::cast(generator.uniform_int([6], 0, 100), DType::F32);
            let flat = [&a, &b.reshape([21]), &c, &d].map(Tensor::clone);
            // The state itself, in pieces that are exact.
            let state = generator.state();
            let low = tf::cast(tf::floormod(&state, 65_536), DType::F32);
            tf::concat(&[&flat[0], &flat[1], &flat[2], &flat[3], &low], 0)
        });
    }
}

/// A state on the device moves on there, by the same rule.
#[test]
fn states_on_the_device() {
    let Some(gpu) = gpu() else { return };
    for words in [[1234, 0, 0], [-1, -1, 77], [-200, 5, i64::MIN]] {
        let draw = |device: &str| {
            let _there = tf::device(device);
            let generator = Generator::from_seed(1);
            generator.reset(&Tensor::from(words)).unwrap();
            if let Some(emulation) = gpu.emulation {
                emulation.reset_counters();
            }
            let all = [
                generator.normal([33], 1.0, 2.0),
                generator.truncated_normal([7, 3], 0.0, 1.0),
                generator.uniform([0], -1.0, 1.0),
                generator.uniform([5], -1.0, 1.0),
                tf::cast(generator.uniform_int([6], 0, 100), DType::F32),
            ];
            if let Some(emulation) = gpu.emulation {
                assert_eq!(emulation.counters().device_to_host, 0);
            }
            let lies_there = generator.state().device().to_string().contains("GPU");
            assert_eq!(lies_there, device == "/gpu:0");
            generator.skip(5);
            (
                all.map(|x| x.to_vec::<f32>()),
                generator.state().to_vec::<i64>(),
                generator.normal([9], 0.0, 1.0).to_vec::<f32>(),
            )
        };
        assert_eq!(draw("/cpu:0"), draw("/gpu:0"), "{words:?}");
    }
}

#[tf_function]
fn noisy(x: &Tensor, generator: &Generator) -> Tensor {
    x + generator.normal([4, 3], 0.0, 1.0) * generator.uniform([3], 1.0, 2.0)
}

/// Calls that are captured draw anew each time, and leave the state where calls one by one would.
#[test]
fn captured_draws() {
    let Some(_gpu) = gpu() else { return };
    let [here, there] = ["/cpu:0", "/gpu:0"].map(|device| {
        let _there = tf::device(device);
        let (generator, x) = (Generator::from_seed(7), tf::ones([4, 3]));
        let mut all: Vec<Vec<f32>> = (0..6).map(|_| noisy(&x, &generator).to_vec::<f32>()).collect();
        all.push(generator.uniform([5], 0.0, 1.0).to_vec::<f32>());
        all.extend((0..2).map(|_| noisy(&x, &generator).to_vec::<f32>()));
        (all, generator.state().to_vec::<i64>())
    });
    assert_eq!(here.1, there.1);
    for (call, (a, b)) in here.0.iter().zip(&there.0).enumerate() {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "call {call}: {a:?} {b:?}");
    }
}

#[test]
fn the_global_stream() {
    let Some(_gpu) = gpu() else { return };
    alike("after set_seed", || {
        random::set_seed(42);
        let x = random::uniform([100], 0.0, 1.0) + random::normal([100], 0.0, 1.0);
        let kept = tf::dropout(&x, 0.4, true);
        random::shuffle(&kept)
    });
}

/// Exchanges that share places wait for each other: orders are the CPU's, also where nearly all do.
#[test]
fn orders() {
    let Some(_gpu) = gpu() else { return };
    for n in [0, 1, 2, 3, 5, 64, 1023, 1024, 1025, 5000] {
        for seed in [[0, 0], [5, 6], [-7, 1_i64 << 40]] {
            alike(format!("{n} {seed:?}"), || random::stateless_shuffle(&tf::range(0.0, n as f32, 1.0), seed));
        }
    }
}

#[tf_function]
fn mixed(x: &Tensor, generator: &Generator) -> Tensor {
    let order = random::shuffle(x);
    generator.skip(3);
    order * generator.uniform([40], 1.0, 2.0)
}

/// Functions that shuffle are captured, and draw another order in each call.
#[test]
fn captured_orders() {
    let Some(gpu) = gpu() else { return };
    let [here, there] = ["/cpu:0", "/gpu:0"].map(|device| {
        let _there = tf::device(device);
        random::set_seed(11);
        let (generator, x) = (Generator::from_seed(7), tf::range(0.0, 40.0, 1.0));
        if let Some(emulation) = gpu.emulation {
            emulation.reset_counters();
        }
        let all: Vec<Vec<f32>> = (0..8).map(|_| mixed(&x, &generator).to_vec::<f32>()).collect();
        if let Some(emulation) = gpu.emulation.filter(|_| device == "/gpu:0") {
            assert!(emulation.counters().graph_launches >= 4, "{:?}", emulation.counters());
        }
        (all, generator.state().to_vec::<i64>())
    });
    assert_eq!(here, there);
    assert!((1..8).all(|call| here.0[call] != here.0[call - 1]));
}
