//! Branches and loops of traced functions as nodes of CUDA graphs: a call starts one graph and reads nothing back, whatever
//! the device decides on its way. Results are those of the CPU; the emulation's counters are the proof.

use eagerflow as tf;
use eagerflow_tests::cuda::{Gpu, gpu};
use tf::{Tensor, tf_function};

/// Calls before one is captured, and calls of each test.
pub const WARM: u64 = 3;
pub const CALLS: usize = 9;

pub fn numbers(n: usize, seed: f32) -> Tensor {
    Tensor::from((0..n).map(|i| (i as f32 * 0.37 + seed).sin() * 2.0).collect::<Vec<_>>())
}

fn values(tensors: &[Tensor]) -> Vec<Vec<f64>> {
    tensors.iter().map(|t| t.cast(tf::DType::F64).to_vec::<f64>()).collect()
}

/// Calls a function on the state that `make` gives, on the CPU and on the GPU; results, and the state afterwards, agree. Gives
/// how many graphs were started.
pub fn agree<S>(
    gpu: &Gpu,
    make: &dyn Fn() -> S,
    call: &dyn Fn(&S, usize) -> Vec<Tensor>,
    after: &dyn Fn(&S) -> Vec<Tensor>,
) -> u64 {
    let run = |device: &str| {
        let _there = tf::device(device);
        let state = make();
        let mut results: Vec<Tensor> = (0..WARM as usize).flat_map(|i| call(&state, i)).collect();
        // The fourth call captures; the others must not even compile.
        results.extend(call(&state, WARM as usize));
        tf::config::synchronize("/gpu:0").unwrap();
        let before = gpu.emulation.map(|emulation| emulation.counters());
        results.extend((WARM as usize + 1..CALLS).flat_map(|i| call(&state, i)));
        let counted = gpu.emulation.zip(before).map(|(emulation, before)| {
            // Streams are lazy: what was queued runs now, behind one wait that also reads the word of faults.
            tf::config::synchronize("/gpu:0").unwrap();
            let now = emulation.counters();
            let started = now.graph_launches - before.graph_launches;
            if started > 0 {
                assert_eq!(now.device_to_host - before.device_to_host, 1, "the host reads");
                assert_eq!(now.synchronizations - before.synchronizations, 1, "the host waits");
                assert_eq!(now.module_loads, before.module_loads, "a kernel is compiled");
            }
            started
        });
        results.extend(after(&state));
        (values(&results), counted)
    };
    let ((want, _), (got, started)) = (run("/cpu:0"), run("/gpu:0"));
    assert_eq!(got.len(), want.len());
    for (i, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_eq!(got.len(), want.len());
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
        assert!(got.iter().zip(want).all(near), "result {i}: {got:?} {want:?}");
    }
    // On a real device nothing is counted.
    started.unwrap_or((CALLS - 1) as u64 - WARM)
}

/// As [`agree`] without state, all calls captured.
fn captured(call: &dyn Fn(usize) -> Vec<Tensor>) {
    let Some(gpu) = gpu() else { return };
    let started = agree(&gpu, &|| (), &|(), i| call(i), &|()| Vec::new());
    assert_eq!(started, (CALLS - 1) as u64 - WARM, "each call starts one graph");
}

#[tf_function]
fn choose(x: &Tensor) -> Tensor {
    let mut y = x * 2.0;
    if tf::reduce_sum(x, 0) > 0.0 {
        y = y * x;
    } else {
        y = y - 1.0;
    }
    y + 1.0
}

#[test]
fn a_branch_is_a_node() {
    captured(&|i| vec![choose(&numbers(50, i as f32))]);
    if gpu().is_some() {
        let plan = tf::function(choose).plan().unwrap();
        assert!(plan.contains("one CUDA graph") && plan.contains("1 branch"), "{plan}");
    }
}

#[tf_function]
fn nested(x: &Tensor, y: &Tensor) -> (Tensor, Tensor) {
    let mut z = x.clone();
    let mut n = tf::constant(0);
    if x > y {
        n = n + 1;
        if x > 10.0 {
            z = z - y;
            n = n + 1;
        }
        z = z * 2.0;
    } else {
        let w = if y > 10.0 { y * x } else { y + x };
        z = w.tanh() + z;
    }
    (z, n)
}

#[test]
fn branches_in_branches() {
    let rows = [(1.0f32, 2.0f32), (20.0, 2.0), (3.0, 2.0), (1.0, 20.0)];
    captured(&|i| {
        let (x, y) = rows[i % 4];
        let (z, n) = nested(&tf::constant(x), &tf::constant(y));
        vec![z, n]
    });
}

#[tf_function]
fn shrink(x: &Tensor, limit: &Tensor) -> (Tensor, Tensor) {
    let mut x = x.clone();
    let mut rounds = tf::constant(0);
    while tf::reduce_max(x.abs(), 0) > limit {
        x = x * 0.5;
        rounds = rounds + 1;
    }
    (x, rounds)
}

#[test]
fn a_loop_is_a_node() {
    captured(&|i| {
        let (x, rounds) = shrink(&numbers(33, 0.5), &tf::constant([0.01f32, 5.0, 0.3][i % 3]));
        vec![x, rounds]
    });
    if gpu().is_some() {
        let plan = tf::function(shrink).plan().unwrap();
        assert!(plan.contains("one CUDA graph") && plan.contains("1 loop"), "{plan}");
    }
}

#[tf_function]
fn wander(x: &Tensor, rounds: &Tensor) -> (Tensor, Tensor) {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while &i < rounds {
        if tf::reduce_sum(&x, 0) > 0.0 {
            x = &x * 0.5 - 0.3;
        } else {
            x = &x + 1.0;
        }
        i = i + 1;
    }
    (x, i)
}

#[test]
fn a_branch_in_a_loop() {
    captured(&|i| {
        let (x, n) = wander(&numbers(9, 0.5), &tf::constant([6, 0, 1, 13][i % 4]));
        vec![x, n]
    });
}

#[tf_function]
fn settle(x: &Tensor) -> Tensor {
    let mut x = x.clone();
    if tf::reduce_sum(&x, 0) > 0.0 {
        let mut left = tf::reduce_sum(&x, 0);
        while &left > 1.0 {
            x = &x * 0.9;
            left = tf::reduce_sum(&x, 0);
        }
    } else {
        x = x - 7.0;
    }
    x
}

#[test]
fn a_loop_in_a_branch() {
    captured(&|i| vec![settle(&numbers(21, i as f32 * 0.8))]);
}

#[tf_function]
fn exchange(a: &Tensor, b: &Tensor, most: &Tensor) -> (Tensor, Tensor, Tensor) {
    let (mut a, mut b) = (a.clone(), b.clone());
    let mut turned = tf::reshape(&a, [2, 3]);
    while tf::reduce_max(&b, 0) < most {
        let next = &a + &b;
        turned = tf::reshape(tf::transpose(tf::reshape(&b, [2, 3]), [1, 0]), [2, 3]);
        a = b;
        b = next;
    }
    (a, b, turned)
}

#[test]
fn a_loop_may_exchange_what_it_carries() {
    captured(&|i| {
        let (a, b, c) = exchange(&numbers(6, 0.1), &numbers(6, 1.3), &tf::constant([50.0f32, 1.0, 300.0][i % 3]));
        vec![a, b, c]
    });
}

#[tf_function]
fn first_above(x: &Tensor, limit: &Tensor) -> Tensor {
    if tf::reduce_max(x, 0) < limit {
        return x * 0.0;
    }
    let mut sum = tf::constant(0.0);
    let mut i = tf::constant(0);
    while &i < 40 {
        let at = &i % 20;
        let next = x.at(&at);
        i = i + 1;
        if &next < 0.0 {
            continue;
        }
        sum = sum + &next;
        if &sum > limit {
            break;
        }
    }
    x + sum
}

#[test]
fn returns_breaks_and_continues() {
    captured(&|i| vec![first_above(&numbers(20, i as f32), &tf::constant([1.0f32, 7.0, 500.0, 1.9][i % 4]))]);
}
