//! Plans of transforms: what `rustfft` and `realfft` prepare for one length, kept for the calls that follow.
//! The passes of `fourier` ask here for each block of lines; a plan that is there costs a look into a table.

use crate::dtype::Element;
use crate::error::{Error, Result};
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// What a transform along one axis is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Form {
    Forward,
    Inverse,
    /// Of real numbers, the first half of the spectrum.
    ToHalf,
    /// Of the first half of a spectrum, real numbers.
    FromHalf,
}

/// A transform of one length.
#[derive(Clone)]
pub(super) enum Plan<T> {
    Complex(Arc<dyn Fft<T>>),
    ToHalf(Arc<dyn RealToComplex<T>>),
    FromHalf(Arc<dyn ComplexToReal<T>>),
}

impl<T: FftNum> Plan<T> {
    /// Numbers of memory that a call needs beside its lines.
    pub fn scratch(&self) -> usize {
        match self {
            Self::Complex(plan) => plan.get_inplace_scratch_len(),
            Self::ToHalf(plan) => plan.get_scratch_len(),
            Self::FromHalf(plan) => plan.get_scratch_len(),
        }
    }

    fn new(form: Form, length: usize) -> Self {
        match form {
            Form::Forward => Self::Complex(FftPlanner::new().plan_fft(length, FftDirection::Forward)),
            Form::Inverse => Self::Complex(FftPlanner::new().plan_fft(length, FftDirection::Inverse)),
            Form::ToHalf => Self::ToHalf(RealFftPlanner::new().plan_fft_forward(length)),
            Form::FromHalf => Self::FromHalf(RealFftPlanner::new().plan_fft_inverse(length)),
        }
    }
}

/// The plans of one type of numbers.
pub(super) struct Plans<T> {
    known: HashMap<(Form, usize), Plan<T>>,
    /// The sum of their lengths.
    held: usize,
}

/// The sum of lengths beyond which all plans are dropped: a program that meets ever new lengths keeps some 100 MiB at most.
const KEPT: usize = 1 << 21;

/// A type of real numbers that transforms are made of.
pub(super) trait Real: FftNum + Element {
    fn plans() -> &'static RwLock<Plans<Self>>;
    fn of(x: f64) -> Self;
}

macro_rules! real {
    ($($t:ty)*) => {$(
        impl Real for $t {
            fn plans() -> &'static RwLock<Plans<Self>> {
                static PLANS: std::sync::LazyLock<RwLock<Plans<$t>>> =
                    std::sync::LazyLock::new(|| RwLock::new(Plans { known: HashMap::new(), held: 0 }));
                &PLANS
            }

            fn of(x: f64) -> Self {
                x as $t
            }
        }
    )*};
}

real!(f32 f64);

/// The plan for a length of 1 or more.
pub(super) fn plan<T: Real>(form: Form, length: usize) -> Result<Plan<T>> {
    let known = T::plans().read().unwrap_or_else(PoisonError::into_inner).known.get(&(form, length)).cloned();
    if let Some(plan) = known {
        return Ok(plan);
    }
    // A prime length is made of transforms of up to four times as many numbers; `rustfft` would end the process without memory for them.
    let numbers = length.saturating_mul(8 * size_of::<T>());
    if Vec::<u8>::new().try_reserve_exact(numbers).is_err() {
        return Err(Error::resource_exhausted("fft", "no memory for the plan of a transform")
            .got(format!("{length} numbers a line")));
    }
    let plan = Plan::new(form, length);
    let mut plans = T::plans().write().unwrap_or_else(PoisonError::into_inner);
    if plans.held.saturating_add(length) > KEPT {
        plans.known.clear();
        plans.held = 0;
    }
    if plans.known.insert((form, length), plan.clone()).is_none() {
        plans.held += length;
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_kept_up_to_a_bound() {
        let first = plan::<f32>(Form::Forward, 48).expect("a plan");
        let again = plan::<f32>(Form::Forward, 48).expect("a plan");
        let (Plan::Complex(first), Plan::Complex(again)) = (first, again) else { panic!("complex plans") };
        assert!(Arc::ptr_eq(&first, &again));
        for length in 4000..4700 {
            assert!(plan::<f32>(Form::ToHalf, length).is_ok());
            assert!(f32::plans().read().expect("no thread panicked").held <= KEPT);
        }
    }

    #[test]
    fn lengths_beyond_all_memory_are_refused() {
        assert!(plan::<f32>(Form::Forward, isize::MAX as usize).is_err());
        assert!(plan::<f64>(Form::ToHalf, 1 << 50).is_err());
    }
}
