//! What functions of images ask of their operands: ranks, sizes, numbers beside them; and the macro that writes both forms of each.
//! All files of this folder call it.

use engine::library::{Typed, cast_to, reshape_to};
use engine::{Operand, Tensor, ToOperand};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::SmallVec;

/// Writes a function of `tf::image` and its `try_` twin. The body answers an error, which is given the function's name.
macro_rules! image_fn {
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident, $try_name:ident($($arg:ident: $ty:ty),* $(,)?) -> $out:ty $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`] answers an error, with its message at the caller's line.")]
        #[track_caller]
        pub fn $name($($arg: $ty),*) -> $out {
            engine::library::OrFail::or_fail($try_name($($arg),*))
        }

        #[doc = concat!("[`", stringify!($name), "`](fn@", stringify!($name), ") that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for images of a wrong rank, size or dtype, and for numbers that are out of range.
        #[track_caller]
        pub fn $try_name($($arg: $ty),*) -> kernels::error::Result<$out> {
            // A function, not a closure: it lets the caller's location through to the tensors it makes.
            #[track_caller]
            fn body($($arg: $ty),*) -> kernels::error::Result<$out> $body
            let here = std::panic::Location::caller();
            body($($arg),*).map_err(|e| kernels::error::OnTheWay::named(e, stringify!($name)).at(here))
        }
    )*};
}
pub(crate) use image_fn;

/// An error without a name yet, about one operand.
pub(super) fn misfit(what: impl Into<String>, x: &Tensor, expected: &str) -> Error {
    Error::invalid_argument("", what).got(Typed::ty(x)).expected(expected)
}

/// The axes of rows and columns of an image or a batch of images, none of whose inner sizes may be 0.
pub(super) fn image_axes(x: &Tensor) -> Result<(usize, usize)> {
    let forms = "[batch, height, width, channels] or [height, width, channels]";
    match x.rank() {
        3 | 4 => at_least_an_image(x).map(|()| (x.rank() - 3, x.rank() - 2)),
        _ => Err(misfit("an image or a batch of images is needed", x, forms)),
    }
}

/// An error for what has no three last axes, or none of whose pixels there is.
pub(super) fn at_least_an_image(x: &Tensor) -> Result<()> {
    if x.rank() < 3 {
        return Err(misfit("images are needed", x, "[.., height, width, channels]"));
    }
    match x.shape().iter().skip(x.rank() - 3).any(|size| size == Dim::ZERO) {
        true => Err(misfit("the images have no pixels", x, "sizes of at least 1")),
        false => Ok(()),
    }
}

/// An error unless the elements are floats.
pub(super) fn floats(x: &Tensor) -> Result<()> {
    match x.dtype().is_floating() {
        true => Ok(()),
        false => Err(misfit("the images must be floats", x, "float16, bfloat16, float32 or float64")
            .help("`convert_image_dtype` makes floats of integers")),
    }
}

/// The red, green and blue of images, or their like, each with an axis of one channel.
#[track_caller]
pub(super) fn three_channels(x: &Tensor) -> Result<[Tensor; 3]> {
    let rank = x.rank();
    let has_three = rank > 0 && x.shape().dim(rank - 1).can_equal(Dim::from(3));
    if !has_three {
        return Err(misfit("the images must have three channels", x, "3 as the last size"));
    }
    // A size that only a run tells is held to be 3 there.
    let mut dims: SmallVec<[Dim; 8]> = x.shape().iter().collect();
    dims[rank - 1] = Dim::from(3);
    let x = reshape_to(x, &Shape::from_dims(&dims)?)?;
    let channel = |i: usize| part(&x, rank - 1, Dim::from(i), Dim::ONE);
    Ok([channel(0)?, channel(1)?, channel(2)?])
}

/// What lies from `begin` on along an axis.
#[track_caller]
pub(super) fn part(x: &Tensor, axis: usize, begin: Dim, size: Dim) -> Result<Tensor> {
    let (mut begins, mut sizes) = (vec![Dim::ZERO; x.rank()], x.shape().iter().collect::<Vec<_>>());
    (begins[axis], sizes[axis]) = (begin, size);
    engine::try_slice(x, Shape::from_dims(&begins)?, Shape::from_dims(&sizes)?)
}

/// A number or a tensor beside images, in their dtype.
#[track_caller]
pub(super) fn in_dtype(number: Operand<'_>, dtype: DType) -> Result<Tensor> {
    match number {
        Operand::Borrowed(tensor) => cast_to(tensor, dtype),
        Operand::Owned(tensor) => cast_to(&tensor, dtype),
        number => scalar(number, dtype),
    }
}

/// A number or a size as a tensor without axes.
#[track_caller]
pub(super) fn scalar(number: impl ToOperand, dtype: DType) -> Result<Tensor> {
    engine::try_zeros((), dtype)?.try_add(number)
}

/// An error for a size that is negative, or smaller than `least`.
pub(super) fn size(what: &str, size: Dim, least: usize) -> Result<Dim> {
    match size.valid() {
        Ok(size) if size.known_value().is_none_or(|size| size >= least) => Ok(size),
        _ => Err(Error::invalid_argument("", format!("`{what}` is out of range"))
            .got(size)
            .expected(format!("at least {least}"))),
    }
}
