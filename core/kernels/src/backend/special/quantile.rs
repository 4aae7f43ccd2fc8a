//! The quantile of the normal distribution and the inverse of the error function.
//! The loops of `cpu/vector` call them; rational functions of Wichura's algorithm AS 241 (PPND16, Applied Statistics 37, 1988).

use super::library::{fabs, infinity, log, not_a_number, sqrt};
use super::macros::special;

special! {
    tables {
        /// The middle: numerator and denominator by 0.180625 - q^2.
        polynomial middle_above: [
            3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
            4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
        ];
        polynomial middle_below: [
            1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
            3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
        ];
        /// The tail by sqrt(-log p) - 1.6, which lies below 3.4.
        polynomial tail_above: [
            1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
            1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
        ];
        polynomial tail_below: [
            1.0, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
            1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
        ];
        /// The far tail by sqrt(-log p) - 5.
        polynomial far_above: [
            6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 2.96560571828504891230e-1,
            2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
        ];
        polynomial far_below: [
            1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
            7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
        ];
    }

    /// The quantile for probability 0.5 + q, with |q| <= 0.425.
    fn quantile_middle(q) {
        let r = 0.180625 - q * q;
        return q * middle_above(r) / middle_below(r);
    }

    /// The number above which a normal variable lies with probability p < 0.075.
    fn quantile_tail(p) {
        let r = sqrt(-log(p));
        if (r <= 5.0) {
            return tail_above(r - 1.6) / tail_below(r - 1.6);
        }
        return far_above(r - 5.0) / far_below(r - 5.0);
    }

    /// The quantile of the standard normal distribution, within 8 units; infinite at 0 and 1, nan outside.
    fn normal_quantile(p) {
        if (p != p || p < 0.0 || p > 1.0) {
            return not_a_number();
        }
        if (p == 0.0) {
            return -infinity();
        }
        if (p == 1.0) {
            return infinity();
        }
        let q = p - 0.5;
        if (fabs(q) <= 0.425) {
            return quantile_middle(q);
        }
        if (q < 0.0) {
            return -quantile_tail(p);
        }
        return quantile_tail(1.0 - p);
    }

    /// The inverse of erf, within 8 units; odd, infinite at 1 and -1, nan outside.
    fn erf_inverse(x) {
        let a = fabs(x);
        if (x != x || a > 1.0) {
            return not_a_number();
        }
        let mut y = infinity();
        if (a <= 0.85) {
            y = quantile_middle(0.5 * a) * 0.707106781186547524401;
        } else if (a < 1.0) {
            y = quantile_tail(0.5 * (1.0 - a)) * 0.707106781186547524401;
        }
        if (x < 0.0) {
            return -y;
        }
        if (x == 0.0) {
            return x;
        }
        return y;
    }
}
