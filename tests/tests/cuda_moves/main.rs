//! Operations that create and move elements on a GPU, emulated where there is none, against the CPU: the same bits.
//! All dtypes, sizes around those of units, blocks and launches, strided operands, and indices that do not exist.

mod constants;
mod diagonals;
mod gathers;
mod layouts;
mod randoms;
mod scatters;
mod segments;
mod sets;
mod sorting;
mod variables;

use eagerflow::{self as tf, DType, Tensor};
use eagerflow_tests::golden::{Array, Numbers};

/// Sizes around those of units, threads and blocks.
const SIZES: [usize; 8] = [0, 1, 2, 3, 17, 255, 1025, 5000];

/// What a function gives on a device, and that it lies there.
fn on(device: &str, f: &dyn Fn() -> Tensor) -> Array {
    let _there = tf::device(device);
    let y = f();
    assert!(device.ends_with(&y.device().to_string()[8..].to_lowercase()), "{device}: {}", y.device());
    Array::of(&y.cpu())
}

/// Checks that a function gives the same bits on both devices.
#[track_caller]
fn alike(what: impl std::fmt::Display, f: impl Fn() -> Tensor) {
    let (here, there) = (on("/cpu:0", &f), on("/gpu:0", &f));
    assert_eq!((here.dtype, &here.shape), (there.dtype, &there.shape), "{what}");
    let differ = match (&here.data, &there.data) {
        (Numbers::Floats(a), Numbers::Floats(b)) => {
            a.iter().zip(b).position(|(a, b)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()))
        }
        (a, b) => (a != b).then_some(0),
    };
    if let Some(place) = differ {
        panic!("{what}: element {place} differs:\n{:.1200}\n{:.1200}", format!("{here:?}"), format!("{there:?}"));
    }
}

/// As [`alike`], within a part of the largest element.
#[track_caller]
fn near(what: impl std::fmt::Display, part: f64, f: impl Fn() -> Tensor) {
    let [a, b] = ["/cpu:0", "/gpu:0"].map(|device| match on(device, &f).data {
        Numbers::Floats(all) => all,
        other => panic!("{what}: {other:?} are no floats"),
    });
    let largest = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert_eq!(a.len(), b.len(), "{what}");
    for (place, (a, b)) in a.iter().zip(&b).enumerate() {
        assert!((a - b).abs() <= part * largest, "{what}: element {place}: {a} and {b}");
    }
}

/// Small whole numbers of a dtype, all over the place; every third is zero.
fn numbers(shape: &[usize], dtype: DType) -> Tensor {
    let count: usize = shape.iter().product();
    let all: Vec<i64> = (0..count as i64).map(|i| if i % 3 == 1 { 0 } else { i * 7919 % 97 + 1 }).collect();
    tf::cast(&Tensor::from(all).reshape(sizes(shape)), dtype)
}

/// Numbers below a limit, with repeats.
fn indices(count: usize, below: usize, dtype: DType) -> Tensor {
    let all: Vec<i64> = (0..count as i64).map(|i| (i * i * 31 + i * 7 + i / 3) % below as i64).collect();
    tf::cast(&Tensor::from(all), dtype)
}

fn sizes(shape: &[usize]) -> Vec<isize> {
    shape.iter().map(|&n| n as isize).collect()
}

const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];
