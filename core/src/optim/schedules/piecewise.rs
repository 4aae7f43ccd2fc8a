//! Rates that stay the same between steps: Keras's `PiecewiseConstantDecay`.
//! Optimizers ask it at every step.

use super::Schedule;
use engine::library::options;
use engine::{Tensor, try_cast, try_gather, try_greater, try_reduce_sum};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// One rate up to a step, another up to the next, and a last one behind them.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::schedules::{PiecewiseConstantDecay, Schedule};
/// let rate = PiecewiseConstantDecay::new(&[100, 200], &[0.1, 0.05, 0.01]);
/// assert_eq!(rate.value(100) as f32, 0.1);
/// assert_eq!(rate.value(101) as f32, 0.05);
/// assert_eq!(rate.value(1000) as f32, 0.01);
/// ```
#[derive(Clone, Debug)]
pub struct PiecewiseConstantDecay {
    boundaries: Vec<i64>,
    values: Vec<f32>,
}

impl PiecewiseConstantDecay {
    /// The last step of each rate but the last one, and the rates.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails.
    #[track_caller]
    pub fn new(boundaries: &[i64], values: &[f64]) -> Self {
        Self::try_new(boundaries, values).or_fail()
    }

    /// As [`new`](Self::new), for numbers that come from data.
    ///
    /// # Errors
    /// InvalidArgument unless there is one rate more than steps, steps rise, and rates are finite and not negative.
    #[track_caller]
    pub fn try_new(boundaries: &[i64], values: &[f64]) -> Result<Self> {
        let here = Location::caller();
        checked(boundaries, values).map_err(|e| e.at(here))
    }
}

fn checked(boundaries: &[i64], values: &[f64]) -> Result<PiecewiseConstantDecay> {
    let owner = "PiecewiseConstantDecay";
    if values.len() != boundaries.len() + 1 {
        return Err(Error::invalid_argument(owner, "there is not one rate more than boundaries")
            .got(format!("{} boundaries, {} rates", boundaries.len(), values.len()))
            .expected("a rate before each boundary, and one behind the last"));
    }
    if boundaries.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(Error::invalid_argument(owner, "`boundaries` do not rise")
            .got(format!("{boundaries:?}"))
            .expected("each step behind the one before"));
    }
    let values = values.iter().map(|&rate| Ok(options::magnitude(owner, "values", rate)? as f32));
    Ok(PiecewiseConstantDecay { boundaries: boundaries.to_vec(), values: values.collect::<Result<_>>()? })
}

impl Schedule for PiecewiseConstantDecay {
    #[track_caller]
    fn try_at(&self, step: &Tensor) -> Result<Tensor> {
        let behind = try_greater(step, Tensor::from(self.boundaries.clone()))?;
        let which = try_reduce_sum(try_cast(behind, DType::I32)?, ())?;
        try_gather(Tensor::from(self.values.clone()), which, 0)
    }
}
