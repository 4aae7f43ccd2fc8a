//! Stages that give the elements of the data sets that a function makes of each element: `flat_map` one after the other, `interleave`
//! several at a time. TensorFlow's order: a data set that has ended is replaced when its turn comes again.

use super::one_input;
use super::prefetch::{Buffer, Prefetch};
use crate::data::cardinality::Cardinality;
use crate::data::function::{Calls, Function, StepFunction};
use crate::data::order::SharedOrder;
use crate::data::pipeline::Pipeline;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::{Saved, save_item, saved_item};
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::{Error, Result};
use std::sync::Arc;

pub(in crate::data) struct Flatten {
    pub before: Arc<dyn Stage>,
    pub function: StepFunction,
    /// How many data sets are open at a time.
    pub cycle: usize,
    /// How many elements each gives in a row.
    pub block: usize,
    /// For how many of the open ones a thread reads ahead.
    pub threads: usize,
    /// Of the elements, where they are known.
    pub types: LateTypes,
}

/// Finds the types of elements, by the function and what it is given.
pub(in crate::data) type LateTypes =
    Arc<dyn Fn(&Function, Option<Vec<TensorType>>) -> Option<Vec<TensorType>> + Send + Sync>;

impl Stage for Flatten {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let calls = self.function.calls(from.as_deref_mut())?;
        let opener = Opener { calls, threads: self.threads, block: self.block };
        let mut pass = Flattening {
            before: None,
            opener,
            open: (0..self.cycle).map(|_| None).collect(),
            at: 0,
            given: 0,
            block: self.block,
        };
        let mut running = true;
        if let Some(from) = from.as_deref_mut() {
            pass.at = from.at_most(self.cycle - 1)?;
            pass.given = from.at_most(self.block - 1)?;
            for slot in 0..self.cycle {
                if from.flag()? {
                    let (number, element) = (from.number()?, saved_item(from, None)?);
                    let Item::Values(element) = element else { return Err(from.damaged("a row of no source")) };
                    pass.open[slot] = Some(pass.opener.open(slot, number, element, Some(from))?);
                }
            }
            running = from.flag()?;
        }
        pass.before = running.then(|| Values::begin(&self.before, from)).transpose()?;
        Ok(Box::new(pass))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Unknown
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        (self.types)(&self.function.function, self.before.types())
    }

    one_input!();

    fn describe(&self) -> String {
        format!("{}({} at a time, {} in a row)", self.function.step, self.cycle, self.block)
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        vec![&self.function.order]
    }
}

/// Makes the data sets of elements.
struct Opener {
    calls: Calls,
    threads: usize,
    block: usize,
}

impl Opener {
    fn open(&self, slot: usize, number: u64, element: Outputs, mut from: Option<&mut Saved<'_>>) -> Result<Open> {
        // How many threads there are may differ where a state is resumed, by the machine or the program: it says for itself what it is of.
        let ahead = from.as_deref_mut().map_or(Ok(slot < self.threads), |from| from.flag())?;
        let made = self.calls.call_for(number, element.clone())?;
        let [handle] = &made[..] else {
            return Err(Error::internal("flat_map", "the function gives something else than one data set"));
        };
        let mut stages = Pipeline::of(handle, "flat_map")?.stages.clone();
        if ahead {
            stages = Arc::new(Prefetch { before: stages, buffer: Buffer::Fixed(self.block.max(2)) });
        }
        Ok(Open { number, element, ahead, pass: Values::begin(&stages, from)? })
    }
}

/// A data set that is open.
struct Open {
    /// The element that it was made of, and its number.
    number: u64,
    element: Outputs,
    /// Whether a thread reads ahead.
    ahead: bool,
    pass: Values,
}

struct Flattening {
    /// Nothing once the end was seen.
    before: Option<Values>,
    opener: Opener,
    open: Vec<Option<Open>>,
    /// Whose turn it is, and how many elements it has given in a row.
    at: usize,
    given: usize,
    block: usize,
}

impl Flattening {
    fn turn(&mut self) {
        self.at = (self.at + 1) % self.open.len();
        self.given = 0;
    }
}

impl Pass for Flattening {
    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(open) = &mut self.open[self.at] {
                // An element that failed has been given, too.
                let Some(values) = open.pass.next().transpose() else {
                    self.open[self.at] = None;
                    self.turn();
                    continue;
                };
                self.given += 1;
                if self.given == self.block {
                    self.turn();
                }
                return values.map(|values| Some(Item::Values(values)));
            }
            match &mut self.before {
                Some(before) => match before.next()? {
                    Some(element) => {
                        let number = self.opener.calls.number();
                        self.open[self.at] = Some(self.opener.open(self.at, number, element, None)?);
                    }
                    None => self.before = None,
                },
                None if self.open.iter().all(Option::is_none) => return Ok(None),
                None => self.turn(),
            }
        }
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.opener.calls.save(to);
        to.number(self.at as u64);
        to.number(self.given as u64);
        for open in &self.open {
            to.flag(open.is_some());
            if let Some(Open { number, element, ahead, pass }) = open {
                to.number(*number);
                save_item(&Item::Values(element.clone()), to)?;
                to.flag(*ahead);
                pass.save(to)?;
            }
        }
        to.flag(self.before.is_some());
        self.before.as_ref().map_or(Ok(()), |before| before.save(to))
    }
}
