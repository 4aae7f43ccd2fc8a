//! Broadcasting by NumPy's rules, on sizes that may be symbolic, and its way back for gradients.
//! Every element-wise op's shape rule calls [`broadcast`]; the gradient driver calls [`broadcast_reduce_axes`].

use super::{AxisSet, Dim, MAX_RANK, Shape, Symbol};
use crate::error::{Error, Result};

/// Equalities of sizes that a shape rule relied on, which a trace checks against the numbers of a call.
///
/// ```
/// use eagerflow::{Dim, Shape, shape::{Constraints, broadcast}};
/// let (a, b) = (Shape::from_dims(&[Dim::symbol(0)])?, Shape::new(&[32])?);
/// let mut constraints = Constraints::new();
/// assert_eq!(broadcast(&a, &b, &mut constraints)?, b);
/// assert!(constraints.check(&|_| Some(32)).is_ok());
/// assert!(constraints.check(&|_| Some(16)).is_err());
/// # Ok::<(), eagerflow::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Constraints(Vec<(Dim, Dim)>);

impl Constraints {
    /// None yet. This does not allocate, and neither do shape rules on known sizes.
    #[inline]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Requires two sizes to be equal. What holds already, or was required before, is not kept.
    pub fn push(&mut self, a: Dim, b: Dim) {
        if a != b && !self.0.contains(&(a, b)) && !self.0.contains(&(b, a)) {
            self.0.push((a, b));
        }
    }

    /// Whether nothing is required.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of equalities.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The pairs that must be equal, in the order in which they were found.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Dim, Dim)> + '_ {
        self.0.iter().copied()
    }

    /// Checks all equalities that have numbers under `lookup`; those of other symbols are passed over.
    pub fn check(&self, lookup: &dyn Fn(Symbol) -> Option<usize>) -> Result<()> {
        for (a, b) in self.iter() {
            let (x, y) = (a.bind(lookup)?, b.bind(lookup)?);
            if !x.can_equal(y) {
                return Err(Error::invalid_argument("", format!("the sizes {a} and {b} must be equal"))
                    .got(format!("{x} and {y}")));
            }
        }
        Ok(())
    }
}

/// The shape to which both operands broadcast.
///
/// Axes are matched from the last one; sizes must be equal, or one of them 1. Two symbolic sizes that cannot be 1 are
/// taken to be equal, which is noted in `constraints`; one that may be 1 gives an expression `broadcast(u0, s0)`. A
/// known size other than 1 is the result whatever the other turns out to be, 1 or the same.
///
/// ```
/// use eagerflow::{Shape, shape::{Constraints, broadcast}};
/// let (a, b) = (Shape::new(&[2, 1, 4])?, Shape::new(&[3, 1])?);
/// assert_eq!(broadcast(&a, &b, &mut Constraints::new())?, [2, 3, 4]);
/// # Ok::<(), eagerflow::Error>(())
/// ```
#[inline]
pub fn broadcast(a: &Shape, b: &Shape, constraints: &mut Constraints) -> Result<Shape> {
    if a == b { Ok(*a) } else { broadcast_unequal(a, b, constraints) }
}

#[inline(never)]
fn broadcast_unequal(a: &Shape, b: &Shape, constraints: &mut Constraints) -> Result<Shape> {
    let (long, short) = if a.rank() >= b.rank() { (a, b) } else { (b, a) };
    let leading = long.rank() - short.rank();
    let (mut result, mut stretched) = (*long, false);
    for (axis, &y) in short.sizes().iter().enumerate() {
        // Always below `MAX_RANK`; the remainder spares the check of the index.
        let slot = &mut result.dims[(leading + axis) % MAX_RANK];
        let x = *slot;
        if x == y || y == Dim::ONE {
            continue;
        }
        stretched = true;
        *slot = if x == Dim::ONE {
            y
        } else if x.is_known() && y.is_known() {
            return Err(mismatch(a, b, leading + axis));
        } else {
            broadcast_symbolic(x, y, constraints).ok_or_else(|| mismatch(a, b, leading + axis))?
        };
    }
    // With sizes from both operands the product can be too large although neither's is.
    if stretched { result.checked() } else { Ok(result) }
}

/// The common size of two different ones, neither known to be 1 and not both known; `None` if there cannot be one.
#[cold]
fn broadcast_symbolic(x: Dim, y: Dim, constraints: &mut Constraints) -> Option<Dim> {
    if !can_be_one(x) && !can_be_one(y) {
        if !x.can_equal(y) {
            return None;
        }
        constraints.push(x, y);
        return Some(simpler(x, y));
    }
    match (x.is_known(), y.is_known()) {
        // The symbolic size is the one that may be 1, and whether it is or not, the known one is the result.
        (true, _) => Some(x),
        (_, true) => Some(y),
        _ => Some(x.broadcast_atom(y)),
    }
}

fn can_be_one(size: Dim) -> bool {
    size.can_equal(Dim::ONE)
}

/// Of two equal sizes, the known one or the shorter text; the choice does not depend on the order of the two.
fn simpler(x: Dim, y: Dim) -> Dim {
    match (x.poly(), y.poly()) {
        (Some(p), Some(q)) => {
            let key = |d: Dim, p: &super::expr::Poly| (!d.is_known(), p.weight());
            if (key(x, &p), &*p) <= (key(y, &q), &*q) { x } else { y }
        }
        _ => x,
    }
}

#[cold]
fn mismatch(a: &Shape, b: &Shape, axis: usize) -> Error {
    let rank = a.rank().max(b.rank());
    let size = |s: &Shape| s.dim(axis + s.rank() - rank);
    Error::invalid_argument("", format!("shapes {a} and {b} do not broadcast"))
        .got(format!("sizes {} and {} in axis {}", size(a), size(b), axis as isize - rank as isize))
        .expected("equal sizes, or size 1 in one of them, in every axis counted from the last")
}

/// What [`broadcast_reduce_axes`] found, in axes of the broadcast result.
///
/// ```
/// use eagerflow::{Dim, Shape, shape::{AxisSet, broadcast_reduce_axes}};
/// let found = broadcast_reduce_axes(&Shape::from_dims(&[Dim::unbacked(0)])?, &Shape::new(&[2, 5])?);
/// assert_eq!((found.summed(), found.undecided), (AxisSet::of(&[0]), AxisSet::of(&[1])));
/// # Ok::<(), eagerflow::Error>(())
/// ```
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BroadcastReduction {
    /// So many of the first axes are new: they are summed and dropped.
    pub leading: usize,
    /// The other axes to sum; they stay, with size 1.
    pub axes: AxisSet,
    /// The axes of which only the numbers of a run tell whether they are to be summed, as the operand's size may be 1.
    pub undecided: AxisSet,
}

impl BroadcastReduction {
    /// Whether certainly nothing is to be summed.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.leading == 0 && self.axes.is_empty() && self.undecided.is_empty()
    }

    /// Everything that is certainly summed: the leading axes and those that stay with size 1.
    #[inline]
    pub const fn summed(&self) -> AxisSet {
        AxisSet::all(self.leading).union(self.axes)
    }
}

/// The axes of a broadcast result `to` that must be summed to return to the operand's shape `from`.
///
/// Reads no symbolic number: a symbolic size that cannot be 1 was not stretched, whatever its value is.
///
/// ```
/// use eagerflow::{Shape, shape::{AxisSet, broadcast_reduce_axes}};
/// let found = broadcast_reduce_axes(&Shape::new(&[1, 3])?, &Shape::new(&[5, 4, 3])?);
/// assert_eq!((found.leading, found.axes), (1, AxisSet::of(&[1])));
/// # Ok::<(), eagerflow::Error>(())
/// ```
#[inline]
pub fn broadcast_reduce_axes(from: &Shape, to: &Shape) -> BroadcastReduction {
    let mut found = BroadcastReduction { leading: to.rank().saturating_sub(from.rank()), ..Default::default() };
    if from == to {
        return found;
    }
    for (axis, (operand, result)) in from.iter().zip(to.iter().skip(found.leading)).enumerate() {
        let axis = found.leading + axis;
        if operand == result {
        } else if operand == Dim::ONE {
            found.axes = found.axes.with(axis);
        } else if !operand.is_known() && can_be_one(operand) {
            found.undecided = found.undecided.with(axis);
        }
    }
    found
}

#[cfg(test)]
#[path = "broadcast_tests.rs"]
mod tests;
