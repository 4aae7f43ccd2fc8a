//! TensorFlow 2's programming model as a Rust library. Operations run at once; a tape differentiates whatever ran;
//! `#[tf_function]` turns ordinary Rust (`if`, `while`, `for`, `break`, `return`) into an optimised, differentiable graph. Names,
//! formulas, dtypes and defaults are TensorFlow's and Keras's.
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
//!
//! # Tensors
//!
//! [`Tensor`], made by [`constant`], [`zeros`], [`range`](fn@crate::range), [`random`] and many others; [`DType`], [`Shape`] and [`Dim`] say what it holds.
//! Operations are functions of this page, methods of [`Tensor`], and operators. Those that give an error back instead of panicking are
//! in [`fallible`]. TensorFlow's other names are in [`math`], [`nn`], [`linalg`] and [`signal`]. Guide: [`guides::tensors`].
//!
//! ```
//! # use eagerflow as tf;
//! let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
//! assert_eq!((x.matmul(&x) + 1.0).to_vec::<f32>(), [8.0, 11.0, 16.0, 23.0]);
//! ```
//!
//! # Gradients
//!
//! [`GradientTape`] and [`PersistentTape`]; [`ForwardAccumulator`] for forward mode; functional forms such as [`gradients_function`];
//! [`custom_gradient`](macro@custom_gradient) for functions with a gradient of their own. Guide: [`guides::gradients`].
//!
//! ```
//! # use eagerflow as tf;
//! let x = tf::constant(3.0);
//! let mut tape = tf::GradientTape::new();
//! tape.watch(&x);
//! let y = &x * &x;
//! assert_eq!(tape.gradient(&y, &x).item::<f32>(), 6.0);
//! ```
//!
//! # Functions
//!
//! [`tf_function`](macro@tf_function) makes a graph of a function; [`function`](fn@function) tells what it was traced for and why;
//! [`profile`] shows where its time goes. [`TensorArray`], [`init_scope`] and [`Closure`] are for use inside. Control flow as functions:
//! [`cond`], [`switch_case`], [`while_loop`](fn@crate::while_loop), [`map_fn`], [`scan`](fn@crate::scan); [`recompute_grad`] saves memory, [`host_function`] runs any Rust, and
//! [`get_concrete_function`] records once. Guide: [`guides::functions`].
//!
//! ```
//! # use eagerflow as tf;
//! #[tf::tf_function]
//! fn relu_sum(x: &tf::Tensor) -> tf::Tensor {
//!     let sum = tf::reduce_sum(x, ());
//!     if sum > 0.0 { sum } else { tf::zeros_like(&sum) }
//! }
//! assert_eq!(relu_sum(&tf::constant([-3.0, 1.0])).item::<f32>(), 0.0);
//! ```
//!
//! # Modules and variables
//!
//! [`Variable`] is a value that can be changed. [`Module`] and its derive collect the variables of a structure, [`build`](fn@build) makes
//! those of its layers, [`Duplicate`] copies it; [`Nest`] and its derive let a structure of tensors go through traced functions. Guide: [`guides::models`].
//!
//! ```
//! # use eagerflow as tf;
//! #[derive(tf::Module)]
//! struct Line { slope: tf::Variable, offset: tf::Variable }
//! let line = Line { slope: tf::Variable::new(2.0), offset: tf::Variable::new(1.0) };
//! assert_eq!(tf::Module::trainable_variables(&line).len(), 2);
//! ```
//!
//! # Layers
//!
//! [`layers`] and [`initializers`], with Keras's options and defaults.
//!
//! ```
//! # use eagerflow as tf;
//! use tf::layers::Dense;
//! let layer = Dense::new(10).activation("relu");
//! assert_eq!(layer.call(&tf::ones([4, 64])).shape(), [4, 10]);
//! ```
//!
//! # Training
//!
//! [`losses`], [`metrics`] and [`optim`]. Guide: [`guides::models`].
//!
//! ```
//! # use eagerflow as tf;
//! use tf::optim::{Optimizer, SGD};
//! let w = vec![tf::Variable::new(1.0)];
//! let tape = tf::GradientTape::new();
//! let loss = w[0].value().square();
//! SGD::new(0.1).apply_gradients(&tape.gradient(&loss, &w), &w);
//! assert_eq!(w[0].value().item::<f32>(), 0.8);
//! ```
//!
//! # Pictures
//!
//! With the feature `viz`, `tf::viz` draws the curves of trainings, batches of images and confusion matrices as PNG files. Guide:
//! [`guides::models`].
//!
//! # Summaries
//!
//! [`summary`](mod@crate::summary): scalars, histograms, images, texts, sounds, graphs and hyperparameters as files that TensorBoard shows. Guide:
//! [`guides::summaries`].
//!
//! ```
//! # use eagerflow as tf;
//! # let folder = std::env::temp_dir().join(format!("eagerflow-crate-page-summary-{}", std::process::id()));
//! let writer = tf::summary::create_file_writer(&folder);
//! let _default = writer.as_default();
//! tf::summary::scalar("loss", 0.5, 1);
//! # drop(_default);
//! # writer.close();
//! # std::fs::remove_dir_all(folder).unwrap();
//! ```
//!
//! # Data
//!
//! [`data`]: datasets with shuffle, batch, repeat, map, take and skip, which traced loops can run over. Guide: [`guides::datasets`].
//!
//! ```
//! # use eagerflow as tf;
//! let batches = tf::data::Dataset::from_tensor_slices(tf::range(0, 5, 1)).batch(2);
//! assert_eq!(batches.cardinality(), 3);
//! ```
//!
//! # Saving and resuming
//!
//! [`train`]: checkpoints of models, optimizers, data and random numbers, which TensorFlow opens; weights as safetensors. Guide:
//! [`guides::saving`].
//!
//! ```
//! # use eagerflow as tf;
//! # let path = std::env::temp_dir().join(format!("eagerflow-crate-page-{}", std::process::id()));
//! let v = tf::Variable::new(3.0);
//! let checkpoint = tf::train::Checkpoint::new().with("v", &v);
//! checkpoint.write(&path)?;
//! v.assign(0.0);
//! checkpoint.read(&path)?.assert_consumed();
//! assert_eq!(v.value().item::<f32>(), 3.0);
//! # for end in [".index", ".data-00000-of-00001"] {
//! #     std::fs::remove_file(format!("{}{end}", path.display())).unwrap();
//! # }
//! # Ok::<(), tf::Error>(())
//! ```
//!
//! # Devices and settings
//!
//! [`device`](fn@device) places operations, [`list_physical_devices`] tells what there is, [`config`] has the settings of the process,
//! [`memory`] what tensors hold. Guide: [`guides::devices`].
//!
//! ```
//! # use eagerflow as tf;
//! let _on_cpu = tf::device("/cpu:0");
//! assert_eq!(tf::ones([2]).device().to_string(), "/device:CPU:0");
//! ```
//!
//! # Errors
//!
//! [`Error`] and [`Result`]; [`debugging`] has assertions. Guide: [`guides::errors`].

// The macros name this crate from outside, also in its own tests.
#[allow(unused_extern_crates, reason = "only what the macros make uses it")]
extern crate self as eagerflow;

pub mod activations;
pub mod audio;
pub mod callbacks;
pub mod constraints;
pub mod data;
mod functions;
pub mod guides;
pub mod image;
pub mod initializers;
pub mod io;
pub mod keras;
pub mod layers;
pub mod losses;
pub mod metrics;
pub mod models;
mod namespaces;
pub mod optim;
pub mod regularizers;
pub mod shared;
mod short_forms;
pub mod summary;
pub mod train;
pub mod training;
pub mod viz;
#[cfg(test)]
kernels::unit_tests_are_users!();

#[doc(hidden)]
pub use engine::__measure;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use engine::__testing;

pub use eagerflow_macros::model;
pub use engine::s;
#[doc(inline)]
pub use engine::{
    AsTensor, AsTensors, Axes, Closure, Complex, Copies, DType, DTypes, Device, DeviceGuard, DeviceKind,
    Differentiable, Dim, Duplicate, Element, Error, FieldOptions, Fields, ForwardAccumulator, FunctionInfo,
    GradientOptions, GradientTape, Gradients, IndexedRows, InputSpec, IntoAxes, IntoTensor, LazyVariable, Leaves,
    Literal, LossFunction, Module, NameScope, Nest, Nested, Number, Operand, Padding, Pair, ParamCount, PerAxis,
    PersistentTape, Report, Result, Shape, Signature, Sliding, Source, Sources, StopRecording, Submodule, Tensor,
    TensorArray, TensorFunction, TensorType, ToOperand, UnconnectedGradients, Variable, Watch, bf16, bfloat16, bool_,
    build, complex64, complex128, config, constant, constant_of, custom_gradient, debugging, device, executing_eagerly,
    f16, float16, float32, float64, function, gradients_function, implicit_gradients, implicit_value_and_gradients,
    init_scope, int8, int16, int32, int64, keep_dims, list_physical_devices, memory, name_scope, profile, random,
    shape, string, strings, tf_function, try_build, try_constant, try_constant_of, try_device, uint8, uint16, uint32,
    uint64, value_and_gradients_function,
};
#[doc(hidden)]
pub use engine::{TensorRef, Tensors};
pub use functions::*;
pub use layers::{input, input_of};
pub use models::{Functional, Model, Sequential, Weights, summary};
pub use namespaces::{bitwise, linalg, math, nn, signal};
pub use ndarray;

/// What the short forms expand to; not for other use.
#[doc(hidden)]
pub use eagerflow_macros::__call;
#[doc(hidden)]
pub use short_forms::{
    __attention, __axes, __bincount, __cumulative, __diag, __diag_part, __frame, __mdct, __set_diag, __stft, __weights,
};

/// What the macros' generated code names; not for other use.
#[doc(hidden)]
pub use engine::__rt;

/// What `#[model]` makes code of; not for other use.
#[doc(hidden)]
pub use models::called as __model;
