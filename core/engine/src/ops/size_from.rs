//! `size_from`: an integer without axes as a size, which the run of a graph binds; no gradient, since sizes do not vary smoothly.
//! TensorFlow takes such tensors wherever it takes a shape; here [`IntoDim`] and [`IntoShape`] make sizes of them.

use super::support::slice_axis;
use crate::execute::{execute1, note_size, sizes_of};
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::backend::cpu::CpuCall;
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, Dims, IntoDim, IntoShape, Shape, Target};
use std::panic::Location;

/// Input: an integer. The output has no elements, and that many rows: its shape tells the size.
#[derive(Clone)]
pub(crate) struct SizeFrom;

impl Op for SizeFrom {
    identity!("size_from");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::INTEGERS)?;
        if cx.shape(0).rank() != 0 {
            return Err(Error::invalid_argument("size_from", "a size must be one number")
                .got(cx.input(0))
                .expected("an integer tensor without axes")
                .help("a vector of sizes is a whole shape; take one of them with `at(i)`"));
        }
        let size = match (cx.value(0), cx.size(0)) {
            (Some(view), _) => {
                // SAFETY: a valid view of an integer.
                let number = unsafe { view.integers()[0] };
                usize::try_from(number).ok().map(Dim::known).filter(|&size| size != Dim::INVALID).ok_or_else(|| {
                    Error::invalid_argument("size_from", "a number that is no size")
                        .got(number)
                        .expected("a number of 0 or more")
                })?
            }
            (None, Some(size)) => size.valid()?,
            (None, None) => cx.unknown_dim(),
        };
        cx.output(DType::I32, Shape::from_dims(&[size, Dim::ZERO])?);
        Ok(())
    }

    unsafe fn cpu(&self, _: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    fn takes_from_host(&self, _: usize) -> bool {
        true
    }

    unsafe fn cuda(&self, _: &CudaCall<'_>) -> Result<()> {
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a size does not change with small changes of a number")
    }
}

/// The size that an integer tensor without axes says. Its number is read where it is there; in a graph it becomes a symbol.
#[track_caller]
pub(crate) fn size_from(number: &Tensor) -> Result<Dim> {
    if number.is_symbol() {
        let known = sizes_of(number).filter(|sizes| sizes.len() == 1);
        if let Some(size) = known {
            return Ok(size[0]);
        }
        let size = asked(number)?;
        note_size(number, size);
        return Ok(size);
    }
    if !number.dtype().is_integer() || number.rank() != 0 {
        // The rule says what is wrong.
        return asked(number);
    }
    number.integers("")?[0].into_dim()
}

/// The size that the operation tells. An error is one of whoever wants the size, and bears that name.
#[track_caller]
fn asked(number: &Tensor) -> Result<Dim> {
    match execute1(&SizeFrom, &[number]) {
        Ok(size) => Ok(size.shape().dim(0)),
        Err(error) => Err(error.named("")),
    }
}

/// The sizes that a vector of integers says.
#[track_caller]
pub(crate) fn sizes_from(numbers: &Tensor) -> Result<Dims> {
    if numbers.rank() == 0 {
        return Ok(Dims::from_slice(&[size_from(numbers)?]));
    }
    let count = numbers.shape().dim(0).known_value();
    let Some(count) = count.filter(|_| numbers.rank() == 1 && numbers.dtype().is_integer()) else {
        return Err(Error::invalid_argument("", "a tensor that is no shape")
            .got(numbers.ty())
            .expected("a vector of integers, of a length that does not depend on values"));
    };
    if !numbers.is_symbol() {
        return numbers.integers("")?.into_iter().map(IntoDim::into_dim).collect();
    }
    if let Some(known) = sizes_of(numbers) {
        return Ok(known);
    }
    let mut sizes = Dims::new();
    for axis in 0..count {
        let number = slice_axis(numbers, 0, Dim::known(axis), Dim::ONE)?;
        sizes.push(size_from(&super::reshape_to(&number, &Shape::SCALAR)?)?);
    }
    Ok(sizes)
}

macro_rules! tensors {
    ($($t:ty)*) => {$(
        impl IntoDim for $t {
            #[track_caller]
            fn into_dim(self) -> Result<Dim> {
                size_from(&self)
            }

            #[track_caller]
            fn into_size(self) -> Result<Option<Dim>> {
                size_from(&self)?.into_size()
            }
        }

        impl IntoShape for $t {
            #[track_caller]
            fn into_shape(self) -> Result<Shape> {
                sizes_from(&self)?[..].into_shape()
            }

            #[track_caller]
            fn into_target(self) -> Result<Target> {
                sizes_from(&self)?[..].into_target()
            }

            #[track_caller]
            fn into_dims(self) -> Result<Dims> {
                sizes_from(&self)
            }
        }

        // `From` would be met by the standard library's `Into`, which hides the line of whoever calls.
        #[allow(clippy::from_over_into, reason = "the error must name the caller's line")]
        impl Into<Dim> for $t {
            /// As [`dim_of`].
            #[track_caller]
            fn into(self) -> Dim {
                dim_of(&self)
            }
        }
    )*};
}

tensors!(Tensor &Tensor);

/// The size that an integer tensor without axes says: what may stand beside other sizes in a shape.
///
/// In a traced function its number is known only when the graph runs. It becomes a size of its own there, which the run binds; nothing
/// is pinned, and another number does not trace the function again. `n.into()` is the same.
///
/// ```
/// use eagerflow as tf;
/// let n = tf::constant(3);
/// assert_eq!(tf::zeros([tf::dim_of(&n), 2.into()]).shape(), [3, 2]);
/// ```
///
/// # Panics
/// As [`try_dim_of`] fails.
#[track_caller]
pub fn dim_of(number: &Tensor) -> Dim {
    try_dim_of(number).or_fail()
}

/// The size that an integer tensor without axes says.
///
/// # Errors
/// InvalidArgument for a tensor that is not one integer. A number that is no size is an error where a shape is made of it, in a graph
/// when it runs.
#[track_caller]
pub fn try_dim_of(number: &Tensor) -> Result<Dim> {
    let here = Location::caller();
    size_from(number).map_err(|e| e.in_op("dim_of").at(here))
}

/// The size of dimension `axis`, which may count from the end, as TensorFlow's `tf.shape(x)[axis]`: a [`Dim`], for shapes that are made
/// of it. In a traced function it may be a symbol, and stays one. [`Tensor::dim`] is the same.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::zeros([2, 12]);
/// assert_eq!(x.reshape([tf::dim(&x, 0), 4.into(), tf::dim(&x, 1) / 4]).shape(), [2, 4, 3]);
/// ```
///
/// # Panics
/// If there is no such dimension.
#[track_caller]
pub fn dim(x: &Tensor, axis: isize) -> Dim {
    x.dim(axis)
}
