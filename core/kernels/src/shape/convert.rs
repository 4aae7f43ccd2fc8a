//! What can be written where a shape is wanted, what a shape can be compared with, and how it is printed.
//! Functions such as `zeros` and `reshape` take `impl IntoShape`; tests and users compare shapes with arrays.

use std::fmt;

use super::{Dim, Shape};
use crate::error::{Error, Result};

/// Something that says a shape: an array, a slice or a vector of sizes, one size, `()` for a scalar, or a [`Shape`].
///
/// ```
/// use eagerflow::{Shape, shape::IntoShape};
/// assert_eq!([2, 3].into_shape()?, Shape::new(&[2, 3])?);
/// assert_eq!(5.into_shape()?, Shape::new(&[5])?);
/// assert_eq!(().into_shape()?, Shape::SCALAR);
/// assert!([2, -3].into_shape().is_err());
/// # Ok::<(), eagerflow::Error>(())
/// ```
pub trait IntoShape {
    /// The shape; an error if it has too many axes or elements, or a negative size.
    fn into_shape(self) -> Result<Shape>;
}

macro_rules! from_sizes {
    ($([$($generics:tt)*] $t:ty: $this:ident => $shape:expr;)*) => {$(
        impl<$($generics)*> IntoShape for $t {
            #[inline]
            fn into_shape(self) -> Result<Shape> {
                let $this = self;
                $shape
            }
        }
    )*};
}

from_sizes! {
    [] Shape: s => Ok(s);
    [] &Shape: s => Ok(*s);
    [] (): _s => Ok(Shape::SCALAR);
    [] usize: s => Shape::new(&[s]);
    [] Dim: s => Shape::from_dims(&[s]);
    [] &[usize]: s => Shape::new(s);
    [] Vec<usize>: s => Shape::new(&s);
    [] &Vec<usize>: s => Shape::new(s);
    [const N: usize] [usize; N]: s => Shape::new(&s);
    [const N: usize] &[usize; N]: s => Shape::new(s);
    [] &[Dim]: s => Shape::from_dims(s);
    [const N: usize] [Dim; N]: s => Shape::from_dims(&s);
    [const N: usize] &[Dim; N]: s => Shape::from_dims(s);
    [const N: usize] [i32; N]: s => from_signed(&s);
    [const N: usize] [i64; N]: s => from_signed(&s);
    [const N: usize] [isize; N]: s => from_signed(&s);
}

fn from_signed<T: Copy + TryInto<usize> + fmt::Debug>(sizes: &[T]) -> Result<Shape> {
    let mut numbers = [0; super::MAX_RANK];
    let Some(numbers) = numbers.get_mut(..sizes.len()) else {
        return Err(super::too_many_axes(sizes));
    };
    for (number, &size) in numbers.iter_mut().zip(sizes) {
        *number = size.try_into().map_err(|_| {
            Error::invalid_argument("", format!("negative size {size:?} in a shape"))
                .got(format!("{sizes:?}"))
                .expected("sizes of 0 or more")
        })?;
    }
    Shape::new(numbers)
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
