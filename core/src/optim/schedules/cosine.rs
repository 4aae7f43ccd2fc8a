//! Rates that fall along half a wave of the cosine, once or again and again, Keras's formulas.
//! Optimizers ask them at every step.

use super::{Schedule, float};
use engine::library::options::{self, options};
use engine::{Tensor, try_cos, try_floor, try_less, try_log, try_minimum, try_pow, try_select};
use kernels::error::{OrFail, Result};
use std::f64::consts::PI;
use std::panic::Location;

/// Half a wave of the cosine from a rate to `alpha` times it, behind a rise along a line if one is asked for: Keras's `CosineDecay`.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::schedules::{CosineDecay, Schedule};
/// let rate = CosineDecay::new(0.0, 1000).warmup_target(0.1).warmup_steps(100);
/// assert!((rate.value(50) - 0.05).abs() < 1e-8 && (rate.value(600) - 0.05).abs() < 1e-8);
/// ```
#[derive(Clone, Debug)]
pub struct CosineDecay {
    initial_learning_rate: f64,
    decay_steps: usize,
    alpha: f64,
    warmup_target: Option<f64>,
    warmup_steps: usize,
}

impl CosineDecay {
    /// From a rate to nothing in `decay_steps` steps.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails.
    #[track_caller]
    pub fn new(initial_learning_rate: f64, decay_steps: usize) -> Self {
        Self::try_new(initial_learning_rate, decay_steps).or_fail()
    }

    /// As [`new`](Self::new), for numbers that come from data.
    ///
    /// # Errors
    /// InvalidArgument for a rate that is negative or no finite number, or no steps.
    #[track_caller]
    pub fn try_new(initial_learning_rate: f64, decay_steps: usize) -> Result<Self> {
        let here = Location::caller();
        let owner = "CosineDecay";
        let rate = options::magnitude(owner, "initial_learning_rate", initial_learning_rate).map_err(|e| e.at(here))?;
        let decay_steps = options::count(owner, "decay_steps", decay_steps).map_err(|e| e.at(here))?;
        Ok(Self { initial_learning_rate: rate, decay_steps, alpha: 0.0, warmup_target: None, warmup_steps: 0 })
    }

    /// How many steps the rate rises to its target, before it falls for `decay_steps`; 0 unless set.
    pub fn warmup_steps(mut self, steps: usize) -> Self {
        self.warmup_steps = steps;
        self
    }
}

options! { CosineDecay:
    /// The last rate as a share of the highest, 0 unless set: 0 or more.
    pub fn alpha, try_alpha(this, alpha: f64) {
        this.alpha = options::magnitude("CosineDecay", "alpha", alpha)?;
        Ok(this)
    }

    /// The rate to which it rises in `warmup_steps` steps: 0 or more. Without one nothing rises.
    pub fn warmup_target, try_warmup_target(this, rate: f64) {
        this.warmup_target = Some(options::magnitude("CosineDecay", "warmup_target", rate)?);
        Ok(this)
    }
}

/// `(1 + cos(π x)) / 2`
#[track_caller]
fn wave(x: Tensor) -> Result<Tensor> {
    Ok((try_cos(x * PI)? + 1.0) * 0.5)
}

impl Schedule for CosineDecay {
    #[track_caller]
    fn try_at(&self, step: &Tensor) -> Result<Tensor> {
        let (step, steps) = (float(step)?, self.decay_steps as f64);
        let fall = |step: Tensor, from: f64| Ok((wave(step / steps)? * (1.0 - self.alpha) + self.alpha) * from);
        let Some(target) = self.warmup_target else {
            return fall(try_minimum(step, steps)?, self.initial_learning_rate);
        };
        let warm = self.warmup_steps as f64;
        let step = try_minimum(step, steps + warm)?;
        let (from, to) = (self.initial_learning_rate as f32, target as f32);
        let rise = &step / warm.max(1.0) * f64::from(to - from) + f64::from(from);
        try_select(try_less(&step, warm)?, rise, fall(step - warm, target)?)
    }
}

/// Half waves of the cosine, one after the other, each longer and lower than the one before: Keras's `CosineDecayRestarts`.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::schedules::{CosineDecayRestarts, Schedule};
/// let rate = CosineDecayRestarts::new(0.1, 10);
/// assert!((rate.value(0) - 0.1).abs() < 1e-8 && (rate.value(10) - 0.1).abs() < 1e-8);
/// assert!((rate.value(20) - 0.05).abs() < 1e-8);
/// ```
#[derive(Clone, Debug)]
pub struct CosineDecayRestarts {
    initial_learning_rate: f64,
    first_decay_steps: usize,
    t_mul: f64,
    m_mul: f64,
    alpha: f64,
}

impl CosineDecayRestarts {
    /// From a rate to nothing in `first_decay_steps` steps, then again in twice as many, and so on.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails.
    #[track_caller]
    pub fn new(initial_learning_rate: f64, first_decay_steps: usize) -> Self {
        Self::try_new(initial_learning_rate, first_decay_steps).or_fail()
    }

    /// As [`new`](Self::new), for numbers that come from data.
    ///
    /// # Errors
    /// InvalidArgument for a rate that is negative or no finite number, or no steps.
    #[track_caller]
    pub fn try_new(initial_learning_rate: f64, first_decay_steps: usize) -> Result<Self> {
        let here = Location::caller();
        let owner = "CosineDecayRestarts";
        let rate = options::magnitude(owner, "initial_learning_rate", initial_learning_rate).map_err(|e| e.at(here))?;
        let first_decay_steps =
            options::count(owner, "first_decay_steps", first_decay_steps).map_err(|e| e.at(here))?;
        Ok(Self { initial_learning_rate: rate, first_decay_steps, t_mul: 2.0, m_mul: 1.0, alpha: 0.0 })
    }
}

options! { CosineDecayRestarts:
    /// How many times as long each wave is as the one before, 2 unless set: 1 or more.
    pub fn t_mul, try_t_mul(this, factor: f64) {
        this.t_mul = options::at_least("CosineDecayRestarts", "t_mul", factor, 1.0)?;
        Ok(this)
    }

    /// How many times as high each wave is as the one before, 1 unless set: 0 or more.
    pub fn m_mul, try_m_mul(this, factor: f64) {
        this.m_mul = options::magnitude("CosineDecayRestarts", "m_mul", factor)?;
        Ok(this)
    }

    /// The last rate of a wave as a share of the first rate, 0 unless set: 0 or more.
    pub fn alpha, try_alpha(this, alpha: f64) {
        this.alpha = options::magnitude("CosineDecayRestarts", "alpha", alpha)?;
        Ok(this)
    }
}

impl Schedule for CosineDecayRestarts {
    #[track_caller]
    fn try_at(&self, step: &Tensor) -> Result<Tensor> {
        let done = float(step)? / self.first_decay_steps as f64;
        let (restarts, done) = if self.t_mul == 1.0 {
            let whole = try_floor(&done)?;
            let rest = done - &whole;
            (whole, rest)
        } else {
            let t_mul = Tensor::from(self.t_mul as f32);
            let less = 1.0 - &t_mul;
            let restarts = try_floor(try_log(1.0 - &done * &less)? / try_log(&t_mul)?)?;
            let power = try_pow(&t_mul, &restarts)?;
            let before = (1.0 - &power) / less;
            (restarts, (done - before) / power)
        };
        let height = try_pow(Tensor::from(self.m_mul as f32), restarts)?;
        Ok((height * wave(done)? * (1.0 - self.alpha) + self.alpha) * self.initial_learning_rate)
    }
}
