//! A loop of the graph while it is recorded: condition, body, the types that fit all rounds, and the flags of jumps out of it.
//! [`While`](super::while_stmt::While) drives it; at the end it records one `while` operation.

use super::borrow_watch::{Hidden, Watch};
use super::dispatch::{Cond, CondValue};
use super::list_growth::{Compared, Growing};
use super::merge::{Side, merge, placeholder, select};
use super::mismatch::{Disagreement, Way};
use super::opaque_state::none_hidden;
use super::regions::{self, Leave, Target};
use super::skipped_fields::warn_of_unseen;
use super::state::{self, Captured};
use crate::builder;
use crate::builder::Builder;
use crate::structure::Place;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use std::panic::Location;
use std::rc::Rc;

mod emit;
mod jumps;
mod types;

pub(super) struct StagedLoop {
    outer: Rc<Builder>,
    before: Captured,
    /// What calls have borrowed, before the loop.
    watch: Watch,
    types: Vec<TensorType>,
    /// Sizes among them that this loop has opened.
    opened: Vec<Dim>,
    /// Jumps that were pending when the loop began, with their flags.
    pending: Vec<Leave>,
    breaks: Target,
    continues: Target,
    location: &'static Location<'static>,
    region: usize,
    condition: Option<(Rc<Builder>, Tensor)>,
    params: Vec<Tensor>,
    /// Whether the host's condition is always true, so that only jumps end the loop.
    endless: bool,
    /// What a `break` takes along: names, and how many tensors each has.
    broken: Vec<(&'static str, usize)>,
    /// After the loop: the tensors that only a `break` sets.
    after: Vec<Tensor>,
    /// How many lists were found to change their length before it began.
    found: usize,
}

/// The name under which the loop's own value goes.
pub(super) const VALUE: &str = "the value of the loop";

/// After a pass.
pub(super) enum Ended {
    /// The state's types had to be widened: record condition and body once more.
    Again,
    /// A list turned out to have another length after a round: begin again with it as a value of the graph.
    Longer,
    Over,
    /// The loop is never left to what follows it.
    Left,
}

impl StagedLoop {
    pub fn new(
        head: &[Place<'_>],
        pending: Vec<Leave>,
        broken: Vec<(&'static str, usize)>,
        [breaks, continues]: [Target; 2],
        location: &'static Location<'static>,
        found: usize,
    ) -> Result<Self> {
        let outer = builder::current().ok_or_else(|| Error::internal("while", "no graph is being recorded"))?;
        none_hidden("while", head, location)?;
        warn_of_unseen(location);
        let before = Captured::of(head);
        let types = before.tensors.iter().map(|t| outer.type_of(t)).collect::<Result<_>>()?;
        Ok(Self {
            outer,
            before,
            watch: Watch::now(),
            types,
            opened: Vec::new(),
            pending,
            breaks,
            continues,
            location,
            region: 0,
            condition: None,
            params: Vec::new(),
            endless: false,
            broken,
            after: Vec::new(),
            found,
        })
    }

    /// Symbols of the carried types take the place of the state.
    fn enter(&mut self, name: &str, head: &mut [Place<'_>]) {
        let body = self.outer.inside(name);
        self.params = self.types.iter().map(|ty| body.param_at(ty, self.location)).collect();
        self.before.restore(head);
        state::put(head, &self.params);
        self.region = regions::enter(body);
    }

    pub fn begin_condition(&mut self, head: &mut [Place<'_>]) -> Result<()> {
        self.enter("while_cond", head);
        Ok(())
    }

    pub fn end_condition(&mut self, condition: &Cond, head: &mut [Place<'_>]) -> Result<()> {
        self.endless = matches!(condition.value, CondValue::Host(true));
        let condition = match &condition.value {
            CondValue::Host(holds) => crate::constant::try_constant_of(*holds, DType::Bool)?,
            CondValue::Tensor(tensor) => tensor.clone(),
        };
        let fell = regions::settle(self.region, None, Some(vec![condition.clone()]))?;
        let value = fell.and_then(|mut values| values.pop()).unwrap_or(condition);
        self.check_condition(head)?;
        if let Some(closed) = regions::exit(None) {
            self.condition = Some((closed.side.builder, value));
        }
        self.check_lent(head)?;
        self.enter("while_body", head);
        Ok(())
    }

    /// A condition only tells whether to go on: a graph cannot hand on what else it does to the state.
    fn check_condition(&self, head: &[Place<'_>]) -> Result<()> {
        let ways = [Way::Said("before this loop"), Way::Said("after its condition")];
        self.before.meets(head, &Disagreement { ways, ..self.disagreement() })?;
        let now = state::tensors(head);
        let changed = now.iter().zip(&self.params).position(|(a, b)| a.id() != b.id());
        let name = match changed {
            Some(at) => self.before.name_of(at),
            None => return Ok(()),
        };
        Err(Error::invalid_argument("while", format!("the condition of this loop assigns `{name}`"))
            .expected("a condition that leaves the loop's variables as they are")
            .help("write `loop { ..; if !condition { break } .. }`, with the assignment in front of the `if`")
            .variable(&name)
            .at(self.location))
    }

    /// What condition and body change, they must change in the state, which is as it was before the loop afterwards.
    fn check_lent(&self, head: &mut [Place<'_>]) -> Result<()> {
        if self.watch.is_empty() {
            return Ok(());
        }
        self.before.restore(head);
        self.watch.check(Hidden::Loop, self.location)
    }

    /// Notes which variables a `break` takes along.
    pub fn note_break(&mut self, carries: &[(&'static str, usize)]) {
        self.broken = carries.to_vec();
    }

    /// The end of the body.
    pub fn end_body(&mut self, head: &mut [Place<'_>], fell: bool, growing: &mut Growing) -> Result<Ended> {
        self.before.leads_here(head, "while", self.location)?;
        self.end_lists(head, fell, growing)?;
        if growing.found() > self.found {
            return Ok(self.give_up(head));
        }
        let values = fell.then(|| state::tensors(head));
        let fell = regions::settle(self.region, Some(self.continues), values)?;
        if let Some(fell) = &fell {
            state::put(head, fell);
            self.before.agree(head, &self.disagreement())?;
        }
        let closed = regions::exit(None).ok_or_else(|| Error::internal("while", "the body is not open"))?;
        let Side { builder: body, leaving, .. } = closed.side;
        self.check_lent(head)?;
        if self.widen(&body, fell.as_deref(), &leaving)? {
            self.before.restore(head);
            self.begin_condition(head)?;
            return Ok(Ended::Again);
        }
        self.emit(&body, fell, leaving, head)
    }

    /// Lists that were made anew in this round become values of the graph where they are such before it; others whose
    /// length differs are noted.
    fn end_lists(&self, head: &mut [Place<'_>], fell: bool, growing: &mut Growing) -> Result<()> {
        for place in head {
            match self.before.compare(place)? {
                Compared::Longer if fell && !growing.has(place.name) => growing.note(place.name),
                // Nobody reads it: what jumps took along is put there.
                Compared::Longer if !fell => self.before.restore_one(place),
                Compared::Same if !growing.has(place.name) => {}
                _ => {
                    place.stage(fell)?;
                }
            }
        }
        Ok(())
    }

    /// Leaves everything as it was before the loop, to begin it again.
    fn give_up(&mut self, head: &mut [Place<'_>]) -> Ended {
        regions::abandon(self.region);
        self.before.restore(head);
        let pending = std::mem::take(&mut self.pending);
        regions::with_top(|top| top.leaving.extend(pending));
        Ended::Longer
    }

    fn disagreement(&self) -> Disagreement {
        Disagreement {
            op: "while",
            ways: [Way::Said("before this loop"), Way::Said("after a round of it")],
            yields: &[],
            location: self.location,
        }
    }

    /// Whether its condition never ends it.
    pub fn is_endless(&self) -> bool {
        self.endless
    }

    /// The state before the loop.
    pub fn before(&self) -> &Captured {
        &self.before
    }

    /// Puts what only a `break` sets into the variables after the loop.
    pub fn put_after(&self, after: &mut [Place<'_>], taken: &Captured, growing: &Growing) -> Result<()> {
        let mut values = self.after.iter();
        for place in after.iter_mut().filter(|p| !self.before.has(p.name)) {
            taken.restore_one(place);
            if growing.has(place.name) {
                place.stage(false)?;
            }
            place.replace(&mut |old| values.next().unwrap_or(old).clone());
        }
        Ok(())
    }
}
