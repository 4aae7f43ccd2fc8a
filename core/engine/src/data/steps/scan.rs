//! The stage that carries a state from element to element: `scan`, whose function takes state and element and gives both anew.
//! The data set puts it into its pipeline.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::function::{Calls, StepFunction};
use crate::data::order::SharedOrder;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::{Error, Result};
use std::sync::Arc;

pub(in crate::data) struct Scan {
    pub before: Arc<dyn Stage>,
    pub start: Outputs,
    /// Of the state's components and the element's; gives the next state's and the result's.
    pub function: StepFunction,
    /// The types of a result, where they are known.
    pub types: Option<Vec<TensorType>>,
}

impl Stage for Scan {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let calls = self.function.calls(from.as_deref_mut())?;
        let state = match from.as_deref_mut() {
            None => self.start.clone(),
            Some(from) => self.start.iter().map(|_| from.tensor()).collect::<Result<_>>()?,
        };
        Ok(Box::new(Scanning { before: Values::begin(&self.before, from)?, calls, state }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.types.clone()
    }

    one_input!();

    fn describe(&self) -> String {
        format!("scan({} tensors of state)", self.start.len())
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        vec![&self.function.order]
    }
}

struct Scanning {
    before: Values,
    calls: Calls,
    state: Outputs,
}

impl Pass for Scanning {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(values) = self.before.next()? else { return Ok(None) };
        let given = self.state.iter().cloned().chain(values).collect();
        let mut given = self.calls.call(given)?;
        if given.len() < self.state.len() {
            return Err(Error::internal("scan", "the function gives fewer tensors than the state has"));
        }
        let result = given.drain(self.state.len()..).collect();
        self.state = given;
        Ok(Some(Item::Values(result)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.calls.save(to);
        self.state.iter().try_for_each(|value| to.tensor(value))?;
        self.before.save(to)
    }
}
