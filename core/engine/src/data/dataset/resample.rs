//! [`Resample`]: how often the classes of a data set's elements shall come, for `rejection_resample`.
//! Users make one, or hand in the shares alone.

use crate::data::steps::resample::shares;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::sync::Arc;

/// A share for each class.
type Shares = Arc<[f64]>;

/// The shares that classes shall have, and what is known of those that they have.
#[derive(Clone, Debug)]
pub struct Resample {
    target: Vec<f64>,
    initial: Option<Vec<f64>>,
    pub(super) seed: Option<i64>,
}

impl Resample {
    /// The share that each class shall have, `target_dist`; their sum is 1.
    ///
    /// # Panics
    /// As [`try_to`](Self::try_to) fails, at the caller's line.
    #[track_caller]
    pub fn to(target_dist: impl Into<Vec<f64>>) -> Self {
        Self::try_to(target_dist).or_fail()
    }

    /// The share that each class shall have.
    ///
    /// # Errors
    /// InvalidArgument for negative numbers, and a sum that is not 1.
    #[track_caller]
    pub fn try_to(target_dist: impl Into<Vec<f64>>) -> Result<Self> {
        let here = Location::caller();
        let target = target_dist.into();
        shares("target_dist", &target).map_err(|e| e.at(here))?;
        Ok(Self { target, initial: None, seed: None })
    }

    /// The share that each class has, `initial_dist`; it is counted unless it is told.
    ///
    /// # Panics
    /// As [`try_from`](Self::try_from) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn from(self, initial_dist: impl Into<Vec<f64>>) -> Self {
        self.try_from(initial_dist).or_fail()
    }

    /// The share that each class has.
    ///
    /// # Errors
    /// As [`try_to`](Self::try_to), and for another number of classes.
    #[track_caller]
    pub fn try_from(mut self, initial_dist: impl Into<Vec<f64>>) -> Result<Self> {
        let here = Location::caller();
        let initial = initial_dist.into();
        shares("initial_dist", &initial).map_err(|e| e.at(here))?;
        if initial.len() != self.target.len() {
            return Err(Error::invalid_argument("rejection_resample", "the distributions are of different classes")
                .got(format!("{} shares", initial.len()))
                .expected(format!("{} shares, as `target_dist` has", self.target.len()))
                .at(here));
        }
        self.initial = Some(initial);
        Ok(self)
    }

    /// What the choices follow from; without it the seed that `tf::random::set_seed` sets.
    #[must_use]
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Both distributions.
    pub(super) fn checked(self) -> Result<(Shares, Option<Shares>)> {
        let initial = self.initial.map(|initial| shares("initial_dist", &initial)).transpose()?;
        Ok((shares("target_dist", &self.target)?, initial))
    }
}

/// Shares that classes shall have are looked at by `rejection_resample`, whose caller can be told.
impl<const N: usize> From<[f64; N]> for Resample {
    fn from(target: [f64; N]) -> Self {
        Self { target: target.into(), initial: None, seed: None }
    }
}

impl From<Vec<f64>> for Resample {
    fn from(target: Vec<f64>) -> Self {
        Self { target, initial: None, seed: None }
    }
}
