//! # eagerflow
//!
//! TensorFlow 2's programming model as a Rust library: operations run at once, a tape differentiates whatever ran.
//!
//! ```
//! use eagerflow as tf;
//! use tf::{GradientTape, Variable};
//!
//! let w = Variable::new(5.0);
//! let x = tf::constant([1.0, 2.0, 3.0]);
//! for _ in 0..100 {
//!     let tape = GradientTape::new();
//!     let loss = tf::reduce_sum((&w * &x - &x * 3.0).square(), ());
//!     let slope = tape.gradient(&loss, &w);
//!     w.assign_sub(&slope * 0.01);
//! }
//! assert!((w.value().item::<f32>() - 3.0).abs() < 1e-3);
//! ```

// The macros name this crate from outside, also in its own tests.
#[allow(unused_extern_crates, reason = "only what the macros make uses it")]
extern crate self as eagerflow;

mod functions;
pub mod initializers;
pub mod layers;
pub mod losses;
pub mod metrics;
mod namespaces;
pub mod optim;
#[cfg(test)]
kernels::unit_tests_are_users!();

#[doc(hidden)]
pub use engine::__measure;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use engine::__testing;

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}

#[doc(inline)]
pub use engine::{
    AsTensor, AsTensors, Axes, Closure, DType, DTypes, Device, DeviceGuard, DeviceKind, Differentiable, Dim, Element,
    Error, Fields, ForwardAccumulator, FunctionInfo, GradientOptions, GradientTape, Gradients, IndexedRows, IntoAxes,
    IntoTarget, IntoTensor, LazyVariable, Leaves, Literal, LossFunction, Module, Nest, Nested, Number, Operand,
    Padding, Pair, PersistentTape, Report, Result, Shape, Signature, Source, Sources, StopRecording, Tensor,
    TensorArray, TensorFunction, TensorType, ToOperand, UnconnectedGradients, Variable, Watch, bf16, bfloat16, bool_,
    config, constant, constant_of, custom_gradient, data, debugging, device, executing_eagerly, f16, float16, float32,
    float64, function, gradients_function, implicit_gradients, implicit_value_and_gradients, init_scope, int8, int16,
    int32, int64, keep_dims, list_physical_devices, memory, profile, random, shape, tf_function, try_constant,
    try_constant_of, try_device, uint8, uint16, uint32, uint64, value_and_gradients_function,
};
#[doc(hidden)]
pub use engine::{TensorRef, Tensors};
pub use functions::*;
pub use namespaces::{linalg, math, nn};
pub use ndarray::{self, s};

/// What the macros' generated code names; not for other use.
#[doc(hidden)]
pub use engine::__rt;
