//! Products of matrices: every dtype, sizes around a tile, operands turned, sliced and broadcast, long sums in parts.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{DType, GradientTape};

const DTYPES: [(DType, f64); 7] = [
    (DType::F32, 1e-5),
    (DType::F64, 1e-14),
    (DType::F16, 1e-3),
    (DType::BF16, 8e-3),
    (DType::I16, 0.0),
    (DType::I32, 0.0),
    (DType::I64, 0.0),
];

#[test]
fn sizes_and_dtypes() {
    let Some(gpu) = gpu() else { return };
    tf::config::enable_tensor_float_32_execution(false);
    for [m, n, k] in [
        [1, 1, 1],
        [3, 5, 7],
        [64, 64, 16],
        [65, 63, 17],
        [1, 130, 40],
        [70, 1, 33],
        [2, 3, 0],
        [0, 3, 2],
        [4, 6, 2000],
    ] {
        for (dtype, within) in DTYPES {
            agree(&gpu, &[some(1, dtype, &[m, k]), some(2, dtype, &[k, n])], within, |x| {
                vec![tf::matmul(&x[0], &x[1])]
            });
        }
    }
}

#[test]
fn operands_are_read_where_they_lie() {
    let Some(gpu) = gpu() else { return };
    tf::config::enable_tensor_float_32_execution(false);
    let inputs = [some(3, DType::F32, &[40, 30]), some(4, DType::F32, &[40, 30])];
    agree(&gpu, &inputs, 1e-5, |x| {
        vec![
            tf::matmul_transposed(&x[0], true, &x[1], false),
            tf::matmul_transposed(&x[0], false, &x[1], true),
            tf::matmul(&x[0].t(), &x[1]),
            tf::matmul(tf::slice(&x[0], [3, 5], [20, 10]), tf::slice(&x[1], [1, 2], [10, 7])),
            tf::matmul(tf::slice(&x[0], [0, 1], [40, 1]), tf::slice(&x[1], [2, 0], [1, 30])),
            tf::matmul(tf::broadcast_to(tf::slice(&x[0], [2, 0], [1, 30]), [6, 30]), x[1].t()),
            tf::matmul(tf::reverse(&x[0], [0]), x[1].t()),
        ]
    });
}

#[test]
fn batches_are_broadcast() {
    let Some(gpu) = gpu() else { return };
    tf::config::enable_tensor_float_32_execution(false);
    for (a, b) in [
        (&[5, 3, 4][..], &[5, 4, 2][..]),
        (&[5, 3, 4], &[4, 2]),
        (&[3, 4], &[5, 4, 2]),
        (&[2, 1, 3, 4], &[3, 4, 2]),
        (&[2, 3, 1, 70, 4], &[3, 2, 4, 66]),
        (&[0, 3, 4], &[4, 2]),
    ] {
        for (dtype, within) in DTYPES {
            agree(&gpu, &[some(5, dtype, a), some(6, dtype, b)], within, |x| vec![tf::matmul(&x[0], &x[1])]);
        }
        let inputs = [some(5, DType::F32, a), some(6, DType::F32, b)];
        agree(&gpu, &inputs, 1e-5, |x| {
            let mut tape = GradientTape::new();
            x.iter().for_each(|x| tape.watch(x));
            let y = tf::matmul(&x[0], &x[1]);
            tape.gradient(&(&y * &y), x).try_to_vec().unwrap()
        });
        agree(&gpu, &[some(7, DType::F32, &[4, 7, 3, 5])], 1e-5, |x| {
            let swapped = tf::transpose(&x[0], [0, 2, 1, 3]);
            vec![tf::matmul_transposed(&swapped, false, &swapped, true)]
        });
    }
}
