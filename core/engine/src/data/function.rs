//! Functions of the user's that steps call for each element: guarded against panics, out of the tapes' sight, and with random numbers that
//! follow from the element's number. `map`, `filter`, `flat_map` and their kind hold one.

use super::order::{Order, SharedOrder};
use super::stage::guarded;
use super::state::Saved;
use crate::execute::{ElementSeed, OfElement};
use crate::module::StateWriter;
use crate::op::Outputs;
use kernels::error::Result;
use std::panic::Location;
use std::sync::Arc;

/// A function over the tensors of an element.
pub(super) type Function = Arc<dyn Fn(Outputs) -> Result<Outputs> + Send + Sync>;

/// A function of a step.
#[derive(Clone)]
pub(super) struct StepFunction {
    pub step: &'static str,
    pub function: Function,
    /// What its random numbers follow from.
    pub order: SharedOrder,
    /// The user's line.
    pub location: &'static Location<'static>,
}

impl StepFunction {
    pub fn new(step: &'static str, function: Function, location: &'static Location<'static>) -> Self {
        Self { step, function, order: SharedOrder::new(crate::random::data_seed()), location }
    }

    /// The calls of a pass, begun or resumed.
    pub fn calls(&self, from: Option<&mut Saved<'_>>) -> Result<Calls> {
        let (order, next) = match from {
            Some(from) => (Order { seed: from.signed()?, passes: from.number()? }, from.number()?),
            None => (self.order.take(true), 0),
        };
        Ok(Calls { of: self.clone(), order, next })
    }
}

/// The calls of a function in one pass.
#[derive(Clone)]
pub(super) struct Calls {
    of: StepFunction,
    order: Order,
    /// The number of the next element.
    next: u64,
}

impl Calls {
    /// Calls the function for the next element.
    pub fn call(&mut self, values: Outputs) -> Result<Outputs> {
        let number = self.number();
        self.call_for(number, values)
    }

    /// The number of the next element, which is then taken.
    pub fn number(&mut self) -> u64 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        number
    }

    /// Calls the function for an element by its number, from any thread.
    pub fn call_for(&self, element: u64, values: Outputs) -> Result<Outputs> {
        let StepFunction { step, function, location, .. } = &self.of;
        let Order { seed, passes } = self.order;
        let _drawn = OfElement::enter(ElementSeed { seed, pass: passes, element });
        guarded(step, || function(values)).map_err(|error| error.at(location))
    }

    pub fn save(&self, to: &mut StateWriter) {
        to.signed(self.order.seed);
        to.number(self.order.passes);
        to.number(self.next);
    }
}
