//! The `stateless_*` functions whose parameters are tensors: gamma, Poisson, binomial and categorical numbers, TensorFlow's.
//! User code calls them with seeds of its own.

use super::IntoSeed;
use crate::execute::execute1;
use crate::ops::{self, AsTensor, ParameterDraw, Process};
use crate::tensor::Tensor;
use kernels::dtype::{DType, f16};
use kernels::error::{OnTheWay, OrFail, Result};
use kernels::shape::{Constraints, Dim, IntoDim, IntoShape, Shape, broadcast};
use std::panic::Location;

/// A draw that lacks its seed alone.
pub(super) struct Ready {
    op: ParameterDraw,
    given: Vec<Tensor>,
    /// What gamma numbers are divided by.
    beta: Option<Tensor>,
}

impl Ready {
    fn new(process: Process, shape: Shape, dtype: DType, given: Vec<Tensor>) -> Self {
        Self { op: ParameterDraw { process, shape, dtype }, given, beta: None }
    }

    /// The same, or an error for parameters that the draw would refuse: a state must not move on for them.
    pub fn checked(self) -> Result<Self> {
        self.op.check(&self.given)?;
        Ok(self)
    }

    #[track_caller]
    pub fn draw(&self, seed: &Tensor) -> Result<Tensor> {
        let inputs: Vec<&Tensor> = std::iter::once(seed).chain(&self.given).collect();
        let drawn = execute1(&self.op, &inputs)?;
        let Some(beta) = &self.beta else { return Ok(drawn) };
        let least = match drawn.dtype() {
            DType::F16 => f16::MIN_POSITIVE.to_f64(),
            DType::F64 => f64::MIN_POSITIVE,
            _ => f64::from(f32::MIN_POSITIVE),
        };
        let scaled = crate::try_divide(&drawn, beta)?;
        crate::try_maximum(&scaled, &ops::cast_to(&Tensor::from(least), drawn.dtype())?)
    }
}

/// How the shape of a result follows from the shape that is given and the parameters'.
#[derive(Clone, Copy)]
pub(super) enum Sizes {
    /// The given shape is the result's.
    Whole,
    /// So many numbers for each parameter, whose shape follows.
    Each,
}

/// The shape of two tensors together.
fn together(name: &'static str, a: &Tensor, b: &Tensor) -> Result<Shape> {
    broadcast(a.shape(), b.shape(), &mut Constraints::default()).map_err(|e| e.in_op(name))
}

impl Sizes {
    fn of(self, shape: Shape, parameters: &Shape) -> Result<Shape> {
        match self {
            Self::Whole => Ok(shape),
            Self::Each => Shape::from_dims(&[shape.sizes(), parameters.sizes()].concat()),
        }
    }
}

#[track_caller]
pub(super) fn gamma(
    name: &'static str,
    shape: Result<Shape>,
    wanted: Sizes,
    alpha: &Tensor,
    beta: &Tensor,
) -> Result<Ready> {
    let whole = together(name, alpha, beta)?;
    let given = vec![ops::broadcast_to_shape(alpha, &whole)?];
    let ready = Ready::new(Process::Gamma, wanted.of(shape?, &whole)?, alpha.dtype(), given);
    if alpha.dtype() != beta.dtype() {
        // Refuses two dtypes before anything is drawn.
        crate::try_divide(alpha, beta)?;
    }
    Ok(Ready { beta: Some(beta.clone()), ..ready })
}

#[track_caller]
pub(super) fn poisson(shape: Result<Shape>, wanted: Sizes, lam: &Tensor, dtype: DType) -> Result<Ready> {
    let lam = match lam.dtype() {
        DType::I32 | DType::I64 => ops::cast_to(lam, DType::F64)?,
        _ => lam.clone(),
    };
    let shape = wanted.of(shape?, lam.shape())?;
    Ok(Ready::new(Process::Poisson, shape, dtype, vec![lam]))
}

#[track_caller]
pub(super) fn binomial(
    name: &'static str,
    shape: Result<Shape>,
    counts: &Tensor,
    probs: &Tensor,
    dtype: DType,
) -> Result<Ready> {
    let whole = together(name, counts, probs)?;
    // Refuses two dtypes, which broadcasting alone would not.
    let probs = ops::cast_to(probs, crate::try_multiply(counts, probs)?.dtype())?;
    let given = vec![ops::broadcast_to_shape(counts, &whole)?, ops::broadcast_to_shape(&probs, &whole)?];
    Ok(Ready::new(Process::Binomial, shape?, dtype, given))
}

pub(super) fn categorical(logits: &Tensor, num_samples: Result<Dim>, dtype: DType) -> Result<Ready> {
    let rows = logits.shape().sizes().first().copied().unwrap_or(Dim::ONE);
    let shape = Shape::from_dims(&[rows, num_samples?])?;
    Ok(Ready::new(Process::Categorical, shape, dtype, vec![logits.clone()]))
}

/// Gamma numbers with shape `alpha` and inverse scale `beta`, of their dtype: `float16`, `float32` or `float64`.
///
/// `alpha` and `beta` broadcast together, and `shape` must end with the shape that they have then. The numbers depend on both in a way that
/// gradients follow (implicit reparameterisation). None is below the smallest normal number of the dtype.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::random::stateless_gamma([2, 3], [1, 2], &tf::constant([0.5, 1.0, 2.0]), &tf::constant(1.0));
/// assert!(x.shape() == [2, 3] && x.to_vec::<f32>().iter().all(|&x| x > 0.0));
/// ```
///
/// # Panics
/// As [`try_stateless_gamma`] fails.
#[track_caller]
pub fn stateless_gamma(
    shape: impl IntoShape,
    seed: impl IntoSeed,
    alpha: impl AsTensor,
    beta: impl AsTensor,
) -> Tensor {
    try_stateless_gamma(shape, seed, alpha, beta).or_fail()
}

/// Gamma numbers with shape `alpha` and inverse scale `beta`.
///
/// # Errors
/// InvalidArgument for a bad shape, seed or dtype, or a shape that does not end with that of the parameters.
#[track_caller]
pub fn try_stateless_gamma(
    shape: impl IntoShape,
    seed: impl IntoSeed,
    alpha: impl AsTensor,
    beta: impl AsTensor,
) -> Result<Tensor> {
    const OP: &str = "stateless_gamma";
    let here = Location::caller();
    let (alpha, beta) = (alpha.as_tensor(), beta.as_tensor());
    let drawn = || {
        let ready = gamma(OP, shape.into_shape(), Sizes::Whole, &alpha, &beta)?;
        ready.draw(&seed.seed_tensor())
    };
    drawn().map_err(|e| e.named(OP).at(here))
}

/// Poisson numbers of the rates `lam`, a tensor of `float16`, `float32`, `float64`, `int32` or `int64` whose shape ends `shape`.
///
/// The result is `float16`, `float32`, `float64`, `int32` or `int64`. A rate that is NaN gives NaN, or 0 for integers.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::random::stateless_poisson([3], [1, 2], &tf::constant(3.0), tf::int32);
/// assert_eq!(x.to_vec::<i32>(), [5, 5, 4]);
/// ```
///
/// # Panics
/// As [`try_stateless_poisson`] fails.
#[track_caller]
pub fn stateless_poisson(shape: impl IntoShape, seed: impl IntoSeed, lam: impl AsTensor, dtype: DType) -> Tensor {
    try_stateless_poisson(shape, seed, lam, dtype).or_fail()
}

/// Poisson numbers of the rates `lam`.
///
/// # Errors
/// InvalidArgument for a bad shape, seed or dtype, or a shape that does not end with that of the rates.
#[track_caller]
pub fn try_stateless_poisson(
    shape: impl IntoShape,
    seed: impl IntoSeed,
    lam: impl AsTensor,
    dtype: DType,
) -> Result<Tensor> {
    let here = Location::caller();
    let lam = lam.as_tensor();
    let drawn = || {
        let ready = poisson(shape.into_shape(), Sizes::Whole, &lam, dtype)?;
        ready.draw(&seed.seed_tensor())
    };
    drawn().map_err(|e| e.named("stateless_poisson").at(here))
}

/// How many of `counts` trials succeed, each with probability `probs`: tensors of one floating dtype that broadcast together, and whose
/// shape then ends `shape`.
///
/// The result is `float16`, `float32`, `float64`, `int32` or `int64`. A probability that is NaN gives NaN, or 0 for integers.
///
/// ```
/// use eagerflow as tf;
/// let (counts, probs) = (tf::constant([5.0, 50.0]), tf::constant([0.5, 0.3]));
/// let x = tf::random::stateless_binomial([2, 2], [1, 2], &counts, &probs, tf::int32);
/// assert_eq!(x.to_vec::<i32>(), [3, 20, 3, 23]);
/// ```
///
/// # Panics
/// As [`try_stateless_binomial`] fails.
#[track_caller]
pub fn stateless_binomial(
    shape: impl IntoShape,
    seed: impl IntoSeed,
    counts: impl AsTensor,
    probs: impl AsTensor,
    output_dtype: DType,
) -> Tensor {
    try_stateless_binomial(shape, seed, counts, probs, output_dtype).or_fail()
}

/// How many of `counts` trials succeed.
///
/// # Errors
/// InvalidArgument for a bad shape, seed or dtype, or a shape that does not end with that of the parameters.
#[track_caller]
pub fn try_stateless_binomial(
    shape: impl IntoShape,
    seed: impl IntoSeed,
    counts: impl AsTensor,
    probs: impl AsTensor,
    output_dtype: DType,
) -> Result<Tensor> {
    const OP: &str = "stateless_binomial";
    let here = Location::caller();
    let (counts, probs) = (counts.as_tensor(), probs.as_tensor());
    let drawn = || {
        let ready = binomial(OP, shape.into_shape(), &counts, &probs, output_dtype)?;
        ready.draw(&seed.seed_tensor())
    };
    drawn().map_err(|e| e.named(OP).at(here))
}

/// For each row of `logits` (`[rows, classes]`) so many classes, each with the probability that the softmax of the row gives it:
/// `[rows, num_samples]` of `int32` or `int64`.
///
/// Logits that are not finite are never drawn; a row of such alone gives the number of classes, as in TensorFlow on a CPU. The numbers are
/// those of TensorFlow with one thread: with several its draws depend on how many there are.
///
/// ```
/// use eagerflow as tf;
/// let logits = tf::constant([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]);
/// let x = tf::random::stateless_categorical(&logits, 3, [1, 2], tf::int64);
/// assert_eq!(x.to_vec::<i64>(), [2, 2, 1, 1, 0, 0]);
/// ```
///
/// # Panics
/// As [`try_stateless_categorical`] fails.
#[track_caller]
pub fn stateless_categorical(
    logits: impl AsTensor,
    num_samples: impl IntoDim,
    seed: impl IntoSeed,
    dtype: DType,
) -> Tensor {
    try_stateless_categorical(logits, num_samples, seed, dtype).or_fail()
}

/// For each row of logits so many classes.
///
/// # Errors
/// InvalidArgument for logits that are no rows of classes, and a bad seed or dtype.
#[track_caller]
pub fn try_stateless_categorical(
    logits: impl AsTensor,
    num_samples: impl IntoDim,
    seed: impl IntoSeed,
    dtype: DType,
) -> Result<Tensor> {
    let here = Location::caller();
    let logits = logits.as_tensor();
    let drawn = || {
        let ready = categorical(&logits, num_samples.into_dim(), dtype)?;
        ready.draw(&seed.seed_tensor())
    };
    drawn().map_err(|e| e.named("stateless_categorical").at(here))
}
