//! What fails on a GPU names the user's line, whoever watches; what is made under a guard lies there; full memory says how full.

use eagerflow as tf;
use eagerflow_tests::cuda::{gpu, shares_segments};
use tf::{DType, ForwardAccumulator, GradientTape, Tensor, Variable, tf_function};

#[test]
fn under_a_tape_too() {
    let Some(_gpu) = gpu() else { return };
    let (four, zero) = (tf::constant([4, 2]).gpu(), tf::constant([2, 0]).gpu());
    let (table, rows) = (tf::constant([[1.0, 2.0], [3.0, 4.0]]).gpu(), tf::constant([0, 7]).gpu());
    let logits = tf::constant([[1.0, 2.0]]).gpu();
    let wrong = tf::constant([9]).gpu();
    let here = |line: u32| format!("{}:{line}:", file!());
    for watched in [false, true] {
        let mut tape = GradientTape::new();
        let mut forward = None;
        if watched {
            tape.watch(&table);
            forward = Some(ForwardAccumulator::new(&table, &table));
        }
        let line = line!() + 1;
        let quotient = &four / &zero;
        let error = quotient.try_to_vec::<i32>().unwrap_err().to_string();
        assert!(error.contains(&here(line)), "{error}");
        let line = line!() + 1;
        let gathered = tf::gather(&table, &rows, 0);
        let error = gathered.try_to_vec::<f32>().unwrap_err().to_string();
        assert!(error.contains(&here(line)), "{error}");
        let line = line!() + 1;
        let loss = tf::nn::sparse_softmax_cross_entropy_with_logits(&wrong, &logits);
        let error = loss.try_to_vec::<f32>().unwrap_err().to_string();
        assert!(error.contains(&here(line)), "{error}");
        drop(forward);
    }
}

#[test]
fn constants_and_variables_are_made_where_a_guard_asks() {
    let Some(gpu) = gpu() else { return };
    let there = tf::constant([1.0; 1000]).gpu();
    let _guard = tf::device("/gpu:0");
    let name = |tensor: &Tensor| tensor.device().to_string();
    let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
    let variable = Variable::new(vec![1.0f32; 1000]);
    assert_eq!([&x, &tf::constant_of([1, 2], DType::F64), &variable.value()].map(name), ["/device:GPU:0"; 3]);
    // Numbers, indices and truth values stay with the host, which they are for.
    assert_eq!([&tf::constant(2.0), &tf::constant([1, 2]), &tf::constant([true])].map(name), ["/device:CPU:0"; 3]);
    if let Some(emulation) = gpu.emulation {
        tf::config::synchronize("/gpu:0").unwrap();
        emulation.reset_counters();
        for _ in 0..5 {
            let _ = (&there + &variable) * &variable;
        }
        tf::config::synchronize("/gpu:0").unwrap();
        assert_eq!(emulation.counters().host_to_device, 0);
    }
    let _here = tf::device("/cpu:0");
    assert_eq!([&tf::constant([1.0, 2.0]), &Variable::new([1.0]).value()].map(name), ["/device:CPU:0"; 2]);
}

#[tf_function]
fn weighed(x: &Tensor) -> Tensor {
    let table = tf::init_scope(|| tf::constant([1.0, 2.0, 3.0]));
    x * &table + &table
}

#[test]
fn constants_of_a_graph_serve_every_device() {
    let Some(_gpu) = gpu() else { return };
    let x = tf::Tensor::from(vec![1.0f32, 1.0, 2.0]);
    for device in ["/gpu:0", "/cpu:0", "/gpu:0"] {
        let _there = tf::device(device);
        for _ in 0..5 {
            assert_eq!(weighed(&x).to_vec::<f32>(), [2.0, 4.0, 9.0], "{device}");
        }
    }
}

#[test]
fn full_memory_says_how_much_is_in_use() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    if !shares_segments() {
        // Memory is the driver's own then.
        return;
    }
    let _there = tf::device("/gpu:0");
    tf::config::trim_memory("/gpu:0").unwrap();
    emulation.set_memory(emulation.counters().bytes_in_use + (64 << 20));
    let held = tf::zeros([4 << 20]);
    let error = tf::try_zeros([1 << 28], DType::F32).unwrap_err().to_string();
    let sum = (&held + 1.0).try_to_vec::<f32>();
    emulation.set_memory(8 << 30);
    assert!(error.contains(&format!("for {} bytes", 4u64 << 28)), "{error}");
    assert!(error.contains("bytes in") && error.contains("tensors, of") && error.contains("fill"), "{error}");
    assert_eq!(sum.unwrap()[7], 1.0);
}

/// More than the pinned ring holds, while nobody waits: sections serve again when their copies are done.
#[test]
fn much_is_brought_without_waiting_for_all_of_it() {
    let Some(gpu) = gpu() else { return };
    const COUNT: usize = 3_000_001;
    let pieces: Vec<Tensor> =
        (0..8).map(|n| Tensor::from((0..COUNT).map(|i| (i % 97 + n) as f32).collect::<Vec<_>>())).collect();
    if let Some(emulation) = gpu.emulation {
        emulation.reset_counters();
    }
    let there: Vec<Tensor> = pieces.iter().map(Tensor::gpu).collect();
    if let Some(emulation) = gpu.emulation {
        // 96 MB through four sections of 8 MiB: the host waits for sections, not for the stream.
        let counted = emulation.counters();
        assert!((1..=12).contains(&counted.synchronizations), "{counted:?}");
    }
    for (piece, there) in pieces.iter().zip(&there) {
        assert_eq!(piece.to_vec::<f32>(), there.to_vec::<f32>());
    }
}
