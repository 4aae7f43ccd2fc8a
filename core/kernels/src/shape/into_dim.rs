//! What can be written for one size: a number of any integer type, a [`Dim`], or, in the crate above, an integer tensor.
//! Shapes, slices and margins are made of such sizes; whoever takes several takes [`IntoShape`](super::IntoShape).

use std::fmt;

use super::Dim;
use crate::error::{Error, Result};

/// Something that says one size: a number, a [`Dim`], or an integer tensor without axes.
///
/// In a traced function the number of a tensor is known only when the graph runs. It becomes a size of its own there, which the run
/// binds: nothing is pinned, and the function is not traced again for another number.
///
/// ```
/// use eagerflow::{Dim, shape::IntoDim};
/// assert_eq!((3.into_dim()?, 3_usize.into_dim()?), (Dim::known(3), Dim::known(3)));
/// assert_eq!((-1_i64).into_size()?, None);
/// # Ok::<(), eagerflow::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no size",
    label = "expected an integer, a `Dim` or an integer tensor",
    note = "sizes of several types go together in a tuple: `(batch, -1, &length)`"
)]
pub trait IntoDim {
    /// The size, which may be a negative number: whoever makes a shape of it refuses that.
    #[track_caller]
    fn into_dim(self) -> Result<Dim>;

    /// The size, or `None` for -1, which stands for a size to be worked out; an error for other negative numbers.
    #[track_caller]
    fn into_size(self) -> Result<Option<Dim>>;
}

impl IntoDim for Dim {
    #[inline]
    fn into_dim(self) -> Result<Dim> {
        Ok(self)
    }

    #[inline]
    fn into_size(self) -> Result<Option<Dim>> {
        match self.is_known() {
            true => Ok(Some(self)),
            false => open(self),
        }
    }
}

// Lent numbers and sizes, as lists of them give; tensors are lent too, but are no copies.
impl<T: IntoDim + Copy> IntoDim for &T {
    #[inline]
    fn into_dim(self) -> Result<Dim> {
        (*self).into_dim()
    }

    #[inline]
    fn into_size(self) -> Result<Option<Dim>> {
        (*self).into_size()
    }
}

#[cold]
fn open(size: Dim) -> Result<Option<Dim>> {
    match size.poly().and_then(|poly| poly.as_constant()) {
        Some(-1) => Ok(None),
        Some(size) if size < 0 => Err(negative(size)),
        _ => size.valid().map(Some),
    }
}

#[cold]
fn negative(size: impl fmt::Display) -> Error {
    Error::invalid_argument("", format!("negative size {size} in the requested shape"))
        .expected("sizes of 0 or more, and at most one -1")
}

#[cold]
pub(super) fn too_large(size: impl fmt::Display) -> Error {
    Error::invalid_argument("", "there is a size that no tensor has")
        .got(size)
        .expected("sizes whose product is at most 2^63 - 1")
}

macro_rules! unsigned {
    ($($t:ty)*) => {$(
        impl IntoDim for $t {
            #[inline]
            fn into_dim(self) -> Result<Dim> {
                match usize::try_from(self) {
                    Ok(size) if size <= isize::MAX as usize => Ok(Dim::known(size)),
                    _ => Err(too_large(self)),
                }
            }

            #[inline]
            fn into_size(self) -> Result<Option<Dim>> {
                self.into_dim().map(Some)
            }
        }
    )*};
}

unsigned!(u32 u64 usize);

macro_rules! signed {
    ($($t:ty)*) => {$(
        impl IntoDim for $t {
            #[inline]
            fn into_dim(self) -> Result<Dim> {
                match usize::try_from(self) {
                    Ok(size) => Ok(Dim::known(size)),
                    Err(_) if self < 0 => Ok(Dim::from(self)),
                    Err(_) => Err(too_large(self)),
                }
            }

            #[inline]
            fn into_size(self) -> Result<Option<Dim>> {
                match usize::try_from(self) {
                    Ok(size) => Ok(Some(Dim::known(size))),
                    Err(_) if self == -1 => Ok(None),
                    Err(_) if self < 0 => Err(negative(self)),
                    Err(_) => Err(too_large(self)),
                }
            }
        }

        impl From<$t> for Dim {
            /// A negative number is refused where a shape is made of it, or stands for a size to be worked out.
            #[inline]
            fn from(size: $t) -> Self {
                match usize::try_from(size) {
                    Ok(size) => Self::known(size),
                    // The least number has no opposite; nothing is so large that one more or less made a difference.
                    Err(_) if size < 0 => {
                        let far = usize::try_from(size.unsigned_abs()).unwrap_or(usize::MAX).min(isize::MAX as usize);
                        Self::ZERO - Self::known(far)
                    }
                    Err(_) => Self::INVALID,
                }
            }
        }
    )*};
}

signed!(i32 i64 isize);
