//! The text of tensors against what real TensorFlow prints, and the forms that are our own.
//! `tests/golden/make_text.py` makes the golden file.

use crate::{self as tf, DType, Shape, Tensor, TensorType, s};

/// Tensors as real TensorFlow prints them; made by `tests/golden/make_text.py`.
const GOLDEN: &str = include_str!("../../../../../tests/golden/text.json");

/// What stands between two marks.
fn between<'a>(line: &'a str, from: &str, to: &str) -> &'a str {
    let start = line.find(from).expect("the field") + from.len();
    &line[start..start + line[start..].find(to).expect("its end")]
}

fn numbers<T: std::str::FromStr>(data: &[&str]) -> Vec<T>
where
    T::Err: std::fmt::Debug,
{
    data.iter().map(|n| n.trim_matches('"').parse().expect("a number")).collect()
}

fn tensor(line: &str) -> Tensor {
    let dtype = DType::from_name(between(line, "\"dtype\":\"", "\"")).expect("a dtype");
    let list = |field| between(line, field, "]").split(',').filter(|n| !n.is_empty()).collect::<Vec<_>>();
    let (shape, data) = (numbers::<usize>(&list("\"shape\":[")), list("\"data\":["));
    let wide = match dtype {
        DType::Bool => Tensor::try_from_vec(numbers::<bool>(&data), shape),
        DType::U64 => Tensor::try_from_vec(numbers::<u64>(&data), shape),
        _ if dtype.is_integer() => Tensor::try_from_vec(numbers::<i64>(&data), shape),
        _ => Tensor::try_from_vec(numbers::<f64>(&data), shape),
    };
    wide.expect("a sound tensor").cast(dtype)
}

#[test]
fn tensors_print_as_in_tensorflow() {
    let mut count = 0;
    for line in GOLDEN.lines().skip(1) {
        let text = between(line, "\"text\":\"", "\"}").replace("\\n", "\n");
        let x = tensor(line);
        assert_eq!(x.to_string(), text, "{}\n{text}", line.chars().take(120).collect::<String>());
        let alternate = format!("{x:#}");
        let line_end = if text.contains('\n') { "\n" } else { "" };
        assert_eq!(alternate, format!("Tensor({line_end}{text}, shape={}, dtype={})", x.shape(), x.dtype()));
        count += 1;
    }
    assert_eq!(count, 197);
}

#[test]
fn debug_says_shape_dtype_and_value() {
    let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(format!("{x:?}"), "<Tensor: shape=[2, 2], dtype=float32, value=\n[[1. 2.]\n [3. 4.]]>");
    assert_eq!(format!("{:?}", tf::constant(5)), "<Tensor: shape=[], dtype=int32, value=5>");
    let symbol = Tensor::symbol(&TensorType::new(DType::F64, Shape::from_dims(&[tf::Dim::symbol(0)]).unwrap()));
    assert_eq!(format!("{symbol:?}"), "<Tensor: shape=[s0], dtype=float64>");
    assert_eq!(symbol.to_string(), "<float64[s0]>");
}

#[test]
fn brain_floats_print_as_other_floats_do() {
    let x = tf::constant_of([1.5, 2.0, 100.0, 0.1], DType::BF16);
    assert_eq!(x.to_string(), "[  1.5   2.  100.    0.1]");
    assert_eq!(x.at(3).to_string(), "0.1");
    assert_eq!(tf::constant_of([1e-6, 3.0], DType::BF16).to_string(), "[1.e-06 3.e+00]");
    assert_eq!(tf::constant_of(f32::INFINITY, DType::BF16).to_string(), "inf");
}

#[test]
fn strided_tensors_print_their_own_order() {
    let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    assert_eq!(x.at(s![..;-1, ..;2]).to_string(), "[[4 6]\n [1 3]]");
    assert_eq!(tf::transpose(&x, [1, 0]).to_string(), "[[1 4]\n [2 5]\n [3 6]]");
}

#[test]
fn a_precision_fixes_the_decimal_places() {
    let x = tf::constant([1.0, -22.3456, f32::NAN]);
    assert_eq!(format!("{x:.2}"), "[  1.00 -22.35    nan]");
    assert_eq!(format!("{x:.0}"), "[  1. -22.  nan]");
    assert_eq!(format!("{:.3}", tf::constant(1e-5)), "0.000");
    assert_eq!(format!("{:.3}", tf::constant(7)), "7");
    assert_eq!(format!("{:8.3}|", tf::constant(0.5)), "   0.500|");
    assert_eq!(
        format!("{:<6}|{:^6}|{:*>6}|", tf::constant(7), tf::constant(42), tf::constant(true)),
        "7     |  42  |**True|"
    );
    assert_eq!(format!("{:.1?}", tf::constant([0.25, 0.75])), "<Tensor: shape=[2], dtype=float32, value=[0.2 0.8]>");
}

/// As NumPy 2 prints `str(np.complex64(z))`, `str(np.complex128(z))` and arrays of them.
#[test]
fn complex_numbers_print_as_in_numpy() {
    use crate::Complex;
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for (re, im, single, double) in [
        (1.0, 2.0, "(1+2j)", "(1+2j)"),
        (-0.0, 2.0, "2j", "2j"),
        (2.0, -0.0, "(2-0j)", "(2-0j)"),
        (1.5e6, 2.0, "(1.5e+06+2j)", "(1500000+2j)"),
        (1e16, 1.0, "(1e+16+1j)", "(1e+16+1j)"),
        (1e-5, 0.1, "(1e-05+0.1j)", "(1e-05+0.1j)"),
        (nan, inf, "(nan+infj)", "(nan+infj)"),
        (-inf, -1.25, "(-inf-1.25j)", "(-inf-1.25j)"),
    ] {
        let z = Tensor::from(Complex::new(re, im));
        assert_eq!((z.cast(DType::C64).to_string(), z.to_string()), (single.into(), double.into()));
    }
    let text = |all: &[(f64, f64)]| {
        let z: Tensor = all.iter().map(|&(re, im)| Complex::new(re as f32, im as f32)).collect();
        z.to_string()
    };
    assert_eq!(text(&[(1.0, 2.0), (10.5, -3.25), (100.0, -0.125)]), "[  1. +2.j     10.5-3.25j  100. -0.125j]");
    assert_eq!(text(&[(1.0, 2.0), (1e10, -3.25)]), "[1.e+00+2.j   1.e+10-3.25j]");
    assert_eq!(text(&[(nan, 0.0), (1.0, 2.0), (inf, -inf)]), "[nan +0.j  1. +2.j inf-infj]");
    assert_eq!(text(&[(0.0, nan)]), "[0.+nanj]");
    let z = tf::complex(1.0, 2.0);
    assert_eq!(format!("{z:?}"), "<Tensor: shape=[], dtype=complex64, value=(1+2j)>");
}
