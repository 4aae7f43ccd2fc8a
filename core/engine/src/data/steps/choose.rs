//! Stages that take each element from one of several data sets: `choose_from_datasets` by a data set of their numbers,
//! `sample_from_datasets` at random, by weights.

use super::concatenate::common;
use super::shuffle::Draws;
use crate::data::cardinality::Cardinality;
use crate::data::order::{Order, SharedOrder};
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::tensor::TensorType;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::sync::Arc;

/// How the next data set is chosen.
pub(in crate::data) enum Choice {
    /// The last of the inputs gives its number.
    Numbers,
    /// By weights, whose sum is 1.
    Weights { weights: Vec<f64>, order: SharedOrder, another: bool },
}

pub(in crate::data) struct Choose {
    pub step: &'static str,
    /// The data sets, and behind them that of the numbers.
    pub inputs: Vec<Arc<dyn Stage>>,
    pub choice: Choice,
    /// Whether all ends where one has ended.
    pub stop_on_empty: bool,
    pub location: &'static Location<'static>,
}

impl Choose {
    /// The data sets that elements come from.
    fn sets(&self) -> &[Arc<dyn Stage>] {
        match self.choice {
            Choice::Numbers => &self.inputs[..self.inputs.len() - 1],
            Choice::Weights { .. } => &self.inputs,
        }
    }
}

impl Stage for Choose {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let chooser = match &self.choice {
            Choice::Numbers => {
                let numbers = &self.inputs[self.inputs.len() - 1];
                Chooser::Numbers(Values::begin(numbers, from.as_deref_mut())?)
            }
            Choice::Weights { weights, order, another } => {
                let draws = match from.as_deref_mut() {
                    Some(from) => Draws::resume(from)?,
                    None => {
                        let Order { seed, passes } = order.take(*another);
                        Draws::new(seed, passes, 0)
                    }
                };
                Chooser::Weights { weights: weights.clone(), draws }
            }
        };
        let mut passes = Vec::new();
        for stage in self.sets() {
            let running = from.as_deref_mut().map_or(Ok(true), |from| from.flag())?;
            passes.push(running.then(|| Values::begin(stage, from.as_deref_mut())).transpose()?);
        }
        let (stop_on_empty, step, location) = (self.stop_on_empty, self.step, self.location);
        Ok(Box::new(Choosing { chooser, passes, stop_on_empty, step, location }))
    }

    fn cardinality(&self) -> Cardinality {
        let each: Vec<Cardinality> = self.sets().iter().map(|set| set.cardinality()).collect();
        let endless = each.iter().all(|own| *own == Cardinality::Infinite);
        match &self.choice {
            // Each choice gives an element then.
            Choice::Numbers if endless => self.inputs[self.inputs.len() - 1].cardinality(),
            Choice::Numbers => Cardinality::Unknown,
            Choice::Weights { weights, .. } => {
                let mut chosen = each.iter().zip(weights).filter(|(_, weight)| **weight > 0.0).map(|(own, _)| *own);
                match (chosen.next(), chosen.next()) {
                    (Some(only), None) => only,
                    _ if endless => Cardinality::Infinite,
                    _ if !self.stop_on_empty && each.contains(&Cardinality::Infinite) => Cardinality::Infinite,
                    _ => Cardinality::Unknown,
                }
            }
        }
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        let mut each = self.sets().iter().map(|set| set.types());
        let first = each.next()??;
        each.try_fold(first, |all, next| common(&all, &next?))
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &self.inputs
    }

    fn describe(&self) -> String {
        let weights = match &self.choice {
            Choice::Numbers => String::new(),
            Choice::Weights { weights, .. } => format!("{weights:?}"),
        };
        format!("{}({weights}{})", self.step, if self.stop_on_empty { " up to the first end" } else { "" })
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        match &self.choice {
            Choice::Numbers => Vec::new(),
            Choice::Weights { order, .. } => vec![order],
        }
    }
}

enum Chooser {
    Numbers(Values),
    Weights { weights: Vec<f64>, draws: Draws },
}

struct Choosing {
    chooser: Chooser,
    /// Nothing in place of those that have ended.
    passes: Vec<Option<Values>>,
    stop_on_empty: bool,
    step: &'static str,
    location: &'static Location<'static>,
}

impl Choosing {
    /// The number of the next data set; `None` when there are no more choices.
    fn choose(&mut self) -> Result<Option<usize>> {
        match &mut self.chooser {
            Chooser::Numbers(numbers) => {
                let Some(number) = numbers.next()? else { return Ok(None) };
                let given = number[0].try_cast(crate::DType::I64)?.try_item::<i64>()?;
                match usize::try_from(given) {
                    Ok(number) if number < self.passes.len() => Ok(Some(number)),
                    _ => Err(Error::invalid_argument(self.step, "there is no data set with this number")
                        .got(given)
                        .expected(format!("0 to {}", self.passes.len() - 1))
                        .at(self.location)),
                }
            }
            Chooser::Weights { weights, draws } => {
                // 53 bits are a number below one.
                let mut left = (draws.next() >> 11) as f64 / (1u64 << 53) as f64;
                let reached = weights.iter().position(|weight| {
                    left -= weight;
                    left < 0.0
                });
                // Rounding may leave a little behind the last.
                Ok(reached.or_else(|| weights.iter().rposition(|weight| *weight > 0.0)))
            }
        }
    }

    /// Whether there is a data set left that can be chosen.
    fn goes_on(&self) -> bool {
        match &self.chooser {
            Chooser::Numbers(_) => self.passes.iter().any(Option::is_some),
            Chooser::Weights { weights, .. } => {
                self.passes.iter().zip(weights).any(|(pass, weight)| pass.is_some() && *weight > 0.0)
            }
        }
    }
}

impl Pass for Choosing {
    fn next(&mut self) -> Result<Option<Item>> {
        while self.goes_on() {
            let Some(chosen) = self.choose()? else { break };
            let Some(pass) = &mut self.passes[chosen] else { continue };
            if let Some(values) = pass.next()? {
                return Ok(Some(Item::Values(values)));
            }
            match self.stop_on_empty {
                true => self.passes.iter_mut().for_each(|pass| *pass = None),
                false => self.passes[chosen] = None,
            }
        }
        Ok(None)
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        match &self.chooser {
            Chooser::Numbers(numbers) => numbers.save(to)?,
            Chooser::Weights { draws, .. } => draws.save(to),
        }
        for pass in &self.passes {
            to.flag(pass.is_some());
            if let Some(pass) = pass {
                pass.save(to)?;
            }
        }
        Ok(())
    }
}
