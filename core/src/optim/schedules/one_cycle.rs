//! A rate that rises and falls once over the whole training: PyTorch's `OneCycleLR`, which Keras does not have.
//! Optimizers ask it at every step.

use super::{Schedule, float};
use engine::library::options::{self, options};
use engine::{Tensor, try_cos, try_less_equal, try_minimum, try_select};
use kernels::error::{OrFail, Result};
use std::f64::consts::PI;
use std::panic::Location;

/// How a rate goes from one number to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Anneal {
    /// Along half a wave of the cosine.
    #[default]
    Cos,
    /// Along a line.
    Linear,
}

/// From a low rate up to a high one and down to almost nothing, as PyTorch's `OneCycleLR` does, with its names and defaults (its
/// momentum stays as it is). Behind `total_steps`, where PyTorch refuses to go on, the rate stays at its last value.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::schedules::{OneCycle, Schedule};
/// let rate = OneCycle::new(0.1, 100);
/// assert!((rate.value(0) - 0.004).abs() < 1e-8);
/// assert!((rate.value(29) - 0.1).abs() < 1e-8);
/// assert!(rate.value(99) < 1e-6);
/// ```
#[derive(Clone, Debug)]
pub struct OneCycle {
    max_lr: f64,
    total_steps: usize,
    pct_start: f64,
    anneal_strategy: Anneal,
    div_factor: f64,
    final_div_factor: f64,
    three_phase: bool,
}

impl OneCycle {
    /// Up to the rate `max_lr` and down again, in so many steps.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails.
    #[track_caller]
    pub fn new(max_lr: f64, total_steps: usize) -> Self {
        Self::try_new(max_lr, total_steps).or_fail()
    }

    /// As [`new`](Self::new), for numbers that come from data.
    ///
    /// # Errors
    /// InvalidArgument for a rate that is negative or no finite number, or no steps.
    #[track_caller]
    pub fn try_new(max_lr: f64, total_steps: usize) -> Result<Self> {
        let here = Location::caller();
        let max_lr = options::magnitude("OneCycle", "max_lr", max_lr).map_err(|e| e.at(here))?;
        let total_steps = options::count("OneCycle", "total_steps", total_steps).map_err(|e| e.at(here))?;
        Ok(Self {
            max_lr,
            total_steps,
            pct_start: 0.3,
            anneal_strategy: Anneal::Cos,
            div_factor: 25.0,
            final_div_factor: 1e4,
            three_phase: false,
        })
    }

    /// How the rate rises and falls, along the cosine unless set.
    pub fn anneal_strategy(mut self, anneal_strategy: Anneal) -> Self {
        self.anneal_strategy = anneal_strategy;
        self
    }

    /// Whether the rate falls as fast as it rose, and then on to its end; no unless set.
    pub fn three_phase(mut self, three_phase: bool) -> Self {
        self.three_phase = three_phase;
        self
    }

    /// The last step of each phase, and the rates at its ends.
    fn phases(&self) -> Vec<(f64, [f64; 2])> {
        let (total, high) = (self.total_steps as f64, self.max_lr);
        let first = high / self.div_factor;
        let last = first / self.final_div_factor;
        let up = (self.pct_start * total - 1.0, [first, high]);
        match self.three_phase {
            true => vec![up, (2.0 * self.pct_start * total - 2.0, [high, first]), (total - 1.0, [first, last])],
            false => vec![up, (total - 1.0, [high, last])],
        }
    }
}

options! { OneCycle:
    /// The share of the steps in which the rate rises, 0.3 unless set: from 0 to 1.
    pub fn pct_start, try_pct_start(this, share: f64) {
        this.pct_start = options::share("OneCycle", "pct_start", share)?;
        Ok(this)
    }

    /// How many times as high as the first rate the highest is, 25 unless set: above 0.
    pub fn div_factor, try_div_factor(this, factor: f64) {
        this.div_factor = options::positive("OneCycle", "div_factor", factor)?;
        Ok(this)
    }

    /// How many times as high as the last rate the first is, 10,000 unless set: above 0.
    pub fn final_div_factor, try_final_div_factor(this, factor: f64) {
        this.final_div_factor = options::positive("OneCycle", "final_div_factor", factor)?;
        Ok(this)
    }
}

impl Schedule for OneCycle {
    #[track_caller]
    fn try_at(&self, step: &Tensor) -> Result<Tensor> {
        let step = try_minimum(float(step)?, self.total_steps as f64 - 1.0)?;
        let (phases, mut start) = (self.phases(), 0.0);
        let mut rates = Vec::with_capacity(phases.len());
        for &(end, [from, to]) in &phases {
            // A phase without a length is left by the step that it ends with.
            let length = if end > start { end - start } else { 1.0 };
            let done = (&step - start) / length;
            rates.push(match self.anneal_strategy {
                Anneal::Cos => (try_cos(done * PI)? + 1.0) * (0.5 * (from - to)) + to,
                Anneal::Linear => done * (to - from) + from,
            });
            start = end;
        }
        let Some(mut rate) = rates.pop() else { return Ok(step) };
        for ((end, _), earlier) in phases.iter().zip(rates).rev() {
            rate = try_select(try_less_equal(&step, *end)?, earlier, rate)?;
        }
        Ok(rate)
    }
}
