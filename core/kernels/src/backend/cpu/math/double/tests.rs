//! Accuracy and special values of the f64 element functions, against a table of exact points and against std.
//! `cargo test` runs them.

use super::hard::POINTS;
use super::*;

type Function = fn(f64) -> f64;

fn function(name: &str) -> Function {
    match name {
        "exp" => exp,
        "expm1" => expm1,
        "log" => log,
        "log1p" => log1p,
        "tanh" => tanh,
        "erf" => erf,
        "erfc" => erfc,
        "sin" => sin,
        "cos" => cos,
        _ => sigmoid,
    }
}

/// Bits on a scale where neighbouring floats differ by one, negative ones included.
fn rank(v: f64) -> i64 {
    let bits = v.to_bits() as i64;
    if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
}

#[test]
fn exact_points() {
    for &(name, x, y, want, rest) in POINTS {
        let x = f64::from_bits(x);
        let got = if name == "pow" { pow(x, f64::from_bits(y)) } else { function(name)(x) };
        let want = f64::from_bits(want);
        let error = ((rank(got) - rank(want)) as f64 - f64::from(rest)).abs();
        let bound = match name {
            "sin" | "cos" => 0.8,
            "exp" | "log" | "log1p" => 0.9,
            "expm1" => 1.2,
            "pow" => 2.3,
            "erfc" => 3.3,
            _ => 1.6,
        };
        assert!(error <= bound, "{name}: {error} ulp at {x:e}: {got:e}, not {want:e}");
    }
}

#[test]
fn near_std_everywhere() {
    let pairs: [(Function, Function, i64); 7] = [
        (exp, f64::exp, 2),
        (expm1, f64::exp_m1, 2),
        (log, f64::ln, 2),
        (log1p, f64::ln_1p, 2),
        (tanh, f64::tanh, 4),
        (sin, f64::sin, 2),
        (cos, f64::cos, 2),
    ];
    for (f, std, bound) in pairs {
        let mut bits = 0_u64;
        // An odd step of about 2^64 / 200000.
        while let Some(next) = bits.checked_add(92_233_720_368_547) {
            bits = next;
            let x = f64::from_bits(bits);
            let (got, want) = (f(x), std(x));
            let same = got.is_nan() && want.is_nan();
            assert!(same || rank(got).abs_diff(rank(want)) <= bound as u64, "at {x:e}: {got:e}, not {want:e}");
        }
    }
}

#[test]
fn rounding_is_exact() {
    let mut bits = 0_u64;
    while let Some(next) = bits.checked_add(92_233_720_368_547) {
        bits = next;
        let x = f64::from_bits(bits);
        if x.is_nan() {
            continue;
        }
        assert_eq!(floor(x).to_bits(), x.floor().to_bits(), "{x:e}");
        assert_eq!(ceil(x).to_bits(), x.ceil().to_bits(), "{x:e}");
        assert_eq!(round_even(x).to_bits(), x.round_ties_even().to_bits(), "{x:e}");
    }
    for (x, want) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0)] {
        assert_eq!(round_even(x).to_bits(), f64::to_bits(want));
    }
    assert!(floor(f64::NAN).is_nan() && ceil(f64::NAN).is_nan() && round_even(f64::NAN).is_nan());
}

#[test]
fn pow_of_special_values() {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        3.0,
        -3.0,
        0.5,
        -0.5,
        1.5,
        -2.5,
        5e-324,
        -5e-324,
        1e-310,
        f64::MAX,
        f64::MIN,
        9_007_199_254_740_991.0,
        -9_007_199_254_740_991.0,
        9_007_199_254_740_992.0,
        4_503_599_627_370_495.5,
        1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        0.999_999_999_999_999_9,
        1.000_000_000_000_000_2,
    ];
    for x in values {
        for y in values {
            let (got, want) = (pow(x, y), x.powf(y));
            let same = got.is_nan() && want.is_nan();
            assert!(same || rank(got).abs_diff(rank(want)) <= 3, "{x:e}^{y:e}: {got:e}, not {want:e}");
            assert_eq!(got.is_sign_negative() && !got.is_nan(), want.is_sign_negative() && !want.is_nan());
        }
    }
}

#[test]
fn special_values() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for f in [exp, expm1, log, log1p, tanh, erf, erfc, sin, cos, sigmoid] {
        assert!(f(nan).is_nan() && f(-nan).is_nan());
    }
    for f in [expm1, log1p, tanh, erf, sin] {
        for x in [0.0, -0.0, 5e-324, -5e-324, 1e-310] {
            assert_eq!(f(x).is_sign_negative(), f64::is_sign_negative(x));
        }
        assert_eq!(f(-0.0).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(f(0.0).to_bits(), 0);
    }
    assert_eq!([exp(inf), exp(-inf), exp(-0.0), exp(-745.0)], [inf, 0.0, 1.0, 5e-324]);
    assert_eq!([expm1(inf), expm1(-inf)], [inf, -1.0]);
    assert_eq!([log(0.0), log(-0.0), log(1.0), log(inf)], [-inf, -inf, 0.0, inf]);
    assert!(log(-1.0).is_nan() && log(-inf).is_nan() && log(-5e-324).is_nan());
    assert_eq!([log1p(-1.0), log1p(inf)], [-inf, inf]);
    assert!(log1p(-1.5).is_nan() && log1p(-inf).is_nan());
    assert_eq!([tanh(inf), tanh(-inf), erf(inf), erf(-inf)], [1.0, -1.0, 1.0, -1.0]);
    assert_eq!([erfc(inf), erfc(-inf), erfc(0.0), erfc(-0.0), erfc(27.22)], [0.0, 2.0, 1.0, 1.0, 5e-324]);
    assert_eq!([sigmoid(inf), sigmoid(-inf), sigmoid(0.0), sigmoid(-0.0)], [1.0, 0.0, 0.5, 0.5]);
    assert!(sin(inf).is_nan() && sin(-inf).is_nan() && cos(inf).is_nan() && cos(-inf).is_nan());
}

#[test]
fn no_steps_down_at_the_edges() {
    let runs: [(Function, f64); 10] = [
        (tanh, 19.0),
        (tanh, 0.55),
        (erf, 1.0),
        (erf, 5.9),
        (|x| -erfc(x), 0.5),
        (|x| -erfc(x), 26.5),
        (sigmoid, 36.0),
        (sigmoid, -37.0),
        (sigmoid, -708.4),
        (sigmoid, -745.0),
    ];
    for (f, at) in runs {
        // Steps of 2^-46: at the seams below 1 single ulps of x would be finer than the rounding of the result.
        let mut last = f64::NEG_INFINITY;
        for i in -4999_i32..5000 {
            let y = f(at + f64::from(i) * 1.421_085_471_520_200_4e-14);
            assert!(y >= last, "falls at {at} + {i} steps");
            last = y;
        }
    }
}
