//! Running sums and products, and places of the best: every dtype, axes inside and outside, lanes long enough for parts.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::cuda::watched_gpu as gpu;
use tf::{Cumulative, DType, GradientTape, Tensor};

const NUMBERS: [DType; 12] = [
    DType::F32,
    DType::F64,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
];

fn within(dtype: DType) -> f64 {
    match dtype {
        DType::F32 => 4e-6,
        DType::F64 => 1e-14,
        DType::F16 => 2e-3,
        DType::BF16 => 1.6e-2,
        _ => 0.0,
    }
}

/// Shapes and axes: nothing, one element, odd, columns side by side, rows in a block, rows and columns in parts.
const LANES: [(&[usize], isize); 12] = [
    (&[0, 3], 0),
    (&[3, 0], 0),
    (&[1], 0),
    (&[7, 5], 1),
    (&[5, 300], 0),
    (&[2, 257, 3], 1),
    (&[3, 700], -1),
    (&[9000], 0),
    (&[1300, 9], 0),
    // More parts than one thread walks over, also where lanes begin at odd places.
    (&[70_003], 0),
    (&[2, 66_001], 1),
    (&[5000, 8], 0),
];

const WAYS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

#[test]
fn running_sums_and_products() {
    let Some(gpu) = gpu() else { return };
    for (i, (shape, axis)) in LANES.into_iter().enumerate() {
        let dtypes = if i == 3 { &NUMBERS[..] } else { &[DType::F32, DType::I32, DType::BF16][..] };
        for &dtype in dtypes {
            // Sums of very many are as far apart as their roundings add up to.
            let within = |dtype| within(dtype) * if shape[axis.max(0) as usize] > 50_000 { 8.0 } else { 1.0 };
            for (exclusive, reverse) in WAYS {
                let how = Cumulative { exclusive, reverse };
                let x = some(1, dtype, shape);
                agree(&gpu, std::slice::from_ref(&x), within(dtype), |x| vec![tf::cumsum_with(&x[0], axis, how)]);
                let near_one = if dtype.is_floating() {
                    x * tf::cast(&tf::constant(0.25), dtype) + tf::cast(&tf::constant(1.0), dtype)
                } else {
                    x
                };
                agree(&gpu, &[near_one], within(dtype) * 100.0, |x| vec![tf::cumprod_with(&x[0], axis, how)]);
            }
        }
    }
}

#[test]
fn gradients_of_running_products() {
    let Some(gpu) = gpu() else { return };
    for (shape, axis) in [(&[3, 4][..], 1), (&[600], 0), (&[5, 2, 7], 1), (&[0, 2], 1)] {
        for (exclusive, reverse) in WAYS {
            for dtype in [DType::F32, DType::F64] {
                let x = some(2, dtype, shape);
                let slope = |x: &[Tensor]| {
                    let mut outer = GradientTape::new();
                    outer.watch(&x[0]);
                    let mut tape = GradientTape::new();
                    tape.watch(&x[0]);
                    let y = tf::cumprod_with(&x[0], axis, Cumulative { exclusive, reverse });
                    let dx = tape.gradient(&(&y * &y), &x[0]);
                    vec![dx.clone(), outer.gradient(&(&dx * &dx), &x[0])]
                };
                agree(&gpu, &[x], within(dtype) * 10.0, slope);
            }
        }
    }
}

#[test]
fn places_of_the_best() {
    let Some(gpu) = gpu() else { return };
    let shapes: [(&[usize], isize); 7] =
        [(&[1], 0), (&[0, 3], 1), (&[5, 7], 1), (&[3, 300], 1), (&[300, 3], 0), (&[20_000], 0), (&[70, 9000], 0)];
    for (i, (shape, axis)) in shapes.into_iter().enumerate() {
        let few = [DType::F32, DType::I64];
        let dtypes =
            if i == 2 || i == 3 { NUMBERS.iter().chain(&[DType::Bool]).copied().collect() } else { few.to_vec() };
        for dtype in dtypes {
            // Integers repeat, so the first of equals is asked for.
            agree(&gpu, &[some(3, dtype, shape)], 0.0, |x| {
                vec![tf::argmax(&x[0], axis), tf::argmin(&x[0], axis), tf::argmax_as(&x[0], axis, DType::I32)]
            });
        }
        agree(&gpu, &[some(4, DType::F32, shape)], 0.0, |x| vec![tf::argmax_as(&x[0], axis, DType::U16)]);
    }
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let odd = tf::constant([[nan, nan, nan], [nan, 1.0, 2.0], [3.0, nan, 3.0], [-inf, -inf, -inf], [inf, nan, inf]]);
    agree(&gpu, &[odd], 0.0, |x| vec![tf::argmax(&x[0], 1), tf::argmin(&x[0], 1)]);
}

#[test]
fn means_of_every_dtype() {
    let Some(gpu) = gpu() else { return };
    for dtype in NUMBERS {
        agree(&gpu, &[some(5, dtype, &[6, 50])], within(dtype), |x| {
            vec![tf::reduce_mean(&x[0], ()), tf::reduce_mean(&x[0], 0), tf::reduce_mean(&x[0], 1)]
        });
    }
    // Integers have no mean of nothing, and floats have none that is a number.
    for dtype in [DType::F32, DType::I32, DType::I64, DType::U64] {
        agree(&gpu, &[some(5, dtype, &[3, 0])], 0.0, |x| vec![tf::reduce_mean(&x[0], 1), tf::reduce_mean(&x[0], ())]);
    }
    // Long runs that lie apart, as channels of images that come first; the second begin at odd places.
    for shape in [[2, 3, 64, 66], [3, 2, 71, 59]] {
        for dtype in [DType::F32, DType::BF16, DType::I32] {
            agree(&gpu, &[some(7, dtype, &shape)], within(dtype) * 4.0, |x| {
                vec![tf::reduce_mean(&x[0], [0, 2, 3]), tf::reduce_max(&x[0], [0, 2, 3])]
            });
        }
    }
    agree(&gpu, &[some(6, DType::F32, &[6, 50])], 1e-6, |x| {
        let mut tape = GradientTape::new();
        tape.watch(&x[0]);
        vec![tape.gradient(&tf::reduce_mean(&x[0], 1), &x[0])]
    });
}
