//! Branches and loops of traced functions as nodes of CUDA graphs: a call starts one graph and reads nothing back, whatever
//! the device decides on its way. Results are those of the CPU; the emulation's counters are the proof.

use eagerflow as tf;
use eagerflow_tests::cuda::{Gpu, gpu};
use tf::{GradientTape, Tensor, Variable, random::Generator, tf_function};

/// Calls before one is captured, and calls of each test.
const WARM: u64 = 3;
const CALLS: usize = 9;

fn numbers(n: usize, seed: f32) -> Tensor {
    Tensor::from((0..n).map(|i| (i as f32 * 0.37 + seed).sin() * 2.0).collect::<Vec<_>>())
}

fn values(tensors: &[Tensor]) -> Vec<Vec<f64>> {
    tensors.iter().map(|t| t.cast(tf::DType::F64).to_vec::<f64>()).collect()
}

/// Calls a function on the state that `make` gives, on the CPU and on the GPU; results, and the state afterwards, agree. Gives
/// how many graphs were started.
fn agree<S>(
    gpu: &Gpu,
    make: &dyn Fn() -> S,
    call: &dyn Fn(&S, usize) -> Vec<Tensor>,
    after: &dyn Fn(&S) -> Vec<Tensor>,
) -> u64 {
    let run = |device: &str| {
        let _there = tf::device(device).unwrap();
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

/// Counts its calls, and keeps what it has seen above zero and below apart.
#[tf_function]
fn keep(up: &Variable, down: &Variable, count: &Variable, x: &Tensor) -> Tensor {
    if tf::reduce_sum(x, 0) > 0.0 {
        up.assign_add(x);
        count.assign_add(tf::constant(1));
    } else {
        let before = down.value();
        down.assign(&before * 0.5 + x);
        let mut left = count.value();
        while &left > 0 {
            down.assign_sub(&before * 0.125);
            left = left - 1;
        }
    }
    up.value() - down.value()
}

#[test]
fn variables_change_in_the_branch_that_runs_alone() {
    let Some(gpu) = gpu() else { return };
    let make = || (Variable::new(numbers(9, 0.0)), Variable::new(numbers(9, 2.0)), Variable::new(tf::constant(0)));
    let call = |(up, down, count): &(Variable, Variable, Variable), i: usize| {
        vec![keep(up, down, count, &numbers(9, i as f32 * 1.3))]
    };
    let after = |(up, down, count): &(Variable, Variable, Variable)| vec![up.value(), down.value(), count.value()];
    assert_eq!(agree(&gpu, &make, &call, &after), (CALLS - 1) as u64 - WARM);
}

#[tf_function]
fn draws(x: &Tensor, generator: &Generator) -> Tensor {
    let mut y = x + generator.normal([6], 0.0, 1.0);
    if tf::reduce_sum(x, 0) > 0.0 {
        y = y + generator.uniform([6], 0.0, 1.0);
    }
    while tf::reduce_max(&y, 0) < 3.0 {
        y = y + generator.uniform([6], 0.0, 1.0);
    }
    y * generator.uniform([6], 0.0, 1.0)
}

#[test]
fn random_numbers_go_on_by_what_was_drawn() {
    let Some(gpu) = gpu() else { return };
    let call = |generator: &Generator, i: usize| vec![draws(&numbers(6, i as f32), generator)];
    let started = agree(&gpu, &|| Generator::from_seed(5), &call, &|g: &Generator| vec![g.uniform([3], 0.0, 1.0)]);
    assert_eq!(started, (CALLS - 1) as u64 - WARM);
}

#[tf_function]
fn train(w: &Variable, x: &Tensor) -> (Tensor, Tensor) {
    let tape = GradientTape::new();
    let z = w * x;
    let y = if tf::reduce_sum(&z, 0) > 0.0 {
        let scale = if tf::reduce_max(&z, 0) > 2.0 { z.sigmoid() } else { z.tanh() };
        tf::reduce_sum(z.exp() * scale, 0)
    } else {
        tf::reduce_sum(z.square() * w, 0)
    };
    let dw = tape.gradient(&y, w);
    w.assign_sub(&dw * 0.01);
    (y, dw)
}

#[test]
fn gradients_go_through_branches() {
    let Some(gpu) = gpu() else { return };
    let call = |w: &Variable, i: usize| {
        let (y, dw) = train(w, &numbers(15, i as f32 * 0.9));
        vec![y, dw]
    };
    let started = agree(&gpu, &|| Variable::new(numbers(15, 0.7)), &call, &|w: &Variable| vec![w.value()]);
    assert_eq!(started, (CALLS - 1) as u64 - WARM, "{}", tf::function(train).plan().unwrap());
}

/// A recurrence over the rows of a tensor, with all its states: how many rounds there are follows from the shape.
#[tf_function]
fn recurrence(w: &Variable, rows: &Tensor) -> (Tensor, Tensor) {
    let tape = GradientTape::new();
    let mut state = rows.at(0) * 0.0;
    let mut states = Vec::new();
    for row in rows {
        state = (w * &state + row).tanh();
        states.push(state.clone());
    }
    let all = tf::stack(&states, 0);
    let loss = tf::reduce_sum(all.square(), ());
    let dw = tape.gradient(&loss, w);
    w.assign_sub(&dw * 0.05);
    (loss, all)
}

#[test]
fn a_loop_over_rows_is_captured_with_its_gradient() {
    let Some(gpu) = gpu() else { return };
    let call = |w: &Variable, i: usize| {
        let (loss, all) = recurrence(w, &tf::reshape(&numbers(28, i as f32), [7, 4]));
        vec![loss, all]
    };
    let started = agree(&gpu, &|| Variable::new(numbers(4, 0.3)), &call, &|w: &Variable| vec![w.value()]);
    assert_eq!(started, (CALLS - 1) as u64 - WARM, "{}", tf::function(recurrence).plan().unwrap());
}

/// How many rounds there are only the device knows, and the gradient wants a value of each.
#[tf_function]
fn unknown_rounds(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x.clone();
    while tf::reduce_max(&y, 0) < 4.0 {
        y = &y * &y + 0.5;
    }
    tape.gradient(&y, x)
}

#[test]
fn what_is_not_captured_says_why() {
    let Some(gpu) = gpu() else { return };
    let started = agree(&gpu, &|| (), &|(), i| vec![unknown_rounds(&numbers(5, i as f32))], &|()| Vec::new());
    let plan = tf::function(unknown_rounds).plan().unwrap();
    assert!(plan.contains("not as one CUDA graph") && plan.contains("a loop of known length"), "{plan}");
    if gpu.emulation.is_some() {
        assert_eq!(started, 0);
    }
}

#[tf_function]
fn clamp_loop(x: &Tensor) -> Tensor {
    let mut x = x.clone();
    while tf::reduce_max(&x, 0) > 0.5 {
        if tf::reduce_min(&x, 0) < -0.5 {
            x = &x * 0.5;
        } else {
            x = &x - 0.25;
        }
    }
    x
}

#[test]
fn drivers_have_nodes_by_their_version() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    // An else needs a node of its own before 12.8.
    emulation.set_version((12, 4));
    let call = |i: usize| vec![clamp_loop(&numbers(12, i as f32))];
    let started = agree(&gpu, &|| (), &|(), i| call(i), &|()| Vec::new());
    assert_eq!(started, (CALLS - 1) as u64 - WARM);
    tf::function(clamp_loop).clear();
    emulation.set_version((12, 3));
    let started = agree(&gpu, &|| (), &|(), i| call(i), &|()| Vec::new());
    emulation.set_version((13, 0));
    assert_eq!(started, 0);
    let plan = tf::function(clamp_loop).plan().unwrap();
    assert!(plan.contains("a driver for CUDA 12.3") && plan.contains("12.4 or later"), "{plan}");
}

#[tf_function]
fn formula(a: &Tensor, b: &Tensor) -> Tensor {
    tf::matmul(a, b).tanh() + tf::reduce_sum(a, ())
}

#[test]
fn other_threads_may_take_memory_meanwhile() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let Some(gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0").unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _there = tf::device("/gpu:0").unwrap();
            let mut size = 1 << 10;
            while !done.load(Ordering::Relaxed) {
                // Larger each time, so that the driver is asked.
                drop(tf::zeros([size]) + 1.0);
                tf::config::trim_memory("/gpu:0").unwrap();
                size = (size * 2) % (1 << 24) + 1;
            }
        });
        for n in 1..6 {
            let (a, b) = (tf::ones([n, 2]), tf::ones([2, 3]));
            let before = gpu.emulation.map(|emulation| emulation.counters().graph_launches);
            let want = 2f32.tanh() + 2.0 * n as f32;
            for _ in 0..6 {
                assert!(formula(&a, &b).to_vec::<f32>().iter().all(|x| (x - want).abs() < 1e-4));
            }
            if let Some((emulation, before)) = gpu.emulation.zip(before) {
                assert_eq!(emulation.counters().graph_launches - before, 3, "shape {n}");
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}
