//! Softmax, its logarithm and the cross entropies: rows of all lengths, both dtypes, gradients of both orders.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::cuda::watched_gpu as gpu;
use tf::{DType, GradientTape, Tensor};

/// Rows and their length: one lane, odd, a full warp, more than registers hold, more than a warp takes, more than a block
/// keeps, more than a large one does.
const ROWS: [[usize; 2]; 10] =
    [[0, 4], [3, 1], [5, 10], [33, 32], [4, 33], [3, 300], [2, 1025], [1, 700], [2, 5000], [1, 9_001]];

const REAL: [(DType, f64); 2] = [(DType::F32, 2e-6), (DType::F64, 1e-14)];

/// A function and its gradients of two orders.
fn with_gradients(x: &[Tensor], by: usize, f: impl Fn(&[Tensor]) -> Tensor) -> Vec<Tensor> {
    let mut outer = GradientTape::new();
    outer.watch(&x[by]);
    let mut tape = GradientTape::new();
    tape.watch(&x[by]);
    let y = f(x);
    let weighted = &y * &tf::sin(&y);
    let dx = tape.gradient(&weighted, &x[by]);
    let ddx = outer.gradient(&(&dx * &dx), &x[by]);
    vec![y, dx, ddx]
}

#[test]
fn softmax_and_its_logarithm() {
    let Some(gpu) = gpu() else { return };
    for shape in ROWS {
        for (dtype, within) in REAL {
            let x = some(1, dtype, &shape) * tf::cast(&tf::constant(5.0), dtype);
            agree(&gpu, std::slice::from_ref(&x), within * 10.0, |x| with_gradients(x, 0, |x| tf::softmax(&x[0], -1)));
            agree(&gpu, &[x], within * 10.0, |x| with_gradients(x, 0, |x| tf::log_softmax(&x[0], -1)));
        }
    }
}

/// The longest rows that each number of threads keeps, as they are computed in 32 bits, and one element more and less; where they begin
/// anywhere in 16 bytes, those that just touch what is kept, and just do not.
#[test]
fn rows_that_just_fit_their_threads() {
    let Some(gpu) = gpu() else { return };
    let kinds = [(DType::F32, 2e-5), (DType::F64, 1e-13), (DType::F16, 2e-3), (DType::BF16, 1.6e-2)];
    for (dtype, within) in kinds {
        let (each, words) = (16 / dtype.size(), if dtype == DType::F64 { 2 } else { 1 });
        for kept in [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192].map(|kept| kept / words) {
            for n in [kept - each, kept - each + 1, kept - each + 2, kept - 1, kept, kept + 1] {
                let rows = if n < 300 { 7 } else { 2 };
                let x = some(6, dtype, &[rows, n]) * tf::cast(&tf::constant(5.0), dtype);
                let classes = Tensor::from((0..rows as i64).collect::<Vec<_>>());
                agree(&gpu, &[x.clone(), classes], within, |x| {
                    let mut tape = GradientTape::new();
                    tape.watch(&x[0]);
                    let y = tf::log_softmax(&x[0], -1);
                    let loss = tf::sparse_softmax_cross_entropy_with_logits(&x[1], &x[0]);
                    let dense = tf::softmax_cross_entropy_with_logits(&tf::softmax(&x[0], -1), &x[0]);
                    let dx = tape.gradient(&(tf::reduce_sum(&y, ()) + tf::reduce_sum(&loss, ())), &x[0]);
                    vec![tf::softmax(&x[0], -1), y, loss, dense, dx]
                });
            }
        }
    }
}

/// Tensors that begin beside 16 bytes are read element by element.
#[test]
fn rows_that_begin_anywhere() {
    let Some(gpu) = gpu() else { return };
    for dtype in [DType::F32, DType::BF16, DType::F64] {
        for n in [8, 64, 200, 1000, 1024, 5000, 9000] {
            let x = some(7, dtype, &[4, n]).slice([1, 0], [3, n as isize]);
            let from_middle = some(8, dtype, &[3 * n + 1]).slice([1], [3 * n as isize]).reshape([3, n]);
            for x in [x, from_middle] {
                agree(&gpu, &[x], if dtype == DType::BF16 { 8e-3 } else { 2e-6 }, |x| {
                    vec![tf::softmax(&x[0], -1), tf::log_softmax(&x[0], -1)]
                });
            }
        }
    }
}

#[test]
fn other_axes_dtypes_and_numbers_without_end() {
    let Some(gpu) = gpu() else { return };
    for (shape, axis) in [([5, 7, 3], 0), ([5, 7, 3], 1), ([3, 4, 0], 1), ([2, 0, 3], 1)] {
        let x = some(2, DType::F32, &shape);
        agree(&gpu, std::slice::from_ref(&x), 1e-5, |x| with_gradients(x, 0, |x| tf::softmax(&x[0], axis)));
        agree(&gpu, &[x], 1e-5, |x| with_gradients(x, 0, |x| tf::log_softmax(&x[0], axis)));
    }
    for (dtype, within) in [(DType::F16, 1e-3), (DType::BF16, 8e-3)] {
        for shape in [[6, 40], [3, 37], [2, 600], [2, 5000], [1, 4099]] {
            let x = some(3, dtype, &shape);
            agree(&gpu, std::slice::from_ref(&x), within * 4.0, |x| with_gradients(x, 0, |x| tf::softmax(&x[0], -1)));
            agree(&gpu, std::slice::from_ref(&x), within * 4.0, |x| {
                with_gradients(x, 0, |x| tf::log_softmax(&x[0], 1))
            });
            let labels = tf::softmax(&some(5, dtype, &shape), -1);
            let dense = |x: &[Tensor]| tf::softmax_cross_entropy_with_logits(&x[0], &x[1]);
            agree(&gpu, &[labels, x.clone()], within * 4.0, |x| with_gradients(x, 1, dense));
            let classes = Tensor::from((0..shape[0] as i64).collect::<Vec<_>>());
            agree(&gpu, &[classes, x], within * 4.0, |x| {
                with_gradients(x, 1, |x| tf::sparse_softmax_cross_entropy_with_logits(&x[0], &x[1]))
            });
        }
    }
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let odd =
        tf::constant([[inf, 1.0, 2.0], [-inf, 1.0, 2.0], [-inf, -inf, -inf], [nan, 1.0, 2.0], [1e30, -1e30, 0.0]]);
    agree(&gpu, &[odd], 1e-6, |x| vec![tf::softmax(&x[0], -1), tf::log_softmax(&x[0], -1)]);
    // Behind what registers keep, where sums follow the greatest so far.
    for (at, value) in [(0, inf), (18_000, inf), (18_000, nan), (18_000, 200.0), (18_000, -inf)] {
        let mut row = vec![-inf; 20_000];
        (0..20_000).step_by(7).for_each(|i| row[i] = i as f32 * 1e-3);
        row[at] = value;
        let row = Tensor::from(row);
        agree(&gpu, &[row], 1e-6, |x| vec![tf::softmax(&x[0], -1), tf::log_softmax(&x[0], -1)]);
    }
    agree(&gpu, &[Tensor::from(vec![-inf; 20_000])], 1e-6, |x| vec![tf::softmax(&x[0], -1)]);
}

#[test]
fn cross_entropies() {
    let Some(gpu) = gpu() else { return };
    for [rows, n] in ROWS {
        for (dtype, within) in REAL {
            // The loss of very many classes is a long sum, by which its second gradient is weighted.
            let within = if n > 8000 { within * 4.0 } else { within };
            let logits = some(4, dtype, &[rows, n]) * tf::cast(&tf::constant(4.0), dtype);
            let labels = tf::softmax(&some(5, dtype, &[rows, n]), -1);
            let both = [labels, logits.clone()];
            let dense = |x: &[Tensor]| tf::softmax_cross_entropy_with_logits(&x[0], &x[1]);
            agree(&gpu, &both, within * 10.0, |x| with_gradients(x, 1, dense));
            agree(&gpu, &both, within * 10.0, |x| with_gradients(x, 0, dense));
            for label in [DType::I32, DType::I64] {
                let classes: Vec<i64> = (0..rows).map(|i| ((i * 7 + n - 1) % n) as i64).collect();
                let classes = tf::cast(&Tensor::from(classes), label);
                agree(&gpu, &[classes, logits.clone()], within * 10.0, |x| {
                    with_gradients(x, 1, |x| tf::sparse_softmax_cross_entropy_with_logits(&x[0], &x[1]))
                });
            }
        }
    }
    agree(&gpu, &[tf::zeros([3, 0]), tf::zeros([3, 0])], 0.0, |x| {
        vec![tf::softmax_cross_entropy_with_logits(&x[0], &x[1])]
    });
}

#[test]
fn labels_that_are_no_class_are_refused_at_the_users_line() {
    let Some(_gpu) = gpu() else { return };
    for bad in [3i64, -1, 1 << 40] {
        let (labels, logits) = (Tensor::from(vec![0, bad]).gpu(), tf::ones([2, 3]).gpu());
        let line = line!() + 1;
        let loss = tf::sparse_softmax_cross_entropy_with_logits(&labels, &logits);
        let text = loss.try_to_vec::<f32>().unwrap_err().to_string();
        assert!(text.contains(&bad.to_string()) && text.contains("0..3"), "{text}");
        assert!(text.contains(&format!("rows.rs:{line}")), "{text}");
    }
}
