//! [`Shape`]: the sizes of a tensor, each a number or, while a function is traced, an expression of symbols.
//! The tensor, every op's shape rule and the kernels' loops are written with it; nothing here allocates for numbers.

mod axes;
mod broadcast;
mod convert;
mod dim;
mod dim_ops;
mod edit;
mod eval;
mod expr;
mod inside;
mod into_dim;
mod pin;
mod reshape;
mod text;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Index;

pub use axes::{AxisSet, resolve_axes, resolve_axis};
pub use broadcast::{BroadcastReduction, Constraints, broadcast, broadcast_reduce_axes};
pub use convert::{Dims, IntoShape, Target};
pub use dim::{Dim, Symbol};
#[doc(hidden)]
pub use inside::{Bits, as_symbol};
pub use into_dim::IntoDim;
#[doc(hidden)]
pub use pin::{PinHook, pin_hook, set_pin_hook};
pub use reshape::reshape_dims;

use crate::error::{Error, Result};

/// The most axes a tensor can have.
///
/// ```
/// assert!(eagerflow::Shape::new(&[1; eagerflow::shape::MAX_RANK + 1]).is_err());
/// ```
pub const MAX_RANK: usize = 8;

/// The sizes of a tensor, outermost first.
///
/// The product of the sizes other than 0 never exceeds `isize::MAX`, so element counts and strides cannot overflow.
/// Reading sizes as numbers ([`Shape::dims`], indexing, comparing with numbers) *pins* a symbolic size: the function
/// being traced is then traced anew for every value of it. [`Shape::sizes`] and [`Shape::dim`] do not.
///
/// ```
/// use eagerflow::{Dim, Shape};
/// let shape = Shape::new(&[32, 28])?;
/// assert_eq!((shape.rank(), shape.num_elements(), shape[1]), (2, 896, 28));
/// let traced = shape.push(Dim::symbol(0))?;
/// assert_eq!(traced.to_string(), "[32, 28, s0]");
/// assert_eq!(traced.element_count().to_string(), "896*s0");
/// # Ok::<(), eagerflow::Error>(())
/// ```
#[derive(Copy, Clone)]
pub struct Shape {
    rank: u8,
    /// Whether any size is not a number: the one check of the paths that want numbers.
    symbolic: bool,
    /// The sizes; the slots from `rank` on are not looked at.
    dims: [Dim; MAX_RANK],
}

impl PartialEq for Shape {
    /// Most shapes have few sizes: comparing all slots is a call of `memcmp`, several times as long.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank && self.sizes().iter().zip(other.sizes()).all(|(a, b)| a == b)
    }
}

impl Eq for Shape {}

impl Hash for Shape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sizes().hash(state);
    }
}

impl Shape {
    /// The shape of a tensor with one element and no axes.
    pub const SCALAR: Self = Self { rank: 0, symbolic: false, dims: [Dim::ZERO; MAX_RANK] };

    /// The shape with these sizes; an error above [`MAX_RANK`] axes or `isize::MAX` elements.
    #[inline]
    pub fn new(sizes: &[usize]) -> Result<Self> {
        if sizes.len() > MAX_RANK {
            return Err(too_many_axes(sizes));
        }
        let mut shape = Self { rank: sizes.len() as u8, ..Self::SCALAR };
        let mut count = Dim::ONE;
        for (slot, &size) in shape.dims.iter_mut().zip(sizes) {
            *slot = Dim::known(size);
            count = count * if size == 0 { 1 } else { size };
        }
        if count.is_known() { Ok(shape) } else { Err(too_many_elements(sizes)) }
    }

    /// The shape with these sizes, known or not; an error also where a size is invalid or a negative number.
    #[inline]
    pub fn from_dims(sizes: &[Dim]) -> Result<Self> {
        if sizes.len() > MAX_RANK {
            return Err(too_many_axes(sizes));
        }
        let mut shape = Self { rank: sizes.len() as u8, ..Self::SCALAR };
        shape.dims[..sizes.len()].copy_from_slice(sizes);
        shape.checked()
    }

    /// Restores the two facts that follow from the sizes: whether all are numbers, and that their product has room.
    #[inline]
    fn checked(mut self) -> Result<Self> {
        let (mut count, mut symbolic) = (Dim::ONE, false);
        for &size in self.sizes() {
            if !size.is_known() {
                size.valid()?;
                symbolic = true;
            } else if size != Dim::ZERO {
                count = count * size;
            }
        }
        self.symbolic = symbolic;
        if count.is_known() { Ok(self) } else { Err(too_many_elements(self.sizes())) }
    }

    /// The number of axes.
    #[inline]
    pub const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// The size of one axis, known or not.
    ///
    /// # Panics
    ///
    /// If there is no such axis; [`resolve_axis`] makes sure that there is.
    #[inline]
    #[track_caller]
    pub fn dim(&self, axis: usize) -> Dim {
        self.sizes()[axis]
    }

    /// The sizes, known or not.
    ///
    /// ```
    /// use eagerflow::{Dim, Shape};
    /// let shape = Shape::from_dims(&[Dim::symbol(0), Dim::known(3)])?;
    /// assert_eq!(shape.sizes()[0] * 2, shape.dim(0) + shape.dim(0));
    /// assert_eq!((shape.is_known(), shape.known_dims()), (false, None));
    /// # Ok::<(), eagerflow::Error>(())
    /// ```
    #[inline]
    pub fn sizes(&self) -> &[Dim] {
        // SAFETY: every constructor checks that `rank` is at most `MAX_RANK`, the length of `dims`.
        unsafe { self.dims.get_unchecked(..self.rank as usize) }
    }

    /// Whether all sizes are numbers.
    #[inline]
    pub const fn is_known(&self) -> bool {
        !self.symbolic
    }

    /// The sizes as numbers if all are known; pins nothing.
    #[inline]
    pub fn known_dims(&self) -> Option<&[usize]> {
        if self.symbolic {
            return None;
        }
        let sizes = self.sizes();
        // SAFETY: `Dim` is `repr(transparent)` over `usize`, and a known size is stored as the number itself.
        Some(unsafe { std::slice::from_raw_parts(sizes.as_ptr().cast::<usize>(), sizes.len()) })
    }

    /// The sizes as numbers, for user code and kernels; pins those that are symbolic.
    ///
    /// # Panics
    ///
    /// If a size is symbolic and no function is being traced that could pin it.
    #[inline]
    #[track_caller]
    pub fn dims(&self) -> &[usize] {
        match self.known_dims() {
            Some(dims) => dims,
            None => pin::pin_all(self.sizes()),
        }
    }

    /// The number of elements; pins symbolic sizes.
    ///
    /// # Panics
    ///
    /// As [`Shape::dims`], and if the sizes that the pins give have too large a product.
    #[inline]
    #[track_caller]
    pub fn num_elements(&self) -> usize {
        match self.known_dims() {
            Some(dims) => dims.iter().product(),
            None => pin::pin(self.element_count()),
        }
    }

    /// The number of elements, known or not; pins nothing.
    #[inline]
    pub fn element_count(&self) -> Dim {
        if self.sizes().contains(&Dim::ZERO) {
            return Dim::ZERO;
        }
        self.sizes().iter().fold(Dim::ONE, |count, &size| count * size)
    }

    /// The sizes in order, known or not.
    #[inline]
    pub fn iter(&self) -> std::iter::Copied<std::slice::Iter<'_, Dim>> {
        self.sizes().iter().copied()
    }
}

/// The strides, in elements, of an array without gaps whose last axis is innermost.
///
/// Only the first `sizes.len()` strides are written. An axis of size 0 counts as one of size 1, as in NumPy.
///
/// ```
/// let mut strides = [0; 3];
/// eagerflow::shape::contiguous_strides(&[2, 3, 4], &mut strides);
/// assert_eq!(strides, [12, 4, 1]);
/// ```
///
/// # Panics
///
/// If there are fewer strides than sizes.
#[inline]
#[track_caller]
pub fn contiguous_strides(sizes: &[usize], strides: &mut [isize]) {
    let mut step = 1_isize;
    for (stride, &size) in strides[..sizes.len()].iter_mut().zip(sizes).rev() {
        *stride = step;
        // No overflow for the sizes of a `Shape`; for others the stride stays within its type.
        step = step.saturating_mul(isize::try_from(size.max(1)).unwrap_or(isize::MAX));
    }
}

impl Index<usize> for Shape {
    type Output = usize;

    /// The size of one axis as a number; pins it if it is symbolic.
    #[inline]
    #[track_caller]
    fn index(&self, axis: usize) -> &usize {
        let size = &self.sizes()[axis];
        if size.is_known() {
            // SAFETY: `Dim` is `repr(transparent)` over `usize`, and a known size is stored as the number itself.
            return unsafe { &*std::ptr::from_ref(size).cast::<usize>() };
        }
        &pin::pin_all(std::slice::from_ref(size))[0]
    }
}

#[cold]
fn too_many_axes(sizes: &[impl fmt::Debug]) -> Error {
    Error::invalid_argument("", format!("a shape with {} axes", sizes.len()))
        .got(format!("{sizes:?}"))
        .expected(format!("at most {MAX_RANK} axes"))
        .help("merge axes with reshape")
}

#[cold]
fn too_many_elements(sizes: &[impl fmt::Debug]) -> Error {
    Error::invalid_argument("", "a shape with more elements than can be addressed")
        .got(format!("{sizes:?}"))
        .expected(format!("at most {} elements", isize::MAX))
}

#[cfg(test)]
mod tests;
