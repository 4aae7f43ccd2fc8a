//! The regularized incomplete gamma functions, and the derivative of the lower one by its first argument.
//! The loops of `cpu/vector` call them: a power series for small x, a continued fraction for large x (DLMF 8.7.3, 8.9.2), and
//! Temme's expansion where both are slow, a >= 20 and |x - a| < 0.3 a.

use super::gamma::{digamma, log_gamma, log_gamma_1p, stirling};
use super::library::{erfc, exp, expm1, fabs, infinity, log, log1p, not_a_number, pow, sqrt};
use super::macros::special;
use super::temme::{temme, temme_by_eta, temme_by_u};

special! {
    tables {
        /// 1 / (2k + 3), by powers of z.
        polynomial odd_reciprocals: [
            0.3333333333333333, 0.2, 0.14285714285714285, 0.1111111111111111, 0.09090909090909091, 0.07692307692307693,
            0.06666666666666667, 0.058823529411764705, 0.05263157894736842, 0.047619047619047616, 0.043478260869565216,
            0.04, 0.037037037037037035, 0.034482758620689655, 0.03225806451612903,
        ];
    }

    /// m - log(1 + m) without cancellation, for m > -1.
    fn minus_log1p(m) {
        if (m > -0.4 && m < 0.5) {
            let s = m / (2.0 + m);
            let z = s * s;
            return m * s - 2.0 * s * z * odd_reciprocals(z);
        }
        return m - log1p(m);
    }

    /// x^a e^-x / gamma(a + 1), for a > 0 and x > 0.
    fn gamma_front(a, x) {
        if (a >= 20.0) {
            let m = (x - a) / a;
            return exp(-a * minus_log1p(m) - stirling(a)) / sqrt(6.28318530717958647693 * a);
        }
        if (a <= 0.5) {
            return exp(a * log(x) - x - log_gamma_1p(a));
        }
        if (x > 700.0) {
            return exp(a * log(x) - x - log_gamma(a + 1.0));
        }
        return pow(x, a) * exp(-x) * exp(-log_gamma(a + 1.0));
    }

    /// The lower function by its series; right everywhere, fast where x is not far above a.
    fn gamma_by_series(a, x) {
        let mut sum = 1.0;
        let mut term = 1.0;
        let mut n = 0.0;
        while (n < 2000.0) {
            n = n + 1.0;
            term = term * (x / (a + n));
            sum = sum + term;
            if (term <= 1.1e-17 * sum) {
                n = 2000.0;
            }
        }
        return gamma_front(a, x) * sum;
    }

    /// The upper function for x > 1 and x > a, by its continued fraction.
    fn gamma_by_fraction(a, x) {
        // The modified method of Lentz.
        let mut b = x + 1.0 - a;
        let mut c = 1e300;
        let mut d = 1.0 / b;
        let mut h = d;
        let mut n = 0.0;
        while (n < 2000.0) {
            n = n + 1.0;
            let p = n * (a - n);
            b = b + 2.0;
            d = p * d + b;
            if (fabs(d) < 1e-300) {
                d = 1e-300;
            }
            c = b + p / c;
            if (fabs(c) < 1e-300) {
                c = 1e-300;
            }
            d = 1.0 / d;
            let step = d * c;
            h = h * step;
            if (fabs(step - 1.0) <= 1.2e-16) {
                n = 2000.0;
            }
        }
        return gamma_front(a, x) * a * h;
    }

    /// The upper function for small x, where the lower one may be near 1: 1 - x^a / gamma(1 + a) and the rest of the series.
    fn gamma_near_zero(a, x) {
        let mut log_gamma_above = 0.0;
        if (a <= 0.5) {
            log_gamma_above = log_gamma_1p(a);
        } else {
            log_gamma_above = log_gamma(a + 1.0);
        }
        let mut factor = 1.0;
        let mut sum = 0.0;
        let mut n = 0.0;
        while (n < 100.0) {
            n = n + 1.0;
            factor = factor * (-x / n);
            let term = factor / (a + n);
            sum = sum + term;
            if (fabs(term) <= 1.1e-17 * fabs(sum)) {
                n = 100.0;
            }
        }
        let exponent = a * log(x) - log_gamma_above;
        return -expm1(exponent) - a * exp(exponent) * sum;
    }

    /// Temme's eta, with the sign of m = x / a - 1.
    fn temme_eta(m) {
        let eta = sqrt(2.0 * minus_log1p(m));
        if (m < 0.0) {
            return -eta;
        }
        return eta;
    }

    /// The lower function by Temme's expansion for sign = 1, the upper one for sign = -1.
    fn gamma_by_temme(a, x, sign) {
        let m = (x - a) / a;
        let eta = temme_eta(m);
        let phi = minus_log1p(m);
        let rest = exp(-a * phi) / sqrt(6.28318530717958647693 * a) * temme(eta, 1.0 / a);
        return 0.5 * erfc(-sign * eta * sqrt(0.5 * a)) - sign * rest;
    }

    /// P(a, x), the regularized lower incomplete gamma function: within 512 units where it is above 1e-12 and a below 1000, more
    /// beyond, since its exponent grows. Nan outside a > 0 and x >= 0, and where both are infinite; 0 at x = 0.
    fn gamma_lower(a, x) {
        if (x == 0.0) {
            return 0.0;
        }
        if (a != a || x != x || a <= 0.0 || x < 0.0) {
            return not_a_number();
        }
        if (a == infinity()) {
            if (x == infinity()) {
                return not_a_number();
            }
            return 0.0;
        }
        if (x == infinity()) {
            return 1.0;
        }
        if (a >= 20.0 && fabs(x - a) < 0.3 * a) {
            return gamma_by_temme(a, x, 1.0);
        }
        if (x > 1.0 && x > a) {
            return 1.0 - gamma_by_fraction(a, x);
        }
        return gamma_by_series(a, x);
    }

    /// Q(a, x) = 1 - P(a, x), without cancellation; bounds and domain are those of [`gamma_lower`].
    fn gamma_upper(a, x) {
        if (a != a || x != x || a <= 0.0 || x < 0.0) {
            return not_a_number();
        }
        if (x == 0.0) {
            return 1.0;
        }
        if (a == infinity()) {
            if (x == infinity()) {
                return not_a_number();
            }
            return 1.0;
        }
        if (x == infinity()) {
            return 0.0;
        }
        if (a >= 20.0 && fabs(x - a) < 0.3 * a) {
            return gamma_by_temme(a, x, -1.0);
        }
        if (x <= 1.1) {
            let mut least = 1.1 * x;
            if (x <= 0.5) {
                least = -0.4 / log(x);
            }
            if (least < a) {
                return 1.0 - gamma_by_series(a, x);
            }
            return gamma_near_zero(a, x);
        }
        if (x < a) {
            return 1.0 - gamma_by_series(a, x);
        }
        return gamma_by_fraction(a, x);
    }

    /// The derivative of the lower series by a.
    fn gamma_series_by_a(a, x) {
        let mut sum = 1.0;
        let mut slope = 0.0;
        let mut term = 1.0;
        let mut harmonic = 0.0;
        let mut n = 0.0;
        while (n < 2000.0) {
            n = n + 1.0;
            term = term * (x / (a + n));
            harmonic = harmonic + 1.0 / (a + n);
            sum = sum + term;
            slope = slope - term * harmonic;
            if (term <= 1.1e-17 * sum && term * harmonic <= -1.1e-17 * slope) {
                n = 2000.0;
            }
        }
        return gamma_front(a, x) * ((log(x) - digamma(a + 1.0)) * sum + slope);
    }

    /// The derivative of the continued fraction by a, whose numerators and denominators have derivatives by the same recurrence.
    fn gamma_fraction_by_a(a, x) {
        let mut y = 1.0 - a;
        let mut z = x + y + 1.0;
        let mut p2 = 1.0;
        let mut q2 = x;
        let mut p1 = x + 1.0;
        let mut q1 = z * x;
        let mut dp2 = 0.0;
        let mut dq2 = 0.0;
        let mut dp1 = 0.0;
        let mut dq1 = -x;
        let mut value = p1 / q1;
        let mut slope = -value * dq1 / q1;
        let mut n = 0.0;
        while (n < 2000.0) {
            n = n + 1.0;
            y = y + 1.0;
            z = z + 2.0;
            let yn = y * n;
            let p = p1 * z - p2 * yn;
            let q = q1 * z - q2 * yn;
            let dp = dp1 * z - p1 - dp2 * yn + p2 * n;
            let dq = dq1 * z - q1 - dq2 * yn + q2 * n;
            let last = value;
            let last_slope = slope;
            value = p / q;
            slope = (dp - value * dq) / q;
            p2 = p1;
            q2 = q1;
            p1 = p;
            q1 = q;
            dp2 = dp1;
            dq2 = dq1;
            dp1 = dp;
            dq1 = dq;
            if (fabs(p) > 1e100) {
                p2 = p2 * 1e-100;
                q2 = q2 * 1e-100;
                p1 = p1 * 1e-100;
                q1 = q1 * 1e-100;
                dp2 = dp2 * 1e-100;
                dq2 = dq2 * 1e-100;
                dp1 = dp1 * 1e-100;
                dq1 = dq1 * 1e-100;
            }
            if (fabs(value - last) <= 1.2e-16 * fabs(value) && fabs(slope - last_slope) <= 4e-16 * fabs(slope)) {
                n = 2000.0;
            }
        }
        return -gamma_front(a, x) * a * ((log(x) - digamma(a)) * value + slope);
    }

    /// The derivative of P(a, x) by a: within 2^-42 of the larger of 1e-3 and the result; nan outside a > 0 and x >= 0, 0 at x = 0.
    fn gamma_lower_by_a(a, x) {
        if (x == 0.0) {
            return 0.0;
        }
        if (a != a || x != x || a <= 0.0 || x < 0.0) {
            return not_a_number();
        }
        if (x == infinity() || a == infinity()) {
            return 0.0;
        }
        if (a >= 20.0 && fabs(x - a) < 0.3 * a) {
            let m = (x - a) / a;
            let eta = temme_eta(m);
            let mut ratio = 1.0;
            if (eta != 0.0) {
                ratio = m / eta;
            }
            let phi = minus_log1p(m);
            let u = 1.0 / a;
            let front = exp(-a * phi) / sqrt(6.28318530717958647693 * a);
            let slope = -ratio * u * temme_by_eta(eta, u) - u * u * temme_by_u(eta, u);
            return front * (0.5 * eta - ratio - temme(eta, u) * (m - phi - 0.5 * u) - slope);
        }
        if (x > 1.0 && x > a) {
            return gamma_fraction_by_a(a, x);
        }
        return gamma_series_by_a(a, x);
    }
}
