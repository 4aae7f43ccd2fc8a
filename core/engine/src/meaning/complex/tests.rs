//! Complex numbers from end to end: eager, under tapes, traced and fused.
//! The tables of the suite go through every operation; here is how the parts fit together.

use crate::{self as tf, Complex, DType, Tensor};

type C = Complex<f64>;

fn numbers(values: &[(f64, f64)]) -> Tensor {
    values.iter().map(|&(re, im)| C::new(re, im)).collect()
}

#[track_caller]
fn near(got: &Tensor, want: &[C]) {
    for (got, want) in got.to_vec::<C>().iter().zip(want) {
        assert!((got - want).norm() <= 1e-12 * want.norm().max(1.0), "{got}, not {want}");
    }
    assert_eq!(got.num_elements(), want.len());
}

#[test]
fn products_are_complex() {
    let (x, y) = (numbers(&[(1.0, 2.0), (-3.0, 0.5)]), numbers(&[(0.5, -1.0), (2.0, 4.0)]));
    let (a, b) = (x.to_vec::<C>(), y.to_vec::<C>());
    near(&(&x * &y), &[a[0] * b[0], a[1] * b[1]]);
    near(&(&x * Complex::new(0.0, 1.0)), &[a[0] * C::i(), a[1] * C::i()]);
    near(&(Complex::new(0.0, 1.0) * &x), &[a[0] * C::i(), a[1] * C::i()]);
    near(&(&x * 2.0), &[a[0] * 2.0, a[1] * 2.0]);
    assert!(x.try_multiply(&tf::ones([2])).is_err());
}

#[test]
fn parts_are_views_of_the_same_memory() {
    let z: Tensor = (0..100).map(|i| Complex::new(i as f32, -(i as f32))).collect();
    let (re, im) = (tf::real(&z), tf::imag(&z));
    assert_eq!(re.strides()[0], 2);
    assert_eq!(im.address().addr() - re.address().addr(), 4);
    assert_eq!(re.address(), z.address());
    assert_eq!(im.to_vec::<f32>()[99], -99.0);
    assert_eq!(tf::complex(&re, &im).to_vec::<Complex<f32>>(), z.to_vec::<Complex<f32>>());
}

#[test]
fn gradients_are_of_tensorflows_convention() {
    let (x, y) = (numbers(&[(1.0, 2.0)]), numbers(&[(0.5, -1.0)]));
    let mut tape = tf::GradientTape::new();
    tape.watch(&x);
    tape.watch(&y);
    let z = &x * &y;
    let (dx, dy) = tape.gradient(&z, (&x, &y));
    near(&dx, &[C::new(0.5, 1.0)]);
    near(&dy, &[C::new(1.0, -2.0)]);
}

#[test]
fn second_derivatives() {
    let x = numbers(&[(1.0, 2.0)]);
    let mut outer = tf::GradientTape::new();
    outer.watch(&x);
    let mut tape = tf::GradientTape::new();
    tape.watch(&x);
    let y = &x * &x * &x;
    let dx = tape.gradient(&y, &x);
    let z = C::new(1.0, 2.0);
    near(&dx, &[(z * z * 3.0).conj()]);
    // The cotangent of conj(3 z^2) is conj(6 z) of a conjugate: 6 z by an antiholomorphic function.
    let second = outer.gradient(&dx, &x);
    near(&second, &[(z * 6.0).conj()]);
    assert_eq!(second.dtype(), DType::C128);
}
