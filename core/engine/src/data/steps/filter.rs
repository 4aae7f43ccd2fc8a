//! Stages that ask a function about each element: `filter` lets those through for which it is true, `take_while` ends at the first for
//! which it is not. Elements that are rows stay rows.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::function::{Calls, StepFunction};
use crate::data::order::SharedOrder;
use crate::data::stage::{Item, Pass, Rows, Stage, values};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::op::Outputs;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::sync::Arc;

/// What happens to an element for which the function is false.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::data) enum Otherwise {
    Skip,
    End,
}

pub(in crate::data) struct Filter {
    pub before: Arc<dyn Stage>,
    pub predicate: StepFunction,
    pub otherwise: Otherwise,
}

impl Stage for Filter {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let calls = self.predicate.calls(from.as_deref_mut())?;
        let ended = from.as_deref_mut().map_or(Ok(false), |from| from.flag())?;
        let (before, source) = (self.before.begin(from)?, self.before.source().cloned());
        let (location, step) = (self.predicate.location, self.predicate.step);
        Ok(Box::new(Filtering { before, source, calls, otherwise: self.otherwise, ended, location, step }))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Unknown
    }

    one_input!(with its types and rows);

    fn describe(&self) -> String {
        format!("{}(function)", self.predicate.step)
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        vec![&self.predicate.order]
    }
}

struct Filtering {
    before: Box<dyn Pass>,
    source: Option<Arc<dyn Rows>>,
    calls: Calls,
    otherwise: Otherwise,
    ended: bool,
    location: &'static Location<'static>,
    step: &'static str,
}

/// The truth value that a function has given.
fn truth(step: &str, given: &Outputs) -> Result<bool> {
    match &given[..] {
        [value] if value.dtype() == DType::Bool && value.rank() == 0 => value.try_item::<bool>(),
        _ => {
            let got: Vec<String> = given.iter().map(|t| t.ty().to_string()).collect();
            Err(Error::invalid_argument(step, "the function gives no truth value")
                .got(got.join(", "))
                .expected("bool[]")
                .help("compare scalars, or put truth values together by `reduce_all` or `reduce_any`"))
        }
    }
}

impl Pass for Filtering {
    fn next(&mut self) -> Result<Option<Item>> {
        while !self.ended {
            let Some(item) = self.before.next()? else {
                self.ended = true;
                break;
            };
            let (element, passed_on) = match item {
                Item::Row(row) => (values(self.source.as_ref(), Item::Row(row))?, Item::Row(row)),
                Item::Values(values) => (values.clone(), Item::Values(values)),
            };
            let answer = self.calls.call(element)?;
            if truth(self.step, &answer).map_err(|error| error.at(self.location))? {
                return Ok(Some(passed_on));
            }
            self.ended = self.otherwise == Otherwise::End;
        }
        Ok(None)
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.calls.save(to);
        to.flag(self.ended);
        self.before.save(to)
    }
}
