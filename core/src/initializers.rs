//! How variables start: constants, and random numbers whose spread follows from the shape.
//! Keras's initializers by their names; layers call [`Initializer::variable`] when they are built.

use crate::dtype::DType;
use crate::error::{Error, OrFail, Result};
use crate::ops::functions;
use crate::shape::IntoShape;
use crate::tensor::{Tensor, TensorType};
use crate::variable::Variable;
use std::panic::Location;

/// The first value of a variable.
///
/// Random ones draw from the global stream, which `tf::random::set_seed` sets. "Fan in" and "fan out" are how many
/// inputs and outputs a unit has, as the kernel's shape tells.
///
/// ```
/// use eagerflow as tf;
/// use tf::initializers::Initializer;
/// let kernel = Initializer::GlorotUniform.call([300, 300], tf::DType::F32);
/// let limit = (6.0f32 / 600.0).sqrt();
/// assert!(kernel.to_vec::<f32>().iter().all(|w| w.abs() <= limit));
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Initializer {
    /// All zeros.
    Zeros,
    /// All ones.
    Ones,
    /// One number everywhere.
    Constant(f64),
    /// Even between ±√(6 / (fan in + fan out)).
    #[default]
    GlorotUniform,
    /// Truncated normal with variance 2 / (fan in + fan out).
    GlorotNormal,
    /// Even between ±√(6 / fan in).
    HeUniform,
    /// Truncated normal with variance 2 / fan in.
    HeNormal,
    /// Even between ±√(3 / fan in).
    LecunUniform,
    /// Truncated normal with variance 1 / fan in.
    LecunNormal,
    /// Even between two numbers.
    RandomUniform {
        /// The least value.
        minval: f64,
        /// The value that all stay below.
        maxval: f64,
    },
    /// Normal.
    RandomNormal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        stddev: f64,
    },
    /// Normal, without what lies over two standard deviations from the mean.
    TruncatedNormal {
        /// The mean before the truncation.
        mean: f64,
        /// The standard deviation before the truncation.
        stddev: f64,
    },
}

/// The standard deviation of a standard normal distribution truncated at two.
const TRUNCATED: f64 = 0.879_625_661_034_239_8;

impl Initializer {
    /// A tensor to start from.
    ///
    /// # Panics
    /// As [`try_call`](Self::try_call) fails.
    #[track_caller]
    pub fn call(self, shape: impl IntoShape, dtype: DType) -> Tensor {
        self.try_call(shape, dtype).or_fail()
    }

    /// A tensor to start from.
    ///
    /// # Errors
    /// InvalidArgument for a negative size, or random numbers of a dtype that is not floating; ResourceExhausted
    /// without memory.
    #[track_caller]
    pub fn try_call(self, shape: impl IntoShape, dtype: DType) -> Result<Tensor> {
        let here = Location::caller();
        let shape = shape.into_shape().map_err(|e| e.in_op("initializer").at(here))?;
        self.make(&TensorType::new(dtype, shape)).map_err(|e| e.at(here))
    }

    #[track_caller]
    fn make(self, ty: &TensorType) -> Result<Tensor> {
        let even = |limit: f64| random::uniform(ty, -limit, limit);
        let bell = |variance: f64| random::truncated_normal(ty, 0.0, variance.sqrt() / TRUNCATED);
        let (fan_in, fan_out) = fans(ty.shape.dims());
        match self {
            Self::Zeros => functions::try_zeros(ty.shape, ty.dtype),
            Self::Ones => functions::try_ones(ty.shape, ty.dtype),
            Self::Constant(value) => crate::ops::fill_with(ty, value),
            Self::GlorotUniform => even((6.0 / (fan_in + fan_out).max(1.0)).sqrt()),
            Self::GlorotNormal => bell(2.0 / (fan_in + fan_out).max(1.0)),
            Self::HeUniform => even((6.0 / fan_in.max(1.0)).sqrt()),
            Self::HeNormal => bell(2.0 / fan_in.max(1.0)),
            Self::LecunUniform => even((3.0 / fan_in.max(1.0)).sqrt()),
            Self::LecunNormal => bell(1.0 / fan_in.max(1.0)),
            Self::RandomUniform { minval, maxval } => random::uniform(ty, minval, maxval),
            Self::RandomNormal { mean, stddev } => random::normal(ty, mean, stddev),
            Self::TruncatedNormal { mean, stddev } => random::truncated_normal(ty, mean, stddev),
        }
    }

    /// A trainable variable of a layer.
    #[track_caller]
    pub(crate) fn variable(self, shape: &[usize], dtype: DType, name: &str) -> Result<Variable> {
        if !dtype.is_floating() {
            return Err(Error::invalid_argument(name, "a layer's variables must be floating-point").got(dtype));
        }
        Ok(Variable::with(self.try_call(shape, dtype)?, name, true))
    }
}

/// Inputs and outputs of a unit, by Keras's rule: the last two sizes, times the window of a convolution before them.
fn fans(dims: &[usize]) -> (f64, f64) {
    let number = |n: usize| n as f64;
    match dims {
        [] => (1.0, 1.0),
        [n] => (number(*n), number(*n)),
        [window @ .., inputs, outputs] => {
            let window: f64 = window.iter().map(|&n| number(n)).product();
            (window * number(*inputs), window * number(*outputs))
        }
    }
}

/// Draws from the global stream.
mod random {
    use crate::backend::cpu::philox;
    use crate::backend::cpu::philox::OpSeeds;
    use crate::error::Result;
    use crate::tensor::{Tensor, TensorType};
    use std::sync::{LazyLock, Mutex};
    static SEEDS: LazyLock<Mutex<OpSeeds>> = LazyLock::new(|| Mutex::new(OpSeeds::new(42)));
    fn draw(ty: &TensorType, f: impl Fn(philox::Philox, &mut [f32])) -> Result<Tensor> {
        let n = ty.shape.num_elements();
        let mut out = vec![0f32; n];
        let mut g = SEEDS.lock().unwrap_or_else(|e| e.into_inner()).next_stream();
        f(g.draw(n as u64), &mut out);
        crate::ops::cast_to(&Tensor::try_from_vec(out, ty.shape)?, ty.dtype)
    }
    pub fn uniform(ty: &TensorType, low: f64, high: f64) -> Result<Tensor> {
        draw(ty, |s, out| philox::uniform(s, 0, (high - low) as f32, low as f32, out))
    }
    pub fn truncated_normal(ty: &TensorType, mean: f64, stddev: f64) -> Result<Tensor> {
        draw(ty, |s, out| philox::truncated_normal(s, 0, stddev as f32, mean as f32, out))
    }
    pub fn normal(ty: &TensorType, mean: f64, stddev: f64) -> Result<Tensor> {
        draw(ty, |s, out| philox::normal(s, 0, stddev as f32, mean as f32, out))
    }
}
