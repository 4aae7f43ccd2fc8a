//! How operations become public: the macros that write function, method and `try_` twins from one body.
//! Every file in `ops/` uses them, so that all forms share one documentation and one error path.

pub use crate::tensor::TensorRef;
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;

/// What operations take for a tensor: a tensor or a variable, by value or reference.
///
/// ```
/// use eagerflow as tf;
/// let v = tf::Variable::new([1.0, 4.0]);
/// assert_eq!(tf::sqrt(&v).to_vec::<f32>(), [1.0, 2.0]);
/// ```
pub trait AsTensor {
    /// The tensor itself, or the variable's present value, read at the caller's line.
    #[doc(hidden)]
    #[track_caller]
    fn as_tensor(&self) -> TensorRef<'_>;

    /// Whether a function that takes this by value is given the tensor for good, so that its memory may take the result.
    #[doc(hidden)]
    #[inline]
    fn is_given(&self) -> bool {
        false
    }
}

impl AsTensor for Tensor {
    #[inline]
    fn as_tensor(&self) -> TensorRef<'_> {
        TensorRef::Borrowed(self)
    }

    #[inline]
    fn is_given(&self) -> bool {
        true
    }
}

impl<T: AsTensor + ?Sized> AsTensor for &T {
    #[inline]
    #[track_caller]
    fn as_tensor(&self) -> TensorRef<'_> {
        (**self).as_tensor()
    }
}

/// What functions of several tensors take: a slice, array or `Vec` of tensors, variables, or references to them.
///
/// ```
/// use eagerflow as tf;
/// let rows = vec![tf::constant([1, 2]), tf::constant([3, 4])];
/// assert_eq!(tf::stack(&rows, 0).to_vec::<i32>(), [1, 2, 3, 4]);
/// assert_eq!(tf::stack(&[&rows[1], &rows[0]], 0).to_vec::<i32>(), [3, 4, 1, 2]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of tensors",
    label = "expected `&[&a, &b]`, a slice or a `Vec` of tensors"
)]
pub trait AsTensors {
    /// The tensors in order, or the value of a graph that stands for them.
    #[doc(hidden)]
    #[track_caller]
    fn as_tensors(&self) -> Result<Tensors<'_>>;
}

/// Tensors that were given together.
#[doc(hidden)]
pub enum Tensors<'a> {
    /// One by one.
    Each(Vec<TensorRef<'a>>),
    /// A list that a graph makes, with the type of its items.
    List(&'a Tensor, TensorType),
}

impl<T: AsTensor> AsTensors for [T] {
    fn as_tensors(&self) -> Result<Tensors<'_>> {
        Ok(Tensors::Each(self.iter().map(T::as_tensor).collect()))
    }
}

impl<T: AsTensor, const N: usize> AsTensors for [T; N] {
    fn as_tensors(&self) -> Result<Tensors<'_>> {
        self[..].as_tensors()
    }
}

impl<T: AsTensor> AsTensors for Vec<T> {
    fn as_tensors(&self) -> Result<Tensors<'_>> {
        self[..].as_tensors()
    }
}

impl<L: AsTensors + ?Sized> AsTensors for &L {
    fn as_tensors(&self) -> Result<Tensors<'_>> {
        (**self).as_tensors()
    }
}

impl<L: AsTensors + ?Sized> AsTensors for Box<L> {
    fn as_tensors(&self) -> Result<Tensors<'_>> {
        (**self).as_tensors()
    }
}

/// Writes the four public forms of an operation: function and method, each with a `try_` twin.
///
/// ```text
/// public! {
///     /// What it does, errors, an example.
///     pub fn name, try_name(x, other: &Tensor, axis: isize) -> Tensor { body with x: &Tensor and a Result }
/// }
/// ```
macro_rules! public {
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident, $try_name:ident($x:ident $(, $arg:ident: $ty:ty)* $(,)?) -> $out:ty $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`](fn@", stringify!($try_name), ") answers an error, with its message at the caller's line.")]
        #[track_caller]
        pub fn $name($x: impl $crate::ops::AsTensor $(, $arg: $ty)*) -> $out {
            kernels::error::OrFail::or_fail($try_name($x $(, $arg)*))
        }

        #[doc = concat!("[`", stringify!($name), "`](fn@", stringify!($name), ") that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for inputs of a wrong dtype, shape or attribute; ResourceExhausted without memory.
        #[track_caller]
        pub fn $try_name($x: impl $crate::ops::AsTensor $(, $arg: $ty)*) -> $crate::Result<$out> {
            // A function, not a closure: it lets the caller's location through to the tensors it makes.
            #[track_caller]
            fn body($x: &$crate::Tensor $(, $arg: $ty)*) -> $crate::Result<$out> $body
            let here = std::panic::Location::caller();
            body(&$x.as_tensor() $(, $arg)*).map_err(|e| e.in_op(stringify!($name)).at(here))
        }

        impl $crate::Tensor {
            #[doc = concat!("[`", stringify!($name), "`](fn@crate::", stringify!($name), ") of this tensor.")]
            #[track_caller]
            pub fn $name(&self $(, $arg: $ty)*) -> $out {
                kernels::error::OrFail::or_fail($try_name(self $(, $arg)*))
            }

            #[doc = concat!("[`", stringify!($name), "`](fn@crate::", stringify!($name), ") of this tensor; answers an error instead of panicking.")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($try_name), "`](fn@crate::", stringify!($try_name), ").")]
            #[track_caller]
            pub fn $try_name(&self $(, $arg: $ty)*) -> $crate::Result<$out> {
                $try_name(self $(, $arg)*)
            }
        }
    )*};
}
pub(crate) use public;
