//! The operators of [`Dim`]: arithmetic and comparison with sizes and with numbers on either side, and sizes read as numbers.
//! Shape rules calculate with them; two numbers stay on one short path, all else goes to the polynomials.

use std::ops::{Add, Div, Mul, Rem, Sub};

use super::dim::{Dim, SYMBOLIC, cold};
use super::expr::Poly;
use super::pin::pin;

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

impl Div for Dim {
    type Output = Self;
    /// Rounded down; see [`Dim::floor_div_dim`].
    #[inline]
    fn div(self, other: Self) -> Self {
        self.floor_div_dim(other)
    }
}

impl Rem for Dim {
    type Output = Self;
    #[inline]
    fn rem(self, other: Self) -> Self {
        self - self / other * other
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

with_numbers! { Add add; Sub sub; Mul mul; Div div; Rem rem; }

impl From<usize> for Dim {
    #[inline]
    fn from(size: usize) -> Self {
        Self::known(size)
    }
}

impl Dim {
    /// The size as a number. It *pins* a size that is a symbol: the function being traced is traced anew for every value of it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::zeros([2, 3]).dim(-1).number(), 3);
    /// ```
    ///
    /// # Panics
    /// Outside of traces if the size is none, and in them if it is known only when the graph runs.
    #[inline]
    #[track_caller]
    pub fn number(self) -> usize {
        if self.is_known() { self.0 } else { pin(self) }
    }

    /// Compares with a number; pins a symbolic size only if its bounds leave the answer open.
    #[inline]
    #[track_caller]
    fn equals(self, size: usize) -> bool {
        match self.known_value() {
            Some(known) => known == size,
            None => self.can_equal(Self::known(size)) && self.number() == size,
        }
    }
}

// `ne` is written out because the given one would name itself as the place of a pin.
impl PartialEq<usize> for Dim {
    #[inline]
    #[track_caller]
    fn eq(&self, size: &usize) -> bool {
        self.equals(*size)
    }

    #[inline]
    #[track_caller]
    #[allow(clippy::partialeq_ne_impl)]
    fn ne(&self, size: &usize) -> bool {
        !self.equals(*size)
    }
}

impl PartialEq<Dim> for usize {
    #[inline]
    #[track_caller]
    fn eq(&self, size: &Dim) -> bool {
        size.equals(*self)
    }

    #[inline]
    #[track_caller]
    #[allow(clippy::partialeq_ne_impl)]
    fn ne(&self, size: &Dim) -> bool {
        !size.equals(*self)
    }
}
