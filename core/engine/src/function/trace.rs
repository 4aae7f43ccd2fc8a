//! A trace: the graph that was recorded for one pattern of arguments, and how a call's tensors come into and out of it.

use super::arguments::{Arguments, Given};
use super::created_variables::CreatedVariable;
use super::identity::Identity;
use super::operands::OperandNames;
use super::pins::{Pin, find};
use super::signature::Pattern;
use crate::execute::execute_at;
use crate::function::Wrote;
use crate::graph::control::Call;
use crate::graph::control::call::{Callable, distinct};
use crate::graph::plan::Seat;
use crate::ir::sizes::Known;
use crate::op::{Operands, Outputs};
use crate::structure::{BoxedState, StateVtable};
use crate::tape::IdMap;
use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::any::TypeId;
use std::cell::OnceCell;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where an operand of a trace's graph comes from.
#[derive(Clone)]
pub(crate) enum Source {
    /// The tensor of the arguments with this number.
    Leaf(usize),
    /// A variable of the arguments, which the trace does not keep alive: its id, and its place among them in the first
    /// call. Layers and optimizers that make variables of their own change the places.
    Argument(u64, usize),
    /// A variable that a layer or optimizer made while the function was traced; with its place among the variables of the
    /// arguments of the last call, where it is one of them.
    CreatedVariable(CreatedVariable, Arc<AtomicUsize>),
    /// Something from outside the function.
    Outside(Tensor),
}

pub(crate) struct Trace {
    pub instance: TypeId,
    pub pattern: Pattern,
    pub sources: Vec<Source>,
    /// Whether the operands are the tensors of the arguments, in their order.
    pub in_order: bool,
    pub callable: Arc<Callable>,
    /// The graph as it was recorded, before passes.
    pub recorded: Arc<crate::ir::Graph>,
    /// The result as it was recorded, of which others are copies with other tensors; none where all ways fail.
    pub result: Option<BoxedState>,
    pub table: &'static StateVtable,
    /// What the function leaves in its `&mut` arguments, behind the result.
    pub written: Vec<Wrote>,
    /// Whether it serves the call alone for which it was made.
    pub once: bool,
    pub reason: String,
    pub pins: Vec<Pin>,
    /// What its operations are given, in the user's words.
    pub operands: OperandNames,
    /// What it takes for granted of the tensors of modules.
    pub identity: Identity,
}

// SAFETY: the result, and what is written, is a nest (`'static`, made of tensors and host values, which are `Send + Sync`); it is only read.
unsafe impl Send for Trace {}
// SAFETY: as above.
unsafe impl Sync for Trace {}

/// Where each variable first stands in a list of handles, by its id.
pub(crate) fn places(handles: &[Tensor]) -> IdMap<usize> {
    handles.iter().enumerate().rev().map(|(at, handle)| (handle.id(), at)).collect()
}

impl Trace {
    /// Whether a call may use this trace.
    #[inline]
    pub fn serves(&self, instance: TypeId, words: &[u64], tensors: &[Given]) -> bool {
        if self.instance != instance {
            return false;
        }
        let plain = self.pins.is_empty() && self.recorded.constraints.is_empty();
        (plain && self.pattern.is(words, tensors) || self.serves_open(words, tensors))
            && self.identity.holds(tensors, &self.sources)
    }

    /// The ids of the variables that the function was given, or that it made.
    pub fn variables(&self) -> impl Iterator<Item = u64> + '_ {
        self.sources.iter().filter_map(|source| match source {
            Source::Argument(id, _) => Some(*id),
            Source::CreatedVariable(made, _) => Some(made.id),
            Source::Leaf(_) | Source::Outside(_) => None,
        })
    }

    /// A copy of the result with other tensors in it.
    #[inline]
    pub fn result<R>(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Option<R> {
        self.table.copy_as(self.result.as_ref()?, with)
    }

    #[inline(never)]
    fn serves_open(&self, words: &[u64], tensors: &[Given]) -> bool {
        self.pattern.fits(words, tensors).is_some_and(|sizes| {
            let equal = self.recorded.constraints.check(&|symbol| find(&sizes, symbol)).is_ok();
            equal && self.pins.iter().all(|pin| pin.holds(&sizes))
        })
    }

    /// Runs the graph on the tensors of a call.
    pub fn run(&self, arguments: &Arguments, location: &'static Location<'static>) -> Result<Outputs> {
        let mut inputs = Operands::new();
        // Where the variables are that are not where they were in the last call.
        let moved: OnceCell<IdMap<usize>> = OnceCell::new();
        let place = |id: u64| moved.get_or_init(|| places(&arguments.handles)).get(&id).copied();
        for source in &self.sources {
            inputs.push(match source {
                Source::Leaf(i) => arguments.tensors[*i].handle(),
                Source::Argument(id, first) => {
                    let found = arguments.handles.get(*first).filter(|handle| handle.id() == *id);
                    found
                        .or_else(|| arguments.handles.get(place(*id)?))
                        .cloned()
                        .ok_or_else(|| Error::internal("tf_function", "a variable of the arguments is missing"))?
                }
                Source::CreatedVariable(owned, last) => {
                    let mut at = last.load(Ordering::Relaxed);
                    if arguments.handles.get(at).is_none_or(|handle| handle.id() != owned.id) {
                        at = place(owned.id).unwrap_or(usize::MAX);
                        last.store(at, Ordering::Relaxed);
                    }
                    match arguments.handles.get(at) {
                        Some(handle) => handle.clone(),
                        None => owned.handle().map_err(|e| e.at(location))?,
                    }
                }
                Source::Outside(tensor) => tensor.clone(),
            });
        }
        self.call(inputs, location)
    }

    /// As [`run`](Self::run), for arguments that nobody reads any more; in the `seat` of an earlier call, if that can be.
    pub fn run_last(
        &self,
        arguments: &mut Arguments,
        seat: Option<&mut Option<Seat>>,
        location: &'static Location<'static>,
    ) -> Result<Outputs> {
        if !self.in_order {
            return self.run(arguments, location);
        }
        if let Some(seat) = seat
            && !crate::execute::observed()
            && !crate::execute::may_place()
            && let Some(plan) = self.callable.only_plan()
            && plan.takes_lent(arguments.tensors.iter().map(|given| &**given))
        {
            // A panic leaves the seat as it may be: then it is gone.
            let mut own = match seat.take() {
                Some(own) => own,
                None => plan.seat()?,
            };
            let outputs = plan.run_lent(&mut own, arguments.tensors.iter().map(|given| &**given));
            *seat = Some(own);
            return outputs.map(distinct).map_err(|e| self.operands.explain(e.at(location)));
        }
        let inputs = arguments.operands();
        self.call(inputs, location)
    }

    fn call(&self, inputs: Operands, location: &'static Location<'static>) -> Result<Outputs> {
        if !crate::execute::observed() {
            let outputs = self.callable.run(inputs, &Known::new()).map(distinct);
            return outputs.map_err(|e| self.operands.explain(e.at(location)));
        }
        let refs: SmallVec<[&Tensor; 8]> = inputs.iter().collect();
        execute_at(&Call::new(self.callable.clone()), &refs, location).map_err(|e| self.operands.explain(e))
    }
}
