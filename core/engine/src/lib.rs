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
pub use builder::{executing_eagerly, init_scope};
pub use constant::{IntoTensor, Literal, Nested, constant, constant_of, try_constant, try_constant_of};
pub use device::{DeviceGuard, device, try_device};
pub use eagerflow_macros::{Duplicate, Module, Nest, custom_gradient, tf_function};
pub use function::{Closure, FunctionInfo, function, profile};
#[doc(inline)]
pub use kernels::device::{Device, DeviceKind};
#[doc(inline)]
pub use kernels::devices::list_physical_devices;
#[doc(inline)]
pub use kernels::dtype::{
    Complex, DType, DTypes, Element, Number, bf16, bfloat16, bool_, complex64, complex128, f16, float16, float32, float64, int8, int16, int32, int64,
    uint8, uint16, uint32, uint64,
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
    AsTensor, AsTensors, Axes, Cumulative, IntoAxes, Operand, Padding, Pair, TensorRef, Tensors, ToOperand, keep_dims,
};
pub use structure::{Leaves, Nest};
pub use tape::{Gradients, IndexedRows};
pub use tensor::{Tensor, TensorType};
pub use tensor_array::TensorArray;
pub use variable::Variable;

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
        broadcast_reduce_axes, contiguous_strides, reshape_dims, reshape_target, resolve_axes, resolve_axis,
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
