//! Variables on the device: values that change in place, in part or as a whole, and what others hold of them.

use super::numbers;
use eagerflow::{self as tf, DType, Tensor, Variable, s};
use eagerflow_tests::cuda::watched_gpu as gpu;
use eagerflow_tests::golden::Array;

/// The value of a variable on both devices after the same changes.
#[track_caller]
fn both(what: impl std::fmt::Display, start: impl Fn() -> Tensor, changes: impl Fn(&Variable)) {
    let [here, there] = ["/cpu:0", "/gpu:0"].map(|device| {
        let _there = tf::device(device);
        let v = Variable::new(start());
        changes(&v);
        let value = v.value();
        assert_eq!(device == "/gpu:0", value.device().to_string().contains("GPU"), "{what}");
        Array::of(&value.cpu())
    });
    assert_eq!(here, there, "{what}");
}

#[test]
fn assignments() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL {
        for n in [0, 1, 5, 1025] {
            let x = |k: usize| numbers(&[2, n + k], dtype).slice([0, k as isize], [2, -1]);
            both(format!("assign {dtype} {n}"), || x(0), |v| v.assign(&x(3)));
            let turned = || tf::transpose(&numbers(&[n, 2], dtype), []);
            both(format!("strided {dtype} {n}"), || x(0), |v| v.assign(&turned()));
            if dtype != DType::Bool {
                both(format!("assign_add {dtype} {n}"), || x(0), |v| v.assign_add(&x(3)));
                both(format!("assign_sub {dtype} {n}"), || x(0), |v| v.assign_sub(&turned()));
            }
        }
    }
}

#[test]
fn parts() {
    let Some(_gpu) = gpu() else { return };
    let start = |dtype| move || numbers(&[6, 7], dtype);
    for dtype in DType::ALL {
        let x = |sizes: &[usize]| numbers(sizes, dtype);
        both(format!("rows {dtype}"), start(dtype), |v| v.at(2..5).assign(&x(&[3, 7])));
        both(format!("steps {dtype}"), start(dtype), |v| v.at(s![..;-2, 1..;3]).assign(&x(&[3, 2])));
        both(format!("spread {dtype}"), start(dtype), |v| v.at(s![.., 1..3]).assign(&x(&[2])));
        if dtype != DType::Bool {
            both(format!("added {dtype}"), start(dtype), |v| v.at(s![1.., ..;2]).assign_add(&x(&[5, 4])));
            both(format!("subtracted {dtype}"), start(dtype), |v| v.at(s![-1, ..]).assign_sub(&x(&[7])));
        }
    }
}

#[test]
fn what_others_hold_stays_as_it_was() {
    let Some(_gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0");
    let v = Variable::new([[1.0, 2.0], [3.0, 4.0]]);
    let (before, row) = (v.value(), v.value().at(0));
    v.assign_add(&tf::ones([2, 2]));
    let between = v.value();
    v.scatter_update(&tf::constant([1]), &tf::constant([[7.0, 8.0]]));
    v.assign_sub(&tf::transpose(&v.value(), []));
    assert_eq!(before.to_vec::<f32>(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(row.to_vec::<f32>(), [1.0, 2.0]);
    assert_eq!(between.to_vec::<f32>(), [2.0, 3.0, 4.0, 5.0]);
    assert_eq!(v.value().to_vec::<f32>(), [0.0, -4.0, 4.0, 0.0]);
}

#[test]
fn rows_change_in_place() {
    let Some(_gpu) = gpu() else { return };
    let at = || tf::constant([3, 1, 3, 0]);
    for dtype in DType::ALL {
        let (start, updates) = (|| numbers(&[5, 3], dtype), || numbers(&[4, 3], dtype));
        both(format!("update {dtype}"), start, |v| v.scatter_update(&at(), &updates()));
        if dtype != DType::Bool {
            both(format!("add {dtype}"), start, |v| v.scatter_add(&at(), &updates()));
            both(format!("sub {dtype}"), start, |v| v.scatter_nd_sub(at().reshape([4, 1]), &updates()));
            both(format!("mul {dtype}"), start, |v| v.scatter_mul(&at(), &updates()));
            let divisors = || {
                let zero = tf::zeros_like(&updates());
                tf::where_(tf::equal(&updates(), &zero), tf::ones_like(&updates()), &updates())
            };
            both(format!("div {dtype}"), start, |v| v.scatter_div(&at(), &divisors()));
            if !dtype.is_complex() {
                both(format!("max {dtype}"), start, |v| v.scatter_max(&at(), &updates()));
                both(format!("min {dtype}"), start, |v| v.scatter_min(&at(), &updates()));
            }
        }
    }
}

#[test]
fn nothing_changes_if_an_index_is_outside() {
    let Some(_gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0");
    let v = Variable::new([1.0, 2.0, 3.0]);
    let (at, ones) = (tf::constant([0, 1, 3]), tf::ones([3]));
    type Write = fn(&Variable, &Tensor, &Tensor);
    let all: [(Write, u32); 4] = [
        (|v, at, ones| v.scatter_add(at, ones), line!()),
        (|v, at, ones| v.scatter_sub(at, ones), line!()),
        (|v, at, ones| v.scatter_update(at, ones), line!()),
        (|v, at, ones| v.scatter_max(at, ones), line!()),
    ];
    for (scatter, line) in all {
        scatter(&v, &at, &ones);
        let error = v.value().try_to_vec::<f32>().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, tf::Error::OutOfRange(_)) && text.contains("0..3"), "{text}");
        assert!(text.contains(&format!("variables.rs:{line}")), "{text}");
        assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 3.0]);
    }
}

#[test]
fn nothing_changes_if_an_integer_is_divided_by_zero() {
    let Some(_gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0");
    for dtype in [DType::I8, DType::U16, DType::I32, DType::I64] {
        let v = Variable::new(tf::cast(&tf::constant([7.0, 8.0, 9.0]), dtype));
        v.scatter_div(&tf::constant([0, 1, 0]), &tf::cast(&tf::constant([2.0, 0.0, 2.0]), dtype));
        let error = tf::cast(&v.value(), DType::F32).try_to_vec::<f32>().unwrap_err();
        assert!(matches!(error, tf::Error::InvalidArgument(_)) && error.to_string().contains("scatter_div"), "{error}");
        assert_eq!(tf::cast(&v.value(), DType::F32).to_vec::<f32>(), [7.0, 8.0, 9.0], "{dtype}");
    }
}

/// Changes of values wait for nothing and bring nothing to the host.
#[test]
fn nothing_is_read() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    let _there = tf::device("/gpu:0");
    let v = Variable::new(numbers(&[50, 3], DType::F32));
    let at = tf::constant([3, 1, 3, 0]);
    emulation.reset_counters();
    v.assign_add(&tf::ones([50, 3]));
    v.scatter_add(&at, &tf::ones([4, 3]));
    let x = tf::concat(&[&v.value(), &tf::random::stateless_uniform([2, 3], [1, 2], 0.0, 1.0)], 0);
    let y = tf::gather(&tf::pad(&x, [[1, 1], [0, 0]], tf::PadMode::Reflect), &at, 0);
    let z = tf::tile(&tf::scatter_nd(at.reshape([4, 1]), &y, [5, 3]), [2, 1]) + tf::random::uniform([10, 3], 0.0, 1.0);
    assert_eq!(emulation.counters().device_to_host, 0, "{:?}", emulation.counters());
    assert_eq!(z.to_vec::<f32>().len(), 30);
}
