//! The `axis` argument of reductions: all axes, one, or several, kept as size 1 on request.
//! Reduction operations take `impl IntoAxes`.

use kernels::error::Result;
use kernels::shape::{AxisSet, resolve_axes};

/// Which axes an operation works on, and whether they stay as dimensions of size 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axes {
    list: Option<Vec<isize>>,
    keep: bool,
}

/// What can stand for axes: `()` for all, a number, an array, slice or `Vec` of numbers, or any of them in
/// [`keep_dims`]. Negative numbers count from the last axis.
///
/// ```
/// use eagerflow as tf;
/// use tf::keep_dims;
/// let x = tf::ones([2, 3]);
/// assert_eq!(tf::reduce_sum(&x, ()).shape(), []);
/// assert_eq!(tf::reduce_sum(&x, -1).shape(), [2]);
/// assert_eq!(tf::reduce_sum(&x, keep_dims([0, 1])).shape(), [1, 1]);
/// ```
pub trait IntoAxes {
    /// The axes as a value.
    fn into_axes(self) -> Axes;
}

/// The same axes, kept in the result as dimensions of size 1: TensorFlow's `keepdims=True`.
pub fn keep_dims(axes: impl IntoAxes) -> Axes {
    Axes { keep: true, ..axes.into_axes() }
}

impl Axes {
    /// The set of axes for a tensor of this rank, and whether they are kept.
    pub(crate) fn resolve(&self, op: &str, rank: usize) -> Result<(AxisSet, bool)> {
        let set = match &self.list {
            None => AxisSet::all(rank),
            Some(list) => resolve_axes(op, list, rank)?,
        };
        Ok((set, self.keep))
    }

    /// The axes as they were listed; `None` for all.
    pub(crate) fn listed(&self) -> Option<&[isize]> {
        self.list.as_deref()
    }
}

impl IntoAxes for Axes {
    fn into_axes(self) -> Axes {
        self
    }
}

impl IntoAxes for () {
    fn into_axes(self) -> Axes {
        Axes::default()
    }
}

impl IntoAxes for isize {
    fn into_axes(self) -> Axes {
        Axes { list: Some(vec![self]), keep: false }
    }
}

impl IntoAxes for i32 {
    fn into_axes(self) -> Axes {
        (self as isize).into_axes()
    }
}

impl IntoAxes for usize {
    fn into_axes(self) -> Axes {
        isize::try_from(self).unwrap_or(isize::MAX).into_axes()
    }
}

impl<const N: usize> IntoAxes for [isize; N] {
    fn into_axes(self) -> Axes {
        self[..].into_axes()
    }
}

impl IntoAxes for &[isize] {
    fn into_axes(self) -> Axes {
        Axes { list: Some(self.to_vec()), keep: false }
    }
}

impl IntoAxes for Vec<isize> {
    fn into_axes(self) -> Axes {
        Axes { list: Some(self), keep: false }
    }
}

impl<A: IntoAxes> IntoAxes for Option<A> {
    fn into_axes(self) -> Axes {
        self.map(A::into_axes).unwrap_or_default()
    }
}
