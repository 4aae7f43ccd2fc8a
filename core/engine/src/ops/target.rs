//! What can be written where `reshape` wants sizes, of which one may be -1: arrays, slices and vectors of several integers.
//! Only `reshape` takes it; a shape without a size to work out is an `IntoShape`.

use kernels::error::{Error, Result};
use smallvec::SmallVec;

/// Sizes of which one may be -1, to be worked out: an array, or a slice or vector of `isize`, `usize`, `i32` or `i64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no sizes to reshape to",
    label = "expected an array of `isize`, or a slice or vector of `isize`, `usize`, `i32` or `i64`",
    note = "an array of another type of integers is lent as a slice: `&[n, m][..]`"
)]
pub trait IntoTarget {
    /// The sizes as they were written.
    #[doc(hidden)]
    fn into_target(self) -> Result<SmallVec<[isize; 8]>>;
}

// Of arrays there is one type, so that literals, and `[]` for a scalar, have it.
impl<const N: usize> IntoTarget for [isize; N] {
    fn into_target(self) -> Result<SmallVec<[isize; 8]>> {
        Ok(SmallVec::from_slice(&self))
    }
}

impl<const N: usize> IntoTarget for &[isize; N] {
    fn into_target(self) -> Result<SmallVec<[isize; 8]>> {
        Ok(SmallVec::from_slice(self))
    }
}

macro_rules! lists {
    ($($t:ty)*) => {$(
        impl IntoTarget for &[$t] {
            fn into_target(self) -> Result<SmallVec<[isize; 8]>> {
                self.iter().map(|&size| isize::try_from(size).map_err(|_| too_large(size))).collect()
            }
        }
        impl IntoTarget for Vec<$t> {
            fn into_target(self) -> Result<SmallVec<[isize; 8]>> {
                self[..].into_target()
            }
        }
        impl IntoTarget for &Vec<$t> {
            fn into_target(self) -> Result<SmallVec<[isize; 8]>> {
                self[..].into_target()
            }
        }
    )*};
}

lists!(isize usize i32 i64);

#[cold]
fn too_large(size: impl std::fmt::Display) -> Error {
    Error::invalid_argument("reshape", "the requested shape has a size that no tensor has")
        .got(size)
        .expected("sizes whose product is the number of elements, and at most one -1")
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn sizes_of_any_integers() {
        let x = tf::ones([2, 6]);
        let (wide, signed, small) = (vec![3usize, 4], vec![3isize, -1], vec![-1i32, 4]);
        for y in [
            x.reshape(&wide[..]),
            x.reshape(&wide),
            x.reshape(wide.clone()),
            x.reshape(&signed[..]),
            x.reshape(&signed),
            x.reshape(signed.clone()),
            x.reshape(&small),
            x.reshape(&[3i64, 4][..]),
            x.reshape([3, -1]),
            x.reshape(&[3, -1]),
            x.reshape(&[3, -1][..]),
            x.reshape(tf::zeros([3, 4]).shape().dims()),
        ] {
            assert_eq!(y.shape(), [3, 4]);
        }
        assert_eq!(tf::ones([1]).reshape([]).rank(), 0);
        let text = x.try_reshape(&[usize::MAX, 1][..]).unwrap_err().to_string();
        assert!(text.contains("reshape: ") && text.contains(&usize::MAX.to_string()), "{text}");
        assert!(x.try_reshape(&[5usize, 1][..]).is_err());
    }
}
