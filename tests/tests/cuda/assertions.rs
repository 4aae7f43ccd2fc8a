//! Assertions on a GPU: eager ones fail where they stand, those of traced functions when elements are read, with the message,
//! the values and the line that the CPU gives; functions that assert are recorded and started again like others.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{Tensor, Variable, tf_function};

#[test]
fn eager_assertions_fail_where_they_stand() {
    let Some(gpu) = gpu() else { return };
    let x = tf::constant([1.0, 2.5, -3.0, 4.0]);
    let there = x.gpu();
    let error = |x: &Tensor| tf::debugging::try_assert_positive(x, "sizes").unwrap_err().to_string();
    assert_eq!(error(&there), error(&x));
    assert!(error(&there).contains("sizes") && error(&there).contains("x[2] = -3"), "{}", error(&there));
    if let Some(emulation) = gpu.emulation {
        emulation.reset_counters();
        tf::debugging::assert_less(&there, 5.0, "");
        // One truth value and the word of faults.
        assert_eq!(emulation.counters().device_to_host, 2, "{:?}", emulation.counters());
    }
    assert_eq!((&there * 2.0).to_vec::<f32>(), [2.0, 5.0, -6.0, 8.0]);
}

#[tf_function]
fn bounded(total: &Variable, x: &Tensor, most: &Tensor) -> Tensor {
    total.assign_add(&tf::reduce_sum(x, 0));
    tf::debugging::assert_less(x, most, "too large");
    x * 2.0
}

#[test]
fn a_traced_assertion_comes_out_at_the_next_read() {
    let Some(gpu) = gpu() else { return };
    let line = line!() - 7;
    let (good, bad) = (tf::constant([1.0, 2.0, 3.0]), tf::constant([1.0, 9.0, 7.0]));
    let (here, there) = ([good.clone(), bad.clone()], [good.gpu(), bad.gpu()]);
    let most = tf::constant([4.0, 5.0, 6.0]);
    let total = || Variable::new(tf::constant(0.0));
    let want = {
        let _here = tf::device("/cpu:0");
        failure(|| bounded(&total(), &here[1], &most))
    };
    let _there = tf::device("/gpu:0");
    let (total, away) = (total(), most.gpu());
    if let Some(emulation) = gpu.emulation {
        emulation.reset_counters();
    }
    for call in 1..8 {
        assert_eq!(bounded(&total, &there[0], &away).to_vec::<f32>(), [2.0, 4.0, 6.0]);
        // The call itself does not wait, and so does not fail.
        let result = bounded(&total, &there[1], &away);
        let error = result.try_to_vec::<f32>().unwrap_err().to_string();
        assert_eq!(error, want, "{call}");
        assert!(
            error.contains("assert_less: too large")
                && error.contains("x[1] = 9.0, y[1] = 5.0; x[2] = 7.0, y[2] = 6.0")
        );
        assert!(error.contains("2 of 3 places") && error.contains(&format!("assertions.rs:{line}")), "{error}");
        // What stands before the assertion has happened, and the device is as good as before.
        assert_eq!(total.value().item::<f32>(), call as f32 * (6.0 + 17.0));
    }
    if let Some(emulation) = gpu.emulation {
        assert!(emulation.counters().graph_launches >= 8, "{:?}", emulation.counters());
    }
    bounded(&total, &there[1], &away);
    let error = tf::config::synchronize("/gpu:0").unwrap_err().to_string();
    assert_eq!(error, want);
    assert_eq!(tf::config::synchronize("/gpu:0").map_err(|e| e.to_string()), Ok(()));
}

/// What a call says that fails.
fn failure<R>(call: impl FnOnce() -> R) -> String {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(_) => panic!("no failure"),
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap(),
    }
}

#[tf_function]
fn stepped(x: &Tensor, step: &Tensor) -> Tensor {
    let mean = tf::reduce_mean(x, ());
    assert!(&mean > 0.0, "mean {mean:.2} in step {step} of {x}");
    assert_eq!(tf::reduce_max(x, 0), x.at(0), "not the first");
    mean
}

#[test]
fn messages_show_tensors() {
    let Some(_gpu) = gpu() else { return };
    let step = tf::constant(7);
    for n in [3, 100] {
        let x = |first: f32| Tensor::from((0..n).map(|i| if i == 0 { first } else { -1.0 }).collect::<Vec<_>>()).gpu();
        for _ in 0..5 {
            stepped(&x(200.0), &step).item::<f32>();
            let error = stepped(&x(-2.0), &step).try_item::<f32>().unwrap_err().to_string();
            let shown = if n == 3 { "of [-2. -1. -1.]" } else { "of <float32[100], too large to be kept by the GPU>" };
            let mean = (-2.0 - (n - 1) as f32) / n as f32;
            assert!(error.contains(&format!("assert: mean {mean:.2} in step 7 {shown}")), "{error}");
            assert!(error.contains("got: false\n") && error.contains("1 of 1 places"), "{error}");
        }
    }
}

#[tf_function]
fn told(x: &Tensor) -> Tensor {
    tf::print("before {}", &[x]);
    tf::debugging::assert_positive(x, "no more");
    println!("behind");
    x + 1.0
}

/// What the host does behind an assertion, it does only if that holds.
#[test]
fn the_host_waits_for_assertions() {
    let Some(_gpu) = gpu() else { return };
    for _ in 0..4 {
        let (result, said) = tf::__testing::captured(|| told(&tf::constant(1.0).gpu()));
        assert_eq!((result.item::<f32>(), &*said), (2.0, "before 1.0\nbehind\n"));
        let (text, said) = tf::__testing::captured(|| failure(|| told(&tf::constant(-1.0).gpu()).item::<f32>()));
        assert!(text.contains("assert_positive: no more") && text.contains("x = -1"), "{text}");
        assert_eq!(said, "before -1.0\n");
    }
}
