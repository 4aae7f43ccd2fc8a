//! The regularized incomplete beta function.
//! The loops of `cpu/vector` call it: a continued fraction (DLMF 8.17.22) on the side of the mean where it converges quickly.

use super::gamma::{log_gamma, stirling};
use super::incomplete_gamma::minus_log1p;
use super::library::{exp, fabs, infinity, log, log1p, not_a_number, pow, sqrt};
use super::macros::special;

special! {
    /// log B(a, b) for 0 < a <= b, without the cancellation of large logarithms.
    fn log_beta(a, b) {
        if (b < 10.0) {
            return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
        }
        if (a < 10.0) {
            return log_gamma(a) - (b - 0.5) * log1p(a / b) - a * log(a + b) + a + (stirling(b) - stirling(a + b));
        }
        return stirling(a) + stirling(b) - stirling(a + b) + 0.9189385332046727418 - 0.5 * log(b)
            + (a - 0.5) * log(a / (a + b)) - b * log1p(a / b);
    }

    /// x^a (1 - x)^b / B(a, b).
    fn beta_front(a, b, x) {
        let mut low = a;
        let mut high = b;
        if (a > b) {
            low = b;
            high = a;
        }
        if (low >= 10.0) {
            let away = a * (1.0 - x) - b * x;
            let rest = stirling(a + b) - stirling(a) - stirling(b);
            let exponent = -a * minus_log1p(-away / a) - b * minus_log1p(away / b) + rest;
            return exp(exponent) * sqrt(a / (a + b) * b * 0.159154943091895335769);
        }
        if (high < 10.0) {
            return pow(x, a) * exp(b * log1p(-x)) * exp(-log_beta(low, high));
        }
        return exp(a * log(x) + b * log1p(-x) - log_beta(low, high));
    }

    /// The continued fraction over a, for x below the mean; `y` is 1 - x.
    fn beta_fraction(a, b, x) {
        let mut c = 1.0;
        let mut d = 1.0 - (a + b) * x / (a + 1.0);
        if (fabs(d) < 1e-300) {
            d = 1e-300;
        }
        d = 1.0 / d;
        let mut h = d;
        let mut m = 0.0;
        while (m < 20000.0) {
            m = m + 1.0;
            let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
            d = 1.0 + even * d;
            if (fabs(d) < 1e-300) {
                d = 1e-300;
            }
            c = 1.0 + even / c;
            if (fabs(c) < 1e-300) {
                c = 1e-300;
            }
            d = 1.0 / d;
            h = h * d * c;
            let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
            d = 1.0 + odd * d;
            if (fabs(d) < 1e-300) {
                d = 1e-300;
            }
            c = 1.0 + odd / c;
            if (fabs(c) < 1e-300) {
                c = 1e-300;
            }
            d = 1.0 / d;
            let step = d * c;
            h = h * step;
            if (fabs(step - 1.0) <= 1.2e-16) {
                m = 20000.0;
            }
        }
        return h / a;
    }

    /// I_x(a, b), the regularized incomplete beta function: within 512 units of the result, or 8 of 1, for a and b up to 1e4, and
    /// 4096 up to 1e6. Nan outside a > 0, b > 0 and 0 <= x <= 1.
    fn beta_share(a, b, x) {
        if (a != a || b != b || x != x || a <= 0.0 || b <= 0.0 || x < 0.0 || x > 1.0) {
            return not_a_number();
        }
        if (a == infinity() || b == infinity()) {
            return not_a_number();
        }
        if (x == 0.0 || x == 1.0) {
            return x;
        }
        if (x > (a + 1.0) / (a + b + 2.0)) {
            return 1.0 - beta_front(a, b, x) * beta_fraction(b, a, 1.0 - x);
        }
        return beta_front(a, b, x) * beta_fraction(a, b, x);
    }
}
