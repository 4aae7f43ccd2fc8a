//! Jumps out of a loop of the graph: flags and values that the loop carries for them, and where they lead after it.
//! The loop is recorded with these beside the user's state; its condition asks the flags first.

use super::types::join_types;
use super::{Ended, Leave, StagedLoop, Target, placeholder, regions, select};
use crate::builder::Builder;
use crate::ir::opened;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use std::rc::Rc;

/// A jump out of the loop, as the loop carries it.
pub(super) struct Carried {
    pub target: Target,
    /// Flag and values before the loop.
    pub first: (Tensor, Vec<Tensor>),
    /// Flag and values after a round.
    pub round: (Tensor, Vec<Tensor>),
    pub types: Vec<TensorType>,
}

impl StagedLoop {
    /// What a `break` takes along: for tensors of the carried state their numbers, for others none.
    pub(super) fn broken_values<'a>(&self, leaving: &'a [Leave]) -> Vec<(Option<usize>, &'a Tensor)> {
        let Some(leave) = leaving.iter().find(|l| l.target == self.breaks) else { return Vec::new() };
        let mut values = leave.values.iter();
        let mut all = Vec::new();
        for &(name, len) in &self.broken {
            let first = self.before.first_of(name);
            all.extend((0..len).zip(values.by_ref()).map(|(i, t)| (first.map(|f| f + i), t)));
        }
        all
    }

    /// The tensors of the carried state with which a `break` leaves.
    pub(super) fn broken_state(&self, leaving: &[Leave]) -> Vec<(usize, Tensor)> {
        self.broken_values(leaving).into_iter().filter_map(|(at, t)| Some((at?, t.clone()))).collect()
    }

    /// Where a `break` is pending, the state is what it took along.
    pub(super) fn choose(&self, builder: &Rc<Builder>, leaving: &[Leave], state: &mut [Tensor]) -> Result<()> {
        let (at, new): (Vec<usize>, Vec<Tensor>) = self.broken_state(leaving).into_iter().unzip();
        if at.is_empty() {
            return Ok(());
        }
        let old: Vec<Tensor> = at.iter().map(|&i| state[i].clone()).collect();
        let flag = leaving.iter().find(|l| l.target == self.breaks).and_then(|l| l.flag.as_ref());
        let chosen = match flag {
            Some(flag) => builder.record_again(|| select(flag, &new, &old))?,
            None => new,
        };
        at.into_iter().zip(chosen).for_each(|(i, t)| state[i] = t);
        Ok(())
    }

    /// All jumps out of the loop, with what they carry before it and after a round.
    pub(super) fn carried(&mut self, body: &Rc<Builder>, leaving: &[Leave]) -> Result<Vec<Carried>> {
        let mut targets: Vec<Target> = leaving.iter().chain(&self.pending).map(|l| l.target).collect();
        targets.sort_unstable();
        targets.dedup();
        let mut all = Vec::new();
        for target in targets {
            let of = |list: &[Leave]| list.iter().find(|l| l.target == target).cloned();
            let (first, round) = (of(&self.pending), of(leaving));
            let values = |list: &[Leave], l: &Leave| match target == self.breaks {
                // The carried state goes its own way.
                true => self
                    .broken_values(list)
                    .into_iter()
                    .filter(|(at, _)| at.is_none())
                    .map(|(_, t)| t.clone())
                    .collect(),
                false => l.values.clone(),
            };
            let first_values: Option<Vec<Tensor>> = first.as_ref().map(|l| values(&self.pending, l));
            let round_values: Option<Vec<Tensor>> = round.as_ref().map(|l| values(leaving, l));
            let types: Vec<TensorType> = match (&first_values, &round_values) {
                (Some(a), Some(b)) => join_types(&self.outer, a, body, b)?,
                (Some(a), None) => a.iter().map(|t| self.outer.type_of(t)).collect::<Result<_>>()?,
                (None, Some(b)) => b.iter().map(|t| opened(&body.type_of(t)?)).collect::<Result<_>>()?,
                (None, None) => Vec::new(),
            };
            let constant = |value: bool| crate::constant::try_constant_of(value, DType::Bool);
            let flag = |l: &Option<Leave>| match l {
                None => constant(false),
                Some(Leave { flag: None, .. }) => constant(true),
                Some(Leave { flag: Some(flag), .. }) => Ok(flag.clone()),
            };
            let own_flag = flag(&first)?;
            let round_flag = flag(&round)?;
            let _param = body.param(&TensorType::scalar(DType::Bool));
            let params: Vec<Tensor> = types.iter().map(|ty| body.param(ty)).collect();
            let first_values = match first_values {
                Some(values) => values,
                None => types.iter().map(|ty| placeholder(&self.outer, ty)).collect::<Result<_>>()?,
            };
            all.push(Carried {
                target,
                first: (own_flag, first_values),
                round: (round_flag, round_values.unwrap_or(params)),
                types,
            });
        }
        Ok(all)
    }

    /// Hands the flags at the loop's end on to where the jumps lead.
    pub(super) fn leave(&mut self, outputs: &[Tensor], carried: &[Carried]) -> Result<Ended> {
        let mut outputs = outputs.iter().cloned();
        let mut pending = Vec::new();
        let mut breaks = false;
        for jump in carried {
            let flag = outputs.next();
            let values: Vec<Tensor> = outputs.by_ref().take(jump.types.len()).collect();
            if jump.target == self.breaks {
                breaks = true;
                self.after = values;
            } else {
                pending.push(Leave { target: jump.target, flag, values });
            }
        }
        if self.endless && !breaks {
            if let [only] = &mut pending[..] {
                only.flag = None;
            }
            regions::with_top(|top| {
                top.leaving.extend(pending);
                top.left = true;
            });
            return Ok(Ended::Left);
        }
        regions::with_top(|top| {
            top.leaving.extend(pending);
            top.left = false;
        });
        Ok(Ended::Over)
    }
}
