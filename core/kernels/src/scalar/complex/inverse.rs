//! Inverse functions of complex numbers, cut where C99 and TensorFlow cut them.
//! Formulas of W. Kahan, "Branch cuts for complex elementary functions" (1987); meanings of operations call them.

use super::{ComplexVal, atan2, with_sign};
use crate::scalar::{Scalar, Val};

/// asinh of a real number, with all its digits near 0.
fn asinh(s: &Scalar, x: Val) -> Val {
    let size = s.abs(x);
    let one = s.number(x, 1.0);
    // Squares of large numbers would overflow: there it is log(2 x).
    let far = s.lt(s.number(x, 1e8), size);
    let near = s.select(far, one, size);
    let square = s.mul(near, near);
    let grown = s.add(near, s.div(square, s.add(one, s.sqrt(s.add(one, square)))));
    let large = s.add(s.log(size), s.number(x, std::f64::consts::LN_2));
    with_sign(s, s.select(far, large, s.log1p(grown)), x)
}

impl ComplexVal {
    /// The roots of `1 - a` and `1 + a`.
    fn roots(self, s: &Scalar) -> (Self, Self) {
        let one = s.number(self.re, 1.0);
        // The imaginary part keeps the sign of its zero.
        let below = Self { re: s.sub(one, self.re), im: s.neg(self.im) };
        let above = Self { re: s.add(one, self.re), im: self.im };
        (below.sqrt(s), above.sqrt(s))
    }

    /// The inverse of the sine.
    pub fn asin(self, s: &Scalar) -> Self {
        let (below, above) = self.roots(s);
        let re = atan2(s, self.re, below.mul(s, above).re);
        Self { re, im: asinh(s, below.conj(s).mul(s, above).im) }
    }

    /// The inverse of the cosine.
    pub fn acos(self, s: &Scalar) -> Self {
        let (below, above) = self.roots(s);
        let re = s.mul(s.number(self.re, 2.0), atan2(s, below.re, above.re));
        Self { re, im: asinh(s, above.conj(s).mul(s, below).im) }
    }

    /// The inverse of the hyperbolic sine.
    pub fn asinh(self, s: &Scalar) -> Self {
        self.times_i(s).asin(s).times_minus_i(s)
    }

    /// The inverse of the hyperbolic cosine.
    pub fn acosh(self, s: &Scalar) -> Self {
        let one = s.number(self.re, 1.0);
        let below = Self { re: s.sub(self.re, one), im: self.im }.sqrt(s);
        let above = Self { re: s.add(self.re, one), im: self.im }.sqrt(s);
        let im = s.mul(s.number(self.re, 2.0), atan2(s, below.im, above.re));
        Self { re: asinh(s, below.conj(s).mul(s, above).re), im }
    }

    /// The inverse of the hyperbolic tangent.
    pub fn atanh(self, s: &Scalar) -> Self {
        let number = |value| s.number(self.re, value);
        let one = number(1.0);
        let (below, above) = (s.sub(one, self.re), s.add(one, self.re));
        let square = s.mul(self.im, self.im);
        let ratio = s.div(s.mul(number(4.0), self.re), s.add(s.mul(below, below), square));
        let re = s.mul(number(0.25), s.log1p(ratio));
        let im = atan2(s, s.mul(number(2.0), self.im), s.sub(s.mul(below, above), square));
        Self { re, im: s.mul(number(0.5), im) }
    }

    /// The inverse of the tangent.
    pub fn atan(self, s: &Scalar) -> Self {
        self.times_i(s).atanh(s).times_minus_i(s)
    }
}
