//! `tf::device` in traced functions, on a machine with whatever devices: the CPU is there, and a device that is not is an error.

use eagerflow as tf;
use tf::{Result, Tensor, tf_function};

#[tf_function]
fn on_the_cpu(x: &Tensor) -> Tensor {
    let _cpu = tf::device("/cpu:0");
    x * 2.0 + 1.0
}

#[test]
fn a_guard_inside_places_what_is_recorded() {
    let x = tf::constant([1.0, 2.0]);
    let (first, second) = (on_the_cpu(&x), on_the_cpu(&x));
    assert_eq!((first.to_vec::<f32>(), second.to_vec::<f32>()), (vec![3.0, 5.0], vec![3.0, 5.0]));
    assert_eq!(second.device().to_string(), "/device:CPU:0");
    let graph = tf::function(on_the_cpu).graph().unwrap();
    assert_eq!(graph.matches(" on /device:CPU:0\n").count(), 2, "{graph}");
    // A guard around the call is none of the function's.
    let _cpu = tf::device("/cpu:0");
    plain(&x);
    let graph = tf::function(plain).graph().unwrap();
    assert!(!graph.contains("device"), "{graph}");
}

#[tf_function]
fn plain(x: &Tensor) -> Tensor {
    x * 2.0
}

#[tf_function]
fn on_a_missing_gpu(x: &Tensor) -> Result<Tensor> {
    let y = x + 1.0;
    let _there = tf::try_device("/gpu:99")?;
    Ok(y * 2.0)
}

#[test]
fn a_gpu_that_is_not_there_is_an_error_at_the_users_line() {
    let line = line!() - 6;
    for _ in 0..2 {
        let error = on_a_missing_gpu(&tf::constant(1.0)).unwrap_err().to_string();
        assert!(error.starts_with("NotFound: device: there is no GPU 99"), "{error}");
        assert!(error.contains("expected: /device:CPU:0"), "{error}");
        assert!(error.contains(&format!("devices.rs:{line}")), "{error}");
    }
}
