//! [`Cardinality`]: how many elements a pass over a data set gives, as far as that is known without making one.
//! Every step computes its own from that of the step before; `Dataset::cardinality` answers the last one.

use std::fmt;

/// The number of elements in a pass over a data set: TensorFlow's `cardinality`, with `INFINITE_CARDINALITY` and `UNKNOWN_CARDINALITY`.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Cardinality, Dataset};
/// let numbers = Dataset::range(10);
/// assert_eq!(numbers.batch(4).cardinality(), 3);
/// assert_eq!(numbers.repeat(None).cardinality(), Cardinality::Infinite);
/// assert_eq!(numbers.filter(|n| n.greater(4)).cardinality(), Cardinality::Unknown);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cardinality {
    /// So many.
    Known(usize),
    /// A pass has no end.
    Infinite,
    /// Only a pass can tell.
    Unknown,
}

use Cardinality::{Infinite, Known, Unknown};

impl Cardinality {
    /// The number, where there is one and it is known.
    pub fn known(self) -> Option<usize> {
        match self {
            Known(count) => Some(count),
            Infinite | Unknown => None,
        }
    }

    /// Another number where it is known.
    pub(super) fn map(self, f: impl FnOnce(usize) -> usize) -> Self {
        match self {
            Known(count) => Known(f(count)),
            other => other,
        }
    }

    /// One after the other.
    pub(super) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Infinite, _) | (_, Infinite) => Infinite,
            (Known(a), Known(b)) => a.checked_add(b).map_or(Infinite, Known),
            _ => Unknown,
        }
    }

    /// As many as the shorter one has.
    pub(super) fn shorter(self, other: Self) -> Self {
        match (self, other) {
            (Unknown, _) | (_, Unknown) => Unknown,
            (Infinite, other) | (other, Infinite) => other,
            (Known(a), Known(b)) => Known(a.min(b)),
        }
    }

    /// So many times over; `None` is for ever.
    pub(super) fn times(self, count: Option<usize>) -> Self {
        match (self, count) {
            (Known(0), _) | (_, Some(0)) => Known(0),
            (_, None) | (Infinite, _) => Infinite,
            (Known(own), Some(count)) => own.checked_mul(count).map_or(Infinite, Known),
            (Unknown, _) => Unknown,
        }
    }

    /// At most so many.
    pub(super) fn at_most(self, count: usize) -> Self {
        match self {
            Known(own) => Known(own.min(count)),
            Infinite => Known(count),
            Unknown => Unknown,
        }
    }
}

/// A known number.
impl PartialEq<usize> for Cardinality {
    fn eq(&self, other: &usize) -> bool {
        self.known() == Some(*other)
    }
}

impl fmt::Display for Cardinality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Known(count) => write!(f, "{count}"),
            Infinite => f.write_str("infinite"),
            Unknown => f.write_str("unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_products_and_parts() {
        assert_eq!(
            (Known(2).plus(Known(3)), Known(2).plus(Unknown), Unknown.plus(Infinite)),
            (Known(5), Unknown, Infinite)
        );
        assert_eq!(
            (Known(2).shorter(Infinite), Infinite.shorter(Infinite), Infinite.shorter(Unknown)),
            (Known(2), Infinite, Unknown)
        );
        assert_eq!(
            (Known(0).times(None), Unknown.times(None), Infinite.times(Some(0))),
            (Known(0), Infinite, Known(0))
        );
        assert_eq!((Known(7).times(Some(2)), Known(usize::MAX).times(Some(2))), (Known(14), Infinite));
        assert_eq!((Infinite.at_most(3), Known(2).at_most(3), Unknown.at_most(3)), (Known(3), Known(2), Unknown));
        assert_eq!([Known(3), Infinite, Unknown].map(|c| c.to_string()), ["3", "infinite", "unknown"]);
    }
}
