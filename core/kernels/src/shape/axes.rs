//! Axes: negative ones counted from the end, and small sets of them.
//! Every op with an `axis` argument resolves it here, so that the errors read the same everywhere.

use std::fmt;

use super::MAX_RANK;
use crate::error::{Error, Result};

/// The axis as an index, where -1 is the last one.
///
/// ```
/// use eagerflow::shape::resolve_axis;
/// assert_eq!(resolve_axis("Sum", -1, 3)?, 2);
/// assert!(resolve_axis("Sum", 3, 3).is_err());
/// # Ok::<(), eagerflow::Error>(())
/// ```
#[inline]
pub fn resolve_axis(op: &str, axis: isize, rank: usize) -> Result<usize> {
    let resolved = if axis < 0 { rank.checked_sub(axis.unsigned_abs()) } else { Some(axis.unsigned_abs()) };
    match resolved {
        Some(resolved) if resolved < rank => Ok(resolved),
        _ => Err(no_such_axis(op, axis, rank)),
    }
}

#[cold]
fn no_such_axis(op: &str, axis: isize, rank: usize) -> Error {
    let error = Error::invalid_argument(op, format!("there is no axis {axis} in a tensor of rank {rank}"))
        .got(format!("axis {axis}"));
    match rank {
        0 => error.expected("no axis, because a scalar has none"),
        _ => error.expected(format!("an axis from -{rank} to {}", rank - 1)),
    }
}

/// The axes as a set; an axis named twice is an error, also as -1 and as the last one.
///
/// ```
/// use eagerflow::shape::{AxisSet, resolve_axes};
/// assert_eq!(resolve_axes("Sum", &[0, -1], 3)?, AxisSet::of(&[0, 2]));
/// assert!(resolve_axes("Sum", &[2, -1], 3).is_err());
/// # Ok::<(), eagerflow::Error>(())
/// ```
pub fn resolve_axes(op: &str, axes: &[isize], rank: usize) -> Result<AxisSet> {
    let mut set = AxisSet::EMPTY;
    for &axis in axes {
        let resolved = resolve_axis(op, axis, rank)?;
        if resolved >= MAX_RANK || set.contains(resolved) {
            return Err(Error::invalid_argument(op, format!("axis {resolved} is named twice"))
                .got(format!("axes {axes:?} of a tensor of rank {rank}"))
                .expected("every axis at most once"));
        }
        set = set.with(resolved);
    }
    Ok(set)
}

/// A set of axes below [`MAX_RANK`], as a bit mask.
///
/// ```
/// use eagerflow::shape::AxisSet;
/// let axes = AxisSet::of(&[2, 0]);
/// assert!(axes.contains(2) && !axes.contains(1));
/// assert_eq!(axes.iter().collect::<Vec<_>>(), [0, 2]);
/// ```
#[derive(Copy, Clone, Default, PartialEq, Eq, Hash)]
pub struct AxisSet(pub(super) u8);

impl AxisSet {
    /// No axis.
    pub const EMPTY: Self = Self(0);

    /// The set of the given axes; those from [`MAX_RANK`] on are left out.
    pub fn of(axes: &[usize]) -> Self {
        axes.iter().fold(Self::EMPTY, |set, &axis| set.with(axis))
    }

    /// All axes of a tensor of this rank.
    #[inline]
    pub const fn all(rank: usize) -> Self {
        if rank >= MAX_RANK { Self(u8::MAX) } else { Self((1 << rank) - 1) }
    }

    /// The set with one more axis.
    #[inline]
    #[must_use]
    pub const fn with(self, axis: usize) -> Self {
        if axis < MAX_RANK { Self(self.0 | 1 << axis) } else { self }
    }

    /// The axes of both sets.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The axes of a tensor of this rank that are not in the set.
    #[inline]
    #[must_use]
    pub const fn complement(self, rank: usize) -> Self {
        Self(!self.0 & Self::all(rank).0)
    }

    /// Whether the axis is in the set.
    #[inline]
    pub const fn contains(self, axis: usize) -> bool {
        axis < MAX_RANK && self.0 >> axis & 1 == 1
    }

    /// The number of axes in the set.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no axis is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The axes in ascending order.
    #[inline]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = usize> + Clone {
        (0..MAX_RANK).filter(move |&axis| self.contains(axis))
    }
}

impl FromIterator<usize> for AxisSet {
    fn from_iter<I: IntoIterator<Item = usize>>(axes: I) -> Self {
        axes.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for AxisSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Display for AxisSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_resolve_within_the_rank() {
        for rank in 0..=MAX_RANK {
            for axis in -10..10 {
                let expected = (-(rank as isize)..rank as isize).contains(&axis);
                let got = resolve_axis("Op", axis, rank);
                assert_eq!(got.is_ok(), expected);
                assert!(got.is_err() || got.is_ok_and(|a| a == axis.rem_euclid(rank as isize) as usize));
            }
        }
        let text = resolve_axis("ArgMax", -4, 3).expect_err("no such axis").to_string();
        assert!(text.contains("ArgMax: ") && text.contains("axis -4") && text.contains("-3 to 2"), "{text}");
        assert!(resolve_axis("Op", isize::MIN, 3).is_err());
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        for mask in 0..256_usize {
            let axes: Vec<usize> = (0..8).filter(|a| mask >> a & 1 == 1).collect();
            let set = AxisSet::of(&axes);
            assert_eq!(set.iter().collect::<Vec<_>>(), axes);
            assert_eq!((set.len(), set.is_empty()), (axes.len(), axes.is_empty()));
            assert_eq!(set.union(set.complement(8)), AxisSet::all(8));
            assert_eq!(axes.iter().copied().collect::<AxisSet>(), set);
            assert_eq!(set.to_string(), format!("{axes:?}"));
        }
        assert!(!AxisSet::all(8).contains(8) && AxisSet::all(0).is_empty());
        assert!(resolve_axes("Sum", &[1, -2], 3).is_err_and(|e| e.to_string().contains("named twice")));
    }
}
