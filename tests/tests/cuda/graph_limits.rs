//! What is not captured, and says why; drivers of several versions; other threads while a call is captured.
//! Compared with the CPU as in `graphs`.

use super::graphs::{CALLS, WARM, agree, numbers};
use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{GradientTape, Tensor, Variable, tf_function};

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

/// Nothing is queued where the condition does not hold.
#[tf_function]
fn counted(x: &Tensor, count: &Variable) {
    if tf::reduce_sum(x, ()) > 0.0 {
        count.assign_add(1.0);
    }
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
    // Such a driver hangs in an empty body, and the emulated one says so.
    let count = |v: &Variable, i: usize| {
        counted(&(numbers(12, i as f32) - 0.1), v);
        Vec::new()
    };
    let started = agree(&gpu, &|| Variable::new(0.0), &count, &|v| vec![v.value()]);
    assert_eq!(started, (CALLS - 1) as u64 - WARM);
    emulation.set_version((12, 3));
    let started = agree(&gpu, &|| (), &|(), i| call(i), &|()| Vec::new());
    emulation.set_version((13, 0));
    assert_eq!(started, 0);
    let plan = tf::function(clamp_loop).plan().unwrap();
    assert!(plan.contains("a driver of CUDA 12.3") && plan.contains("12.4 or later"), "{plan}");
}

#[tf_function]
fn formula(a: &Tensor, b: &Tensor) -> Tensor {
    tf::matmul(a, b).tanh() + tf::reduce_sum(a, ())
}

#[test]
fn other_threads_may_take_memory_meanwhile() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let Some(gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _there = tf::device("/gpu:0");
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

/// Newton's way to a square root, on numbers.
#[tf_function]
fn root(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while (&y * &y - x).abs() > 1e-3 {
        y = (&y + x / &y) * 0.5;
    }
    y
}

#[test]
fn loops_over_numbers_of_the_host_stay_there() {
    let Some(gpu) = gpu() else { return };
    let before = gpu.emulation.map(|emulation| emulation.counters());
    for call in 0..CALLS {
        let x = 2.0 + call as f32;
        assert!((root(&tf::constant(x)).item::<f32>() - x.sqrt()).abs() < 1e-2);
    }
    let plan = tf::function(root).plan().unwrap();
    assert!(plan.contains("a loop over numbers of the host"), "{plan}");
    if let Some((emulation, before)) = gpu.emulation.zip(before) {
        assert_eq!(emulation.counters().graph_launches, before.graph_launches);
        assert_eq!(emulation.counters().launches, before.launches, "no kernel is worth it");
    }
}
