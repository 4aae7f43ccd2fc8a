//! The functions that draw gamma, Poisson and categorical numbers from the global random state.
//! User code calls them; each takes a seed from the stream of its call and draws as the stateless function of the same law.

use super::global::next_seed;
use super::parameters::{self, Ready, Sizes};
use crate::ops::AsTensor;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{OnTheWay, OrFail, Result};
use kernels::shape::{IntoDim, IntoShape};
use std::panic::Location;

/// Draws what is ready, unless it would be refused.
#[track_caller]
fn drawn(name: &'static str, ready: Result<Ready>, seed: Option<i64>) -> Result<Tensor> {
    let here = Location::caller();
    let drawn = match ready.and_then(Ready::checked) {
        // Not in a closure: traced draws are told apart by the caller's line.
        Ok(ready) => match next_seed(seed) {
            Ok(seed) => ready.draw(&seed),
            Err(e) => Err(e),
        },
        Err(e) => Err(e),
    };
    drawn.map_err(|e| e.named(name).at(here))
}

/// `shape` gamma numbers for each `alpha` (shape) and `beta` (inverse scale), which broadcast together, of their dtype: `float16`,
/// `float32` or `float64`. The result has `shape` and then that of the parameters.
///
/// Gradients flow to both parameters, as in [`stateless_gamma`](super::stateless_gamma).
///
/// ```
/// use eagerflow as tf;
/// let x = tf::random::gamma([5], &tf::constant([0.5, 1.5, 2.0]), &tf::constant(1.0));
/// assert!(x.shape() == [5, 3] && x.to_vec::<f32>().iter().all(|&x| x > 0.0));
/// ```
///
/// # Panics
/// As [`try_gamma`] fails.
#[track_caller]
pub fn gamma(shape: impl IntoShape, alpha: impl AsTensor, beta: impl AsTensor) -> Tensor {
    try_gamma(shape, alpha, beta, None).or_fail()
}

/// [`gamma`], optionally with a seed of its own.
///
/// # Errors
/// InvalidArgument for a bad shape or dtype, before anything is drawn.
#[track_caller]
pub fn try_gamma(
    shape: impl IntoShape,
    alpha: impl AsTensor,
    beta: impl AsTensor,
    seed: Option<i64>,
) -> Result<Tensor> {
    let (alpha, beta) = (alpha.as_tensor(), beta.as_tensor());
    drawn("gamma", parameters::gamma("gamma", shape.into_shape(), Sizes::Each, &alpha, &beta), seed)
}

/// `shape` Poisson numbers for each rate of `lam`, `float32`: the result has `shape` and then that of the rates.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::random::poisson([5], &tf::constant([0.5, 30.0]));
/// assert!(x.shape() == [5, 2] && x.to_vec::<f32>().iter().all(|&x| x >= 0.0 && x.fract() == 0.0));
/// ```
///
/// # Panics
/// As [`try_poisson`] fails.
#[track_caller]
pub fn poisson(shape: impl IntoShape, lam: impl AsTensor) -> Tensor {
    try_poisson(shape, lam, DType::F32, None).or_fail()
}

/// [`poisson`] of another dtype, and optionally with a seed of its own.
///
/// # Errors
/// InvalidArgument for a bad shape or dtype, before anything is drawn.
#[track_caller]
pub fn try_poisson(shape: impl IntoShape, lam: impl AsTensor, dtype: DType, seed: Option<i64>) -> Result<Tensor> {
    let lam = lam.as_tensor();
    drawn("poisson", parameters::poisson(shape.into_shape(), Sizes::Each, &lam, dtype), seed)
}

/// For each row of `logits` so many classes, each with the probability that the softmax of the row gives it: `[rows, num_samples]`,
/// `int64`.
///
/// ```
/// use eagerflow as tf;
/// let sure = tf::constant([[0.0, 100.0, 0.0], [100.0, 0.0, 0.0]]);
/// assert_eq!(tf::random::categorical(&sure, 2).to_vec::<i64>(), [1, 1, 0, 0]);
/// ```
///
/// # Panics
/// As [`try_categorical`] fails.
#[track_caller]
pub fn categorical(logits: impl AsTensor, num_samples: impl IntoDim) -> Tensor {
    try_categorical(logits, num_samples, DType::I64, None).or_fail()
}

/// [`categorical`] as `int32` or `int64`, and optionally with a seed of its own.
///
/// # Errors
/// InvalidArgument for logits that are no rows of classes, or another dtype, before anything is drawn.
#[track_caller]
pub fn try_categorical(
    logits: impl AsTensor,
    num_samples: impl IntoDim,
    dtype: DType,
    seed: Option<i64>,
) -> Result<Tensor> {
    let logits = logits.as_tensor();
    drawn("categorical", parameters::categorical(&logits, num_samples.into_dim(), dtype), seed)
}
