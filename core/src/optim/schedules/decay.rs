//! Rates that fall by a power: exponential, inverse in time, and polynomial, Keras's formulas.
//! Optimizers ask them at every step.

use super::{Schedule, float};
use engine::library::options::{self, options};
use engine::{Tensor, try_ceil, try_floor, try_maximum, try_minimum, try_pow};
use kernels::error::{OrFail, Result};
use std::panic::Location;

macro_rules! decays {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            initial_learning_rate: f64,
            decay_steps: usize,
            decay_rate: f64,
            staircase: bool,
        }

        impl $name {
            /// From a rate, by `decay_rate` every `decay_steps` steps.
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails.
            #[track_caller]
            pub fn new(initial_learning_rate: f64, decay_steps: usize, decay_rate: f64) -> Self {
                Self::try_new(initial_learning_rate, decay_steps, decay_rate).or_fail()
            }

            /// As [`new`](Self::new), for numbers that come from data.
            ///
            /// # Errors
            /// InvalidArgument for a rate that is negative or no finite number, no steps, or a decay that is no finite number or negative.
            #[track_caller]
            pub fn try_new(initial_learning_rate: f64, decay_steps: usize, decay_rate: f64) -> Result<Self> {
                let (here, owner) = (Location::caller(), stringify!($name));
                let checked = || -> Result<Self> {
                    Ok(Self {
                        initial_learning_rate: options::magnitude(owner, "initial_learning_rate", initial_learning_rate)?,
                        decay_steps: options::count(owner, "decay_steps", decay_steps)?,
                        decay_rate: options::magnitude(owner, "decay_rate", decay_rate)?,
                        staircase: false,
                    })
                };
                checked().map_err(|e| e.at(here))
            }

            /// Whether the rate falls in stairs, once in `decay_steps` steps; no unless set.
            pub fn staircase(mut self, staircase: bool) -> Self {
                self.staircase = staircase;
                self
            }

            /// How often `decay_steps` have gone by.
            #[track_caller]
            fn periods(&self, step: &Tensor) -> Result<Tensor> {
                let periods = float(step)? / self.decay_steps as f64;
                if self.staircase { try_floor(periods) } else { Ok(periods) }
            }
        }
    )*};
}

decays! {
    /// `initial_learning_rate * decay_rate ^ (step / decay_steps)`, Keras's `ExponentialDecay`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::optim::schedules::{ExponentialDecay, Schedule};
    /// let rate = ExponentialDecay::new(0.1, 100, 0.5).staircase(true);
    /// assert!((rate.value(199) - 0.05).abs() < 1e-8 && (rate.value(200) - 0.025).abs() < 1e-8);
    /// ```
    ExponentialDecay;

    /// `initial_learning_rate / (1 + decay_rate * step / decay_steps)`, Keras's `InverseTimeDecay`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::optim::schedules::{InverseTimeDecay, Schedule};
    /// let rate = InverseTimeDecay::new(0.1, 100, 1.0);
    /// assert!((rate.value(100) - 0.05).abs() < 1e-8);
    /// ```
    InverseTimeDecay;
}

impl Schedule for ExponentialDecay {
    #[track_caller]
    fn try_at(&self, step: &Tensor) -> Result<Tensor> {
        let power = try_pow(Tensor::from(self.decay_rate as f32), self.periods(step)?)?;
        Ok(power * self.initial_learning_rate)
    }
}

impl Schedule for InverseTimeDecay {
    #[track_caller]
    fn try_at(&self, step: &Tensor) -> Result<Tensor> {
        Ok(self.initial_learning_rate / (self.periods(step)? * self.decay_rate + 1.0))
    }
}

/// From one rate to another by a power of the steps that are left, Keras's `PolynomialDecay`.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::schedules::{PolynomialDecay, Schedule};
/// let rate = PolynomialDecay::new(0.1, 100).end_learning_rate(0.0).power(2.0);
/// assert!((rate.value(50) - 0.025).abs() < 1e-8 && rate.value(1000) == 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct PolynomialDecay {
    initial_learning_rate: f64,
    decay_steps: usize,
    end_learning_rate: f64,
    power: f64,
    cycle: bool,
}

impl PolynomialDecay {
    /// From a rate to 0.0001 in `decay_steps` steps, along a line.
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
        let owner = "PolynomialDecay";
        let rate = options::magnitude(owner, "initial_learning_rate", initial_learning_rate).map_err(|e| e.at(here))?;
        let decay_steps = options::count(owner, "decay_steps", decay_steps).map_err(|e| e.at(here))?;
        let (end_learning_rate, power) = (0.0001, 1.0);
        Ok(Self { initial_learning_rate: rate, decay_steps, end_learning_rate, power, cycle: false })
    }

    /// Whether the rate rises again behind its end, to fall for twice, three times… as many steps; no unless set.
    pub fn cycle(mut self, cycle: bool) -> Self {
        self.cycle = cycle;
        self
    }
}

options! { PolynomialDecay:
    /// The rate at the end, 0.0001 unless set: 0 or more.
    pub fn end_learning_rate, try_end_learning_rate(this, rate: f64) {
        this.end_learning_rate = options::magnitude("PolynomialDecay", "end_learning_rate", rate)?;
        Ok(this)
    }

    /// The power of what is left, 1 unless set: 0 or more.
    pub fn power, try_power(this, power: f64) {
        this.power = options::magnitude("PolynomialDecay", "power", power)?;
        Ok(this)
    }
}

impl Schedule for PolynomialDecay {
    #[track_caller]
    fn try_at(&self, step: &Tensor) -> Result<Tensor> {
        let (step, steps) = (float(step)?, self.decay_steps as f64);
        let done = if self.cycle {
            let rounds = try_maximum(try_ceil(&step / steps)?, 1.0)?;
            step / (rounds * steps)
        } else {
            try_minimum(step, steps)? / steps
        };
        let left = try_pow(1.0 - done, Tensor::from(self.power as f32))?;
        let (from, to) = (self.initial_learning_rate as f32, self.end_learning_rate as f32);
        Ok(left * f64::from(from - to) + f64::from(to))
    }
}
