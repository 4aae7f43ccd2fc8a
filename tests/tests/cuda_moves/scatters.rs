//! Rows changed by updates: laid into zeros and into copies, with repeats, few and many, and one row that is named by all.

use super::{INTEGERS, alike, indices, near, numbers};
use eagerflow::{self as tf, DType, Tensor};
use eagerflow_tests::cuda::watched_gpu as gpu;

/// Updates and rows: fewer than a piece, sorted by comparing, and by digits in one, two and more passes.
const COUNTS: [(usize, usize, usize); 9] = [
    (0, 4, 3),
    (1, 4, 3),
    (5, 4, 3),
    (40, 1, 7),
    (300, 1000, 1),
    (300, 7, 5),
    (9000, 3, 1),
    (9000, 40, 2),
    (8193, 70_000, 1),
];

#[test]
fn into_zeros() {
    let Some(_gpu) = gpu() else { return };
    for (count, rows, row) in COUNTS {
        let f = |dtype| {
            let at = indices(count, rows, DType::I64).reshape([count as isize, 1]);
            tf::scatter_nd(&at, &numbers(&[count, row], dtype), [rows as isize, row as isize])
        };
        // Sums of whole numbers are exact in any order, where they fit.
        for dtype in [DType::F64, DType::I32, DType::U8] {
            alike(format!("{dtype} {count} {rows} {row}"), || f(dtype));
        }
        near(format!("{count} {rows} {row}"), 1e-6, || f(DType::F32));
    }
    for dtype in DType::ALL {
        let at = || indices(30, 9, DType::I32).reshape([30, 1]);
        alike(format!("{dtype}"), || tf::scatter_nd(&at(), &numbers(&[30, 3], dtype), [9, 3]));
    }
    for dtype in INTEGERS {
        let at = || indices(60, 3, dtype).reshape([30, 2]);
        alike(format!("indices {dtype}"), || tf::scatter_nd(&at(), &numbers(&[30, 2], DType::F32), [3, 4, 2]));
    }
}

#[test]
fn into_copies() {
    let Some(_gpu) = gpu() else { return };
    type Scatter = fn(&Tensor, &Tensor, &Tensor) -> Tensor;
    let all: [(&str, Scatter); 5] = [
        ("update", |x, at, u| tf::tensor_scatter_nd_update(x, at, u)),
        ("add", |x, at, u| tf::tensor_scatter_nd_add(x, at, u)),
        ("sub", |x, at, u| tf::tensor_scatter_nd_sub(x, at, u)),
        ("max", |x, at, u| tf::tensor_scatter_nd_max(x, at, u)),
        ("min", |x, at, u| tf::tensor_scatter_nd_min(x, at, u)),
    ];
    for (name, scatter) in all {
        for (count, rows, row) in COUNTS {
            let f = |dtype| {
                let at = indices(count, rows, DType::I32).reshape([count as isize, 1]);
                scatter(&numbers(&[rows, row], dtype), &at, &numbers(&[count, row], dtype))
            };
            alike(format!("{name} {count} {rows} {row}"), || f(DType::F64));
            alike(format!("{name} {count} {rows} {row} integers"), || f(DType::I64));
        }
        let takes = |d: DType| match name {
            "update" => true,
            "max" | "min" => d != DType::Bool && !d.is_complex(),
            _ => d != DType::Bool,
        };
        for dtype in DType::ALL.into_iter().filter(|&d| takes(d)) {
            let at = || indices(20, 3, DType::I32).reshape([10, 2]);
            alike(format!("{name} {dtype}"), || scatter(&numbers(&[3, 4, 5], dtype), &at(), &numbers(&[10, 5], dtype)));
        }
        // Tuples of nothing name the whole tensor.
        let whole = || tf::cast(&tf::zeros([2, 0]), DType::I32);
        alike(format!("{name} whole"), || {
            scatter(&numbers(&[4, 5], DType::F32), &whole(), &numbers(&[2, 4, 5], DType::F32))
        });
    }
}

/// Sums are taken in the order of the updates, piece by piece: the same bits at every run, and near those of the CPU.
#[test]
fn sums_of_fractions() {
    let Some(_gpu) = gpu() else { return };
    for (count, rows) in [(500, 3), (5000, 1), (20_000, 50)] {
        let f = |dtype| {
            let updates = tf::sin(tf::cast(&numbers(&[count, 2], DType::F64), DType::F64)).cast(dtype);
            tf::scatter_nd(indices(count, rows, DType::I64).reshape([count as isize, 1]), &updates, [rows as isize, 2])
        };
        near(format!("{count} {rows}"), 1e-4, || f(DType::F32));
        near(format!("{count} {rows} double"), 1e-12, || f(DType::F64));
        let again = || super::on("/gpu:0", &|| f(DType::F32));
        assert_eq!(again(), again());
    }
    // 16-bit floats add up in `f32`: a sum on the CPU, which rounds at each step, gets stuck at 256.
    let ones = || tf::try_ones([1000, 1], DType::BF16).unwrap();
    let zeros = || tf::try_zeros([1000, 1], DType::I32).unwrap();
    let sum = super::on("/gpu:0", &|| tf::cast(tf::scatter_nd(&zeros(), &ones(), [2, 1]), DType::F32));
    assert_eq!(sum.data, eagerflow_tests::golden::Numbers::Floats(vec![1000.0, 0.0]));
}
