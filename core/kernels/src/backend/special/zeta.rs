//! The Hurwitz zeta function and the derivatives of digamma.
//! The loops of `cpu/vector` call them: a short sum, then the Euler-Maclaurin formula (DLMF 25.11.5), as in Cephes.

use super::gamma::digamma;
use super::library::{fabs, floor, infinity, not_a_number, pow};
use super::macros::special;

special! {
    /// B_2k+2 / (2k + 2)!.
    fn bernoulli_share(k) {
        if (k < 6.0) {
            if (k < 3.0) {
                if (k == 0.0) {
                    return 0.08333333333333333;
                }
                if (k == 1.0) {
                    return -0.001388888888888889;
                }
                return 3.306878306878307e-5;
            }
            if (k == 3.0) {
                return -8.267195767195768e-7;
            }
            if (k == 4.0) {
                return 2.08767569878681e-8;
            }
            return -5.284190138687493e-10;
        }
        if (k < 9.0) {
            if (k == 6.0) {
                return 1.3382536530684679e-11;
            }
            if (k == 7.0) {
                return -3.3896802963225827e-13;
            }
            return 8.586062056277845e-15;
        }
        if (k == 9.0) {
            return -2.174868698558062e-16;
        }
        if (k == 10.0) {
            return 5.5090028283602295e-18;
        }
        return -1.3954464685812522e-19;
    }

    /// The sum of (q + k)^-x over k = 0, 1, ... for x > 1 and q > 0.
    fn zeta_positive(x, q) {
        if (q > 1e300) {
            return 0.0;
        }
        if (q > 1e8) {
            return (q / (x - 1.0) + 0.5) * pow(q, -x);
        }
        let mut sum = pow(q, -x);
        let mut a = q;
        let mut n = 0.0;
        let mut term = sum;
        while (n < 9.0 || a <= 9.0) {
            n = n + 1.0;
            a = a + 1.0;
            term = pow(a, -x);
            sum = sum + term;
            if (fabs(term) <= 1.1e-17 * sum) {
                return sum;
            }
        }
        sum = sum + term * a / (x - 1.0) - 0.5 * term;
        // The terms B_2k / (2k)! x (x + 1) ... (x + 2k - 2) a^(-x - 2k + 1).
        let mut factor = x;
        let mut power = term / a;
        let mut k = 0.0;
        while (k < 12.0) {
            let step = factor * power * bernoulli_share(k);
            sum = sum + step;
            if (fabs(step) <= 1.1e-17 * fabs(sum)) {
                return sum;
            }
            factor = factor * (x + 2.0 * k + 1.0) * (x + 2.0 * k + 2.0);
            power = power / (a * a);
            k = k + 1.0;
        }
        return sum;
    }

    /// The Hurwitz zeta function, within 40 units for q > 0 and x < 200. Infinite at x = 1 and nan below; for q <= 0 it has a value
    /// where x is an integer and q is none, and a pole where both are and x is even.
    fn hurwitz_zeta(x, q) {
        if (x != x || q != q) {
            return not_a_number();
        }
        if (x == 1.0) {
            return infinity();
        }
        if (x < 1.0) {
            return not_a_number();
        }
        if (q > 0.0) {
            return zeta_positive(x, q);
        }
        let odd = x - 2.0 * floor(0.5 * x);
        if (floor(q) == q) {
            if (odd == 0.0) {
                return infinity();
            }
            return not_a_number();
        }
        if (floor(x) != x) {
            return not_a_number();
        }
        // The terms below zero are those of two other sums, mirrored.
        let fraction = q - floor(q);
        let below = zeta_positive(x, 1.0 - fraction) - zeta_positive(x, 1.0 - q);
        if (odd == 0.0) {
            return zeta_positive(x, fraction) + below;
        }
        return zeta_positive(x, fraction) - below;
    }

    /// Derivative number n of digamma, within 16 units for x > 0 and n up to 20. Nan where n is no integer from 0 to 170.
    fn polygamma(n, x) {
        if (n < 0.0 || floor(n) != n || n != n) {
            return not_a_number();
        }
        if (n == 0.0) {
            return digamma(x);
        }
        let mut factorial = 1.0;
        let mut k = 2.0;
        while (k <= n && k <= 171.0) {
            factorial = factorial * k;
            k = k + 1.0;
        }
        if (floor(0.5 * n) == 0.5 * n) {
            factorial = -factorial;
        }
        return factorial * hurwitz_zeta(n + 1.0, x);
    }
}
