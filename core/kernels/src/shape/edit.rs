//! Shapes made from shapes: with an axis more, fewer or resized, and with symbols bound to numbers.
//! Shape rules build their results with these; the executor binds whole shapes before a run.

use super::{Dim, MAX_RANK, Shape, Symbol, too_many_axes};
use crate::error::Result;

impl Shape {
    /// The shape with one more axis at the end.
    ///
    /// ```
    /// use eagerflow::Shape;
    /// let shape = Shape::new(&[2, 3])?;
    /// assert_eq!(shape.push(4)?, [2, 3, 4]);
    /// assert_eq!(shape.insert(1, 4)?, [2, 4, 3]);
    /// assert_eq!(shape.with(0, 4)?, [4, 3]);
    /// assert_eq!(shape.remove(0), [3]);
    /// # Ok::<(), eagerflow::Error>(())
    /// ```
    #[inline]
    pub fn push(&self, size: impl Into<Dim>) -> Result<Self> {
        self.insert(self.rank(), size)
    }

    /// The shape with another size for one axis.
    ///
    /// # Panics
    ///
    /// If there is no such axis.
    #[inline]
    #[track_caller]
    pub fn with(&self, axis: usize, size: impl Into<Dim>) -> Result<Self> {
        assert!(axis < self.rank(), "axis {axis} of a shape with {} axes", self.rank);
        let mut shape = *self;
        shape.dims[axis] = size.into();
        shape.checked()
    }

    /// The shape without one axis.
    ///
    /// # Panics
    ///
    /// If there is no such axis.
    #[track_caller]
    pub fn remove(&self, axis: usize) -> Self {
        assert!(axis < self.rank(), "axis {axis} of a shape with {} axes", self.rank);
        let mut shape = Self { rank: self.rank - 1, ..*self };
        shape.dims.copy_within(axis + 1.., axis);
        shape.dims[MAX_RANK - 1] = Dim::ZERO;
        shape.symbolic = shape.sizes().iter().any(|size| !size.is_known());
        shape
    }

    /// The shape with a new axis in front of `axis`; an error above [`MAX_RANK`] axes.
    ///
    /// # Panics
    ///
    /// If `axis` is larger than the rank.
    #[track_caller]
    pub fn insert(&self, axis: usize, size: impl Into<Dim>) -> Result<Self> {
        assert!(axis <= self.rank(), "new axis {axis} of a shape with {} axes", self.rank);
        let size = size.into();
        if self.rank() == MAX_RANK {
            return Err(too_many_axes(&[self.sizes(), &[size]].concat()));
        }
        let mut shape = Self { rank: self.rank + 1, ..*self };
        shape.dims.copy_within(axis..MAX_RANK - 1, axis + 1);
        shape.dims[axis] = size;
        shape.checked()
    }

    /// The shape with the symbols replaced for which `lookup` has a number; see [`Dim::bind`].
    pub fn bind(&self, lookup: &dyn Fn(Symbol) -> Option<usize>) -> Result<Self> {
        let mut shape = *self;
        for size in &mut shape.dims[..self.rank as usize] {
            *size = size.bind(lookup)?;
        }
        shape.checked()
    }
}
