//! Samples of trigonometric, hyperbolic and special functions, bitwise operations and more activations.
//! `super` records them with all sizes unknown.

use super::{Sample, one, positive, small, x};
use eagerflow as tf;
use eagerflow::DType;

macro_rules! unary {
    ($list:ident; $make:expr; $($name:ident $try_name:ident)*) => {
        $($list.push(Sample::new(stringify!($name), |s| vec![$make(&[s.a, s.b])], |x| one(tf::$try_name(&x[0]))));)*
    };
}

/// Each with operands of equal shapes, and with a broadcast one.
macro_rules! binary {
    ($list:ident; $left:ident $right:ident; $($name:ident $try_name:ident)*) => {$(
        $list.push(Sample::new(
            stringify!($name),
            |s| vec![$left(&[s.a, s.b]), $right(&[s.a, s.b])],
            |x| one(tf::$try_name(&x[0], &x[1])),
        ));
        $list.push(Sample::new(
            stringify!($name),
            |s| vec![$left(&[s.a, 1, s.c]), $right(&[s.b, 1])],
            |x| one(tf::$try_name(&x[0], &x[1])),
        ));
    )*};
}

/// Numbers between 0.1 and 0.9.
fn share(dims: &[usize]) -> tf::Tensor {
    x(dims) * 0.4 + 0.5
}

#[allow(clippy::vec_init_then_push, reason = "a row for each operation, whichever macro writes it")]
pub fn samples() -> Vec<Sample> {
    let mut list = Vec::new();
    unary! { list; x;
        tan try_tan atan try_atan sinh try_sinh cosh try_cosh asinh try_asinh log_sigmoid try_log_sigmoid mish try_mish
        relu6 try_relu6 hard_sigmoid try_hard_sigmoid hard_swish try_hard_swish rint try_rint l2_loss try_l2_loss
        bessel_i0 try_bessel_i0 bessel_i0e try_bessel_i0e bessel_i1 try_bessel_i1 bessel_i1e try_bessel_i1e
    }
    unary! { list; share;
        asin try_asin acos try_acos atanh try_atanh erfinv try_erfinv erfcinv try_erfcinv ndtri try_ndtri
    }
    unary! { list; positive; lgamma try_lgamma digamma try_digamma lbeta try_lbeta }
    unary! { list; small; bitwise try_invert bitwise try_population_count }
    binary! { list; x positive;
        atan2 try_atan2 xlogy try_xlogy xlog1py try_xlog1py xdivy try_xdivy multiply_no_nan try_multiply_no_nan
        nextafter try_nextafter
    }
    binary! { list; small small;
        bitwise try_bitwise_and bitwise try_bitwise_or bitwise try_bitwise_xor bitwise try_left_shift bitwise try_right_shift
    }
    list.push(Sample::new("acosh", |s| vec![positive(&[s.a, s.b])], |x| one(tf::try_acosh(tf::try_add(&x[0], 1.0)?))));
    list.push(Sample::new(
        "truncatediv",
        |s| vec![x(&[s.a, s.b]), positive(&[s.b])],
        |x| one(tf::try_truncatediv(&x[0], &x[1])),
    ));
    // Parameters have no derivatives, or only a first one.
    list.push(Sample::new("zeta", |s| vec![positive(&[s.a, s.b])], |x| one(tf::try_zeta(2.5, &x[0]))));
    list.push(Sample::new("polygamma", |s| vec![positive(&[s.a, s.b])], |x| one(tf::try_polygamma(2.0, &x[0]))));
    list.push(Sample::new("igamma", |s| vec![positive(&[s.a, s.b])], |x| one(tf::try_igamma(1.5, &x[0]))));
    list.push(Sample::new("igammac", |s| vec![positive(&[s.a, s.b])], |x| one(tf::try_igammac(1.5, &x[0]))));
    list.push(Sample::new(
        "betainc",
        |s| vec![share(&[s.a, s.b])],
        |x| {
            let of = |value: f64| tf::try_fill((), value)?.try_cast(DType::F64);
            one(tf::try_betainc(of(2.5)?, of(1.5)?, &x[0]))
        },
    ));
    list.push(Sample::new(
        "crelu",
        |s| vec![x(&[s.a, s.b])],
        |x| Ok(vec![tf::try_crelu(&x[0], 0)?, tf::try_crelu(&x[0], -1)?]),
    ));
    list.push(Sample::new("glu", |s| vec![x(&[s.a, 2 * s.b])], |x| one(tf::try_glu(&x[0], 1))));
    list.push(Sample::new(
        "saturate_cast",
        |s| vec![x(&[s.a, s.b])],
        |x| Ok(vec![tf::try_saturate_cast(&x[0], DType::F32)?, tf::try_saturate_cast(&x[0], DType::I8)?]),
    ));
    list.push(Sample::new(
        "bitcast",
        |s| vec![x(&[s.a, s.b])],
        |x| {
            let words = tf::try_bitcast(&x[0], DType::U32)?;
            Ok(vec![tf::try_bitcast(&x[0], DType::I64)?, tf::try_bitcast(&words, DType::F64)?])
        },
    ));
    list
}
