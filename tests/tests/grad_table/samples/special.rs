//! Samples of the functions in `rows/special.rs`: inputs within their domains, away from kinks.
//! `samples::all` collects them; where a parameter has no derivative the sample is a program that holds it.

use super::Input::{Apart, Between, Given};
use super::{POSITIVE, Sample, X, plain, with};
use serde_json::json;

/// Unary functions with all numbers as their domain.
const EVERYWHERE: [&str; 8] = ["tan_of_half", "atan", "sinh", "cosh", "asinh", "log_sigmoid", "mish", "l2_loss"];
/// Unary functions that are given numbers apart from zero, where the derivative has a form of its own.
const APART: [&str; 4] = ["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"];
/// Unary functions of numbers between -1 and 1.
const INSIDE: [&str; 4] = ["asin", "acos", "atanh", "erfinv"];
/// Functions of positive numbers.
const ABOVE: [&str; 9] = [
    "lgamma",
    "digamma",
    "lbeta",
    "polygamma_of_x",
    "zeta_of_q",
    "igamma_of_x",
    "igammac_of_x",
    "igamma_near_its_mean",
    "xdivy_of_y",
];

pub(super) fn samples() -> Vec<Sample> {
    let mut all = Vec::new();
    all.extend(EVERYWHERE.map(|name| plain(name, vec![X])));
    all.extend(APART.map(|name| plain(name, vec![Apart(&[2, 3])])));
    all.extend(INSIDE.map(|name| plain(name, vec![Between(&[2, 3], -0.8, 0.8)])));
    all.extend(ABOVE.map(|name| plain(name, vec![POSITIVE])));
    all.push(plain("acosh", vec![Between(&[2, 3], 1.3, 3.0)]));
    all.push(plain("ndtri", vec![Between(&[2, 3], 0.1, 0.9)]));
    all.push(plain("erfcinv", vec![Between(&[2, 3], 0.3, 1.7)]));
    all.push(plain("betainc_of_x", vec![Between(&[2, 3], 0.2, 0.8)]));
    for name in ["xlogy", "xlog1py", "xdivy", "atan2", "multiply_no_nan", "nextafter"] {
        all.push(plain(name, vec![X, POSITIVE]));
    }
    all.push(plain("relu6", vec![Given(&[6], &[-1.0, 0.3, 2.0, 5.5, 6.5, 9.0])]));
    for name in ["hard_sigmoid", "hard_swish"] {
        all.push(plain(name, vec![Given(&[6], &[-4.0, -2.5, -0.3, 0.7, 2.5, 4.0])]));
    }
    all.push(with("crelu", json!({"axis": 1}), vec![Apart(&[2, 3])]));
    all.push(with("glu", json!({"axis": 1}), vec![Between(&[2, 4], -2.0, 2.0)]));
    all.push(Sample { loose: 1e5, ..with("saturate_cast", json!({"to": "float32"}), vec![X]) });
    all
}
