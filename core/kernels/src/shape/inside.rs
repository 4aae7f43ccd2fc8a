//! What the engine may ask of sizes and axes, and users need not: their representation, and a size that is one symbol.
//! Attributes of operations hash the former, and whatever binds symbols asks for the latter.

use super::expr::Atom;
use super::{AxisSet, Dim, Symbol};

/// A value whose representation tells it from all others of its type.
#[doc(hidden)]
pub trait Bits {
    /// The representation as a number.
    fn bits(self) -> u64;
}

impl Bits for Dim {
    #[inline]
    fn bits(self) -> u64 {
        self.0 as u64
    }
}

impl Bits for AxisSet {
    #[inline]
    fn bits(self) -> u64 {
        u64::from(self.0)
    }
}

/// The symbol, if a size is one alone.
pub fn as_symbol(size: Dim) -> Option<Symbol> {
    match size.poly()?.as_atom()? {
        Atom::Symbol(symbol) => Some(*symbol),
        _ => None,
    }
}
