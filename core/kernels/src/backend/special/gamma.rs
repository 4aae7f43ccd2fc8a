//! The logarithm of the gamma function and its derivative.
//! The loops of `cpu/vector` call them, and the other special functions; Chebyshev series between the zeros, Stirling's from 10 on.

use super::library::{cos, floor, infinity, log, log1p, not_a_number, sin};
use super::macros::special;

special! {
    tables {
        /// log(gamma(x)) / ((x - 1)(x - 2)) for x in [1.5, 2.5], by 2 x - 4.
        chebyshev log_gamma_series: [
            0.42702679007974553, -0.05136266063271509, 0.004283865121771959, -0.00040868943087787814,
            4.189889214014742e-05, -4.4884162278409e-06, 4.950359592304836e-07, -5.572882261152328e-08,
            6.369038926367588e-09, -7.363280290999341e-10, 8.590324630704468e-11, -1.0095630921452502e-11,
            1.1936859013748236e-12, -1.4186121794476558e-13, 1.693301639270074e-14, -2.0288519799922935e-15,
            2.43899034401661e-16, -2.940688354710887e-17, 3.554929051822112e-18,
        ];
        /// digamma(x) / (x - root) for x in [1, 2], by 2 x - 3.
        chebyshev digamma_series: [
            0.983570260441567, -0.2270640863346444, 0.03336889902393011, -0.005320077271596548, 0.0008788656937820505,
            -0.00014773492650606044, 2.5060543468359146e-05, -4.2721034029993324e-06, 7.302769272465923e-07,
            -1.2502886813559594e-07, 2.1425009322359472e-08, -3.673295918565179e-09, 6.299717236108931e-10,
            -1.080593028883266e-10, 1.853735192053638e-11, -3.18023536582553e-12, 5.456147570322795e-13,
            -9.360993131036438e-14, 1.606064636295075e-14, -2.7555431377438815e-15, 4.727736178601912e-16,
            -8.11148420346509e-17, 1.391707769474154e-17,
        ];
        /// B_2k / (2k (2k - 1)), by 1 / x^2.
        polynomial stirling_series: [
            0.08333333333333333, -0.002777777777777778, 0.0007936507936507937, -0.0005952380952380953, 0.0008417508417508417,
            -0.0019175269175269176, 0.00641025641025641, -0.029550653594771242, 0.17964437236883057, -1.3924322169059011,
        ];
        /// B_2k / 2k, by 1 / x^2.
        polynomial digamma_tail: [
            0.08333333333333333, -0.008333333333333333, 0.003968253968253968, -0.004166666666666667, 0.007575757575757576,
            -0.021092796092796094, 0.08333333333333333, -0.4432598039215686, 3.0539543302701198, -26.456212121212122,
        ];
    }

    /// What Stirling's formula leaves of log(gamma(x)), for x from 10 on.
    fn stirling(x) {
        let u = 1.0 / x;
        return u * stirling_series(u * u);
    }

    /// log(gamma(1 + a)) for |a| <= 0.5, without the loss of digits in 1 + a.
    fn log_gamma_1p(a) {
        return (1.0 + a) * a * log_gamma_series(2.0 * a) - log1p(a);
    }

    /// log(gamma(x)) for x > 0.
    fn log_gamma_positive(x) {
        if (x >= 1e17) {
            return x * (log(x) - 1.0);
        }
        if (x >= 10.0) {
            return (x - 0.5) * (log(x) - 1.0) + (0.4189385332046727418 + stirling(x));
        }
        if (x < 0.5) {
            return log_gamma_1p(x) - log(x);
        }
        if (x < 1.5) {
            return log_gamma_1p(x - 1.0);
        }
        // Down to [1.5, 2.5], step by step, which is exact.
        let mut product = 1.0;
        let mut y = x;
        while (y > 2.5) {
            y = y - 1.0;
            product = product * y;
        }
        let near = (y - 1.0) * (y - 2.0) * log_gamma_series(2.0 * y - 4.0);
        if (product == 1.0) {
            return near;
        }
        return log(product) + near;
    }

    /// log |gamma(x)|: within 8 units for x > 0; below zero within 8 units of the larger of 1 and the result. Infinite at 0 and the
    /// negative integers, where gamma has its poles.
    fn log_gamma(x) {
        if (x != x) {
            return x;
        }
        if (x > 0.0) {
            return log_gamma_positive(x);
        }
        if (floor(x) == x) {
            return infinity();
        }
        let a = -x;
        if (a < 1e-17) {
            return -log(a);
        }
        // The distance to the nearest integer is exact.
        let mut r = a - floor(a);
        if (r > 0.5) {
            r = 1.0 - r;
        }
        return 1.1447298858494001741 - log(a * sin(3.14159265358979323846 * r)) - log_gamma_positive(a);
    }

    /// The derivative of log(gamma(x)): within 8 units for x > 0, its zero at 1.46 included; below zero within 16 units of the larger
    /// of 1 and the result. Nan at zero and the negative integers.
    fn digamma(x) {
        if (x <= 0.0) {
            let whole = floor(x);
            if (whole == x) {
                return not_a_number();
            }
            let mut r = x - whole;
            if (x > -0.5) {
                r = x;
            } else if (r > 0.5) {
                r = r - 1.0;
            }
            let angle = 3.14159265358979323846 * r;
            return digamma(1.0 - x) - 3.14159265358979323846 * cos(angle) / sin(angle);
        }
        if (x >= 10.0) {
            let u = 1.0 / x;
            return log(x) - (0.5 * u + u * u * digamma_tail(u * u));
        }
        let mut sum = 0.0;
        let mut y = x;
        if (x < 1.0) {
            sum = -1.0 / x;
            y = x + 1.0;
        }
        while (y > 2.0) {
            y = y - 1.0;
            sum = sum + 1.0 / y;
        }
        // The zero in two pieces.
        return sum + (y - 1.4616321449683622 - 9.549995429965697e-17) * digamma_series(2.0 * y - 3.0);
    }
}
