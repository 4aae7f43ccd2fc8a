//! The compiler of plans: walks a graph of known sizes once and decides for every value where it lies and for every node
//! which step computes it. Nodes are in `nodes.rs`, branches and loops in `control.rs`, passes over memory in `lower.rs`.

use super::arena::Arena;
use super::scope::{Scope, ValueLocation};
use super::{Answer, Base, Param, Plan, Refs, ResourceUse, Step, Users, borrowed_inputs};
use crate::graph::passes::pure::written_in;
use crate::graph::views::RESULT;
use crate::ir::steps::count;
use crate::ir::{Graph, Value};
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::View;
use std::collections::{HashMap, HashSet};
use std::panic::Location;

pub(super) const NO_SCRATCH: u32 = u32::MAX;

/// What a slot holds while the plan runs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Holds {
    Tensor(TensorType),
    /// A variable's memory, without a tensor.
    Memory,
}

pub(super) struct Compiler {
    pub arena: Arena,
    pub at: usize,
    pub steps: Vec<Step>,
    pub slots: Vec<Holds>,
    users: Vec<Users>,
    pub views: Vec<(View, Base, isize)>,
    pointers: Vec<(Base, isize)>,
    /// By the slot of the handle.
    pub resources: HashMap<u32, ResourceUse>,
    dense: Vec<bool>,
    held: Vec<Tensor>,
    held_ids: HashSet<u64>,
    pub constants: Vec<(u32, Tensor)>,
    /// The slots of those, by the id of the tensor.
    pub constant_slots: HashMap<u64, u32>,
    shared: usize,
    /// Whether a step may run code of the user's, which may use variables.
    pub foreign: bool,
    /// The slots in which sums of branches and loops lie that are being compiled: nobody but who adds to a sum has its tensor.
    pub sums: HashSet<u32>,
}

/// The plan of a graph after all passes; `fallback` is what runs where the plan does not fit.
pub(super) fn compile(graph: &Graph, fallback: &Graph) -> Option<Plan> {
    // Strings lie behind tensors, not in the memory of plans.
    if graph.has_strings() {
        return None;
    }
    let mut c = Compiler {
        arena: Arena::default(),
        at: 0,
        steps: Vec::new(),
        slots: Vec::new(),
        users: Vec::new(),
        views: Vec::new(),
        pointers: Vec::new(),
        resources: HashMap::new(),
        dense: vec![false; graph.params.len()],
        held: Vec::new(),
        held_ids: HashSet::new(),
        constants: Vec::new(),
        constant_slots: HashMap::new(),
        shared: 0,
        foreign: false,
        sums: HashSet::new(),
    };
    for ty in graph.param_types() {
        c.slot(Holds::Tensor(*ty));
    }
    let mut scope = Scope::new(graph, true);
    for (i, &param) in graph.params.iter().enumerate() {
        if let Some(resource) = graph.resource(param) {
            let slot = c.slot(Holds::Memory);
            c.resources.insert(i as u32, ResourceUse { ty: resource.value, slot, written: false });
        }
        scope.set(param, ValueLocation::dense(Base::Slot(i as u32), *graph.ty(param)));
    }
    c.mark_written(graph);
    c.body(&mut scope)?;
    let mut answers = Vec::new();
    let made_at = lines(graph);
    for &v in &graph.results {
        let (slot, give_up) = c.as_slot(&mut scope, v, RESULT, made_at[v.index()])?;
        answers.push(Answer { slot, give_up });
    }
    // A tensor that is handed out twice is given up by the last.
    let mut given: HashSet<u32> = HashSet::new();
    answers.iter_mut().rev().for_each(|answer| answer.give_up &= given.insert(answer.slot));
    // A call keeps the variables that it changes locked, and nobody else's code must wait for them.
    if c.foreign && c.resources.values().any(|r| r.written) {
        return None;
    }
    Some(c.finish(graph, fallback, answers))
}

/// By value where the user computes it; one that is handed through, where the function begins to compute.
fn lines(graph: &Graph) -> Vec<&'static Location<'static>> {
    let begin = graph.nodes.first().map_or(Location::caller(), |node| node.location);
    let mut lines = vec![begin; graph.types.len()];
    for node in &graph.nodes {
        node.outputs.iter().for_each(|v| lines[v.index()] = node.location);
    }
    lines
}

impl Compiler {
    fn finish(mut self, graph: &Graph, fallback: &Graph, answers: Vec<Answer>) -> Plan {
        let arena = self.arena.plan();
        let resolve = |base: &mut Base, offset: &mut isize| {
            if let Base::Arena(buffer) = *base {
                *offset += self.arena.buffers[buffer as usize].offset as isize;
            }
        };
        self.views.iter_mut().for_each(|(_, base, offset)| resolve(base, offset));
        self.pointers.iter_mut().for_each(|(base, offset)| resolve(base, offset));
        let param = |(i, ty): (usize, &TensorType)| Param {
            ty: *ty,
            resource: self.resources.get(&(i as u32)).copied(),
            dense: self.dense[i],
        };
        let mut step_count = 0;
        super::profile::number(&mut self.steps, &mut step_count);
        let params = graph.params.len() as u32;
        let wanted = borrowed_inputs::takes(&self.steps, params) || answers.iter().any(|a| a.slot < params);
        let lends = self.resources.is_empty() && !wanted;
        let mut kept = vec![false; self.slots.len()];
        self.constants.iter().for_each(|(slot, _)| kept[*slot as usize] = true);
        Plan {
            name: graph.name.clone(),
            fallback: fallback.clone(),
            params: graph.param_types().enumerate().map(param).collect(),
            constants: self.constants,
            kept,
            _held: self.held,
            steps: self.steps,
            step_count,
            costs: Default::default(),
            answers,
            users: self.users,
            views: self.views,
            pointers: self.pointers,
            arena,
            lends,
            long: self.shared >= 4,
            frames: Default::default(),
        }
    }

    /// Whether a place is memory that values of this plan have to themselves.
    pub fn is_own(&self, place: &ValueLocation) -> bool {
        match place.base {
            Base::Arena(_) => true,
            Base::Slot(slot) => self.sums.contains(&slot),
            Base::Fixed(_) => false,
        }
    }

    pub fn slot(&mut self, holds: Holds) -> u32 {
        count(1);
        self.slots.push(holds);
        self.users.push(Users::default());
        self.slots.len() as u32 - 1
    }

    /// Finds the variables that the graph or a body of it changes.
    fn mark_written(&mut self, graph: &Graph) {
        let written = written_in(graph);
        for (i, &param) in graph.params.iter().enumerate() {
            if let Some(using) = self.resources.get_mut(&(i as u32)) {
                using.written = written[param.index()];
                if !using.written {
                    self.slots[using.slot as usize] = Holds::Tensor(using.ty);
                }
            }
        }
    }

    pub fn push(&mut self, step: Step) {
        count(1);
        self.steps.push(step);
        self.at += 1;
    }

    /// Notes how far the work of a step splits.
    pub fn note(&mut self, phases: &[usize]) {
        self.shared += phases.iter().copied().max().filter(|&n| n > 1).unwrap_or(0);
    }

    pub fn hold(&mut self, tensor: &Tensor) {
        if self.held_ids.insert(tensor.id()) {
            self.held.push(tensor.clone());
        }
    }

    pub fn touch(&mut self, place: &ValueLocation) {
        if let Base::Arena(buffer) = place.base {
            self.arena.touch(buffer as usize, self.at);
        }
    }

    /// A dense buffer for a value of this type.
    pub fn buffer(&mut self, ty: TensorType) -> ValueLocation {
        let buffer = self.arena.add(ty.bytes(), self.at);
        ValueLocation::dense(Base::Arena(buffer as u32), ty)
    }

    /// Scratch memory for the step at hand.
    pub fn scratch(&mut self, bytes: usize) -> u32 {
        if bytes == 0 {
            return NO_SCRATCH;
        }
        let buffer = self.arena.add(bytes, self.at);
        self.pointer(Base::Arena(buffer as u32), 0)
    }

    pub fn pointer(&mut self, base: Base, offset: isize) -> u32 {
        let index = self.pointers.len() as u32;
        if let Base::Slot(slot) = base {
            self.users[slot as usize].pointers.push((index, offset));
            self.reads_slot(slot);
        }
        self.pointers.push((base, offset));
        index
    }

    /// The addresses of places, as a step takes them.
    pub fn pointers(&mut self, places: &[ValueLocation]) -> Refs {
        let start = self.pointers.len() as u32;
        for place in places {
            self.touch(place);
            self.pointer(place.base, place.offset);
        }
        start..self.pointers.len() as u32
    }

    pub fn view(&mut self, place: &ValueLocation) -> u32 {
        self.touch(place);
        let index = self.views.len() as u32;
        if let Base::Slot(slot) = place.base {
            self.users[slot as usize].views.push((index, place.offset));
            self.reads_slot(slot);
        }
        self.views.push((place.view(), place.base, place.offset));
        index
    }

    pub fn reads_slot(&mut self, slot: u32) {
        if let Some(dense) = self.dense.get_mut(slot as usize) {
            *dense = true;
        }
    }

    pub fn constant_place(&self, tensor: &Tensor) -> Option<ValueLocation> {
        if tensor.dtype().size() == 0 {
            return None;
        }
        let base = Base::Fixed(tensor.data().expose_provenance());
        Some(ValueLocation { base, offset: 0, ty: *tensor.ty(), strides: tensor.strides(), owned: false })
    }

    /// Copies a value to another place of the same type.
    pub fn copy(&mut self, from: &ValueLocation, to: &ValueLocation) {
        let (from, to) = (self.view(from), self.view(to));
        self.push(Step::Copy { from, to });
    }

    /// A place of its own in row-major order.
    pub fn dense_place(&mut self, place: ValueLocation) -> ValueLocation {
        if place.is_dense() {
            return place;
        }
        let to = self.buffer(place.ty);
        self.copy(&place, &to);
        to
    }

    /// A fresh tensor's slot.
    pub fn allocate(&mut self, ty: TensorType, location: &'static Location<'static>) -> ValueLocation {
        let slot = self.slot(Holds::Tensor(ty));
        self.push(Step::Allocate { slot, ty, location });
        ValueLocation::dense(Base::Slot(slot), ty)
    }

    /// Where node `at` writes its result `v`. It may lie over the buffers `under`, which the node reads last.
    pub fn place_output(
        &mut self,
        scope: &mut Scope<'_>,
        v: Value,
        at: usize,
        under: &[u32],
        location: &'static Location<'static>,
    ) -> Option<ValueLocation> {
        let ty = scope.ty(v);
        let home = scope.home_of(v).filter(|(home, param)| {
            param.is_none_or(|p| {
                let (last, own) = (scope.last_use(p), matches!(home.base, Base::Arena(b) if under.contains(&b)));
                last < at || (last == at && own)
            })
        });
        let place = match home {
            Some((home, _)) => home.clone(),
            None if scope.wants[v.index()] => self.allocate(ty, location),
            None => self.buffer(ty),
        };
        Some(self.settle(scope, v, place))
    }

    /// Lets a value lie in a place from here on.
    pub fn settle(&mut self, scope: &mut Scope<'_>, v: Value, place: ValueLocation) -> ValueLocation {
        self.touch(&place);
        scope.set(v, place.clone());
        place
    }
}
