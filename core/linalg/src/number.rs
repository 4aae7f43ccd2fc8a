//! The numbers that algorithms compute with, `f32`, `f64` and pairs of `f64`, and how their parts are stored.
//! Everything generic in this crate is over [`Number`].

use faer_traits::ComplexField;
use num_complex::Complex;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// How a part is stored.
pub(crate) trait Stored: Copy {
    fn widen(self) -> f64;
    fn narrow(x: f64) -> Self;
}

impl Stored for f32 {
    fn widen(self) -> f64 {
        f64::from(self)
    }
    fn narrow(x: f64) -> Self {
        x as Self
    }
}

impl Stored for f64 {
    fn widen(self) -> f64 {
        self
    }
    fn narrow(x: f64) -> Self {
        x
    }
}

/// A number of a matrix.
pub(crate) trait Number:
    ComplexField
    + Copy
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    const ZERO: Self;
    const ONE: Self;
    const COMPLEX: bool;
    fn of(re: f64, im: f64) -> Self;
    fn re(self) -> f64;
    fn im(self) -> f64;
    fn conjugate(self) -> Self;
    fn modulus(self) -> f64;
    fn finite(self) -> bool;
    /// Divided or multiplied by a real number.
    fn times(self, x: f64) -> Self {
        self * Self::of(x, 0.0)
    }
    fn nan() -> Self {
        Self::of(f64::NAN, if Self::COMPLEX { f64::NAN } else { 0.0 })
    }
}

macro_rules! real_number {
    ($t:ty) => {
        impl Number for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const COMPLEX: bool = false;
            #[inline(always)]
            fn of(re: f64, _: f64) -> Self {
                re as $t
            }
            #[inline(always)]
            fn re(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn im(self) -> f64 {
                0.0
            }
            #[inline(always)]
            fn conjugate(self) -> Self {
                self
            }
            #[inline(always)]
            fn modulus(self) -> f64 {
                f64::from(<$t>::abs(self))
            }
            #[inline(always)]
            fn finite(self) -> bool {
                <$t>::is_finite(self)
            }
        }
    };
}
real_number!(f32);
real_number!(f64);

impl Number for Complex<f64> {
    const ZERO: Self = Self::new(0.0, 0.0);
    const ONE: Self = Self::new(1.0, 0.0);
    const COMPLEX: bool = true;
    #[inline(always)]
    fn of(re: f64, im: f64) -> Self {
        Self::new(re, im)
    }
    #[inline(always)]
    fn re(self) -> f64 {
        self.re
    }
    #[inline(always)]
    fn im(self) -> f64 {
        self.im
    }
    #[inline(always)]
    fn conjugate(self) -> Self {
        Self::new(self.re, -self.im)
    }
    #[inline(always)]
    fn modulus(self) -> f64 {
        self.re.hypot(self.im)
    }
    #[inline(always)]
    fn finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}
