//! The engine of eagerflow: tensors, operations, tapes, graphs and what `#[tf_function]` makes of Rust's control flow.
//! The crate [eagerflow](https://docs.rs/eagerflow) re-exports what users need of it by name; the rest changes without notice.

// The macros name the library from outside, also in the engine's own tests.
#[allow(unused_extern_crates, reason = "only what the macros make uses it")]
extern crate self as eagerflow;

mod autodiff;
mod autograph;
mod builder;
pub mod config;
mod constant;
mod custom_gradient;
pub mod data;
pub mod debugging;
mod device;
mod elements;
mod execute;
mod function;
mod graph;
mod index_macro;
mod ir;
#[doc(hidden)]
pub mod library;
mod lists;
mod meaning;
mod module;
mod op;
mod ops;
#[doc(hidden)]
pub mod options;
pub mod random;
mod structure;
mod tape;
mod tensor;
mod tensor_array;
mod variable;

#[doc(hidden)]
#[path = "measure/mod.rs"]
pub mod __measure;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
#[path = "testing/mod.rs"]
pub mod __testing;

#[cfg(test)]
kernels::unit_tests_are_users!();

pub use autodiff::{
    Differentiable, ForwardAccumulator, GradientOptions, GradientTape, LossFunction, PersistentTape, Source, Sources,
    StopRecording, TensorFunction, UnconnectedGradients, Watch, gradients_function, implicit_gradients,
    implicit_value_and_gradients, value_and_gradients_function,
};
pub use autograph::functional::{
    Branches, Cases, ConcreteFunction, FirstRow, Initializer, TensorSpec, case, cond, foldl, foldr,
    get_concrete_function, host_function, host_function_with_gradient, map_fn, recompute_grad, scan, switch_case,
    switch_case_with_default, try_get_concrete_function, while_loop,
};
pub use builder::{executing_eagerly, init_scope};
pub use constant::{IntoTensor, Literal, Nested, constant, constant_of, try_constant, try_constant_of};
pub use device::{DeviceGuard, device, try_device};
pub use eagerflow_macros::{Duplicate, Module, Nest, custom_gradient, tf_function};
pub use execute::{NameScope, name_scope};
pub use function::{Closure, FunctionInfo, function, profile};
#[doc(inline)]
pub use kernels::device::{Device, DeviceKind};
#[doc(inline)]
pub use kernels::devices::list_physical_devices;
#[doc(inline)]
pub use kernels::dtype::{
    Complex, DType, DTypes, Element, Number, bf16, bfloat16, bool_, complex64, complex128, f16, float16, float32,
    float64, int8, int16, int32, int64, string, uint8, uint16, uint32, uint64,
};
#[doc(inline)]
pub use kernels::error::{Error, Report, Result};
#[doc(inline)]
pub use kernels::shape::{Dim, Shape};
pub use module::{
    Copies, Duplicate, FieldOptions, Fields, InputSpec, LazyVariable, Module, ParamCount, Signature, Submodule, build,
    try_build,
};
pub use ndarray;
pub use ops::functions::*;
pub use ops::{
    AsTensor, AsTensors, Axes, Cumulative, IntoAxes, Operand, Padding, Pair, PerAxis, Sliding, TensorRef, Tensors,
    ToOperand, keep_dims,
};
pub use structure::{Leaves, Nest};
pub use tape::{Gradients, IndexedRows};
pub use tensor::{Tensor, TensorType};
pub use tensor_array::TensorArray;
pub use variable::Variable;

/// Strings: parts, joins, patterns, and numbers in them.
///
/// ```
/// use eagerflow as tf;
/// let words = tf::strings::split("the quick fox", "");
/// assert_eq!(tf::strings::upper(&words).to_strings(), ["THE", "QUICK", "FOX"]);
/// ```
pub mod strings {
    #[doc(inline)]
    pub use crate::ops::strings::{
        AsStringOptions, StringUnit, as_string, as_string_with, join, length, length_in, lower, lower_utf8,
        reduce_join, reduce_join_with, regex_full_match, regex_replace, regex_replace_first, split, split_ragged,
        split_rows, split_with, strip, substr, substr_in, to_hash_bucket, to_hash_bucket_fast, to_hash_bucket_strong,
        to_number, unsorted_segment_join, upper, upper_utf8,
    };
    #[doc(inline)]
    pub use crate::ops::strings::{
        try_as_string, try_as_string_with, try_join, try_length, try_length_in, try_lower, try_lower_utf8,
        try_reduce_join, try_reduce_join_with, try_regex_full_match, try_regex_replace, try_regex_replace_first,
        try_split, try_split_ragged, try_split_rows, try_split_with, try_strip, try_substr, try_substr_in,
        try_to_hash_bucket, try_to_hash_bucket_fast, try_to_hash_bucket_strong, try_to_number,
        try_unsorted_segment_join, try_upper, try_upper_utf8,
    };
}

/// Tensors and files: whole files as strings, and tensors as strings of bytes.
///
/// ```
/// use eagerflow as tf;
/// let text = tf::io::serialize_tensor(&tf::constant([1, 2]));
/// assert_eq!(tf::io::parse_tensor(&text, tf::int32).to_vec::<i32>(), [1, 2]);
/// ```
pub mod io {
    #[doc(inline)]
    pub use crate::ops::strings::{
        matching_files, parse_tensor, parse_tensor_of_rank, read_file, serialize_tensor, try_matching_files,
        try_parse_tensor, try_parse_tensor_of_rank, try_read_file, try_serialize_tensor, try_write_file, write_file,
    };
}

pub use ops::strings::{as_string, try_as_string};

/// Memory below the tensors: what they hold, and what is kept for those to come.
pub mod memory {
    #[doc(inline)]
    pub use kernels::memory::{MemoryStats, set_cache_limit, stats, trim};
}

/// Sizes of tensors: numbers, and expressions of symbols while a function is traced.
pub mod shape {
    #[doc(inline)]
    pub use kernels::shape::{
        AxisSet, BroadcastReduction, Constraints, Dim, IntoDim, IntoShape, MAX_RANK, Shape, Symbol, broadcast,
        broadcast_reduce_axes, contiguous_strides, reshape_dims, resolve_axes, resolve_axis,
    };
}

/// What the macros' generated code names; not for other use.
#[doc(hidden)]
pub mod __rt {
    /// What `#[tf_function]` names, with the tiers that data sets add.
    pub mod autograph {
        pub use crate::autograph::rt::*;
        /// The traits whose methods are found by auto-reference; generated functions import them without names.
        pub mod tiers {
            pub use crate::autograph::rt::tiers::*;
            pub use crate::data::IterateElements as _;
        }
    }
    pub use crate::custom_gradient::*;
    pub use crate::module::{Copies, Duplicate, FieldOptions, Fields, Module, Skipped, SkippedChanging, SkippedOther};
}
