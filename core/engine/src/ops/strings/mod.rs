//! The operations on strings, TensorFlow's `tf.strings`, and what they share: rows of bytes that broadcast, results of one shape.
//! They run on the host, on the strings behind tensors; users find them under `tf::strings` and `tf::io`.

mod as_string;
mod bytes;
mod choose;
mod equal;
mod farm_hash;
mod files;
mod hash;
mod join;
mod matching;
mod printf;
mod proto;
mod re2;
mod regex;
mod segment_join;
mod serialize;
mod sip_hash;
mod split;
mod substr;
mod to_number;

pub use as_string::{AsStringOptions, as_string, as_string_with, try_as_string, try_as_string_with};
pub use bytes::{
    StringUnit, length, length_in, lower, lower_utf8, strip, try_length, try_length_in, try_lower, try_lower_utf8,
    try_strip, try_upper, try_upper_utf8, upper, upper_utf8,
};
pub(super) use choose::StringWhere;
pub(super) use equal::StringEqual;
pub use farm_hash::fingerprint;
pub use files::{read_file, try_read_file, try_write_file, write_file};
pub use hash::{
    to_hash_bucket, to_hash_bucket_fast, to_hash_bucket_strong, try_to_hash_bucket, try_to_hash_bucket_fast,
    try_to_hash_bucket_strong,
};
pub use join::{join, reduce_join, reduce_join_with, try_join, try_reduce_join, try_reduce_join_with};
pub use matching::{matching_files, try_matching_files};
pub use proto::{message_of, tensor_of_message};
pub use regex::{
    regex_full_match, regex_replace, regex_replace_first, try_regex_full_match, try_regex_replace,
    try_regex_replace_first,
};
pub use segment_join::{try_unsorted_segment_join, unsorted_segment_join};
pub use serialize::{
    parse_tensor, parse_tensor_of_rank, serialize_tensor, try_parse_tensor, try_parse_tensor_of_rank,
    try_serialize_tensor,
};
pub use sip_hash::sip_hash;
pub use split::{
    split, split_ragged, split_rows, split_with, try_split, try_split_ragged, try_split_rows, try_split_with,
};
pub use substr::{substr, substr_in, try_substr, try_substr_in};
pub use to_number::{to_number, try_to_number};

use crate::op::{Infer, Outputs};
use crate::tensor::Tensor;
use crate::tensor::strings::{Builder, Strings};
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;
use kernels::shape::{Constraints, Shape};
use smallvec::smallvec;

/// Writes the `Op` of an operation on strings: it runs on the host as a whole, and no gradient flows.
macro_rules! string_op {
    (
        $op:ty, $name:literal, $attributes:tt, may_fail: $may_fail:expr,
        infer: |$this:ident, $cx:ident| $infer:expr,
        run: |$me:ident, $inputs:ident| $run:expr
    ) => {
        impl $crate::op::Op for $op {
            $crate::ops::strings::string_op!(@identity $name $attributes);

            fn kind(&self) -> $crate::op::Kind {
                $crate::op::Kind::Opaque
            }

            fn infer(&self, $cx: &mut $crate::op::Infer<'_>) -> kernels::error::Result<()> {
                let $this = self;
                $infer
            }

            fn may_fail(&self) -> bool {
                $may_fail
            }

            fn runs_on_host(&self) -> bool {
                true
            }

            fn strings(
                &self,
                $inputs: &[&$crate::tensor::Tensor],
            ) -> Option<kernels::error::Result<$crate::op::Outputs>> {
                let $me = self;
                Some($run)
            }

            fn gradient(&self) -> $crate::op::Gradient {
                $crate::op::Gradient::Stops("strings carry no gradient")
            }
        }
    };
    (@identity $name:literal {}) => {
        $crate::op::identity!($name);
    };
    (@identity $name:literal $attributes:tt) => {
        $crate::op::identity!($name, $attributes);
    };
}
use string_op;

/// Writes function and `try_` twin of an operation on strings; those of the root are methods too, these are not.
macro_rules! string_fn {
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident, $try_name:ident($x:ident $(, $arg:ident: $ty:ty)* $(,)?) -> $out:ty $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`] answers an error, with its message at the caller's line.")]
        #[track_caller]
        pub fn $name($x: impl $crate::ops::AsTensor $(, $arg: $ty)*) -> $out {
            kernels::error::OrFail::or_fail($try_name($x $(, $arg)*))
        }

        #[doc = concat!("[`", stringify!($name), "`](fn@", stringify!($name), ") that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for inputs of a wrong dtype, shape or option, and for strings that the operation does not take.
        #[track_caller]
        pub fn $try_name($x: impl $crate::ops::AsTensor $(, $arg: $ty)*) -> kernels::error::Result<$out> {
            // A function, not a closure: it lets the caller's location through to the tensors it makes.
            #[track_caller]
            fn body($x: &$crate::tensor::Tensor $(, $arg: $ty)*) -> kernels::error::Result<$out> $body
            let here = std::panic::Location::caller();
            body(&$x.as_tensor() $(, $arg)*).map_err(|e| e.at(here))
        }
    )*};
}
use string_fn;

/// The rows of several tensors of strings, broadcast together, and their shape.
fn broadcast<'a>(op: &str, inputs: &[&'a Tensor]) -> Result<(Shape, Vec<Vec<&'a [u8]>>)> {
    let mut shape = Shape::SCALAR;
    for input in inputs {
        let sizes = &mut Constraints::default();
        shape = kernels::shape::broadcast(&shape, input.shape(), sizes).map_err(|e| e.in_op(op))?;
    }
    let rows = inputs.iter().map(|input| Strings::of(input, op)?.broadcast(&shape)).collect::<Result<_>>()?;
    Ok((shape, rows))
}

/// Strings in, as many of another dtype out.
fn same_shape(cx: &mut Infer<'_>, to: DType) -> Result<()> {
    cx.check_dtype(0, DTypes::STRING)?;
    cx.output(to, *cx.shape(0));
    Ok(())
}

/// A tensor of strings of an input's shape, each written after a look at the input's.
fn map(op: &str, input: &Tensor, mut write: impl FnMut(&[u8], &mut Vec<u8>) -> Result<()>) -> Result<Outputs> {
    let strings = Strings::of(input, op)?;
    let mut out = Builder::with_capacity(input.num_elements(), 0);
    strings.each(|row| out.push_with(|bytes| write(row, bytes)))?;
    Ok(smallvec![out.finish(input.shape())?])
}

/// A tensor of numbers of an input's shape, each computed from the input's string.
fn numbers<T: kernels::dtype::Element>(
    op: &str,
    input: &Tensor,
    mut with: impl FnMut(&[u8]) -> Result<T>,
) -> Result<Outputs> {
    let mut out = Vec::with_capacity(input.num_elements());
    Strings::of(input, op)?.each(|row| {
        out.push(with(row)?);
        Ok(())
    })?;
    Ok(smallvec![Tensor::try_from_vec(out, *input.shape())?])
}

#[cfg(test)]
mod tests;
