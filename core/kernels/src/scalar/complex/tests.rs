//! Functions of complex numbers against num-complex, and near the edges of the range.
//! Each runs as the two programs that an element-wise operation has, on single elements.

use super::*;
use crate::backend::cpu::vector::evaluate;
use num_complex::Complex;

/// A function of constants: the language folds it by running its loops.
fn run(f: impl Fn(&Scalar, ComplexVal) -> ComplexVal, z: Complex<f64>) -> Complex<f64> {
    let s = Scalar::new(evaluate);
    let pair = ComplexVal { re: s.constant(DType::F64, z.re), im: s.constant(DType::F64, z.im) };
    let out = f(&s, pair);
    let value = |x: Val| f64::from_bits(s.node(x).payload);
    Complex::new(value(out.re), value(out.im))
}

type Ours = fn(ComplexVal, &Scalar) -> ComplexVal;
type Theirs = fn(Complex<f64>) -> Complex<f64>;

#[test]
fn functions_agree_with_another_library() {
    let all: [(&str, Ours, Theirs); 16] = [
        ("exp", ComplexVal::exp, Complex::exp),
        ("log", ComplexVal::log, Complex::ln),
        ("sqrt", ComplexVal::sqrt, Complex::sqrt),
        ("reciprocal", ComplexVal::reciprocal, |z| z.inv()),
        ("sin", ComplexVal::sin, Complex::sin),
        ("cos", ComplexVal::cos, Complex::cos),
        ("tan", ComplexVal::tan, Complex::tan),
        ("sinh", ComplexVal::sinh, Complex::sinh),
        ("cosh", ComplexVal::cosh, Complex::cosh),
        ("tanh", ComplexVal::tanh, Complex::tanh),
        ("asin", ComplexVal::asin, Complex::asin),
        ("acos", ComplexVal::acos, Complex::acos),
        ("atan", ComplexVal::atan, Complex::atan),
        ("asinh", ComplexVal::asinh, Complex::asinh),
        ("acosh", ComplexVal::acosh, Complex::acosh),
        ("atanh", ComplexVal::atanh, Complex::atanh),
    ];
    let parts = [-2.7, -1.0, -0.4, 0.3, 0.9, 1.1, 3.2];
    for (name, ours, theirs) in all {
        for (re, im) in parts.iter().flat_map(|&re| parts.map(|im| (re, im))) {
            let z = Complex::new(re, im);
            let (got, want) = (run(|s, z| ours(z, s), z), theirs(z));
            assert!((got - want).norm() <= 1e-14 * want.norm().max(1.0), "{name}({z}): {got}, not {want}");
        }
    }
}

#[test]
fn nothing_overflows_or_underflows_on_the_way() {
    let huge = Complex::new(3e307, 4e307);
    let s = Scalar::new(evaluate);
    let size = |z: Complex<f64>| run(|s, z| ComplexVal::new(z.abs(s), z.abs(s)), z).re;
    assert!((size(huge) / 5e307 - 1.0).abs() < 1e-15 && (size(huge * 1e-305 * 1e-305) / 5e-303 - 1.0).abs() < 1e-12);
    let near =
        |got: Complex<f64>, want: Complex<f64>| assert!((got - want).norm() < 1e-14 * want.norm(), "{got} {want}");
    near(run(|s, z| z.div(s, z), huge), Complex::new(1.0, 0.0));
    near(run(|s, z| z.sqrt(s), Complex::new(-4e300, 0.0)), Complex::new(0.0, 2e150));
    near(run(|s, z| z.sqrt(s), Complex::new(1e308, 1e308)), Complex::new(1e154, 0.0) * Complex::new(1.0, 1.0).sqrt());
    near(run(|s, z| z.tanh(s), Complex::new(1e5, 1.0)), Complex::new(1.0, 0.0));
    near(run(|s, z| z.log1p(s), Complex::new(1e-20, 1e-20)), Complex::new(1e-20, 1e-20));
    near(run(|s, z| z.expm1(s), Complex::new(1e-20, -1e-20)), Complex::new(1e-20, -1e-20));
    let _ = s;
}

#[test]
fn cuts_follow_the_sign_of_zero() {
    use std::f64::consts::PI;
    let below = Complex::new(-1.0, -0.0);
    assert_eq!(run(|s, z| z.log(s), Complex::new(-1.0, 0.0)), Complex::new(0.0, PI));
    assert_eq!(run(|s, z| z.log(s), below), Complex::new(0.0, -PI));
    assert_eq!(run(|s, z| z.sqrt(s), below), Complex::new(0.0, -1.0));
    assert_eq!(run(|s, z| z.sqrt(s), Complex::new(0.0, 0.0)), Complex::new(0.0, 0.0));
    assert_eq!(run(|s, z| z.sign(s), Complex::new(0.0, 0.0)), Complex::new(0.0, 0.0));
    assert_eq!(run(|s, z| z.log(s), Complex::new(0.0, 0.0)).re, f64::NEG_INFINITY);
}
