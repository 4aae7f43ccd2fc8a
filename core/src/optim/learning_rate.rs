//! The learning rate: a number that users may set while the training runs, or a schedule.
//! Optimizers read it at every step; as a variable, or as operations on the number of steps, so that traced steps see it change.

use super::schedules::Schedule;
use engine::Tensor;
use engine::Variable;
use engine::library::options::magnitude;
use engine::{Copies, Duplicate, Fields, Module};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::sync::Arc;

/// What a learning rate is made of: a number, or a [`Schedule`]. Optimizers take either.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adam, Optimizer, schedules::CosineDecay};
/// let fixed = Adam::new(1e-3);
/// let falling = Adam::new(CosineDecay::new(1e-3, 1000));
/// assert!((fixed.learning_rate().get() - falling.learning_rate().get()).abs() < 1e-9);
/// ```
#[derive(Clone, Debug)]
pub struct Rate(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Number(f64),
    Schedule(Arc<dyn Schedule>),
}

impl From<f64> for Rate {
    fn from(rate: f64) -> Self {
        Self(Kind::Number(rate))
    }
}

impl<S: Schedule + 'static> From<S> for Rate {
    fn from(schedule: S) -> Self {
        Self(Kind::Schedule(Arc::new(schedule)))
    }
}

/// The learning rate of an optimizer.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adam, Optimizer};
/// let optimizer = Adam::new(1e-3);
/// optimizer.learning_rate().set(1e-4);
/// assert!((optimizer.learning_rate().get() - 1e-4).abs() < 1e-10);
/// ```
#[derive(Clone, Debug)]
pub struct LearningRate(Source);

#[derive(Clone, Debug)]
enum Source {
    Variable(Variable),
    /// A schedule, and the steps that it is asked with.
    Schedule(Arc<dyn Schedule>, Variable),
}

impl LearningRate {
    /// Of an optimizer that counts its steps in `iterations`.
    #[track_caller]
    pub(super) fn new(optimizer: &str, rate: Rate, iterations: &Variable) -> Result<Self> {
        let here = Location::caller();
        Ok(Self(match rate.0 {
            Kind::Number(rate) => {
                let rate = checked(optimizer, rate).map_err(|e| e.at(here))?;
                Source::Variable(Variable::with(Tensor::from(rate), "learning_rate", false))
            }
            Kind::Schedule(schedule) => Source::Schedule(schedule, iterations.clone()),
        }))
    }

    /// Sets the rate for the steps that follow.
    ///
    /// # Panics
    /// As [`try_set`](Self::try_set) fails.
    #[track_caller]
    pub fn set(&self, rate: f64) {
        self.try_set(rate).or_fail()
    }

    /// Sets the rate for the steps that follow.
    ///
    /// # Errors
    /// InvalidArgument for a rate that is negative or no finite number; the rate is then unchanged. FailedPrecondition where a schedule
    /// gives the rate.
    #[track_caller]
    pub fn try_set(&self, rate: f64) -> Result<()> {
        let here = Location::caller();
        let rate = checked("set", rate).map_err(|e| e.at(here))?;
        match &self.0 {
            Source::Variable(variable) => variable.try_assign(Tensor::from(rate)),
            Source::Schedule(schedule, _) => {
                Err(Error::failed_precondition("set", "the learning rate follows a schedule and cannot be set")
                    .got(format!("{rate}, for {schedule:?}"))
                    .help("make the optimizer with a number to set the rate by hand: `Adam::new(1e-3)`")
                    .at(here))
            }
        }
    }

    /// The present rate: that of the next step.
    #[track_caller]
    pub fn get(&self) -> f64 {
        match &self.0 {
            Source::Variable(variable) => f64::from(variable.value().item::<f32>()),
            Source::Schedule(schedule, iterations) => schedule.value(iterations.value().item::<i64>()),
        }
    }

    /// The rate of the next step as a tensor, a `float32` scalar; in a traced function it is read when the graph runs.
    ///
    /// # Errors
    /// What a schedule answers.
    #[track_caller]
    pub fn try_value(&self) -> Result<Tensor> {
        match &self.0 {
            Source::Variable(variable) => Ok(variable.value()),
            Source::Schedule(schedule, iterations) => schedule.try_at(&iterations.value()),
        }
    }

    /// The variable that holds the rate, a `float32` scalar; none where a schedule gives it.
    pub fn variable(&self) -> Option<&Variable> {
        match &self.0 {
            Source::Variable(variable) => Some(variable),
            Source::Schedule(..) => None,
        }
    }

    /// The schedule that gives the rate, if one does.
    pub fn schedule(&self) -> Option<&dyn Schedule> {
        match &self.0 {
            Source::Variable(_) => None,
            Source::Schedule(schedule, _) => Some(&**schedule),
        }
    }
}

/// A rate as the variable holds it, which has fewer digits and ends sooner.
fn checked(owner: &str, rate: f64) -> Result<f32> {
    let rate = if (rate as f32).is_finite() { rate } else { f64::from(rate as f32) };
    magnitude(owner, "learning_rate", rate).map(|rate| rate as f32)
}

impl Duplicate for LearningRate {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self(match &self.0 {
            Source::Variable(variable) => Source::Variable(variable.duplicate_in(copies)),
            Source::Schedule(schedule, iterations) => {
                Source::Schedule(schedule.clone(), iterations.duplicate_in(copies))
            }
        })
    }
}

impl Module for LearningRate {
    fn visit(&self, fields: &mut Fields<'_>) {
        match &self.0 {
            Source::Variable(variable) => fields.variable(variable),
            // An optimizer has the schedule that it was made with, and is told from others by its slots.
            Source::Schedule(..) => {}
        }
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
