//! Columns beside the rows of the transposed plane: the same bits, on every instruction set and for every layout of planes.
//! `softmax_columns.rs` declares them.

use super::{Normalise, Planes};
use crate::backend::cpu::{Isa, softmax_rows};

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7919 + seed * 31) % 1009) as f32 / 101.0 - 5.0).collect()
}

/// Element `(o, k, j)` of planes goes to `(o, j, k)`.
fn turned(p: &Planes, x: &[f32]) -> Vec<f32> {
    let size = p.n * p.inner;
    (0..x.len()).map(|i| x[i / size * size + i % p.n * p.inner + i % size / p.n]).collect()
}

#[test]
fn columns_have_the_bits_of_rows() {
    for (outer, n, inner) in [
        (1, 3, 2000),
        (2, 31, 1500),
        (1, 32, 17),
        (3, 33, 16),
        (2, 100, 130),
        (1, 1000, 300),
        (700, 3, 3),
        (5, 31, 15),
        (9, 32, 3),
        (4, 200, 5),
        (2, 1000, 1),
        (3, 1, 7),
        (2, 5, 1),
        (1, 65, 129),
        (200, 2, 2),
    ] {
        let p = Planes { outer, n, inner };
        let (a, b) = (numbers(outer * n * inner, 1), numbers(outer * n * inner, 2));
        let (rows_of_a, rows_of_b) = (turned(&p, &a), turned(&p, &b));
        for isa in Isa::available() {
            for normalise in
                [Normalise::Softmax, Normalise::LogSoftmax, Normalise::SoftmaxGradient, Normalise::LogSoftmaxGradient]
            {
                let (mut rows, mut columns) = (vec![0.0; a.len()], vec![f32::NAN; a.len()]);
                match normalise {
                    Normalise::Softmax => softmax_rows::softmax(isa, n, &rows_of_a, &mut rows),
                    Normalise::LogSoftmax => softmax_rows::log_softmax(isa, n, &rows_of_a, &mut rows),
                    Normalise::SoftmaxGradient => {
                        softmax_rows::softmax_gradient(isa, n, &rows_of_a, &rows_of_b, &mut rows);
                    }
                    Normalise::LogSoftmaxGradient => {
                        softmax_rows::log_softmax_gradient(isa, n, &rows_of_a, &rows_of_b, &mut rows);
                    }
                }
                for chunk in 0..p.work().phases[0] {
                    // SAFETY: dense planes of these sizes.
                    unsafe { p.run(isa, normalise, a.as_ptr(), b.as_ptr(), columns.as_mut_ptr(), chunk) };
                }
                let bits = |x: &[f32]| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert!(bits(&rows) == bits(&turned(&p, &columns)), "{normalise:?} {p:?} {isa:?}");
            }
        }
    }
}

#[test]
fn columns_with_nan_are_nan_and_the_others_are_not() {
    let p = Planes { outer: 1, n: 40, inner: 20 };
    let mut x = numbers(800, 3);
    x[7 * 20 + 4] = f32::NAN;
    let mut y = vec![0.0; 800];
    for chunk in 0..p.work().phases[0] {
        // SAFETY: dense planes of these sizes.
        unsafe { p.run(Isa::current(), Normalise::Softmax, x.as_ptr(), x.as_ptr(), y.as_mut_ptr(), chunk) };
    }
    assert!((0..800).all(|i| y[i].is_nan() == (i % 20 == 4)));
}
