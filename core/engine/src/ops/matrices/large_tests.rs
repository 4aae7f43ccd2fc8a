//! Matrices of enough rows to be shared out among threads, whose parts end where panels do not: what is made of them gives them back, and
//! the bits are those of one thread.

use crate as tf;
use crate::ops::differences::numbers;
use crate::tensor::Tensor;
use kernels::backend::cpu::thread_pool::set_threads;

/// The largest modulus of a difference.
fn apart(a: &Tensor, b: &Tensor) -> f64 {
    tf::reduce_max(tf::abs(a - b), ()).item::<f64>()
}

/// A matrix whose rows must be exchanged, and one that is Hermitian and positive definite.
fn matrices(n: usize) -> [Tensor; 2] {
    let a = numbers(3, &[n, n]);
    let product = tf::matmul(&a, &a.t()) * (1.0 / n as f64);
    [a, product + tf::try_eye([n, n], tf::DType::F64).unwrap()]
}

/// Everything that goes by parts.
fn all(n: usize) -> Vec<Tensor> {
    let [a, hermitian] = matrices(n);
    let b = numbers(5, &[n, 200]);
    let (packed, rows) = tf::lu(&a);
    let (sign, logarithm) = tf::slogdet(&a);
    let (values, vectors) = tf::eigh(&hermitian);
    let imaginary = tf::band_part(numbers(6, &[n, n]), -1, 0) * (0.5 / n as f64);
    let turned = tf::complex(&hermitian, &imaginary - imaginary.t());
    let (real, complex) = tf::eigh(&turned);
    let mut all = vec![packed, rows, sign, logarithm, values, vectors, tf::inv(&a, false), real, complex];
    for adjoint in [false, true] {
        all.push(tf::solve(&a, &b, adjoint));
        all.push(tf::triangular_solve(&hermitian, &b, true, adjoint));
    }
    all
}

#[test]
fn parts_make_whole_factors() {
    for n in [256, 300, 450] {
        let [a, hermitian] = matrices(n);
        let one = tf::try_eye([n, n], tf::DType::F64).unwrap();
        let (packed, rows) = tf::lu(&a);
        let lower = tf::band_part(&packed, -1, 0);
        let lower = &lower - &one * &lower + &one;
        let upper = tf::band_part(&packed, 0, -1);
        assert!(apart(&tf::matmul(&lower, &upper), &tf::gather(&a, &rows, 0)) < 1e-11, "lu of {n}");
        assert!(tf::reduce_max(tf::abs(&lower), ()).item::<f64>() <= 1.0, "the largest pivot of {n}");

        assert!(apart(&tf::matmul(&a, tf::inv(&a, false)), &one) < 1e-9, "inv of {n}");
        let b = numbers(5, &[n, 200]);
        assert!(apart(&tf::matmul(&a, tf::solve(&a, &b, false)), &b) < 1e-9, "solve of {n}");
        assert!(apart(&tf::matmul(a.t(), tf::solve(&a, &b, true)), &b) < 1e-9, "adjoint of {n}");
        let (sign, logarithm) = tf::slogdet(&hermitian);
        let pivots = tf::log(tf::diag_part(tf::cholesky(&hermitian)));
        let wanted = tf::reduce_sum(pivots, ()).item::<f64>() * 2.0;
        assert_eq!(sign.item::<f64>(), 1.0);
        assert!((logarithm.item::<f64>() - wanted).abs() < 1e-9 * wanted.abs().max(1.0), "determinant of {n}");

        let (values, vectors) = tf::eigh(&hermitian);
        let back = tf::matmul(&vectors * &values, vectors.t());
        assert!(apart(&back, &hermitian) < 1e-11, "eigh of {n}");
        assert!(apart(&tf::matmul(vectors.t(), &vectors), &one) < 1e-11, "vectors of {n}");
        assert!(values.to_vec::<f64>().is_sorted(), "values of {n}");
    }
}

#[test]
fn complex_vectors_of_many_rows() {
    let n = 300;
    let [_, hermitian] = matrices(n);
    let imaginary = tf::band_part(numbers(6, &[n, n]), -1, 0) * (0.5 / n as f64);
    let imaginary = &imaginary - imaginary.t();
    let a = tf::complex(&hermitian, &imaginary);
    let (values, vectors) = tf::eigh(&a);
    let (left, right) = (tf::matmul(&a, &vectors), &vectors * tf::cast(&values, vectors.dtype()));
    assert!(apart(&tf::real(&left), &tf::real(&right)) < 1e-11);
    assert!(apart(&tf::imag(&left), &tf::imag(&right)) < 1e-11);
}

#[test]
fn bits_are_those_of_one_thread() {
    let together = all(300);
    set_threads(1);
    let alone = all(300);
    set_threads(5);
    let many = all(300);
    set_threads(0);
    for (i, ((a, b), c)) in together.iter().zip(&alone).zip(&many).enumerate() {
        assert!(tf::reduce_all(tf::equal(a, b), ()).item::<bool>(), "result {i} with one thread");
        assert!(tf::reduce_all(tf::equal(a, c), ()).item::<bool>(), "result {i} with five");
    }
}

#[test]
fn a_large_matrix_without_an_inverse() {
    let a = tf::cast(tf::ones([300, 300]), tf::DType::F64);
    assert!(tf::try_inv(&a, false).unwrap_err().to_string().contains("not invertible"));
    assert_eq!(tf::det(&a).item::<f64>(), 0.0);
    let (sign, logarithm) = tf::slogdet(&a);
    assert_eq!([sign.item::<f64>(), logarithm.item::<f64>()], [0.0, f64::NEG_INFINITY]);
    // As for fewer rows, which the general algorithm takes as well.
    assert_eq!(tf::det(&tf::cast(tf::ones([40, 40]), tf::DType::F64)).item::<f64>(), 0.0);
}
