//! Rows by number: gathers along any axis and in batches, by tuples, their gradients, and indices outside.

use super::{INTEGERS, alike, indices, numbers};
use eagerflow::{self as tf, DType, GradientTape, Tensor};
use eagerflow_tests::cuda::watched_gpu as gpu;

#[test]
fn rows_along_an_axis() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL {
        for (shape, axis) in [([7, 5, 3], 0), ([7, 5, 3], 1), ([7, 5, 3], 2), ([40, 1, 16], 0), ([3, 90, 8], 1)] {
            for count in [0, 1, 300] {
                let at = || indices(count, shape[axis], DType::I32);
                alike(format!("{dtype} {shape:?} {axis} {count}"), || {
                    tf::gather(&numbers(&shape, dtype), &at(), axis as isize)
                });
            }
        }
    }
    for dtype in INTEGERS {
        let at = || indices(60, 7, dtype).reshape([3, 20]);
        alike(format!("indices {dtype}"), || tf::gather(&numbers(&[7, 5], DType::F32), &at(), 0));
        alike(format!("batches {dtype}"), || tf::gather_batched(&numbers(&[3, 2, 7, 5], DType::F32), &at(), 2, 1));
    }
    alike("strided", || {
        let (x, at) = (numbers(&[5, 7], DType::F32), indices(12, 5, DType::I64).reshape([3, 4]));
        tf::gather(tf::transpose(&x, []), tf::transpose(&at, []), 1)
    });
    alike("empty rows", || tf::gather(&numbers(&[2, 0], DType::F32), &tf::constant([1, 1, 1]), 0));
}

#[test]
fn tuples() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL {
        for depth in 0..4 {
            let at = || indices(40 * depth, 3, DType::I64).reshape([4, 10, depth as isize]);
            alike(format!("{dtype} {depth}"), || tf::gather_nd(&numbers(&[3, 4, 5], dtype), &at()));
        }
    }
    for dtype in INTEGERS {
        let at = || indices(40, 3, dtype).reshape([20, 2]);
        alike(format!("indices {dtype}"), || tf::gather_nd(&numbers(&[3, 4, 5], DType::F32), &at()));
    }
}

#[test]
fn gradients() {
    let Some(_gpu) = gpu() else { return };
    // Few indices are compared with each row, some are sorted by comparing, and many by digits.
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        for (shape, axis, count) in [([3, 6, 5], 1, 1), ([3, 6, 5], 1, 8), ([2, 3, 50], 2, 9), ([20, 300, 1], 1, 500)] {
            let f = |x: &Tensor| tf::gather(x, &indices(count, shape[axis], DType::I32), axis as isize);
            alike(format!("{dtype} {shape:?} {count}"), || derived(&shape, dtype, f));
        }
        let f = |x: &Tensor| tf::gather_batched(x, &indices(33, 7, DType::I64).reshape([3, 11]), 1, 1);
        alike(format!("batches {dtype}"), || derived(&[3, 7, 4], dtype, f));
        let f = |x: &Tensor| tf::gather(x, &indices(40, 9, DType::I64), 0);
        alike(format!("rows {dtype}"), || derived(&[9, 3], dtype, f));
        let f = |x: &Tensor| tf::gather_nd(x, &indices(80, 4, DType::I64).reshape([40, 2]));
        alike(format!("tuples {dtype}"), || derived(&[4, 5, 2], dtype, f));
    }
}

/// The gradient of the sum of elements, so that all numbers are whole and no order of addition shows.
fn derived(shape: &[usize], dtype: DType, f: impl Fn(&Tensor) -> Tensor) -> Tensor {
    let x = numbers(shape, dtype);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = f(&x);
    tape.gradient(&tf::reduce_sum(&y, ()), &x)
}

#[test]
fn indices_outside_name_the_line() {
    let Some(_gpu) = gpu() else { return };
    let x = numbers(&[4, 3], DType::F32).gpu();
    let refused = |result: &Tensor, line: u32, value: &str, limit: &str| {
        let error = result.try_to_vec::<f32>().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, tf::Error::OutOfRange(_)), "{text}");
        assert!(text.contains(&format!("gathers.rs:{line}")) && text.contains(value) && text.contains(limit), "{text}");
    };
    let (wrong, negative) = (tf::constant([0, 4]).gpu(), tf::constant([-1, 1]).gpu());
    let (pair, five, low) = (tf::constant([[1, 3]]).gpu(), tf::constant([[5]]).gpu(), tf::constant([[-2]]).gpu());
    let row = x.slice([0, 0], [1, 3]);
    refused(&tf::gather(&x, &wrong, 0), line!(), "4", "0..4");
    refused(&tf::gather(&x, &negative, 1), line!(), "-1", "0..3");
    refused(&tf::gather_nd(&x, &pair), line!(), "3", "0..3");
    refused(&tf::scatter_nd(&five, &row, [4, 3]), line!(), "5", "0..4");
    refused(&tf::tensor_scatter_nd_add(&x, &low, &row), line!(), "-2", "0..4");
    // The device is as good as before.
    assert_eq!(tf::gather(&x, &tf::constant([1]).gpu(), 1).shape(), [4, 1]);
    assert_eq!(x.to_vec::<f32>().len(), 12);
}
