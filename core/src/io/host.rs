//! Work on the host written as closures: what all decoders, encoders and parsers of `tf::io` and `tf::audio` are made of.
//! Each makes a [`Work`] of its name, its settings, its types and what it does, and calls it on tensors.

use engine::Tensor;
use engine::TensorType;
use engine::library::{OnHost, Typed, on_host};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

type Types = dyn Fn(&[&TensorType], &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> + Send + Sync;
type Run = dyn Fn(&[&Tensor]) -> Result<Vec<Tensor>> + Send + Sync;

/// Work from tensors to tensors.
pub(crate) struct Work {
    name: &'static str,
    settings: String,
    types: Box<Types>,
    run: Box<Run>,
}

impl Work {
    /// Work of this name. Two with equal settings must do the same.
    pub fn new(
        name: &'static str,
        settings: String,
        types: impl Fn(&[&TensorType], &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> + Send + Sync + 'static,
        run: impl Fn(&[&Tensor]) -> Result<Vec<Tensor>> + Send + Sync + 'static,
    ) -> Self {
        Self { name, settings, types: Box::new(types), run: Box::new(run) }
    }

    /// Does it on these tensors, or records it.
    #[track_caller]
    pub fn call(self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        Ok(on_host(Arc::new(self), inputs)?.into_iter().collect())
    }

    /// Does what has one result.
    #[track_caller]
    pub fn call1(self, inputs: &[&Tensor]) -> Result<Tensor> {
        let name = self.name;
        self.call(inputs)?.pop().ok_or_else(|| Error::internal(name, "one result was expected"))
    }
}

impl OnHost for Work {
    fn name(&self) -> &'static str {
        self.name
    }

    fn settings(&self) -> &str {
        &self.settings
    }

    fn types(&self, inputs: &[&TensorType], unknown: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
        (self.types)(inputs, unknown).map_err(|e| e.in_op(self.name))
    }

    fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        (self.run)(inputs).map_err(|e| e.in_op(self.name))
    }
}

/// An error unless a type is that of one string.
pub(crate) fn one_string(op: &str, ty: &TensorType) -> Result<()> {
    match ty.dtype == DType::String && ty.shape.rank() == 0 {
        true => Ok(()),
        false => Err(Error::invalid_argument(op, "the contents must be one string").got(ty).expected("string[]")),
    }
}

/// The bytes of one string.
pub(crate) fn bytes_of(op: &str, x: &Tensor) -> Result<Vec<u8>> {
    let mut all = x.try_to_byte_strings().map_err(|e| e.in_op(op))?;
    match (all.pop(), all.is_empty()) {
        (Some(one), true) => Ok(one),
        _ => Err(Error::invalid_argument(op, "the contents must be one string").got(Typed::ty(x))),
    }
}

/// An error of something in a file or in one of many records, with the name of that.
pub(crate) fn within(op: &str, name: &str, error: &Error) -> Error {
    let text = error.to_string();
    let what = text.split_once(": ").map_or(&text[..], |(_, what)| what);
    let what = format!("{name}: {what}");
    match error {
        Error::DataLoss(_) => Error::data_loss(op, what),
        _ => Error::invalid_argument(op, what),
    }
}

/// A type of these sizes.
pub(crate) fn typed(dtype: DType, dims: &[Dim]) -> Result<TensorType> {
    Ok(TensorType::new(dtype, Shape::from_dims(dims)?))
}

/// Writes a function of `tf::io` and its `try_` twin, whose body answers an error.
macro_rules! io_fn {
    ($(
        $(#[$doc:meta])*
        $vis:vis fn $name:ident, $try_name:ident $(<$($generic:ident: $bound:path),+>)? ($($arg:ident: $ty:ty),* $(,)?) -> $out:ty $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`] answers an error, with its message at the caller's line.")]
        #[track_caller]
        $vis fn $name $(<$($generic: $bound),+>)? ($($arg: $ty),*) -> $out {
            engine::library::OrFail::or_fail($try_name($($arg),*))
        }

        #[doc = concat!("[`", stringify!($name), "`](fn@", stringify!($name), ") that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for operands of a wrong dtype or shape, and for data or options that make no sense.
        #[track_caller]
        $vis fn $try_name $(<$($generic: $bound),+>)? ($($arg: $ty),*) -> kernels::error::Result<$out> {
            // A function, not a closure: it lets the caller's location through to the tensors it makes.
            #[track_caller]
            fn body $(<$($generic: $bound),+>)? ($($arg: $ty),*) -> kernels::error::Result<$out> $body
            let here = std::panic::Location::caller();
            body($($arg),*).map_err(|e| e.at(here))
        }
    )*};
}
pub(crate) use io_fn;
