//! What an index can be: numbers, ranges, arrays of numbers, ndarray's `s![]`, and tensors of row numbers.
//! `at` takes any of them as [`IntoIndex`] and works on the parts.

use crate::tensor::Tensor;
use ndarray::{Dimension, SliceInfo, SliceInfoElem};
use smallvec::{SmallVec, smallvec};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// What can stand in [`Tensor::at`]: an index, a range, an array of indices, ndarray's `s![]`, or a tensor of indices.
///
/// Negative indices count from the end. Dimensions that are not named are taken whole. An integer tensor picks rows as
/// [`gather`](crate::gather) does, and so counts from the start only; one of truth values is a mask.
///
/// ```
/// use eagerflow::{self as tf, s};
/// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(x.at(-1).to_vec::<i32>(), [4, 5, 6]);
/// assert_eq!(x.at([1, 0]).item::<i32>(), 4);
/// assert_eq!(x.at(1..).shape(), [1, 3]);
/// assert_eq!(x.at(s![.., ..;-1]).to_vec::<i32>(), [3, 2, 1, 6, 5, 4]);
/// assert_eq!(x.at(&tf::constant([1, 1, 0])).shape(), [3, 3]);
/// ```
pub trait IntoIndex {
    /// This value as an index.
    #[doc(hidden)]
    fn into_index(self) -> AnyIndex;
}

/// An index in any of its forms.
#[doc(hidden)]
pub enum AnyIndex {
    /// One part for each dimension named and one for each new axis.
    Parts(Parts),
    /// Row numbers, or a mask.
    Rows(Tensor),
}

/// What an index is made of.
#[doc(hidden)]
pub type Parts = SmallVec<[SliceInfoElem; 4]>;

impl IntoIndex for &Tensor {
    fn into_index(self) -> AnyIndex {
        AnyIndex::Rows(self.clone())
    }
}

impl IntoIndex for Tensor {
    fn into_index(self) -> AnyIndex {
        AnyIndex::Rows(self)
    }
}

/// An integer that can be an index.
pub trait Position: Copy {
    /// The index; what no dimension can reach stays out of reach.
    #[doc(hidden)]
    fn position(self) -> isize;
}

macro_rules! positions {
    ($($t:ty)*) => {$(
        impl Position for $t {
            fn position(self) -> isize {
                #[allow(unused_comparisons, reason = "one text for signed and unsigned")]
                let beyond = if self < 0 { isize::MIN } else { isize::MAX };
                isize::try_from(self).unwrap_or(beyond)
            }
        }
    )*};
}

positions!(i32 i64 isize usize u32 u64);

impl<P: Position> IntoIndex for P {
    fn into_index(self) -> AnyIndex {
        AnyIndex::Parts(smallvec![SliceInfoElem::Index(self.position())])
    }
}

impl<P: Position, const N: usize> IntoIndex for [P; N] {
    fn into_index(self) -> AnyIndex {
        AnyIndex::Parts(self.iter().map(|p| SliceInfoElem::Index(p.position())).collect())
    }
}

impl<T: AsRef<[SliceInfoElem]>, In: Dimension, Out: Dimension> IntoIndex for SliceInfo<T, In, Out> {
    fn into_index(self) -> AnyIndex {
        AnyIndex::Parts(self.as_ref().into())
    }
}

impl<T: AsRef<[SliceInfoElem]>, In: Dimension, Out: Dimension> IntoIndex for &SliceInfo<T, In, Out> {
    fn into_index(self) -> AnyIndex {
        AnyIndex::Parts(self.as_ref().into())
    }
}

impl IntoIndex for &[SliceInfoElem] {
    fn into_index(self) -> AnyIndex {
        AnyIndex::Parts(self.into())
    }
}

/// The end of a range that includes `last`; -1 is the last element, so nothing ends it.
fn after(last: isize) -> Option<isize> {
    (last != -1).then(|| last.saturating_add(1))
}

macro_rules! ranges {
    ($($range:ty: $this:ident => $start:expr, $end:expr;)*) => {$(
        impl<P: Position> IntoIndex for $range {
            fn into_index(self) -> AnyIndex {
                let $this = self;
                AnyIndex::Parts(smallvec![SliceInfoElem::Slice { start: $start, end: $end, step: 1 }])
            }
        }
    )*};
}

ranges! {
    Range<P>: r => r.start.position(), Some(r.end.position());
    RangeFrom<P>: r => r.start.position(), None;
    RangeTo<P>: r => 0, Some(r.end.position());
    RangeInclusive<P>: r => r.start().position(), after(r.end().position());
    RangeToInclusive<P>: r => 0, after(r.end.position());
}

impl IntoIndex for RangeFull {
    fn into_index(self) -> AnyIndex {
        AnyIndex::Parts(Parts::new())
    }
}
