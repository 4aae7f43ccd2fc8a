//! Indexing: single and negative indices, ranges and ndarray's `s![]`; dx is dy laid into zeros where x was taken.
//! TensorFlow's `x[...]`; made of `slice` and `reshape`, so nothing is copied, and ranges follow ndarray's rules.

mod index;
mod variable;

pub use index::{AnyIndex, Index, IntoIndex, IntoPart, IntoPlace, Parts, Place, Position};
pub use variable::VariablePart;

use super::slice::Slice;
use index::Part as Named;
use kernels::dtype::DType;
use kernels::error::{Error, Result, OnTheWay};
use crate::execute::execute1;
use kernels::shape::{Dim, MAX_RANK, Shape};
use crate::tensor::{Tensor, TensorType};
use smallvec::SmallVec;

/// The part that is being worked out, dimension by dimension.
#[derive(Default)]
struct Part {
    begin: SmallVec<[Dim; MAX_RANK]>,
    size: SmallVec<[Dim; MAX_RANK]>,
    steps: SmallVec<[i64; MAX_RANK]>,
    /// The sizes of the result: without the dimensions of single indices, with the new ones.
    result: SmallVec<[Dim; MAX_RANK]>,
}

impl Part {
    fn push(&mut self, begin: Dim, size: Dim, step: i64) {
        self.begin.push(begin);
        self.size.push(size);
        self.steps.push(step);
    }

    /// One index of the dimension that comes next.
    fn single(&mut self, whole: Dim, index: Place) -> Result<()> {
        let axis = self.begin.len();
        if let (Some(known), Place::Number(index)) = (whole.known_value(), index)
            && (index >= known as isize || index < -(known as isize))
        {
            let expected = match known {
                0 => "none, the dimension is empty".to_string(),
                _ => format!("-{known}..{known}"),
            };
            return Err(Error::out_of_range(
                "at",
                format!("index {index} is outside dimension {axis} of size {known}"),
            )
            .got(index)
            .expected(expected));
        }
        self.push(from_end(whole, index), Dim::ONE, 1);
        Ok(())
    }

    /// Every `step`-th of `start..end`, from the end if it is negative: ndarray's rules.
    fn range(&mut self, whole: Dim, start: Place, end: Option<Place>, step: isize) -> Result<()> {
        let axis = self.begin.len();
        if step == 0 {
            return Err(Error::invalid_argument("at", format!("the step in dimension {axis} is 0")).expected("a step"));
        }
        if let Some(known) = whole.known_value() {
            let beyond = |i: Place| matches!(i, Place::Number(i) if i > known as isize || i < -(known as isize));
            if beyond(start) || end.is_some_and(beyond) {
                let end = end.map(|e| e.to_string()).unwrap_or_default();
                return Err(Error::out_of_range("at", format!("the range leaves dimension {axis} of size {known}"))
                    .got(format!("{start}..{end}"))
                    .expected(format!("both ends within -{known}..={known}")));
            }
        }
        let (start, end) = (from_end(whole, start), end.map_or(whole, |end| from_end(whole, end)));
        let length = match (start.known_value(), end.known_value()) {
            (Some(start), Some(end)) => Dim::known(end.saturating_sub(start)),
            _ => end - start,
        };
        let size = length.ceil_div(step.unsigned_abs());
        let begin = match step > 0 {
            true => start,
            false if size == Dim::ZERO => Dim::ZERO,
            false => end - 1,
        };
        self.push(begin, size, step as i64);
        self.result.push(size);
        Ok(())
    }

    /// What `parts` name of a tensor or variable of this type.
    fn named(ty: &TensorType, parts: &[Named]) -> Result<Self> {
        let named = parts.iter().filter(|p| !matches!(p, Named::New)).count();
        if named > ty.shape.rank() {
            return Err(Error::invalid_argument("at", "there are more indices than dimensions")
                .got(format!("{named} indices for {ty}"))
                .expected(format!("at most {}", ty.shape.rank())));
        }
        let mut part = Self::default();
        for element in parts {
            match *element {
                Named::New => part.result.push(Dim::ONE),
                Named::Index(index) => part.single(ty.shape.dim(part.begin.len()), index)?,
                Named::Range { start, end, step } => {
                    part.range(ty.shape.dim(part.begin.len()), start, end, step)?;
                }
            }
        }
        for whole in ty.shape.iter().skip(named) {
            part.push(Dim::ZERO, whole, 1);
            part.result.push(whole);
        }
        Ok(part)
    }

    fn slice(self) -> Result<Slice> {
        Ok(Slice { begin: Shape::from_dims(&self.begin)?, size: Shape::from_dims(&self.size)?, steps: self.steps })
    }
}

/// The position that an index means, which may count from the end.
fn from_end(whole: Dim, index: Place) -> Dim {
    match index {
        Place::Size(size) => size,
        Place::Number(index) if index >= 0 => Dim::known(index.unsigned_abs()),
        Place::Number(index) => whole - Dim::known(index.unsigned_abs()),
    }
}

#[track_caller]
fn take(x: &Tensor, parts: &[Named]) -> Result<Tensor> {
    let part = Part::named(x.ty(), parts)?;
    let result = Shape::from_dims(&part.result)?;
    let slice = part.slice()?;
    if slice.size == *x.shape() && slice.steps.iter().all(|&s| s == 1) {
        return super::reshape_to(x, &result);
    }
    super::reshape_to(&execute1(&slice, &[x])?, &result)
}

#[track_caller]
fn rows_of(x: &Tensor, rows: &Tensor) -> Result<Tensor> {
    let taken = match rows.dtype() {
        DType::Bool => super::functions::try_boolean_mask(x, rows, 0),
        _ => {
            // Which rows there are may be known only when the graph runs.
            crate::execute::note_said("gather", "at");
            super::functions::try_gather(x, rows, 0)
        }
    };
    taken.map_err(|e| e.named("at"))
}

impl Tensor {
    /// The part that an index, a range or [`s![]`](crate::s) names: Python's `x[...]`. Nothing is copied.
    ///
    /// A single index drops its dimension, a range keeps it, and `NewAxis` adds one of size 1. Ranges follow ndarray:
    /// both ends must lie within the dimension, and a negative step goes through the same range from its end. (Clippy
    /// takes a literal `1..-1` for a mistake, in ndarray's macro too: allow `clippy::reversed_empty_ranges` where needed.)
    ///
    /// ```
    /// use eagerflow::{self as tf, ndarray::NewAxis, s};
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.at(0).to_vec::<i32>(), [1, 2, 3]);
    /// assert_eq!(x.at(s![.., -1]).to_vec::<i32>(), [3, 6]);
    /// assert_eq!(x.at(s![1.., ..;2]).to_vec::<i32>(), [4, 6]);
    /// assert_eq!(x.at(s![.., NewAxis, 1..]).shape(), [2, 1, 2]);
    /// ```
    ///
    /// A tensor of truth values takes the elements or rows where it is true, as [`boolean_mask`](crate::boolean_mask):
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.at(tf::greater(&x, 4)).to_vec::<i32>(), [5, 6]);
    /// ```
    ///
    /// # Panics
    /// As [`try_at`](Self::try_at) fails.
    #[track_caller]
    pub fn at(&self, index: impl IntoIndex) -> Tensor {
        kernels::error::OrFail::or_fail(self.try_at(index))
    }

    /// The part that an index, a range or [`s![]`](crate::s) names.
    ///
    /// # Errors
    /// OutOfRange for an index or a range outside its dimension, InvalidArgument for more indices than dimensions.
    #[track_caller]
    pub fn try_at(&self, index: impl IntoIndex) -> Result<Tensor> {
        let here = std::panic::Location::caller();
        let part = match index.into_index() {
            Ok(AnyIndex::Parts(parts)) => take(self, &parts),
            Ok(AnyIndex::Rows(rows)) => rows_of(self, &rows),
            Err(error) => Err(error.in_op("at")),
        };
        part.map_err(|e| e.at(here))
    }
}

#[cfg(test)]
mod tests;
