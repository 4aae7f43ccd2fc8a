//! Constants: fills, identity matrices, ranges, equal steps, one-hot rows.

use super::{INTEGERS, SIZES, alike, indices};
use eagerflow::{self as tf, DType};
use eagerflow_tests::cuda::watched_gpu as gpu;

#[test]
fn fills() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL {
        for n in SIZES {
            alike(format!("ones {dtype} {n}"), || tf::try_ones([n as isize], dtype).unwrap());
            alike(format!("zeros {dtype} {n}"), || tf::try_zeros([n as isize, 2], dtype).unwrap());
        }
    }
    alike("fill", || tf::fill([3, 5], 2.5));
}

#[test]
fn identity_matrices() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL {
        for shape in [[1, 4, 4], [3, 2, 5], [2, 7, 3], [0, 2, 2], [2, 0, 3], [1, 300, 7]] {
            alike(format!("eye {dtype} {shape:?}"), || tf::try_eye(shape, dtype).unwrap());
        }
    }
}

#[test]
fn ranges() {
    let Some(_gpu) = gpu() else { return };
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::I64] {
        for (start, limit, step) in [(0, 1000, 1), (-5, 2000, 3), (5, -4, -3), (3, 3, 1), (0, 1, 1)] {
            let of = |v: i32| tf::cast(&tf::constant(v), dtype);
            alike(format!("range {dtype} {start}"), || tf::range(&of(start), &of(limit), &of(step)));
        }
    }
    alike("thirds", || tf::range(0.1, 300.0, 1.0 / 3.0));
    for num in [1, 2, 7, 1000] {
        alike(format!("linspace {num}"), || tf::linspace(0.1, 0.7, num));
        alike(format!("linspace of integers {num}"), || tf::linspace(-3, 9, num));
        for dtype in [DType::F16, DType::BF16, DType::F64] {
            let of = |v: f64| tf::constant_of(v, dtype);
            alike(format!("linspace {dtype} {num}"), || tf::linspace(&of(-1.5), &of(2.0), num));
        }
    }
}

#[test]
fn one_hot_rows() {
    let Some(_gpu) = gpu() else { return };
    for dtype in INTEGERS {
        alike(format!("indices {dtype}"), || tf::one_hot(&indices(300, 9, dtype), 7));
    }
    for dtype in DType::ALL {
        let of = |v: i32| tf::cast(&tf::constant(v), dtype);
        for axis in [0, 1, -1] {
            let x = || indices(60, 5, DType::I32).reshape([12, 5]) - 1;
            alike(format!("{dtype} {axis}"), || tf::one_hot_with(&x(), 3, &of(1), &of(0), axis));
        }
    }
    alike("no depth", || tf::one_hot(&tf::constant([1, 2]), 0));
    alike("strided", || tf::one_hot(tf::transpose(&indices(60, 5, DType::I64).reshape([12, 5]), []), 4));
}

/// Numbers that lie on the device are read there.
#[test]
fn numbers_on_the_device() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL {
        let of = |v: i32| tf::cast(&tf::constant(v), dtype);
        let moved = |v: i32| (tf::fill([2], &of(v)) + of(0)).at(0);
        let one = || {
            if dtype == DType::Bool { tf::constant([true]).logical_or(tf::constant([false])).at(0) } else { moved(3) }
        };
        alike(format!("one_hot {dtype}"), || tf::one_hot_with(&tf::constant([1, 0, 5]), 3, &one(), &of(0), 0));
        alike(format!("pad {dtype}"), || tf::pad_value(&super::numbers(&[3, 8], dtype), [[1, 2], [4, 8]], &one()));
        alike(format!("wide pad {dtype}"), || {
            tf::pad_value(&super::numbers(&[3, 16], dtype), [[1, 2], [0, 0]], &one())
        });
        if matches!(dtype, DType::F32 | DType::F64 | DType::F16 | DType::BF16 | DType::I32 | DType::I64) {
            alike(format!("range {dtype}"), || tf::range(&moved(2), &of(100), &moved(5)));
        }
    }
}
