//! `tf::device` inside traced functions: operations run where the guard asked in every call, clusters stay on one device, and a
//! graph of several devices is not captured.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{GradientTape, Tensor, tf_function};

#[tf_function]
fn mixed(x: &Tensor) -> (Tensor, Tensor, Tensor) {
    let before = (x * 2.0 + 1.0).tanh();
    let here = {
        let _cpu = tf::device("/cpu:0");
        (&before * 3.0).exp() + 0.5
    };
    let behind = (&here - 1.0).square() * 0.25;
    (before, here, behind)
}

fn formula(x: f32) -> [f32; 3] {
    let before = (x * 2.0 + 1.0).tanh();
    let here = (before * 3.0).exp() + 0.5;
    [before, here, (here - 1.0) * (here - 1.0) * 0.25]
}

fn name(tensor: &Tensor) -> String {
    tensor.device().to_string()
}

#[test]
fn operations_run_where_a_guard_of_the_function_asks() {
    let Some(gpu) = gpu() else { return };
    let numbers = [0.25, -1.5, 0.75];
    let x = tf::constant(numbers).gpu();
    for call in 0..6 {
        if let Some(emulation) = gpu.emulation {
            emulation.reset_counters();
        }
        let (before, here, behind) = mixed(&x);
        // The last runs on the default device again.
        assert_eq!([&before, &here, &behind].map(name), ["/device:GPU:0", "/device:CPU:0", "/device:GPU:0"]);
        let got = [before, here, behind].map(|t| t.to_vec::<f32>());
        for (i, &x) in numbers.iter().enumerate() {
            for (got, want) in got.iter().zip(formula(x)) {
                assert!((got[i] - want).abs() < 1e-5 * want.abs().max(1.0), "call {call}: {got:?}");
            }
        }
        if let Some(emulation) = gpu.emulation {
            // One kernel in front of the CPU's part and one behind it, and nothing captured.
            let counted = emulation.counters();
            assert_eq!((counted.launches, counted.graph_launches), (2, 0), "{counted:?}");
        }
    }
    // The guard inside counts for more than the one around the call.
    let _cpu = tf::device("/cpu:0");
    let (before, here, behind) = mixed(&x);
    assert_eq!([&before, &here, &behind].map(name), ["/device:CPU:0"; 3]);
}

#[tf_function]
fn there(x: &Tensor, device: &str) -> (Tensor, Tensor) {
    let _there = tf::device(device);
    let y = x * 2.0;
    (&y + 1.0, y.to_device("/cpu:0").unwrap())
}

#[test]
fn a_guard_for_a_gpu_counts_on_the_cpu_too() {
    let Some(gpu) = gpu() else { return };
    let _cpu = tf::device("/cpu:0");
    let x = tf::constant([1.0, 2.0]);
    for _ in 0..6 {
        let (a, b) = there(&x, "/gpu:0");
        assert_eq!([&a, &b].map(name), ["/device:GPU:0", "/device:CPU:0"]);
        assert_eq!((a.to_vec::<f32>(), b.to_vec::<f32>()), (vec![3.0, 5.0], vec![2.0, 4.0]));
    }
    if let Some(emulation) = gpu.emulation {
        emulation.reset_counters();
        let (a, b) = there(&x, "/cpu:0");
        assert_eq!([&a, &b].map(name), ["/device:CPU:0"; 2]);
        assert_eq!(emulation.counters().launches, 0);
    }
}

#[tf_function]
fn all_there(x: &Tensor) -> Tensor {
    let _gpu = tf::device("/gpu:0");
    tf::reduce_sum(&(x * x), 0)
}

#[test]
fn a_graph_of_one_gpu_is_captured() {
    let Some(gpu) = gpu() else { return };
    let x = tf::constant([1.0, 2.0, 3.0]).gpu();
    if let Some(emulation) = gpu.emulation {
        emulation.reset_counters();
    }
    (0..6).for_each(|_| assert_eq!(all_there(&x).item::<f32>(), 14.0));
    if let Some(emulation) = gpu.emulation {
        assert!(emulation.counters().graph_launches >= 2, "{:?}", emulation.counters());
    }
}

#[tf_function]
fn slope(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = {
        let _cpu = tf::device("/cpu:0");
        x * x * x
    };
    let y = if tf::reduce_sum(&y, 0) > 0.0 { y * 2.0 } else { y };
    tape.gradient(&y, x)
}

#[test]
fn gradients_cross_devices() {
    let Some(_gpu) = gpu() else { return };
    let x = tf::constant([1.0, 2.0]).gpu();
    for _ in 0..5 {
        assert_eq!(slope(&x).to_vec::<f32>(), [6.0, 24.0]);
        assert_eq!(slope(&-&x).to_vec::<f32>(), [3.0, 12.0]);
    }
    // From outside as well: the walk backwards has the devices of the walk forth.
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let (_, _, y) = mixed(&x);
    let got = tape.gradient(&y, &x).to_vec::<f32>();
    for (got, x) in got.iter().zip([1.0f32, 2.0]) {
        let [before, here, _] = formula(x);
        let want = (here - 1.0) * 0.5 * (here - 0.5) * 3.0 * (1.0 - before * before) * 2.0;
        assert!((got - want).abs() < 1e-4 * want.abs().max(1.0), "{got} {want}");
    }
}

#[tf_function]
fn printed(x: &Tensor) -> Tensor {
    let before = (x * 2.0).tanh();
    let here = {
        let _cpu = tf::device("/cpu:0");
        (&before * 3.0).exp() + 0.5
    };
    (&here - 1.0).square() * 0.25
}

#[test]
fn printed_graphs_show_devices() {
    let Some(_gpu) = gpu() else { return };
    let x = tf::constant([0.5]).gpu();
    printed(&x);
    let graph = tf::function(printed).graph().unwrap();
    let of = |op: &str| {
        graph.lines().filter(|l| l.contains(op)).map(|l| l.contains(" on /device:CPU:0")).collect::<Vec<_>>()
    };
    assert_eq!((of("exp("), of("tanh("), of("square(")), (vec![true], vec![false], vec![false]), "{graph}");
}
