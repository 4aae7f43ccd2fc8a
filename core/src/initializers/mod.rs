//! How variables start: constants, and random numbers whose spread follows from the shape. Keras's initializers by their names.
//! Layers take one for each variable, as an object or by name; [`Initializer`] is the trait for one's own.

mod constants;
mod matrices;
mod scaling;

pub use constants::{Constant, Ones, RandomNormal, RandomUniform, TruncatedNormal, Zeros};
pub use matrices::{Identity, Orthogonal};
pub use scaling::{
    Distribution, Fan, GlorotNormal, GlorotUniform, HeNormal, HeUniform, LecunNormal, LecunUniform, VarianceScaling,
};

use crate::shared::{Shared, shared_objects, unknown};
use engine::random;
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{IntoShape, Shape};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first value of a variable.
///
/// Random ones draw from the global stream, which `tf::random::set_seed` sets; with a seed of their own they give the same numbers
/// whenever they are called.
///
/// ```
/// use eagerflow as tf;
/// use tf::initializers::{GlorotUniform, Initializer};
/// use tf::{Result, Tensor, TensorType, layers::Dense};
///
/// let kernel = GlorotUniform::new().call([300, 300], tf::DType::F32);
/// let limit = (6.0f32 / 600.0).sqrt();
/// assert!(kernel.to_vec::<f32>().iter().all(|w| w.abs() <= limit));
///
/// /// An initializer of one's own.
/// #[derive(Debug)]
/// struct Ramp;
///
/// impl Initializer for Ramp {
///     fn name(&self) -> &str {
///         "ramp"
///     }
///     fn make(&self, ty: &TensorType) -> Result<Tensor> {
///         tf::range(0.0, ty.shape.num_elements() as f64, 1.0).try_reshape(ty.shape)
///     }
/// }
///
/// let layer = Dense::new(2).kernel_initializer(Ramp).bias_initializer("ones");
/// assert_eq!(layer.call(tf::constant([[1.0, 1.0]])).to_vec::<f32>(), [3.0, 5.0]);
/// ```
pub trait Initializer: fmt::Debug + Send + Sync {
    /// Keras's name, such as `"glorot_uniform"`.
    fn name(&self) -> &str;

    /// A tensor of the type to start from.
    ///
    /// # Errors
    /// InvalidArgument for random numbers of a dtype that is not floating, or a shape that the initializer does not make;
    /// ResourceExhausted without memory.
    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor>;

    /// As [`make`](Self::make), for a kernel whose axes of inputs and of outputs the layer knows, which an initializer that goes by
    /// the number of these counts.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    #[track_caller]
    fn make_between(&self, ty: &TensorType, inputs: &[usize], outputs: &[usize]) -> Result<Tensor> {
        let _ = (inputs, outputs);
        self.make(ty)
    }

    /// An error where the options are out of range; a layer asks when it is given the initializer.
    ///
    /// # Errors
    /// InvalidArgument with the option.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// A tensor to start from.
    ///
    /// # Panics
    /// As [`try_call`](Self::try_call) fails, at the caller's line.
    #[track_caller]
    fn call(&self, shape: impl IntoShape, dtype: DType) -> Tensor
    where
        Self: Sized,
    {
        self.try_call(shape, dtype).or_fail()
    }

    /// A tensor to start from.
    ///
    /// # Errors
    /// InvalidArgument for a negative size, options that are out of range, and as [`make`](Self::make).
    #[track_caller]
    fn try_call(&self, shape: impl IntoShape, dtype: DType) -> Result<Tensor>
    where
        Self: Sized,
    {
        let here = Location::caller();
        self.check().map_err(|e| e.at(here))?;
        let shape = shape.into_shape().map_err(|e| e.in_op(self.name()).at(here))?;
        self.make(&TensorType::new(dtype, shape)).map_err(|e| e.at(here))
    }
}

shared_objects!(Initializer, get);

/// A closure of the type as an initializer.
///
/// ```
/// use eagerflow as tf;
/// use tf::{initializers, layers::Dense};
/// let layer = Dense::new(1).kernel_initializer(initializers::from_fn(|ty| tf::fill(ty.shape, 0.5f32)));
/// assert_eq!(layer.call(tf::ones([1, 4])).to_vec::<f32>(), [2.0]);
/// ```
pub fn from_fn(function: impl Fn(&TensorType) -> Tensor + Send + Sync + 'static) -> Shared<dyn Initializer> {
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

impl<F: Fn(&TensorType) -> Tensor + Send + Sync> Initializer for Function<F> {
    fn name(&self) -> &str {
        "from_fn"
    }

    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        let made = (self.function)(ty);
        match engine::library::Typed::ty(&made) == ty {
            true => Ok(made),
            false => Err(Error::invalid_argument("initializer", "the closure gave another type than it was asked for")
                .got(engine::library::Typed::ty(&made))
                .expected(ty)),
        }
    }
}

/// Writes the names of initializers with their defaults.
macro_rules! names {
    ($($name:literal => $initializer:expr,)*) => {
        /// All names, Keras's.
        const NAMES: &[&str] = &[$($name),*];

        /// The initializer of a name, with its defaults: Keras's `initializers.get`.
        ///
        /// ```
        /// use eagerflow as tf;
        /// assert_eq!(tf::initializers::get("he_normal")?.name(), "he_normal");
        /// # Ok::<(), tf::Error>(())
        /// ```
        ///
        /// # Errors
        /// InvalidArgument for a name that is not known, with those that are near to it.
        pub fn get(name: &str) -> Result<Shared<dyn Initializer>> {
            use crate::shared::IntoShared;
            match name {
                $($name => $initializer.into_shared(),)*
                _ => Err(unknown("initializer", name, NAMES)),
            }
        }
    };
}

names! {
    "constant" => Constant::new(0.0),
    "glorot_normal" => GlorotNormal::new(),
    "glorot_uniform" => GlorotUniform::new(),
    "he_normal" => HeNormal::new(),
    "he_uniform" => HeUniform::new(),
    "identity" => Identity::new(),
    "lecun_normal" => LecunNormal::new(),
    "lecun_uniform" => LecunUniform::new(),
    "ones" => Ones,
    "orthogonal" => Orthogonal::new(),
    "random_normal" => RandomNormal::new(),
    "random_uniform" => RandomUniform::new(),
    "truncated_normal" => TruncatedNormal::new(),
    "variance_scaling" => VarianceScaling::new(),
    "zeros" => Zeros,
}

/// How random numbers are spread, and where they come from: the global stream, or a seed.
#[derive(Clone, Copy, Debug)]
enum Law {
    Even(f64, f64),
    Bell(f64, f64),
    Truncated(f64, f64),
}

impl Law {
    /// Numbers of the type.
    #[track_caller]
    fn draw(self, ty: &TensorType, seed: Option<i64>) -> Result<Tensor> {
        let (shape, dtype) = (ty.shape, ty.dtype);
        let Some(seed) = seed else {
            return match self {
                Self::Even(low, high) => random::try_uniform(shape, low, high, dtype, None),
                Self::Bell(mean, stddev) => random::try_normal(shape, mean, stddev, dtype, None),
                Self::Truncated(mean, stddev) => random::try_truncated_normal(shape, mean, stddev, dtype, None),
            };
        };
        let seed = Tensor::from([seed, 0]);
        match self {
            Self::Even(low, high) => random::try_stateless_uniform(shape, &seed, low, high, dtype),
            Self::Bell(mean, stddev) => random::try_stateless_normal(shape, &seed, mean, stddev, dtype),
            Self::Truncated(mean, stddev) => random::try_stateless_truncated_normal(shape, &seed, mean, stddev, dtype),
        }
    }
}

/// A seed as the option of an initializer.
macro_rules! seeded {
    ($type:ident) => {
        impl $type {
            /// The seed: the same numbers whenever the initializer is called.
            #[must_use]
            pub fn seed(mut self, seed: i64) -> Self {
                self.seed = Some(seed);
                self
            }
        }
    };
}
use seeded;

/// Inputs and outputs of a unit, by Keras's rule: the last two sizes, times the window of a convolution before them.
fn fans(shape: &Shape) -> (f64, f64) {
    let number = |n: usize| n as f64;
    match shape.dims() {
        [] => (1.0, 1.0),
        [n] => (number(*n), number(*n)),
        [window @ .., inputs, outputs] => {
            let window: f64 = window.iter().map(|&n| number(n)).product();
            (window * number(*inputs), window * number(*outputs))
        }
    }
}
