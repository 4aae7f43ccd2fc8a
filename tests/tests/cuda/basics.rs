//! The ground of the CUDA backend: copies, placement, programs, reductions, memory, faults.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;

#[test]
fn elements_come_back_as_they_were_sent() {
    let Some(_gpu) = gpu() else { return };
    for n in [0, 1, 5, 1000, 40_000, 300_000] {
        let values: Vec<f32> = (0..n).map(|i| i as f32 * 0.25 - 3.0).collect();
        let there = tf::Tensor::from(values.clone()).gpu();
        assert_eq!(there.device().to_string(), "/device:GPU:0");
        assert_eq!(there.to_vec::<f32>(), values);
        assert_eq!(there.cpu().device().to_string(), "/device:CPU:0");
    }
    assert!(tf::constant(true).gpu().item::<bool>());
    assert_eq!(tf::constant([1, 2, 3]).gpu().to_string(), "[1 2 3]");
}

#[test]
fn operations_run_where_their_operands_are() {
    let Some(_gpu) = gpu() else { return };
    let x = tf::constant([[1.0, -2.0, 3.0], [0.5, 0.25, -0.125]]);
    let (here, there) = (x.clone(), x.gpu());
    let f = |x: &tf::Tensor| {
        let y = (x * 2.0 + tf::transpose(&tf::reshape(x, [3, 2]), [1, 0])).tanh();
        tf::reduce_sum(&(&y * &tf::reduce_mean(&y, 1).reshape([2, 1])), [0])
    };
    let (want, got) = (f(&here), f(&there));
    assert_eq!(got.device().to_string(), "/device:GPU:0");
    for (a, b) in want.to_vec::<f32>().iter().zip(got.to_vec::<f32>()) {
        assert!((a - b).abs() < 1e-5, "{want} {got}");
    }
}

#[test]
fn gradients_flow_on_the_device() {
    let Some(gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0");
    let w = tf::Variable::new(tf::constant([1.0, 2.0, 3.0]));
    let x = tf::constant([0.5, -1.0, 2.0]);
    if let Some(emulation) = gpu.emulation {
        emulation.reset_counters();
    }
    let tape = tf::GradientTape::new();
    let loss = tf::reduce_sum(&(&w * &x).sigmoid(), 0);
    let dw = tape.gradient(&loss, &w);
    assert_eq!(dw.device().to_string(), "/device:GPU:0");
    let got = dw.to_vec::<f32>();
    if let Some(emulation) = gpu.emulation {
        // The elements that were read, and the word of faults: nothing else came back to the host.
        let counted = emulation.counters();
        assert!(counted.launches >= 4, "{counted:?}");
        assert_eq!(counted.device_to_host, 2, "{counted:?}");
    }
    let want: Vec<f32> = [(1.0_f32, 0.5_f32), (2.0, -1.0), (3.0, 2.0)]
        .map(|(w, x)| {
            let s = 1.0 / (1.0 + (-w * x).exp());
            s * (1.0 - s) * x
        })
        .into();
    for (a, b) in want.iter().zip(got) {
        assert!((a - b).abs() < 1e-6, "{want:?} {dw}");
    }
}

#[test]
fn a_division_by_zero_names_the_line() {
    let Some(_gpu) = gpu() else { return };
    let (a, b) = (tf::constant([4, 2, 7]).gpu(), tf::constant([2, 0, 1]).gpu());
    let line = line!() + 1;
    let bad = &a / &b;
    let error = bad.try_to_vec::<i32>().unwrap_err().to_string();
    assert!(error.contains("division by zero") && error.contains(&format!("basics.rs:{line}")), "{error}");
    // The device is as good as before.
    assert_eq!((&a / 2).to_vec::<i32>(), [2, 1, 3]);
}
