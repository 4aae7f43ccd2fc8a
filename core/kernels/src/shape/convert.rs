//! What can be written where a shape is wanted, what a shape can be compared with, and how it is printed.
//! Functions such as `zeros` and `reshape` take `impl IntoShape`; tests and users compare shapes with arrays.

use std::fmt;

use super::{Dim, IntoDim, MAX_RANK, Shape};
use crate::error::{Error, Result};
use smallvec::SmallVec;

/// What `reshape` is asked for: sizes, of which `None` is to be worked out.
pub type Target = SmallVec<[Option<Dim>; MAX_RANK]>;

/// Sizes or positions that make no shape: there may be any number of them, and negative ones.
pub type Dims = SmallVec<[Dim; MAX_RANK]>;

/// Something that says a shape: an array, a slice or a vector of sizes, a tuple of sizes of several types, one size, `()` for a
/// scalar, a [`Shape`], or a vector of integers as a tensor. What a size can be says [`IntoDim`].
///
/// ```
/// use eagerflow::{self as tf, Dim, Shape, shape::IntoShape};
/// let x = tf::zeros([2, 3]);
/// assert_eq!([2, 3].into_shape()?, Shape::new(&[2, 3])?);
/// assert_eq!(5.into_shape()?, Shape::new(&[5])?);
/// assert_eq!(().into_shape()?, Shape::SCALAR);
/// assert_eq!((x.dim(0), 3).into_shape()?, *x.shape());
/// assert_eq!(tf::shape(&x).into_shape()?, *x.shape());
/// assert!([2, -3].into_shape().is_err());
/// # Ok::<(), eagerflow::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no shape",
    label = "expected sizes: an array, a slice, a vector or a tuple, one size, `()`, a `Shape` or an integer tensor",
    note = "sizes of several types go together in a tuple: `(batch, -1, &length)`"
)]
pub trait IntoShape: Sized {
    /// The shape; an error if it has too many axes or elements, or a negative size.
    #[track_caller]
    fn into_shape(self) -> Result<Shape>;

    /// The sizes, of which -1 stands for one to be worked out; an error for other negative numbers.
    #[doc(hidden)]
    #[track_caller]
    fn into_target(self) -> Result<Target> {
        Ok(self.into_shape()?.iter().map(Some).collect())
    }

    /// As many sizes or positions as there are, negative ones among them.
    #[doc(hidden)]
    #[track_caller]
    fn into_dims(self) -> Result<Dims> {
        Ok(self.into_shape()?.iter().collect())
    }
}

macro_rules! whole {
    ($($t:ty: $this:ident => $shape:expr;)*) => {$(
        impl IntoShape for $t {
            #[inline]
            fn into_shape(self) -> Result<Shape> {
                let $this = self;
                $shape
            }
        }
    )*};
}

whole! {
    Shape: s => Ok(s);
    &Shape: s => Ok(*s);
    (): _s => Ok(Shape::SCALAR);
}

/// A place for sizes one after the other, and how many there are.
struct Sizes<T> {
    sizes: [T; MAX_RANK],
    count: usize,
}

impl<T: Copy + fmt::Debug> Sizes<T> {
    #[inline]
    fn push(&mut self, size: T) {
        if let Some(slot) = self.sizes.get_mut(self.count) {
            *slot = size;
        }
        self.count += 1;
    }

    /// The sizes, unless there are more than a shape has.
    #[inline]
    fn all(&self) -> Result<&[T]> {
        self.sizes
            .get(..self.count)
            .ok_or_else(|| super::too_many_axes(&self.sizes).got(format!("{} sizes", self.count)))
    }
}

fn shape_of(sizes: &Sizes<Dim>) -> Result<Shape> {
    let all = sizes.all()?;
    Shape::from_dims(all).map_err(|error| match all.iter().find(|size| !size.is_known() && size.valid().is_err()) {
        Some(&size) if size != Dim::INVALID => Error::invalid_argument("", format!("negative size {size} in a shape"))
            .got(format!("{all:?}"))
            .expected("sizes of 0 or more"),
        _ => error,
    })
}

macro_rules! lists {
    ($([$($generics:tt)*] [$($bounds:tt)*] $t:ty;)*) => {$(
        impl<$($generics)*> IntoShape for $t where $($bounds)* {
            #[inline]
            fn into_shape(self) -> Result<Shape> {
                let mut sizes = Sizes { sizes: [Dim::ZERO; MAX_RANK], count: 0 };
                for size in self {
                    sizes.push(size.into_dim()?);
                }
                shape_of(&sizes)
            }

            #[inline]
            fn into_target(self) -> Result<Target> {
                let mut sizes = Sizes { sizes: [None; MAX_RANK], count: 0 };
                for size in self {
                    sizes.push(size.into_size()?);
                }
                sizes.all().map(Target::from_slice)
            }

            fn into_dims(self) -> Result<Dims> {
                let mut dims = Dims::new();
                for size in self {
                    dims.push(size.into_dim()?);
                }
                Ok(dims)
            }
        }
    )*};
}

// No closure and no adapter of iterators between: the line that errors name is the caller's.
lists! {
    [T, const N: usize] [T: IntoDim] [T; N];
    ['a, T, const N: usize] [&'a T: IntoDim] &'a [T; N];
    ['a, T] [&'a T: IntoDim] &'a [T];
    [T] [T: IntoDim] Vec<T>;
    ['a, T] [&'a T: IntoDim] &'a Vec<T>;
}

macro_rules! single {
    ($($t:ty)*) => {$(
        impl IntoShape for $t {
            #[inline]
            fn into_shape(self) -> Result<Shape> {
                [self].into_shape()
            }

            #[inline]
            fn into_target(self) -> Result<Target> {
                [self].into_target()
            }

            fn into_dims(self) -> Result<Dims> {
                [self].into_dims()
            }
        }
    )*};
}

single!(Dim i32 i64 isize u32 u64 usize);

macro_rules! tuples {
    ($(($($t:ident $size:ident),*))*) => {$(
        impl<$($t: IntoDim),*> IntoShape for ($($t,)*) {
            fn into_shape(self) -> Result<Shape> {
                let ($($size,)*) = self;
                [$($size.into_dim()?),*].into_shape()
            }

            fn into_target(self) -> Result<Target> {
                let ($($size,)*) = self;
                Ok(Target::from_slice(&[$($size.into_size()?),*]))
            }

            fn into_dims(self) -> Result<Dims> {
                let ($($size,)*) = self;
                Ok(Dims::from_slice(&[$($size.into_dim()?),*]))
            }
        }
    )*};
}

tuples! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
    (A a, B b, C c, D d, E e, F f)
    (A a, B b, C c, D d, E e, F f, G g)
    (A a, B b, C c, D d, E e, F f, G g, H h)
}

impl Shape {
    /// Compares with numbers; pins symbolic sizes only if the known ones leave the answer open.
    #[track_caller]
    fn equals(&self, sizes: &[usize]) -> bool {
        let differs = |(dim, &size): (Dim, &usize)| dim.known_value().is_some_and(|known| known != size);
        self.rank() == sizes.len() && !self.iter().zip(sizes).any(differs) && self.dims() == sizes
    }
}

macro_rules! equal_to {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<$($generics)*> PartialEq<$t> for Shape {
            #[inline]
            #[track_caller]
            fn eq(&self, sizes: &$t) -> bool {
                self.equals(&sizes[..])
            }

            // Written out because the given `ne` would name itself as the place of a pin.
            #[inline]
            #[track_caller]
            #[allow(clippy::partialeq_ne_impl)]
            fn ne(&self, sizes: &$t) -> bool {
                !self.equals(&sizes[..])
            }
        }

        impl<$($generics)*> PartialEq<Shape> for $t {
            #[inline]
            #[track_caller]
            fn eq(&self, shape: &Shape) -> bool {
                shape.equals(&self[..])
            }

            #[inline]
            #[track_caller]
            #[allow(clippy::partialeq_ne_impl)]
            fn ne(&self, shape: &Shape) -> bool {
                !shape.equals(&self[..])
            }
        }
    )*};
}

equal_to! {
    [] [usize];
    [] &[usize];
    [] Vec<usize>;
    [const N: usize] [usize; N];
    [const N: usize] &[usize; N];
}

// So that `x.shape() == [2, 3]` can be written: a tensor lends its shape.
impl<const N: usize> PartialEq<[usize; N]> for &Shape {
    #[inline]
    #[track_caller]
    fn eq(&self, sizes: &[usize; N]) -> bool {
        self.equals(sizes)
    }

    #[inline]
    #[track_caller]
    #[allow(clippy::partialeq_ne_impl)]
    fn ne(&self, sizes: &[usize; N]) -> bool {
        !self.equals(sizes)
    }
}

impl<'a> IntoIterator for &'a Shape {
    type Item = Dim;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Dim>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<_> = self.iter().map(|size| size.to_string()).collect();
        f.pad(&format!("[{}]", sizes.join(", ")))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::needless_borrows_for_generic_args)] // The borrowed forms are what is tested.
    fn everything_that_says_a_shape() {
        fn s(shape: impl IntoShape) -> Shape {
            shape.into_shape().expect("legal")
        }
        let expected = Shape::new(&[2, 3]).expect("legal");
        let (v, two) = (vec![2_usize, 3], [2_usize, 3]);
        let shape = &expected;
        assert!([s([2, 3]), s(&v), s(v.as_slice()), s(v.clone()), s(&two), s([2_i64, 3])] == [expected; 6]);
        assert!([s([2_isize, 3]), s(expected), s(shape), s([Dim::known(2), 3.into()])] == [expected; 4]);
        assert!(s(4) == [4] && s(()) == [0; 0] && s(Dim::known(4)) == vec![4] && [4] == s([4]));
        let dims = [Dim::symbol(0)];
        assert_eq!((s(&dims), s(&dims[..])), (s(dims), s(Dim::symbol(0))));
        assert_eq!(expected, [2, 3]);
        assert_eq!(&expected, [2, 3]);
        assert_eq!(&expected, &[2, 3]);
        assert_eq!(expected, v);
        assert_ne!(&v[..1], expected);
    }

    #[test]
    fn negative_sizes_and_long_arrays_are_errors() {
        let text = [4_i64, -1].into_shape().expect_err("negative").to_string();
        assert!(text.contains("negative size -1") && text.contains("[4, -1]"), "{text}");
        assert!([1; 9].into_shape().is_err() && [1_usize; 9].into_shape().is_err());
        assert!([Dim::symbol(0) - Dim::symbol(0) - 1].into_shape().is_err());
    }
}
