//! The operators of [`Dim`]: `+`, `-` and `*` with sizes and with numbers on either side, and numbers as sizes.
//! Shape rules calculate with them; two numbers stay on one short path, all else goes to the polynomials.

use std::ops::{Add, Mul, Sub};

use super::dim::{Dim, SYMBOLIC, cold};
use super::expr::Poly;

impl Add for Dim {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        // Two sizes below the top bit cannot wrap, but their sum can reach the bit.
        let sum = self.0.wrapping_add(other.0);
        if (self.0 | other.0 | sum) & SYMBOLIC == 0 { Self(sum) } else { cold(self, other, |a, b| a.add_scaled(b, 1)) }
    }
}

impl Sub for Dim {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        match self.0.checked_sub(other.0) {
            Some(rest) if (self.0 | other.0) & SYMBOLIC == 0 => Self(rest),
            _ => cold(self, other, |a, b| a.add_scaled(b, -1)),
        }
    }
}

impl Mul for Dim {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        match self.0.checked_mul(other.0) {
            Some(product) if (self.0 | other.0 | product) & SYMBOLIC == 0 => Self(product),
            _ => cold(self, other, Poly::mul),
        }
    }
}

macro_rules! with_numbers {
    ($($operator:ident $method:ident;)*) => {$(
        impl $operator<usize> for Dim {
            type Output = Dim;
            #[inline]
            fn $method(self, other: usize) -> Dim {
                $operator::$method(self, Dim::known(other))
            }
        }

        impl $operator<Dim> for usize {
            type Output = Dim;
            #[inline]
            fn $method(self, other: Dim) -> Dim {
                $operator::$method(Dim::known(self), other)
            }
        }
    )*};
}

with_numbers! { Add add; Sub sub; Mul mul; }

impl From<usize> for Dim {
    #[inline]
    fn from(size: usize) -> Self {
        Self::known(size)
    }
}
