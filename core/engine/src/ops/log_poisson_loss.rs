//! `log_poisson_loss`: exp(c) - z c for targets z and logarithms c of the rate, with Stirling's z log z - z + log(2 π z) / 2 for z above 1 if all is asked for.
//! TensorFlow's `tf.nn.log_poisson_loss`; one fused loop, differentiated by its meaning.

use super::AsTensor;
use super::functions::{try_exp, try_multiply, try_subtract};
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::scalar::{Scalar, Val};
use std::panic::Location;

/// Inputs: targets and logarithms of rates.
#[derive(Clone)]
struct LogPoissonLoss {
    full: bool,
}

impl Op for LogPoissonLoss {
    identity!("log_poisson_loss", { "full": Bool = |this| this.full });

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let (z, c) = (x[0], x[1]);
        let loss = s.sub(s.exp(c), s.mul(c, z));
        if !self.full {
            return loss;
        }
        let (zero, one) = (s.number(z, 0.0), s.number(z, 1.0));
        let root = s.mul(s.number(z, 0.5), s.log(s.mul(s.number(z, std::f64::consts::TAU), z)));
        let stirling = s.add(s.sub(s.mul(z, s.log(z)), z), root);
        // 0! and 1! have the logarithm 0, and what lies between counts with them; of negative targets there is none.
        let small = s.select(s.ge(z, zero), s.ge(one, z), s.ge(z, zero));
        s.add(loss, s.select(small, zero, stirling))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// The loss of counts `targets` under Poisson distributions whose rates have the logarithms `log_input`, without the term that depends on the targets
/// alone; `compute_full_loss` adds that, by Stirling's formula for targets above 1. Floats, and
/// complex numbers without that term, as TensorFlow takes them.
///
/// ```
/// use eagerflow as tf;
/// let loss = tf::log_poisson_loss(tf::constant([2.0]), tf::constant([0.0]), false);
/// assert_eq!(loss.to_vec::<f32>(), [1.0]);
/// ```
///
/// # Panics
/// As [`try_log_poisson_loss`] fails.
#[track_caller]
pub fn log_poisson_loss(targets: impl AsTensor, log_input: impl AsTensor, compute_full_loss: bool) -> Tensor {
    try_log_poisson_loss(targets, log_input, compute_full_loss).or_fail()
}

/// The loss of counts under Poisson distributions.
///
/// # Errors
/// InvalidArgument for shapes that differ, and dtypes that differ or are not floats.
#[track_caller]
pub fn try_log_poisson_loss(
    targets: impl AsTensor,
    log_input: impl AsTensor,
    compute_full_loss: bool,
) -> Result<Tensor> {
    let here = Location::caller();
    let (targets, rates) = (targets.as_tensor(), log_input.as_tensor());
    let run = || {
        let (a, b) = (targets.shape(), rates.shape());
        if a.rank() != b.rank() || a.iter().zip(b.iter()).any(|(a, b)| !a.can_equal(b)) {
            return Err(Error::invalid_argument("log_poisson_loss", "targets and rates have different shapes")
                .got(format!("targets {}, rates {}", targets.ty(), rates.ty()))
                .expected("one shape"));
        }
        if targets.dtype().is_complex() && !compute_full_loss {
            return try_subtract(&try_exp(&*rates)?, &try_multiply(&*rates, &*targets)?);
        }
        execute1(&LogPoissonLoss { full: compute_full_loss }, &[&targets, &rates])
    };
    run().map_err(|e: Error| e.named("log_poisson_loss").at(here))
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        let inputs = [numbers(1, &[5]) + 2.5, numbers(2, &[5])];
        for full in [false, true] {
            check(&|x| tf::log_poisson_loss(&x[0], &x[1], full), &inputs);
        }
        assert!(tf::try_log_poisson_loss(tf::ones([2]), tf::ones([3]), false).is_err());
    }
}
