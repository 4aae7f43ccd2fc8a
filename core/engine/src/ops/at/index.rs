//! What an index can be: numbers, ranges, arrays of numbers, `s![]` (ours or ndarray's), and tensors of row numbers.
//! `at` takes any of them as [`IntoIndex`] and works on the parts.

use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim};
use ndarray::{Dimension, NewAxis, SliceInfo, SliceInfoElem};
use smallvec::{SmallVec, smallvec};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// What can stand in [`Tensor::at`]: an index, a range, an array of indices, [`s![]`](crate::s), or a tensor of indices.
///
/// Negative indices count from the end. Dimensions that are not named are taken whole. Sizes ([`Dim`]) may be indices, and the ends of
/// ranges integer tensors too: these count from the start. An integer tensor by itself picks rows as
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
/// assert_eq!(x.at(s![.., ..x.dim(1) - 1]).shape(), [2, 2]);
/// assert_eq!(x.at(..&tf::constant(1)).shape(), [1, 3]);
/// ```
pub trait IntoIndex {
    /// This value as an index.
    #[doc(hidden)]
    #[track_caller]
    fn into_index(self) -> Result<AnyIndex>;
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
pub type Parts = SmallVec<[Part; 4]>;

/// What is said about one dimension.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// A new dimension of size 1.
    New,
    /// One index.
    Index(Place),
    /// Every `step`-th from `start` up to `end`, or to the last.
    Range { start: Place, end: Option<Place>, step: isize },
}

/// A place in a dimension.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A number, which counts from the end if it is negative.
    Number(isize),
    /// A size, which counts from the start.
    Size(Dim),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Size(size) => size.fmt(f),
        }
    }
}

impl From<SliceInfoElem> for Part {
    fn from(part: SliceInfoElem) -> Self {
        match part {
            SliceInfoElem::NewAxis => Self::New,
            SliceInfoElem::Index(index) => Self::Index(Place::Number(index)),
            SliceInfoElem::Slice { start, end, step } => {
                Self::Range { start: Place::Number(start), end: end.map(Place::Number), step }
            }
        }
    }
}

impl IntoIndex for &Tensor {
    fn into_index(self) -> Result<AnyIndex> {
        Ok(AnyIndex::Rows(self.clone()))
    }
}

impl IntoIndex for Tensor {
    fn into_index(self) -> Result<AnyIndex> {
        Ok(AnyIndex::Rows(self))
    }
}

/// What can be the end of a range: an integer, a [`Dim`], or an integer tensor without axes.
pub trait IntoPlace {
    /// The place; what no dimension can reach stays out of reach.
    #[doc(hidden)]
    #[track_caller]
    fn into_place(self) -> Result<Place>;
}

/// What can be an index by itself: an integer or a [`Dim`].
pub trait Position: Copy + IntoPlace {}

macro_rules! positions {
    ($($t:ty)*) => {$(
        impl Position for $t {}
        impl IntoPlace for $t {
            fn into_place(self) -> Result<Place> {
                #[allow(unused_comparisons, reason = "one text for signed and unsigned")]
                let beyond = if self < 0 { isize::MIN } else { isize::MAX };
                Ok(Place::Number(isize::try_from(self).unwrap_or(beyond)))
            }
        }
    )*};
}

positions!(i32 i64 isize usize u32 u64);

impl Position for Dim {}
impl IntoPlace for Dim {
    fn into_place(self) -> Result<Place> {
        match self.known_value() {
            Some(number) => number.into_place(),
            None => Ok(Place::Size(self.valid()?)),
        }
    }
}

impl IntoPlace for Tensor {
    #[track_caller]
    fn into_place(self) -> Result<Place> {
        self.into_dim()?.into_place()
    }
}

impl IntoPlace for &Tensor {
    #[track_caller]
    fn into_place(self) -> Result<Place> {
        self.into_dim()?.into_place()
    }
}

impl<P: Position> IntoIndex for P {
    fn into_index(self) -> Result<AnyIndex> {
        Ok(AnyIndex::Parts(smallvec![Part::Index(self.into_place()?)]))
    }
}

impl<P: Position, const N: usize> IntoIndex for [P; N] {
    fn into_index(self) -> Result<AnyIndex> {
        let mut parts = Parts::new();
        for index in self {
            parts.push(Part::Index(index.into_place()?));
        }
        Ok(AnyIndex::Parts(parts))
    }
}

impl<T: AsRef<[SliceInfoElem]>, In: Dimension, Out: Dimension> IntoIndex for SliceInfo<T, In, Out> {
    fn into_index(self) -> Result<AnyIndex> {
        self.as_ref().into_index()
    }
}

impl<T: AsRef<[SliceInfoElem]>, In: Dimension, Out: Dimension> IntoIndex for &SliceInfo<T, In, Out> {
    fn into_index(self) -> Result<AnyIndex> {
        self.as_ref().into_index()
    }
}

impl IntoIndex for &[SliceInfoElem] {
    fn into_index(self) -> Result<AnyIndex> {
        Ok(AnyIndex::Parts(self.iter().map(|&part| part.into()).collect()))
    }
}

/// What can stand between the commas of [`s![]`](crate::s): an index, a range, or `NewAxis`.
pub trait IntoPart {
    /// What is said about the dimension.
    #[doc(hidden)]
    #[track_caller]
    fn into_part(self) -> Result<Part>;
}

impl IntoPart for NewAxis {
    fn into_part(self) -> Result<Part> {
        Ok(Part::New)
    }
}

impl IntoPart for SliceInfoElem {
    fn into_part(self) -> Result<Part> {
        Ok(self.into())
    }
}

impl IntoPart for RangeFull {
    fn into_part(self) -> Result<Part> {
        Ok(Part::Range { start: Place::Number(0), end: None, step: 1 })
    }
}

impl<P: Position> IntoPart for P {
    fn into_part(self) -> Result<Part> {
        Ok(Part::Index(self.into_place()?))
    }
}

/// The end of a range that includes `last`; -1 is the last element, so nothing ends it.
fn after(last: Place) -> Option<Place> {
    match last {
        Place::Number(-1) => None,
        Place::Number(last) => Some(Place::Number(last.saturating_add(1))),
        Place::Size(last) => Some(Place::Size(last + 1)),
    }
}

macro_rules! ranges {
    ($($range:ty: $this:ident => $start:expr, $end:expr;)*) => {$(
        impl<P: IntoPlace> IntoPart for $range {
            #[track_caller]
            fn into_part(self) -> Result<Part> {
                let $this = self;
                Ok(Part::Range { start: $start, end: $end, step: 1 })
            }
        }

        impl<P: IntoPlace> IntoIndex for $range {
            #[track_caller]
            fn into_index(self) -> Result<AnyIndex> {
                Ok(AnyIndex::Parts(smallvec![self.into_part()?]))
            }
        }
    )*};
}

ranges! {
    Range<P>: r => r.start.into_place()?, Some(r.end.into_place()?);
    RangeFrom<P>: r => r.start.into_place()?, None;
    RangeTo<P>: r => Place::Number(0), Some(r.end.into_place()?);
    RangeToInclusive<P>: r => Place::Number(0), after(r.end.into_place()?);
}

impl<P: IntoPlace> IntoPart for RangeInclusive<P> {
    #[track_caller]
    fn into_part(self) -> Result<Part> {
        let (start, last) = self.into_inner();
        Ok(Part::Range { start: start.into_place()?, end: after(last.into_place()?), step: 1 })
    }
}

impl<P: IntoPlace> IntoIndex for RangeInclusive<P> {
    #[track_caller]
    fn into_index(self) -> Result<AnyIndex> {
        Ok(AnyIndex::Parts(smallvec![self.into_part()?]))
    }
}

impl IntoIndex for RangeFull {
    fn into_index(self) -> Result<AnyIndex> {
        Ok(AnyIndex::Parts(Parts::new()))
    }
}

/// An index of several dimensions, as [`s![]`](crate::s) makes it.
#[derive(Debug)]
pub struct Index(Result<Parts>);

impl Index {
    /// An index that names no dimension yet.
    #[doc(hidden)]
    pub fn new() -> Self {
        Self(Ok(Parts::new()))
    }

    /// Names the next dimension.
    #[doc(hidden)]
    #[track_caller]
    pub fn with(mut self, part: impl IntoPart, step: Option<isize>) -> Self {
        if let Ok(parts) = &mut self.0 {
            match part.into_part().and_then(|part| stepped(part, step)) {
                Ok(part) => parts.push(part),
                Err(error) => self.0 = Err(error),
            }
        }
        self
    }
}

fn stepped(part: Part, step: Option<isize>) -> Result<Part> {
    match (part, step) {
        (part, None) => Ok(part),
        (Part::Range { start, end, .. }, Some(step)) => Ok(Part::Range { start, end, step }),
        (part, Some(step)) => Err(Error::invalid_argument("at", "a step stands behind something that is no range")
            .got(format!("{part:?};{step}"))
            .expected("a range, as in `1..;2`")),
    }
}

impl IntoIndex for Index {
    fn into_index(self) -> Result<AnyIndex> {
        self.0.map(AnyIndex::Parts)
    }
}
