//! Accuracy, special values and monotony of the f32 element functions, against f64.
//! `cargo test` runs a sweep of every 4001st bit pattern; EAGERFLOW_HEAVY=1 one of every 61st.

use super::super::double;
use super::*;

fn stride() -> usize {
    if std::env::var_os("EAGERFLOW_HEAVY").is_some_and(|v| v == "1" || v == "all") { 61 } else { 4001 }
}

/// The distance of `got` from the exact `want` in units of the last place of f32 at `want`; infinite for a wrong kind
/// of value or a wrong sign of zero.
fn ulps(got: f32, want: f64) -> f64 {
    let nearest = want as f32;
    if got.to_bits() == nearest.to_bits() || (got.is_nan() && want.is_nan()) {
        return (f64::from(got) - want).abs().min(0.5);
    }
    if got.is_nan() || want.is_nan() || got.is_infinite() || want.is_infinite() || (got == 0.0 && want == 0.0) {
        return f64::INFINITY;
    }
    let exponent = ((want.abs().to_bits() >> 52) as i32 - 1023).max(-126);
    (f64::from(got) - want).abs() * 2_f64.powi(23 - exponent)
}

#[track_caller]
fn sweep(bound: f64, f: fn(f32) -> f32, exact: fn(f64) -> f64) {
    for bits in (0..=u32::MAX).step_by(stride()) {
        let x = f32::from_bits(bits);
        let error = ulps(f(x), exact(f64::from(x)));
        assert!(error <= bound, "{error} ulp at {x:e} ({bits:#x}): {:e}, not {:e}", f(x), exact(f64::from(x)));
    }
}

/// Every float from `from` to `to` in steps of one ulp: the values never fall by more than `ulp` ulp.
#[track_caller]
fn rises(f: fn(f32) -> f32, from: f32, to: f32, ulp: u32) {
    let mut x = from;
    while x < to {
        let next = x.next_up();
        let least = (0..ulp).fold(f(x), |v, _| v.next_down());
        assert!(f(next) >= least, "falls after {x:e}: {:e}, {:e}", f(x), f(next));
        x = next;
    }
}

#[test]
fn within_the_stated_bounds() {
    sweep(0.9, exp, f64::exp);
    sweep(1.2, expm1, f64::exp_m1);
    sweep(0.94, log, f64::ln);
    sweep(1.0, log1p, f64::ln_1p);
    sweep(1.81, tanh, f64::tanh);
    sweep(1.1, erf, double::erf);
    sweep(3.2, erfc, double::erfc);
    sweep(1.16, sin, f64::sin);
    sweep(1.16, cos, f64::cos);
    sweep(0.97, sigmoid, |x| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) });
}

#[test]
fn rounding_is_exact() {
    sweep(0.0, |x| if x.floor().to_bits() == floor(x).to_bits() || x.is_nan() { 0.0 } else { 1.0 }, |_| 0.0);
    sweep(0.0, |x| if x.ceil().to_bits() == ceil(x).to_bits() || x.is_nan() { 0.0 } else { 1.0 }, |_| 0.0);
    sweep(
        0.0,
        |x| if x.round_ties_even().to_bits() == round_even(x).to_bits() || x.is_nan() { 0.0 } else { 1.0 },
        |_| 0.0,
    );
    for (x, want) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0), (8_388_607.5, 8_388_608.0)] {
        assert_eq!(round_even(x).to_bits(), f32::to_bits(want));
    }
    assert!(floor(f32::NAN).is_nan() && ceil(f32::NAN).is_nan() && round_even(f32::NAN).is_nan());
}

#[test]
fn pow_within_its_bound() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for i in 0..4_000_000_000 / stride() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (a, b) = (state as u32, (state >> 32) as u32);
        let (unit, x) = (f64::from(b) / 4_294_967_296.0 - 0.5, f32::from_bits(a));
        // Any pair; results over the whole range; bases near 1 with large exponents.
        let (x, y) = match i % 3 {
            0 => (x, f32::from_bits(b)),
            1 => (x.abs(), (unit * 210.0 / f64::from(x.abs()).ln()) as f32),
            _ => (1.0 + (a as f32 / 4_294_967_296.0 - 0.5) * 0.01, (unit * 20000.0) as f32),
        };
        let want = f64::from(x).powf(f64::from(y));
        let error = ulps(pow(x, y), want);
        assert!(error <= 0.6, "{error} ulp at {x:e}^{y:e}: {:e}, not {want:e}", pow(x, y));
    }
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
        1e-45,
        -1e-45,
        1e-40,
        f32::MAX,
        f32::MIN,
        16_777_215.0,
        -16_777_215.0,
        16_777_216.0,
        8_388_607.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        0.999_999_94,
    ];
    for x in values {
        for y in values {
            let (got, want) = (pow(x, y), f64::from(x).powf(f64::from(y)));
            assert!(ulps(got, want) <= 0.6, "{x:e}^{y:e}: {got:e}, not {want:e}");
        }
    }
}

#[test]
fn special_values() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for f in [exp, expm1, log, log1p, tanh, erf, erfc, sin, cos, sigmoid] {
        assert!(f(nan).is_nan() && f(-nan).is_nan());
    }
    for f in [expm1, log1p, tanh, erf, sin] {
        for x in [0.0, -0.0, 1e-45, -1e-45] {
            assert_eq!(f(x).is_sign_negative(), x.is_sign_negative());
        }
        assert_eq!(f(-0.0).to_bits(), (-0.0_f32).to_bits());
        assert_eq!(f(0.0).to_bits(), 0);
    }
    assert_eq!([exp(inf), exp(-inf), exp(-0.0), exp(-103.0)], [inf, 0.0, 1.0, f32::from_bits(1)]);
    // e^88.7 - 1 is finite, though 2^128, its scale, is not.
    assert!(expm1(88.7).is_finite() && expm1(89.0) == inf && expm1(inf) == inf && expm1(-inf) == -1.0);
    assert_eq!([log(0.0), log(-0.0), log(1.0), log(inf)], [-inf, -inf, 0.0, inf]);
    assert!(log(-1.0).is_nan() && log(-inf).is_nan() && log(-1e-45).is_nan());
    assert_eq!([log1p(-1.0), log1p(inf)], [-inf, inf]);
    assert!(log1p(-1.5).is_nan() && log1p(-inf).is_nan());
    assert_eq!([tanh(inf), tanh(-inf), erf(inf), erf(-inf)], [1.0, -1.0, 1.0, -1.0]);
    assert_eq!([erfc(inf), erfc(-inf), erfc(0.0), erfc(-0.0), erfc(10.05)], [0.0, 2.0, 1.0, 1.0, f32::from_bits(1)]);
    assert_eq!([sigmoid(inf), sigmoid(-inf), sigmoid(0.0), sigmoid(-0.0)], [1.0, 0.0, 0.5, 0.5]);
    assert!(sin(inf).is_nan() && sin(-inf).is_nan() && cos(inf).is_nan() && cos(-inf).is_nan());
    assert_eq!(cos(-0.0), 1.0);
}

#[test]
fn no_steps_down() {
    // sigmoid rises everywhere (a sweep of every float showed it): its tails, the seams of its reduction, zero.
    for (from, to) in [(17.0, 17.5), (-104.0, -102.0), (-88.0, -87.0), (0.346, 0.347), (1.03, 1.05), (-17.6, -17.0)] {
        rises(sigmoid, from, to, 0);
    }
    rises(sigmoid, -1e-40, 1e-40, 0);
    rises(exp, -104.0, -102.0, 0);
    // Saturation, from both sides.
    rises(tanh, 8.5, 9.1, 0);
    rises(tanh, -9.1, -8.5, 0);
    rises(erf, 3.7, 4.0, 0);
    rises(|x| -erfc(x), 9.9, 10.1, 0);
    rises(|x| -erfc(x), -3.9, -3.7, 0);
    rises(|x| -erfc(x), 0.74, 0.76, 5);
    rises(expm1, -17.5, -16.5, 0);
    // Where two formulas or ranges meet, steps of one ulp of x are finer than the rounding of the result.
    rises(tanh, 0.54, 0.56, 1);
    rises(tanh, 0.17, 0.18, 1);
    rises(erf, 0.98, 1.02, 1);
    rises(expm1, 0.34, 0.35, 2);
}
