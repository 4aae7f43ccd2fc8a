//! Products of matrices: every dtype, sizes around a tile, operands turned, sliced and broadcast, long sums in parts.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::{child, cuda::watched_gpu as gpu};
use tf::{DType, GradientTape, Tensor, s, tf_function};

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
    let inputs = [some(3, DType::F32, &[40, 30]), some(4, DType::F32, &[40, 30])];
    agree(&gpu, &inputs, 1e-5, |x| {
        vec![
            tf::matmul_transposed(&x[0], true, &x[1], false),
            tf::matmul_transposed(&x[0], false, &x[1], true),
            tf::matmul(&x[0].t(), &x[1]),
            tf::matmul(x[0].at(s![3..23, 5..15]), x[1].at(s![1..11, 2..9])),
            tf::matmul(x[0].at(s![.., 1..2]), x[1].at(s![2..3, ..])),
            tf::matmul(tf::broadcast_to(x[0].at(s![2..3, ..]), [6, 30]), x[1].t()),
            tf::matmul(tf::reverse(&x[0], [0]), x[1].t()),
        ]
    });
}

#[test]
fn batches_are_broadcast() {
    let Some(gpu) = gpu() else { return };
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

#[test]
fn transposed_and_repeated_operands_are_one_product_without_copies() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    let (a, b) = (some(1, DType::F32, &[20, 30]).gpu(), some(2, DType::F32, &[20, 30]).gpu());
    let heads = some(3, DType::F32, &[2, 7, 3, 5]).gpu();
    tf::config::synchronize("/gpu:0").unwrap();
    let (before, kernels) = (emulation.counters(), emulation.launches_by_kernel());
    let products = [
        tf::matmul_transposed(&a, true, &b, false),
        tf::matmul_transposed(&a, false, &b, true),
        tf::matmul(tf::broadcast_to(&a, [4, 20, 30]), b.t()),
    ];
    products.iter().for_each(|p| drop(p.to_vec::<f32>()));
    let after = emulation.counters();
    let counted = (after.matmuls - before.matmuls, after.launches - before.launches);
    assert_eq!(counted, (3, 0), "{kernels:?} {:?}", emulation.launches_by_kernel());
    // Batches along two dimensions that do not merge are queued one by one.
    let swapped = tf::transpose(&heads, [0, 2, 1, 3]);
    tf::matmul_transposed(&swapped, false, &swapped, true).to_vec::<f32>();
    let last = emulation.counters();
    assert_eq!((last.matmuls - after.matmuls, last.launches - after.launches), (2, 0));
}

#[test]
fn factors_are_rounded_only_where_it_is_allowed() {
    let Some(gpu) = gpu() else { return };
    let inputs = [some(8, DType::F32, &[30, 200]), some(9, DType::F32, &[200, 40])];
    tf::config::enable_tensor_float_32_execution(true);
    agree(&gpu, &inputs, 5e-3, |x| vec![tf::matmul(&x[0], &x[1])]);
    tf::config::enable_tensor_float_32_execution(false);
    agree(&gpu, &inputs, 1e-5, |x| vec![tf::matmul(&x[0], &x[1])]);
}

#[tf_function]
fn with_addend(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    tf::matmul(a, b) + c
}

#[test]
fn addends_of_traced_products() {
    let Some(gpu) = gpu() else { return };
    for [m, n, k] in [[20, 33, 40], [70, 65, 700], [17, 18, 1]] {
        for (dtype, within) in [(DType::F32, 1e-5), (DType::F64, 1e-14)] {
            let factors = [some(1, dtype, &[m, k]), some(2, dtype, &[k, n])];
            for addend in [&[m, n][..], &[n], &[1, n]] {
                let inputs = [factors[0].clone(), factors[1].clone(), some(3, dtype, addend)];
                agree(&gpu, &inputs, within, |x| vec![with_addend(&x[0], &x[1], &x[2])]);
            }
            let inputs = [factors[0].clone(), factors[1].clone(), some(3, dtype, &[n, m])];
            agree(&gpu, &inputs, within, |x| vec![with_addend(&x[0], &x[1], &x[2].t())]);
        }
    }
}

#[test]
fn more_batches_than_the_library_takes_are_several_calls() {
    let Some(gpu) = gpu() else { return };
    let x = [some(1, DType::F32, &[70_000, 2, 3]), some(2, DType::F32, &[70_000, 3, 2])];
    let before = gpu.emulation.map(|e| e.counters().matmuls);
    agree(&gpu, &x, 1e-6, |x| vec![tf::matmul(&x[0], &x[1])]);
    if let (Some(emulation), Some(before)) = (gpu.emulation, before) {
        assert_eq!(emulation.counters().matmuls - before, 3);
    }
    // One factor for all, and two axes of batches of which one cannot be merged.
    agree(&gpu, &[x[0].clone(), some(3, DType::F32, &[3, 2])], 1e-6, |x| vec![tf::matmul(&x[0], &x[1])]);
    let wide = [some(4, DType::F32, &[2, 40_000, 1, 2]), some(5, DType::F32, &[1, 40_000, 2, 1])];
    agree(&gpu, &wide, 1e-6, |x| vec![tf::matmul(&x[0], &x[1])]);
}

/// A library that is older than the device may plan nothing, or refuse what it has planned.
#[test]
fn what_the_library_refuses_own_kernels_multiply() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    const INTERNAL_ERROR: i32 = 14;
    const NOT_SUPPORTED: i32 = 15;
    // What it has refused it is not asked again; what failed for another reason may go well the next time.
    for (i, (call, code, again)) in [
        ("cublasLtMatmulAlgoGetHeuristic", NOT_SUPPORTED, 0),
        ("cublasLtMatmul", NOT_SUPPORTED, 0),
        ("cublasLtMatmulAlgoGetHeuristic", INTERNAL_ERROR, 1),
    ]
    .into_iter()
    .enumerate()
    {
        let x = [some(1, DType::F32, &[37 + i, 29]), some(2, DType::F32, &[29, 41])];
        emulation.plant_failure(call, 1, code);
        for expected in [0, again] {
            let before = emulation.counters().matmuls;
            agree(&gpu, &x, 1e-6, |x| vec![tf::matmul(&x[0], &x[1])]);
            assert_eq!(emulation.counters().matmuls - before, expected, "{call} {code}");
        }
    }
}

#[test]
fn the_same_without_the_library() {
    let Some(gpu) = gpu() else { return };
    drop(gpu);
    for name in [
        "operands_of_any_layout",
        "sizes_and_dtypes",
        "operands_are_read_where_they_lie",
        "batches_are_broadcast",
        "addends_of_traced_products",
    ] {
        child::run_test(&format!("products::{name}"), &[("EAGERFLOW_CUBLASLT", "0")]);
    }
}

/// A tensor of this shape whose dimensions lie in memory in another order, or repeat.
fn laid_out(seed: u64, shape: &[usize]) -> Tensor {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut below = |n: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % n
    };
    let mut order: Vec<usize> = (0..shape.len()).collect();
    (1..order.len()).for_each(|i| order.swap(i, below(i + 1)));
    // Some dimensions are repeated in place of being there.
    let there: Vec<usize> = shape.iter().map(|&n| if below(5) == 0 { 1 } else { n }).collect();
    let dims: Vec<usize> = order.iter().map(|&axis| there[axis]).collect();
    let back: Vec<isize> =
        (0..order.len()).map(|axis| order.iter().position(|&o| o == axis).unwrap() as isize).collect();
    tf::broadcast_to(tf::transpose(some(seed, DType::F32, &dims), back), shape)
}

#[test]
fn operands_of_any_layout() {
    let Some(gpu) = gpu() else { return };
    for seed in 0..60 {
        let size = |i: u64| 1 + (seed * 7 + i * i * 3 + i) as usize % 6;
        let outer: Vec<usize> = (0..seed % 4).map(|i| size(10 + i)).collect();
        let (m, n, k) = (size(1), size(2), size(3));
        let (a, b) = ([&outer[..], &[m, k]].concat(), [&outer[..], &[k, n]].concat());
        agree(&gpu, &[], 1e-5, |_| vec![tf::matmul(laid_out(2 * seed, &a), laid_out(2 * seed + 1, &b))]);
    }
}
