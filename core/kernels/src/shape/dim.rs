//! [`Dim`], one size of a shape: a number, or the interned expression of a size that a traced function leaves open.
//! Every shape rule calculates with it, and the executor binds it to the numbers of a call.

use std::fmt;
use std::sync::Arc;

use super::eval::Fault;
use super::expr::{self, Atom, Poly};
use crate::error::{Error, Result};

/// The top bit: set in the indices of expressions, clear in sizes.
pub(super) const SYMBOLIC: usize = 1 << (usize::BITS - 1);

/// A size that a graph leaves open, as [`Dim::bind`] asks for its number.
///
/// ```
/// use eagerflow::{Dim, shape::Symbol};
/// assert_eq!((Dim::symbol(1) * 2).symbols(), [Symbol::Guarded(1)]);
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// `s0`, `s1`, ...: a size of an argument. It is 2 or more, because sizes 0 and 1 get a trace of their own.
    Guarded(u32),
    /// `u0`, `u1`, ...: a size that comes out of a computation, 0 or more, known when the graph runs.
    Unbacked(u32),
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guarded(index) => write!(f, "s{index}"),
            Self::Unbacked(index) => write!(f, "u{index}"),
        }
    }
}

/// One size of a [`Shape`](super::Shape): a number, or an expression of symbols while a function is traced.
///
/// Expressions have one canonical form, so equal polynomials are equal `Dim`s. Arithmetic never panics: a size that
/// overflows or is divided by zero becomes [`Dim::INVALID`], a difference may be negative, and both are refused
/// where a shape is made of them.
///
/// ```
/// use eagerflow::Dim;
/// let batch = Dim::symbol(0);
/// assert_eq!((batch + batch).to_string(), "2*s0");
/// assert_eq!((batch - 2).floor_div(2).to_string(), "(s0-2)/2");
/// assert_eq!((batch - 2).bind(&|_| Some(32))?, Dim::known(30));
/// # Ok::<(), eagerflow::Error>(())
/// ```
#[repr(transparent)]
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Dim(pub(super) usize);

impl Dim {
    /// The size 0.
    pub const ZERO: Self = Self(0);
    /// The size 1, which broadcasts.
    pub const ONE: Self = Self(1);
    /// What arithmetic gives that overflowed or divided by zero; no shape contains it.
    pub const INVALID: Self = Self(usize::MAX);

    /// A size that is known. Sizes above `isize::MAX` do not exist and give [`Dim::INVALID`].
    #[inline]
    pub const fn known(size: usize) -> Self {
        if size & SYMBOLIC == 0 { Self(size) } else { Self::INVALID }
    }

    /// The size of an argument that a trace leaves open: `s0`, `s1`, ..., 2 or more.
    #[cold]
    pub fn symbol(index: u32) -> Self {
        Self::from_poly(Some(Poly::atom(Atom::Symbol(Symbol::Guarded(index)))))
    }

    /// A size known only when the graph runs: `u0`, `u1`, ..., 0 or more.
    #[cold]
    pub fn unbacked(index: u32) -> Self {
        Self::from_poly(Some(Poly::atom(Atom::Symbol(Symbol::Unbacked(index)))))
    }

    /// Whether this is a number.
    #[inline]
    pub const fn is_known(self) -> bool {
        self.0 & SYMBOLIC == 0
    }

    /// The number, if it is known. Reading it pins nothing.
    #[inline]
    pub const fn known_value(self) -> Option<usize> {
        if self.is_known() { Some(self.0) } else { None }
    }

    /// The number, below zero too, if it is one.
    #[doc(hidden)]
    #[inline]
    pub fn constant(self) -> Option<isize> {
        match self.known_value() {
            Some(size) => Some(size as isize),
            None => isize::try_from(self.poly()?.as_constant()?).ok(),
        }
    }

    /// `self / divisor`, rounded down.
    ///
    /// ```
    /// use eagerflow::Dim;
    /// assert_eq!(Dim::known(7).floor_div(2), Dim::known(3));
    /// assert_eq!(Dim::symbol(0).ceil_div(2).to_string(), "(s0+1)/2");
    /// ```
    #[inline]
    pub fn floor_div(self, divisor: usize) -> Self {
        self.floor_div_dim(Self::known(divisor))
    }

    /// `self / divisor`, rounded up: the size that a stride leaves under `same` padding.
    #[inline]
    pub fn ceil_div(self, divisor: usize) -> Self {
        if self.is_known() && divisor != 0 {
            Self(self.0.div_ceil(divisor))
        } else {
            (self + divisor - 1).floor_div(divisor)
        }
    }

    /// `self / divisor` rounded down, with a divisor that may be symbolic as well.
    #[inline]
    pub fn floor_div_dim(self, divisor: Self) -> Self {
        match self.0.checked_div(divisor.0) {
            Some(quotient) if (self.0 | divisor.0) & SYMBOLIC == 0 => Self(quotient),
            _ => cold(self, divisor, Poly::floor_div),
        }
    }

    /// The size that gives `self` when multiplied with `divisor`, or `None` where there is none for all bindings.
    ///
    /// ```
    /// use eagerflow::Dim;
    /// let (s0, s1) = (Dim::symbol(0), Dim::symbol(1));
    /// assert_eq!((s0 * s1 * 6).div_exact(s0 * 2), Some(s1 * 3));
    /// assert_eq!((s0 + 1).div_exact(Dim::known(2)), None);
    /// ```
    pub fn div_exact(self, divisor: Self) -> Option<Self> {
        if (self.0 | divisor.0) & SYMBOLIC == 0 {
            return (self.0.checked_rem(divisor.0)? == 0).then(|| Self(self.0 / divisor.0));
        }
        Some(Self::from_poly(Some(self.poly()?.div_exact(&*divisor.poly()?)?))).filter(|d| *d != Self::INVALID)
    }

    /// The larger of two sizes.
    #[inline]
    #[allow(clippy::should_implement_trait)] // Sizes have no total order, so `Ord::max` is not to be had.
    pub fn max(self, other: Self) -> Self {
        if (self.0 | other.0) & SYMBOLIC == 0 {
            return Self(self.0.max(other.0));
        }
        cold(self, other, |a, b| Some(Poly::extremum(&[a.clone(), b.clone()], true)))
    }

    /// The smaller of two sizes.
    #[inline]
    #[allow(clippy::should_implement_trait)] // See `max`.
    pub fn min(self, other: Self) -> Self {
        if (self.0 | other.0) & SYMBOLIC == 0 {
            return Self(self.0.min(other.0));
        }
        cold(self, other, |a, b| Some(Poly::extremum(&[a.clone(), b.clone()], false)))
    }

    /// The size to which both broadcast, as an expression that is checked when it is bound.
    pub(super) fn broadcast_atom(self, other: Self) -> Self {
        cold(self, other, |a, b| Poly::broadcast(&[a.clone(), b.clone()]))
    }

    /// Whether the size is `least` or more under every binding. `false` also where that cannot be told.
    ///
    /// ```
    /// use eagerflow::Dim;
    /// assert!(Dim::symbol(0).at_least(2) && !Dim::unbacked(0).at_least(1));
    /// ```
    #[inline]
    pub fn at_least(self, least: usize) -> bool {
        match self.known_value() {
            Some(size) => size >= least,
            None => self.bounds().0.is_some_and(|lo| i64::try_from(least).is_ok_and(|least| lo >= least)),
        }
    }

    /// Whether some binding makes the two sizes equal, as far as their bounds tell.
    pub fn can_equal(self, other: Self) -> bool {
        if (self.0 | other.0) & SYMBOLIC == 0 || self == other {
            return self == other;
        }
        let (lo, hi) = cold(self, other, |a, b| a.add_scaled(b, -1)).bounds();
        lo.is_none_or(|lo| lo <= 0) && hi.is_none_or(|hi| hi >= 0)
    }

    /// The symbols on which the size depends, each once, sorted.
    pub fn symbols(self) -> Vec<Symbol> {
        let mut found = Vec::new();
        if let Some(poly) = (!self.is_known()).then(|| self.poly()).flatten() {
            poly.visit(&mut |symbol| found.push(symbol));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The size with the symbols replaced for which `lookup` has a number.
    ///
    /// An error if the result is a negative number, overflows, or breaks what the trace relied on.
    #[inline]
    pub fn bind(self, lookup: &dyn Fn(Symbol) -> Option<usize>) -> Result<Self> {
        if self.is_known() { Ok(self) } else { self.bind_expression(lookup) }
    }

    #[cold]
    fn bind_expression(self, lookup: &dyn Fn(Symbol) -> Option<usize>) -> Result<Self> {
        let poly = self.poly().ok_or_else(|| self.refusal())?;
        let bound = match poly.evaluate(lookup) {
            Err(Fault::Unbound) => poly.substitute(lookup),
            value => value.map(Poly::constant),
        };
        let error = |what: String| {
            let numbers = self.symbols().into_iter().filter_map(|s| Some(format!("{s} = {}", lookup(s)?)));
            Error::invalid_argument("", what).got(numbers.collect::<Vec<_>>().join(", "))
        };
        match bound {
            Ok(poly) => match poly.as_constant() {
                Some(size) if size < 0 => {
                    Err(error(format!("the size {self} is {size} here")).expected("a size of 0 or more"))
                }
                _ => Self::from_poly(Some(poly)).valid(),
            },
            Err(Fault::Guard(symbol, size)) => {
                Err(error(format!("the size {symbol} is {size}, but this trace is for sizes of 2 and more")))
            }
            Err(Fault::Broadcast(a, b)) => {
                Err(error(format!("sizes {a} and {b} do not broadcast in {self}")).expected("equal sizes, or a size 1"))
            }
            Err(Fault::Arithmetic | Fault::Unbound) => {
                Err(error(format!("the size {self} overflows or divides by zero here")))
            }
        }
    }

    /// The size itself, or the error that says why it cannot be one: it is a negative number or invalid.
    #[inline]
    pub fn valid(self) -> Result<Self> {
        if self.is_known() || self.may_be_a_size() { Ok(self) } else { Err(self.refusal()) }
    }

    #[cold]
    fn may_be_a_size(self) -> bool {
        self.poly().is_some_and(|poly| poly.as_constant().is_none())
    }

    #[cold]
    fn refusal(self) -> Error {
        match self.poly() {
            Some(poly) => Error::invalid_argument("", format!("a size would be negative: {poly}")),
            None => Error::invalid_argument("", "the arithmetic of a size overflowed or divided by zero"),
        }
        .expected("a size of 0 or more")
    }

    pub(super) fn bounds(self) -> super::eval::Bounds {
        self.poly().map_or((None, None), |poly| poly.bounds())
    }

    /// The polynomial; `None` for an invalid size.
    #[cold]
    pub(super) fn poly(self) -> Option<Arc<Poly>> {
        match self.known_value() {
            Some(size) => Some(Arc::new(Poly::constant(i64::try_from(size).ok()?))),
            None if self == Self::INVALID => None,
            None => expr::lookup(self.0 & !SYMBOLIC),
        }
    }

    fn from_poly(poly: Option<Poly>) -> Self {
        match poly.as_ref().map(Poly::as_constant) {
            None => Self::INVALID,
            Some(Some(size)) if size >= 0 => usize::try_from(size).map_or(Self::INVALID, Self::known),
            // A negative number is an expression too: a larger one may be added to it.
            Some(_) => Self(expr::intern(poly.unwrap_or_default()) | SYMBOLIC),
        }
    }
}

/// Calculates on the polynomials; everything symbolic, negative or overflowing ends here.
#[cold]
#[inline(never)]
pub(super) fn cold(a: Dim, b: Dim, f: impl Fn(&Poly, &Poly) -> Option<Poly>) -> Dim {
    Dim::from_poly(a.poly().zip(b.poly()).and_then(|(a, b)| f(&a, &b)))
}

#[cfg(test)]
#[path = "dim_tests.rs"]
pub(super) mod tests;
