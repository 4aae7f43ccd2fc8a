//! The rows of the trigonometric, hyperbolic and special functions, of bitwise operations, and of more activations.
//! `rows::all` collects them.

use super::{Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;

macro_rules! unary {
    ($rows:ident; $($name:ident $try_name:ident $bound:expr $(, $except:expr)*;)*) => {
        $($rows.push(Row::elementwise(stringify!($name), $bound, |c| one(tf::$try_name(&c.x[0]))).except([$($except),*]));)*
    };
}

macro_rules! binary {
    ($rows:ident; $($name:ident $try_name:ident $bound:expr $(, $except:expr)*;)*) => {
        $($rows.push(Row::elementwise(stringify!($name), $bound, |c| one(tf::$try_name(&c.x[0], &c.x[1])))
            .except([$($except),*]));)*
    };
}

/// A dtype that we take and TensorFlow does not.
const fn taken(dtypes: &'static [&'static str]) -> Exception {
    Exception::elements(
        "refused",
        dtypes,
        0,
        "TensorFlow's CPU has no kernel; ours computes in f32, as for other functions",
    )
}

const WRAPS: &str = "TensorFlow's bound wraps around: it answers the lowest integer for every number";

const INFINITE: Exception = Exception::elements(
    "edges",
    &["float16", "float32", "float64"],
    2,
    "TensorFlow multiplies infinity by zero and answers nan; the limit is infinite",
);

const HALVES: &[&str] = &["float16", "bfloat16"];
const BRAIN: &[&str] = &["bfloat16"];

#[allow(clippy::vec_init_then_push, reason = "a row for each operation, whichever macro writes it")]
pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    unary! { rows;
        tan try_tan Bound::ulps(4.0);
        asin try_asin Bound::ulps(4.0);
        acos try_acos Bound::ulps(4.0);
        atan try_atan Bound::ulps(4.0);
        sinh try_sinh Bound::ulps(4.0);
        cosh try_cosh Bound::ulps(4.0);
        asinh try_asinh Bound::ulps(4.0);
        acosh try_acosh Bound::ulps(4.0);
        atanh try_atanh Bound::ulps(4.0);
        lgamma try_lgamma Bound::ulps(8.0), taken(BRAIN);
        digamma try_digamma Bound::ulps(8.0).absolute(8.0), taken(BRAIN);
        erfinv try_erfinv Bound::ulps(8.0), taken(HALVES), Exception::bound(&["float32", "float64"], Bound::ulps(256.0),
            "TensorFlow takes the quantile of (1 + x) / 2, which has lost digits of x near 0 and of 1 - x near 1");
        erfcinv try_erfcinv Bound::ulps(8.0), taken(HALVES);
        ndtri try_ndtri Bound::ulps(8.0), taken(HALVES);
        bessel_i0 try_bessel_i0 Bound::ulps(8.0), taken(BRAIN), INFINITE;
        bessel_i0e try_bessel_i0e Bound::ulps(8.0), taken(BRAIN);
        bessel_i1 try_bessel_i1 Bound::ulps(8.0), taken(BRAIN), INFINITE;
        bessel_i1e try_bessel_i1e Bound::ulps(8.0), taken(BRAIN);
        rint try_rint Bound::EXACT, taken(HALVES);
        log_sigmoid try_log_sigmoid Bound::ulps(4.0);
        relu6 try_relu6 Bound::EQUAL;
        hard_sigmoid try_hard_sigmoid Bound::ulps(4.0);
        hard_swish try_hard_swish Bound::ulps(4.0);
        mish try_mish Bound::ulps(8.0);
        invert try_invert Bound::EXACT;
        population_count try_population_count Bound::EXACT;
    }
    binary! { rows;
        atan2 try_atan2 Bound::ulps(4.0);
        xlogy try_xlogy Bound::ulps(4.0);
        xlog1py try_xlog1py Bound::ulps(4.0);
        xdivy try_xdivy Bound::ulps(2.0);
        multiply_no_nan try_multiply_no_nan Bound::EQUAL;
        nextafter try_nextafter Bound::EXACT;
        zeta try_zeta Bound::ulps(16.0), taken(HALVES), Exception::elements("edges", &["float32"], 1,
            "zeta(4, -7.25) is 259.757, as TensorFlow's float64 answers too");
        polygamma try_polygamma Bound::ulps(32.0), taken(HALVES);
        igamma try_igamma Bound::ulps(128.0), taken(HALVES);
        igammac try_igammac Bound::ulps(128.0), taken(HALVES);
        bitwise_and try_bitwise_and Bound::EXACT;
        bitwise_or try_bitwise_or Bound::EXACT;
        bitwise_xor try_bitwise_xor Bound::EXACT;
        left_shift try_left_shift Bound::EXACT;
        right_shift try_right_shift Bound::EXACT;
        truncatediv try_truncatediv Bound::EQUAL, Exception::elements("by_zero", &[], 0,
            "TensorFlow's error is Internal here, where it is InvalidArgument for its other divisions; ours is always that");
    }
    let betainc = Row::elementwise("betainc", Bound::ulps(64.0), |c| one(tf::try_betainc(&c.x[0], &c.x[1], &c.x[2])));
    rows.push(betainc.except([
        taken(HALVES),
        Exception::bound(
            &["float32", "float64"],
            Bound::ulps(512.0),
            "TensorFlow subtracts logarithms of gamma functions; against mpmath it is 110 epsilons off here, and ours 40",
        ),
    ]));
    rows.push(Row::new("lbeta", Bound::sums(8.0, 4.0), |c| one(tf::try_lbeta(&c.x[0]))).except([taken(BRAIN)]));
    let saturate_cast = |c: &super::Call<'_>| one(tf::try_saturate_cast(&c.x[0], c.a.dtype("to")));
    rows.push(Row::elementwise("saturate_cast", Bound::EQUAL, saturate_cast).except([
        taken(&["uint32", "uint64"]),
        Exception::elements("basic", &["int64"], 9, WRAPS),
        Exception::elements("to_int64", &["int64"], 9, WRAPS),
    ]));
    rows.push(Row::new("bitcast", Bound::EXACT, |c| one(tf::try_bitcast(&c.x[0], c.a.dtype("to")))));
    rows.push(Row::new("crelu", Bound::EQUAL, |c| one(tf::try_crelu(&c.x[0], c.a.int("axis")))));
    rows.push(Row::new("glu", Bound::ulps(4.0), |c| one(tf::try_glu(&c.x[0], c.a.int("axis")))));
    rows.push(Row::new("l2_loss", Bound::sums(4.0, 1.0), |c| one(tf::try_l2_loss(&c.x[0]))));
    rows
}
