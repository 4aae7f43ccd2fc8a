//! Activations: functions that layers apply to their outputs, with Keras's names, options and defaults.
//! Layers take one as an option, as an object, by name, or as a closure; [`Activation`] is the trait for one's own.

mod elementwise;
mod rows;

pub use elementwise::{
    Celu, Elu, Exponential, Gelu, HardShrink, HardSigmoid, HardSilu, HardTanh, LeakyRelu, Linear, LogSigmoid, Mish,
    Relu, Relu6, Selu, Sigmoid, Silu, SoftShrink, Softplus, Softsign, SparsePlus, SparseSigmoid, Squareplus, Tanh,
    TanhShrink, Threshold,
};
pub use rows::{Glu, LogSoftmax, Softmax, Sparsemax};

use crate::shared::{Shared, shared_objects, unknown};
use engine::Tensor;
use kernels::error::{OrFail, Result};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A function that a layer applies to its output.
///
/// ```
/// use eagerflow as tf;
/// use tf::activations::{Activation, Relu};
/// use tf::{Result, Tensor, layers::Dense};
///
/// assert_eq!(Relu::new().call(&tf::constant([-1.0, 2.0])).to_vec::<f32>(), [0.0, 2.0]);
///
/// /// An activation of one's own.
/// #[derive(Debug)]
/// struct Snake {
///     frequency: f32,
/// }
///
/// impl Activation for Snake {
///     fn name(&self) -> &str {
///         "snake"
///     }
///     fn apply(&self, x: &Tensor) -> Result<Tensor> {
///         Ok(x + (x * self.frequency).sin().square() / self.frequency)
///     }
/// }
///
/// let layer = Dense::new(4).activation(Snake { frequency: 2.0 });
/// assert_eq!(layer.call(tf::ones([1, 3])).shape(), [1, 4]);
/// ```
pub trait Activation: fmt::Debug + Send + Sync {
    /// Keras's name, such as `"relu"`.
    fn name(&self) -> &str;

    /// The function of a tensor.
    ///
    /// # Errors
    /// InvalidArgument for a dtype that the function does not take.
    #[track_caller]
    fn apply(&self, x: &Tensor) -> Result<Tensor>;

    /// The same as [`apply`](Self::apply).
    ///
    /// # Panics
    /// As [`apply`](Self::apply) fails, at the caller's line.
    #[track_caller]
    fn call(&self, x: &Tensor) -> Tensor {
        let here = Location::caller();
        self.apply(x).map_err(|e| e.at(here)).or_fail()
    }

    /// An error where the options are out of range; a layer asks when it is given the activation.
    ///
    /// # Errors
    /// InvalidArgument with the option.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Whether the values stay as they are.
    #[doc(hidden)]
    fn is_linear(&self) -> bool {
        false
    }
}

shared_objects!(Activation, get);

/// A closure as an activation.
///
/// ```
/// use eagerflow as tf;
/// use tf::{activations, layers::Dense};
/// let layer = Dense::new(1).activation(activations::from_fn(|x| x * 2.0)).kernel_initializer("ones");
/// assert_eq!(layer.call(tf::ones([1, 3])).to_vec::<f32>(), [6.0]);
/// ```
pub fn from_fn(function: impl Fn(&Tensor) -> Tensor + Send + Sync + 'static) -> Shared<dyn Activation> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Shared::new(Arc::new(Function { function, number }), "from_fn")
}

/// A closure and its number, by which it is told from others.
struct Function<F> {
    function: F,
    number: u64,
}

impl<F> fmt::Debug for Function<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from_fn({})", self.number)
    }
}

impl<F: Fn(&Tensor) -> Tensor + Send + Sync> Activation for Function<F> {
    fn name(&self) -> &str {
        "from_fn"
    }

    #[track_caller]
    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        Ok((self.function)(x))
    }
}

/// Writes the names of activations with their defaults.
macro_rules! names {
    ($($name:literal => $activation:expr,)*) => {
        /// All names, Keras's.
        const NAMES: &[&str] = &[$($name),*];

        /// The activation of a name, with its defaults: Keras's `activations.get`.
        ///
        /// ```
        /// use eagerflow as tf;
        /// let swish = tf::activations::get("swish")?;
        /// assert_eq!(swish.name(), "silu");
        /// # Ok::<(), tf::Error>(())
        /// ```
        ///
        /// # Errors
        /// InvalidArgument for a name that is not known, with those that are near to it.
        pub fn get(name: &str) -> Result<Shared<dyn Activation>> {
            use crate::shared::IntoShared;
            match name {
                $($name => $activation.into_shared(),)*
                _ => Err(unknown("activation", name, NAMES)),
            }
        }
    };
}

names! {
    "celu" => Celu::new(),
    "elu" => Elu::new(),
    "exponential" => Exponential::new(),
    "gelu" => Gelu::new(),
    "glu" => Glu::new(),
    "hard_shrink" => HardShrink::new(),
    "hard_sigmoid" => HardSigmoid::new(),
    "hard_silu" => HardSilu::new(),
    "hard_swish" => HardSilu::new(),
    "hard_tanh" => HardTanh::new(),
    "leaky_relu" => LeakyRelu::new(),
    "linear" => Linear::new(),
    "log_sigmoid" => LogSigmoid::new(),
    "log_softmax" => LogSoftmax::new(),
    "mish" => Mish::new(),
    "relu" => Relu::new(),
    "relu6" => Relu6::new(),
    "selu" => Selu::new(),
    "sigmoid" => Sigmoid::new(),
    "silu" => Silu::new(),
    "soft_shrink" => SoftShrink::new(),
    "softmax" => Softmax::new(),
    "softplus" => Softplus::new(),
    "softsign" => Softsign::new(),
    "sparse_plus" => SparsePlus::new(),
    "sparse_sigmoid" => SparseSigmoid::new(),
    "sparsemax" => Sparsemax::new(),
    "squareplus" => Squareplus::new(),
    "swish" => Silu::new(),
    "tanh" => Tanh::new(),
    "tanh_shrink" => TanhShrink::new(),
    "threshold" => Threshold::new(),
}

/// Writes an activation: its options with their defaults, its name, and the function.
macro_rules! activation {
    ($(#[$doc:meta])* $type:ident, $name:literal, { $($(#[$option_doc:meta])* $option:ident: $ty:ty = $default:expr),* $(,)? }, |$this:ident, $x:ident| $body:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $type {
            $($option: $ty,)*
        }

        impl $type {
            /// With Keras's defaults.
            pub const fn new() -> Self {
                Self { $($option: $default,)* }
            }

            $(
                $(#[$option_doc])*
                #[must_use]
                pub const fn $option(mut self, $option: $ty) -> Self {
                    self.$option = $option;
                    self
                }
            )*
        }

        impl Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $crate::activations::Activation for $type {
            fn name(&self) -> &str {
                $name
            }

            #[track_caller]
            fn apply(&self, $x: &engine::Tensor) -> kernels::error::Result<engine::Tensor> {
                let $this = self;
                let _ = $this;
                $body
            }

            fn is_linear(&self) -> bool {
                $name == "linear"
            }
        }
    };
}
use activation;
