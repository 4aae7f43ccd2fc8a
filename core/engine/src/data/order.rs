//! What tells the passes of a random stage apart: a seed, and how many passes there were.
//! Shuffles take their order from it and `map` the random numbers of its function; states hold it.

use crate::random;
use kernels::dtype::DType;
use kernels::error::Result;
use std::sync::{Arc, Mutex, PoisonError};

/// A seed for a shuffle that brings none, from the stream that `tf::random::set_seed` sets.
#[track_caller]
pub(super) fn global_seed() -> Result<i64> {
    random::try_uniform_int((), 0, i64::MAX, DType::I64, None)?.try_item()
}

/// How the passes to come are ordered. A restored state changes it.
#[derive(Clone, Copy)]
pub struct Order {
    pub seed: i64,
    /// The number of the next pass.
    pub passes: u64,
}

/// An order that pipelines with the same stage share.
#[derive(Clone)]
pub struct SharedOrder(Arc<Mutex<Order>>);

impl SharedOrder {
    pub fn new(seed: i64) -> Self {
        Self(Arc::new(Mutex::new(Order { seed, passes: 0 })))
    }

    pub fn get(&self) -> Order {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set(&self, order: Order) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = order;
    }

    /// The order of a pass that begins; the next one has another number, unless all are to be the same.
    pub fn take(&self, another: bool) -> Order {
        let mut order = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let present = *order;
        order.passes = present.passes.wrapping_add(another.into());
        present
    }
}
