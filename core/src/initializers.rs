//! How variables start: constants, and random numbers whose spread follows from the shape.
//! Keras's initializers by their names; layers call `Initializer::create` when they are built.

use engine::library::options::{finite, magnitude};
use engine::random;
use engine::{LazyVariable, Variable};
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{IntoShape, Shape};
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
    /// InvalidArgument for a negative size, random numbers of a dtype that is not floating, or numbers that make no
    /// distribution, such as a negative standard deviation; ResourceExhausted without memory.
    #[track_caller]
    pub fn try_call(self, shape: impl IntoShape, dtype: DType) -> Result<Tensor> {
        let here = Location::caller();
        self.checked("initializer").map_err(|e| e.at(here))?;
        let shape = shape.into_shape().map_err(|e| e.in_op("initializer").at(here))?;
        self.make(&TensorType::new(dtype, shape)).map_err(|e| e.at(here))
    }

    #[track_caller]
    fn make(self, ty: &TensorType) -> Result<Tensor> {
        let (shape, dtype) = (ty.shape, ty.dtype);
        let (fan_in, fan_out) = fans(shape.dims());
        match self.law(fan_in, fan_out) {
            Law::Constant(value) => engine::library::fill_with(ty, value),
            Law::Even(low, high) => random::try_uniform(shape, low, high, dtype, None),
            Law::Bell(mean, stddev) => random::try_normal(shape, mean, stddev, dtype, None),
            Law::Truncated(mean, stddev) => random::try_truncated_normal(shape, mean, stddev, dtype, None),
        }
    }

    /// The initializer, if its numbers make a distribution.
    pub(crate) fn checked(self, owner: &str) -> Result<Self> {
        match self {
            Self::RandomUniform { minval, maxval } => {
                let (low, high) = (finite(owner, "minval", minval)?, finite(owner, "maxval", maxval)?);
                if low > high {
                    return Err(Error::invalid_argument(owner, "`minval` is above `maxval`")
                        .got(format!("minval {low}, maxval {high}")));
                }
            }
            Self::RandomNormal { mean, stddev } | Self::TruncatedNormal { mean, stddev } => {
                finite(owner, "mean", mean)?;
                magnitude(owner, "stddev", stddev)?;
            }
            _ => {}
        }
        Ok(self)
    }

    fn law(self, fan_in: f64, fan_out: f64) -> Law {
        let scaled = |scale: f64, fan: f64| scale / fan.max(1.0);
        let even = |third: f64| Law::Even(-(3.0 * third).sqrt(), (3.0 * third).sqrt());
        let bell = |variance: f64| Law::Truncated(0.0, variance.sqrt() / TRUNCATED);
        match self {
            Self::Zeros => Law::Constant(0.0),
            Self::Ones => Law::Constant(1.0),
            Self::Constant(value) => Law::Constant(value),
            Self::GlorotUniform => even(scaled(2.0, fan_in + fan_out)),
            Self::GlorotNormal => bell(scaled(2.0, fan_in + fan_out)),
            Self::HeUniform => even(scaled(2.0, fan_in)),
            Self::HeNormal => bell(scaled(2.0, fan_in)),
            Self::LecunUniform => even(scaled(1.0, fan_in)),
            Self::LecunNormal => bell(scaled(1.0, fan_in)),
            Self::RandomUniform { minval, maxval } => Law::Even(minval, maxval),
            Self::RandomNormal { mean, stddev } => Law::Bell(mean, stddev),
            Self::TruncatedNormal { mean, stddev } => Law::Truncated(mean, stddev),
        }
    }

    /// The trainable variable of a layer, in its place there.
    #[track_caller]
    pub(crate) fn create<'a>(
        self,
        place: &'a LazyVariable,
        shape: &[usize],
        dtype: DType,
        name: &str,
    ) -> Result<&'a Variable> {
        if !dtype.is_floating() {
            return Err(Error::invalid_argument(name, "a layer's variables must be floating-point").got(dtype));
        }
        let ty = TensorType::new(dtype, Shape::new(shape)?);
        place.get_or_create(name, &ty, || self.checked("initializer")?.make(&ty))
    }
}

/// The distributions behind the initializers: least and greatest value, or mean and standard deviation.
enum Law {
    Constant(f64),
    Even(f64, f64),
    Bell(f64, f64),
    Truncated(f64, f64),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fans_are_those_of_keras() {
        assert_eq!(fans(&[]), (1.0, 1.0));
        assert_eq!(fans(&[7]), (7.0, 7.0));
        assert_eq!(fans(&[20, 30]), (20.0, 30.0));
        assert_eq!(fans(&[3, 5, 4, 8]), (60.0, 120.0));
    }

    #[test]
    fn spreads_follow_the_shape() {
        use Initializer::*;
        let check = |initializer: Initializer, variance: f64, limit: f64| {
            let values = initializer.call([200, 300], DType::F64).to_vec::<f64>();
            let mean = values.iter().sum::<f64>() / 60_000.0;
            let found = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 60_000.0;
            // Four standard errors of a mean of 60,000 values; the variance of a variance is at most twice its square.
            assert!(mean.abs() < 4.0 * (variance / 60_000.0).sqrt(), "{initializer:?}: mean {mean}");
            assert!(
                (found / variance - 1.0).abs() < 4.0 * (2.0 / 60_000f64).sqrt(),
                "{initializer:?}: {found}, not {variance}"
            );
            assert!(values.iter().all(|x| x.abs() <= limit), "{initializer:?}");
        };
        let truncated = |variance: f64| 2.0 * variance.sqrt() / TRUNCATED;
        check(GlorotUniform, 2.0 / 500.0, (6.0f64 / 500.0).sqrt());
        check(GlorotNormal, 2.0 / 500.0, truncated(2.0 / 500.0));
        check(HeUniform, 2.0 / 200.0, (6.0f64 / 200.0).sqrt());
        check(HeNormal, 2.0 / 200.0, truncated(2.0 / 200.0));
        check(LecunUniform, 1.0 / 200.0, (3.0f64 / 200.0).sqrt());
        check(LecunNormal, 1.0 / 200.0, truncated(1.0 / 200.0));
        check(RandomUniform { minval: -3.0, maxval: 3.0 }, 3.0, 3.0);
        check(RandomNormal { mean: 0.0, stddev: 2.0 }, 4.0, f64::INFINITY);
        let truncated = TruncatedNormal { mean: 0.0, stddev: 2.0 };
        check(truncated, (2.0 * TRUNCATED).powi(2), 4.0);
    }

    #[test]
    fn constants_and_refusals() {
        assert_eq!(Initializer::Constant(1.5).call([2], DType::F16).to_vec::<crate::f16>().len(), 2);
        assert_eq!(Initializer::Ones.call((), DType::I32).item::<i32>(), 1);
        let text = Initializer::GlorotUniform.try_call([2, 2], DType::I32).unwrap_err().to_string();
        assert!(text.contains("int32") && text.contains("initializers.rs"), "{text}");
        assert!(Initializer::Zeros.try_call([-1], DType::F32).unwrap_err().to_string().contains("negative"));
        assert!(Initializer::Zeros.create(&LazyVariable::new(), &[1], DType::I32, "w").is_err());
    }
}
