//! Errors of layers, and the sizes of inputs that variables are made of.
//! Every layer's `forward` uses them, so that messages have one form.

use engine::TensorType;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};
use std::fmt::Display;
use std::panic::Location;

/// An error of an operation inside a layer, with the layer's name and the user's line.
#[cold]
pub(crate) fn within(error: Error, layer: &str, here: &'static Location<'static>) -> Error {
    let error = if error.report().op() == layer { error } else { OnTheWay::within(error, layer) };
    error.at(here)
}

/// The error for an input that does not fit.
#[cold]
pub(crate) fn misfit(layer: &str, what: &str, x: &TensorType, expected: impl Display) -> Error {
    Error::invalid_argument(layer, what).got(x).expected(expected)
}

/// The way out for an input of another dtype than the layer's.
#[cold]
pub(crate) fn dtype_help(dtype: DType) -> String {
    format!("{}; or give the layer the input's with `dtype`", engine::library::cast_help(dtype, dtype))
}

/// The last dimension as a number, which a kernel's shape is made from.
pub(crate) fn channels(layer: &str, x: &TensorType) -> Result<usize> {
    let last = x.shape.rank().checked_sub(1).map(|axis| x.shape.dim(axis));
    last.and_then(|dim| dim.known_value()).filter(|&n| n > 0).ok_or_else(|| {
        misfit(layer, "the layer cannot be built: the last dimension must be a known size", x, "at least one channel")
    })
}

/// The size along an axis as a number, which the shape of a variable is made from; negative axes count from the last.
pub(crate) fn known_size(layer: &str, x: &TensorType, axis: isize) -> Result<usize> {
    let axis = kernels::shape::resolve_axis(layer, axis, x.shape.rank()).map_err(|e| e.got(x))?;
    x.shape.dim(axis).known_value().filter(|&n| n > 0).ok_or_else(|| {
        let what = format!("the layer cannot be built: the size along axis {axis} must be known");
        misfit(layer, &what, x, "a size of at least 1")
    })
}
