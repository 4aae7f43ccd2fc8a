//! Complex numbers in the scalar language: two values, the real part and the imaginary part, and arithmetic on such pairs.
//! Meanings of element-wise operations on complex tensors are written with it; each part then runs as a program of its own.

use super::{Scalar, Val};
use crate::dtype::DType;

mod inverse;

/// The parts of a complex number, of one floating-point type.
#[derive(Clone, Copy, Debug)]
pub struct ComplexVal {
    /// The real part.
    pub re: Val,
    /// The imaginary part.
    pub im: Val,
}

/// What an operation on complex numbers gives.
#[derive(Clone, Copy, Debug)]
pub enum Meant {
    /// A complex number.
    Complex(ComplexVal),
    /// A real number or a truth value.
    Real(Val),
}

impl From<ComplexVal> for Meant {
    fn from(pair: ComplexVal) -> Self {
        Self::Complex(pair)
    }
}

/// Larger and smaller size of two parts, and the second by the first: between 0 and 1, whatever the parts are.
struct Sizes {
    large: Val,
    ratio: Val,
}

impl ComplexVal {
    /// The number with these parts.
    pub fn new(re: Val, im: Val) -> Self {
        Self { re, im }
    }

    /// A real number of the type of `self`.
    pub fn real(self, s: &Scalar, value: f64) -> Self {
        Self { re: s.number(self.re, value), im: s.number(self.re, 0.0) }
    }

    /// Both parts changed alike.
    pub fn each(self, f: impl Fn(Val) -> Val) -> Self {
        Self { re: f(self.re), im: f(self.im) }
    }

    /// `a + b`.
    pub fn add(self, s: &Scalar, b: Self) -> Self {
        Self { re: s.add(self.re, b.re), im: s.add(self.im, b.im) }
    }

    /// `a - b`.
    pub fn sub(self, s: &Scalar, b: Self) -> Self {
        Self { re: s.sub(self.re, b.re), im: s.sub(self.im, b.im) }
    }

    /// `-a`.
    pub fn neg(self, s: &Scalar) -> Self {
        self.each(|x| s.neg(x))
    }

    /// `a` with the other sign of the imaginary part.
    pub fn conj(self, s: &Scalar) -> Self {
        Self { re: self.re, im: s.neg(self.im) }
    }

    /// `a * b`.
    pub fn mul(self, s: &Scalar, b: Self) -> Self {
        Self {
            re: s.sub(s.mul(self.re, b.re), s.mul(self.im, b.im)),
            im: s.add(s.mul(self.re, b.im), s.mul(self.im, b.re)),
        }
    }

    /// `a` times a real number.
    pub fn scale(self, s: &Scalar, by: Val) -> Self {
        self.each(|x| s.mul(x, by))
    }

    /// `a` times a real number that is known.
    pub fn times(self, s: &Scalar, by: f64) -> Self {
        self.scale(s, s.number(self.re, by))
    }

    /// `i * a`.
    pub fn times_i(self, s: &Scalar) -> Self {
        Self { re: s.neg(self.im), im: self.re }
    }

    /// `-i * a`.
    pub fn times_minus_i(self, s: &Scalar) -> Self {
        Self { re: self.im, im: s.neg(self.re) }
    }

    /// `condition ? a : b`.
    pub fn select(s: &Scalar, condition: Val, a: Self, b: Self) -> Self {
        Self { re: s.select(condition, a.re, b.re), im: s.select(condition, a.im, b.im) }
    }

    /// Whether both parts are 0.
    pub fn is_zero(self, s: &Scalar) -> Val {
        let zero = s.number(self.re, 0.0);
        s.and(s.eq(self.re, zero), s.eq(self.im, zero))
    }

    /// `a / b` by Smith's way (Comm. ACM 5, 1962): the divisor's parts are never squared, so that nothing overflows early.
    pub fn div(self, s: &Scalar, b: Self) -> Self {
        let wide = s.ge(s.abs(b.re), s.abs(b.im));
        let (large, small) = (s.select(wide, b.re, b.im), s.select(wide, b.im, b.re));
        let ratio = s.div(small, large);
        let under = s.add(large, s.mul(small, ratio));
        // Along the divisor's larger part, and across it.
        let (along, across) = (s.select(wide, self.re, self.im), s.select(wide, self.im, self.re));
        let re = s.div(s.add(along, s.mul(across, ratio)), under);
        let im = s.div(s.sub(across, s.mul(along, ratio)), under);
        Self { re, im: s.select(wide, im, s.neg(im)) }
    }

    /// `1 / a`.
    pub fn reciprocal(self, s: &Scalar) -> Self {
        self.real(s, 1.0).div(s, self)
    }

    fn sizes(self, s: &Scalar) -> Sizes {
        let (a, b) = (s.abs(self.re), s.abs(self.im));
        let (large, small) = (s.max(a, b), s.min(a, b));
        let quotient = s.select(s.eq(small, large), s.number(large, 1.0), s.div(small, large));
        let zero = s.number(large, 0.0);
        Sizes { large, ratio: s.select(s.eq(small, zero), zero, quotient) }
    }

    /// `|a|`, without overflow or underflow on the way.
    pub fn abs(self, s: &Scalar) -> Val {
        let Sizes { large, ratio } = self.sizes(s);
        s.mul(large, s.sqrt(s.add(s.number(large, 1.0), s.mul(ratio, ratio))))
    }

    /// `log |a|`, with all its digits where `|a|` is near 1.
    fn log_abs(self, s: &Scalar) -> Val {
        let Sizes { large, ratio } = self.sizes(s);
        let half = |x| s.mul(s.number(large, 0.5), x);
        let far = s.add(s.log(large), half(s.log1p(s.mul(ratio, ratio))));
        let one = s.number(large, 1.0);
        let small = s.mul(large, ratio);
        let near = half(s.log1p(s.add(s.mul(s.sub(large, one), s.add(large, one)), s.mul(small, small))));
        let is_near = s.and(s.lt(s.number(large, 0.5), large), s.lt(large, s.number(large, 2.0)));
        s.select(is_near, near, far)
    }

    /// The angle of `a`, from -pi to pi.
    pub fn angle(self, s: &Scalar) -> Val {
        atan2(s, self.im, self.re)
    }

    /// The natural logarithm, cut along the negative numbers.
    pub fn log(self, s: &Scalar) -> Self {
        Self { re: self.log_abs(s), im: self.angle(s) }
    }

    /// `log(1 + a)`, with all its digits near 0.
    pub fn log1p(self, s: &Scalar) -> Self {
        let moved = Self { re: s.add(self.re, s.number(self.re, 1.0)), im: self.im };
        let half = s.number(self.re, 0.5);
        let small = s.and(s.lt(s.abs(self.re), half), s.lt(s.abs(self.im), half));
        let two = s.number(self.re, 2.0);
        let near = s.log1p(s.add(s.mul(self.re, s.add(two, self.re)), s.mul(self.im, self.im)));
        Self { re: s.select(small, s.mul(half, near), moved.log_abs(s)), im: moved.angle(s) }
    }

    /// The square root in the right half plane, cut along the negative numbers.
    pub fn sqrt(self, s: &Scalar) -> Self {
        let Sizes { large, ratio } = self.sizes(s);
        let (zero, one, half) = (s.number(large, 0.0), s.number(large, 1.0), s.number(large, 0.5));
        let along = s.select(s.ge(s.abs(self.re), s.abs(self.im)), one, ratio);
        let length = s.sqrt(s.add(one, s.mul(ratio, ratio)));
        // sqrt((|re| + |a|) / 2): the larger part of the root.
        let major = s.mul(s.sqrt(large), s.sqrt(s.mul(half, s.add(along, length))));
        let minor = s.div(s.mul(half, self.im), s.select(s.eq(major, zero), one, major));
        let right = s.ge(self.re, zero);
        let signed = s.select(is_negative(s, self.im), s.neg(major), major);
        Self { re: s.select(right, major, s.abs(minor)), im: s.select(right, minor, signed) }
    }

    /// `e^a`.
    pub fn exp(self, s: &Scalar) -> Self {
        let size = s.exp(self.re);
        let zero = s.number(size, 0.0);
        // An infinite size times 0 would be no number.
        let im = s.select(s.eq(self.im, zero), self.im, s.mul(size, s.sin(self.im)));
        Self { re: s.mul(size, s.cos(self.im)), im }
    }

    /// `e^a - 1`, with all its digits near 0.
    pub fn expm1(self, s: &Scalar) -> Self {
        let half = s.sin(s.mul(s.number(self.im, 0.5), self.im));
        let cosm1 = s.mul(s.number(half, -2.0), s.mul(half, half));
        let re = s.add(s.mul(s.expm1(self.re), s.cos(self.im)), cosm1);
        Self { re, im: self.exp(s).im }
    }

    /// `sinh a`.
    pub fn sinh(self, s: &Scalar) -> Self {
        let (sinh, cosh) = hyperbolic(s, self.re);
        Self { re: s.mul(sinh, s.cos(self.im)), im: s.mul(cosh, s.sin(self.im)) }
    }

    /// `cosh a`.
    pub fn cosh(self, s: &Scalar) -> Self {
        let (sinh, cosh) = hyperbolic(s, self.re);
        Self { re: s.mul(cosh, s.cos(self.im)), im: s.mul(sinh, s.sin(self.im)) }
    }

    /// `tanh a`.
    pub fn tanh(self, s: &Scalar) -> Self {
        // Beyond, the square of sinh would overflow; the result is 1 to the last digit long before.
        let most = s.number(self.re, if s.dtype(self.re) == DType::F64 { 350.0 } else { 43.0 });
        let (sinh, cosh) = hyperbolic(s, s.max(s.min(self.re, most), s.neg(most)));
        let (sin, cos) = (s.sin(self.im), s.cos(self.im));
        let under = s.add(s.mul(sinh, sinh), s.mul(cos, cos));
        Self { re: s.div(s.mul(sinh, cosh), under), im: s.div(s.mul(sin, cos), under) }
    }

    /// `sin a`.
    pub fn sin(self, s: &Scalar) -> Self {
        self.times_i(s).sinh(s).times_minus_i(s)
    }

    /// `cos a`.
    pub fn cos(self, s: &Scalar) -> Self {
        self.times_i(s).cosh(s)
    }

    /// `tan a`.
    pub fn tan(self, s: &Scalar) -> Self {
        self.times_i(s).tanh(s).times_minus_i(s)
    }

    /// `1 / (1 + e^-a)`.
    pub fn sigmoid(self, s: &Scalar) -> Self {
        // Where e^-a would overflow, the result is nearly 0.
        let least = s.number(self.re, if s.dtype(self.re) == DType::F64 { -700.0 } else { -87.0 });
        let bounded = Self { re: s.max(self.re, least), im: self.im };
        self.real(s, 1.0).add(s, bounded.neg(s).exp(s)).reciprocal(s)
    }

    /// `a / |a|`, and 0 at 0.
    pub fn sign(self, s: &Scalar) -> Self {
        let size = self.abs(s);
        let zero = s.eq(size, s.number(size, 0.0));
        let quotient = |x| s.div(x, s.select(zero, s.number(size, 1.0), size));
        self.each(quotient)
    }

    /// `a^b`, by logarithm; 0 to a power is 0, and 1 to the power of 0.
    pub fn pow(self, s: &Scalar, b: Self) -> Self {
        let zero = self.is_zero(s);
        let base = Self::select(s, zero, self.real(s, 1.0), self);
        let power = b.mul(s, base.log(s)).exp(s);
        let of_zero = Self::select(s, b.is_zero(s), self.real(s, 1.0), self.real(s, 0.0));
        Self::select(s, zero, of_zero, power)
    }
}

/// Whether a number has the sign -, that of -0 included.
pub(super) fn is_negative(s: &Scalar, x: Val) -> Val {
    let zero = s.number(x, 0.0);
    let at_zero = s.and(s.eq(x, zero), s.lt(s.div(s.number(x, 1.0), x), zero));
    s.or(s.lt(x, zero), at_zero)
}

/// `x` with the sign of `like`; `x` is not negative.
pub(super) fn with_sign(s: &Scalar, x: Val, like: Val) -> Val {
    s.select(is_negative(s, like), s.neg(x), x)
}

/// sinh and cosh of a real number; sinh keeps all its digits near 0.
fn hyperbolic(s: &Scalar, x: Val) -> (Val, Val) {
    let size = s.abs(x);
    let number = |value| s.number(x, value);
    // e^|x| - 1, of half of it where all of it would overflow.
    let far = s.lt(number(if s.dtype(x) == DType::F64 { 40.0 } else { 20.0 }), size);
    let less = s.expm1(s.select(far, number(0.0), size));
    let more = s.add(less, number(1.0));
    let sinh = s.mul(number(0.5), s.add(less, s.div(less, more)));
    let cosh = s.mul(number(0.5), s.add(more, s.div(number(1.0), more)));
    let root = s.exp(s.mul(number(0.5), size));
    let large = s.mul(s.mul(number(0.5), root), root);
    (with_sign(s, s.select(far, large, sinh), x), s.select(far, large, cosh))
}

/// The angle of the point (x, y), from -pi to pi, with signed zeros as IEEE 754 has them.
///
/// The arctangent of a ratio between 0 and 1 is Cephes' rational approximation (S. L. Moshier, Methods and Programs for Mathematical
/// Functions, 1989).
pub fn atan2(s: &Scalar, y: Val, x: Val) -> Val {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let number = |value| s.number(x, value);
    let Sizes { ratio, .. } = ComplexVal { re: x, im: y }.sizes(s);
    let reduced = s.lt(number(0.414_213_562_373_095_05), ratio);
    let one = number(1.0);
    let t = s.select(reduced, s.div(s.sub(ratio, one), s.add(ratio, one)), ratio);
    let z = s.mul(t, t);
    let chain = |start: Val, rest: &[f64]| rest.iter().fold(start, |all, &c| s.add(s.mul(all, z), number(c)));
    let curve = match s.dtype(x) {
        DType::F64 => {
            let p = chain(
                number(-8.750608600031904122785e-1),
                &[
                    -1.615753718733365076637e1,
                    -7.500855792314704667340e1,
                    -1.228866684490136173410e2,
                    -6.485021904942025371773e1,
                ],
            );
            let q = chain(
                one,
                &[
                    2.485846490142306297962e1,
                    1.650270098316988542046e2,
                    4.328810604912902668951e2,
                    4.853903996359136964868e2,
                    1.945506571482613964425e2,
                ],
            );
            s.div(p, q)
        }
        _ => chain(number(8.05374449538e-2), &[-1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1]),
    };
    let near = s.add(s.mul(s.mul(t, z), curve), t);
    let first = s.select(reduced, s.add(number(FRAC_PI_4), near), near);
    let steep = s.lt(s.abs(x), s.abs(y));
    let quarter = s.select(steep, s.sub(number(FRAC_PI_2), first), first);
    let upper = s.select(is_negative(s, x), s.sub(number(PI), quarter), quarter);
    with_sign(s, upper, y)
}

#[cfg(test)]
mod tests;
