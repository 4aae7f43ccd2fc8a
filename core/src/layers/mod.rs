//! Layers: parts of networks with Keras's names and defaults, whose variables are made when the first input comes.
//! Models hold them as fields and call them; each layer has a file of its own.

mod activation;
mod conv2d;
mod dense;
mod dropout;
mod flatten;
mod kernel_and_bias;
mod names;
mod pooling;

#[cfg(test)]
mod tests;

pub use activation::Activation;
pub use conv2d::Conv2D;
pub use dense::Dense;
pub use dropout::Dropout;
pub use flatten::Flatten;
pub use pooling::{GlobalAveragePooling2D, MaxPool2D};

use engine::Module;
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::fmt::Display;
use std::panic::Location;

/// What every layer can do: for code that works with any of them.
///
/// Models usually call the methods `call`, `call_training` and `try_call` that each layer has itself, which take
/// variables as well and need no import.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Activation, Dense, Dropout, Layer};
/// let net: Vec<Box<dyn Layer>> = vec![
///     Box::new(Dense::new(16).activation(Activation::Relu)),
///     Box::new(Dropout::new(0.5)),
///     Box::new(Dense::new(3)),
/// ];
/// let mut x = tf::ones([2, 4]);
/// for layer in &net {
///     x = layer.forward(&x, true)?;
/// }
/// assert_eq!(x.shape(), [2, 3]);
/// # Ok::<(), tf::Error>(())
/// ```
pub trait Layer: Module + Send + Sync {
    /// The layer's name: given, or Keras's for its kind with a number from the second of a kind on.
    fn layer_name(&self) -> &str;

    /// The layer's output; `training` switches on what differs while a model is trained, such as dropout.
    ///
    /// # Errors
    /// InvalidArgument where the input does not fit the layer, with the layer's name and both shapes.
    #[track_caller]
    fn forward(&self, x: &Tensor, training: bool) -> Result<Tensor>;
}

/// Writes the methods that every layer has.
macro_rules! callable {
    ($layer:ident) => {
        impl $layer {
            /// The output for an input, as it is when the model is used: Keras's call without `training`.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call(&self, x: impl engine::AsTensor) -> $crate::Tensor {
                kernels::error::OrFail::or_fail(self.try_call(x, false))
            }

            /// The output for an input while the model is trained or not: Keras's call with `training=`.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call_training(&self, x: impl engine::AsTensor, training: bool) -> $crate::Tensor {
                kernels::error::OrFail::or_fail(self.try_call(x, training))
            }

            /// The output for an input.
            ///
            /// # Errors
            /// InvalidArgument where an option of the layer is out of range or the input does not fit the layer, with
            /// the layer's name and both shapes.
            #[track_caller]
            pub fn try_call(&self, x: impl engine::AsTensor, training: bool) -> $crate::Result<$crate::Tensor> {
                let here = std::panic::Location::caller();
                $crate::layers::Layer::forward(self, &x.as_tensor(), training)
                    .map_err(|e| $crate::layers::within(e, &self.name, here))
            }

            /// A name of the user's own, which the layer's variables and errors carry.
            pub fn name(mut self, name: impl Into<String>) -> Self {
                self.name = name.into();
                self
            }
        }
    };
}
pub(crate) use callable;

/// Writes the methods of layers that have variables.
macro_rules! buildable {
    ($layer:ident, $new:literal, $example:literal) => {
        impl $layer {
            /// Makes the variables for inputs of a shape, which a layer that is not built so makes on its first call. The
            /// number of examples is not looked at; a layer that is built already stays as it is.
            ///
            /// ```
            /// use eagerflow as tf;
            #[doc = concat!("use tf::{Module, layers::", stringify!($layer), "};")]
            #[doc = concat!("let layer = ", $new, ";")]
            #[doc = concat!("layer.build(", $example, ");")]
            /// assert_eq!(layer.variables().len(), 2);
            /// ```
            ///
            /// # Panics
            /// As [`try_build`](Self::try_build) fails, at the caller's line.
            #[track_caller]
            pub fn build(&self, input_shape: impl kernels::shape::IntoShape) {
                kernels::error::OrFail::or_fail(self.try_build(input_shape))
            }

            /// Makes the variables for inputs of a shape.
            ///
            /// # Errors
            /// InvalidArgument where inputs of the shape do not fit the layer, with the layer's name and both shapes.
            #[track_caller]
            pub fn try_build(&self, input_shape: impl kernels::shape::IntoShape) -> $crate::Result<()> {
                let here = std::panic::Location::caller();
                let made = input_shape.into_shape().and_then(|shape| self.make(&shape));
                made.map_err(|e| $crate::layers::within(e.in_op("build"), &self.name, here))
            }
        }
    };
}
pub(crate) use buildable;

/// Copies of layers and settings without variables.
macro_rules! copied_by_clone {
    ($($t:ty),*) => {$(
        impl engine::Duplicate for $t {
            fn duplicate_in(&self, _: &mut engine::Copies) -> Self {
                self.clone()
            }
        }
    )*};
}

copied_by_clone!(Activation, Flatten, GlobalAveragePooling2D, MaxPool2D);

/// An error of an operation inside a layer, with the layer's name and the user's line.
#[cold]
fn within(error: Error, layer: &str, here: &'static Location<'static>) -> Error {
    let error = if error.report().op() == layer { error } else { error.variable(layer) };
    error.at(here)
}

/// The error for an input that does not fit.
#[cold]
fn misfit(layer: &str, what: &str, x: &TensorType, expected: impl Display) -> Error {
    Error::invalid_argument(layer, what).got(x).expected(expected)
}

/// The way out for an input of another dtype than the layer's.
#[cold]
fn dtype_help(dtype: DType) -> String {
    format!("{}; or give the layer the input's with `dtype`", engine::library::cast_help(dtype, dtype))
}

/// The last dimension as a number, which a kernel's shape is made from.
fn channels(layer: &str, x: &TensorType) -> Result<usize> {
    let last = x.shape.rank().checked_sub(1).map(|axis| x.shape.dim(axis));
    last.and_then(|dim| dim.known_value()).filter(|&n| n > 0).ok_or_else(|| {
        misfit(layer, "the layer cannot be built: the last dimension must be a known size", x, "at least one channel")
    })
}
