//! The compiler of plans: walks a graph of known sizes once and decides for every value where it lies and for every node
//! which step computes it. Branches and loops are in `control.rs`, passes over memory in `lower.rs`.

use super::arena::Arena;
use super::lower::Cluster;
use super::{Answer, Base, Param, Plan, Refs, ResourceUse, Step, Users};
use crate::backend::cpu::{CpuCall, Isa, View};
use crate::dtype::DType;
use crate::graph::ir::{Graph, Node, Value};
use crate::graph::passes::pure::writes;
use crate::op::{Access, Flow, Kind};
use crate::shape::{MAX_RANK, contiguous_strides};
use crate::tensor::{Layout, Tensor, TensorType};
use std::collections::HashMap;
use std::panic::Location;

pub(super) const NO_SCRATCH: u32 = u32::MAX;

/// Where a value lies.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub base: Base,
    /// Bytes from the base to the first element.
    pub offset: isize,
    pub ty: TensorType,
    pub strides: [isize; MAX_RANK],
    /// Whether this scope may give the tensor in the slot away.
    pub owned: bool,
}

impl Place {
    pub fn dense(base: Base, ty: TensorType) -> Self {
        let mut strides = [0; MAX_RANK];
        contiguous_strides(ty.shape.dims(), &mut strides);
        Self { base, offset: 0, ty, strides, owned: true }
    }

    pub fn view(&self) -> View {
        View::new(std::ptr::without_provenance_mut(64), self.ty.dtype, self.ty.shape.dims(), &self.strides)
    }

    pub fn is_dense(&self) -> bool {
        self.view().is_dense()
    }
}

/// A graph being compiled: the top one, or a body.
pub(super) struct Scope<'g> {
    pub graph: &'g Graph,
    places: Vec<Option<Place>>,
    /// The value whose elements a view shows.
    root: Vec<Value>,
    /// By root: the node that uses it last; results are used at the very end.
    last: Vec<usize>,
    /// Values that must be tensors of their own.
    wants: Vec<bool>,
    /// Where a value should be written: the home of a loop's value, with the parameter that lies there until then.
    pub prefer: HashMap<Value, (Place, Option<Value>)>,
}

impl<'g> Scope<'g> {
    pub fn new(graph: &'g Graph, top: bool) -> Self {
        let n = graph.types.len();
        let mut root: Vec<Value> = (0..n as u32).map(Value).collect();
        let mut last = vec![0; n];
        let mut wants = vec![false; n];
        for (i, node) in graph.nodes.iter().enumerate() {
            if let Kind::View = node.op.kind() {
                root[node.outputs[0].index()] = root[node.inputs[0].index()];
            }
            for v in &node.inputs {
                let v = root[v.index()];
                last[v.index()] = i;
                wants[v.index()] |= on_tensors(node);
            }
        }
        for v in &graph.results {
            let v = root[v.index()];
            last[v.index()] = usize::MAX;
            wants[v.index()] |= top;
        }
        Self { graph, places: vec![None; n], root, last, wants, prefer: HashMap::new() }
    }

    pub fn ty(&self, v: Value) -> TensorType {
        *self.graph.ty(v)
    }

    pub fn place(&self, v: Value) -> Option<Place> {
        self.places[v.index()].clone()
    }

    pub fn set(&mut self, v: Value, place: Place) {
        self.places[v.index()] = Some(place);
    }

    pub fn last_use(&self, v: Value) -> usize {
        self.last[self.root[v.index()].index()]
    }
}

/// Whether a node works on tensors instead of memory.
fn on_tensors(node: &Node) -> bool {
    match node.op.kind() {
        Kind::Control => true,
        Kind::Host => node.op.bodies().is_empty() || node.op.in_registers().is_some(),
        _ => false,
    }
}

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
    views: Vec<(View, Base, isize)>,
    pointers: Vec<(Base, isize)>,
    /// By the slot of the handle.
    pub resources: HashMap<u32, ResourceUse>,
    dense: Vec<bool>,
    held: Vec<Tensor>,
    constants: Vec<(u32, Tensor)>,
    shared: usize,
    /// Whether a step may run code of the user's, which may use variables.
    foreign: bool,
}

/// The plan of a graph after all passes; `fallback` is what runs where the plan does not fit.
pub(super) fn compile(graph: &Graph, fallback: &Graph) -> Option<Plan> {
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
        constants: Vec::new(),
        shared: 0,
        foreign: false,
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
        scope.set(param, Place::dense(Base::Slot(i as u32), *graph.ty(param)));
    }
    c.mark_written(graph);
    c.body(&mut scope)?;
    let mut answers = Vec::new();
    for &v in &graph.results {
        let (slot, give_up) = c.as_slot(&mut scope, v, usize::MAX, Location::caller())?;
        answers.push(Answer { slot, give_up });
    }
    for i in 0..answers.len() {
        // A tensor that is handed out twice is given up by the last.
        answers[i].give_up &= !answers[i + 1..].iter().any(|a| a.slot == answers[i].slot);
    }
    // A call keeps the variables that it changes locked, and nobody else's code must wait for them.
    if c.foreign && c.resources.values().any(|r| r.written) {
        return None;
    }
    Some(c.finish(graph, fallback, answers))
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
            answers,
            users: self.users,
            views: self.views,
            pointers: self.pointers,
            arena,
            long: self.shared >= 4,
            frames: Default::default(),
        }
    }

    pub fn slot(&mut self, holds: Holds) -> u32 {
        self.slots.push(holds);
        self.users.push(Users::default());
        self.slots.len() as u32 - 1
    }

    /// Finds the variables that the graph or a body of it changes.
    fn mark_written(&mut self, graph: &Graph) {
        for (i, &param) in graph.params.iter().enumerate() {
            if let Some(using) = self.resources.get_mut(&(i as u32)) {
                using.written = graph.nodes.iter().any(|node| writes(node, param));
                if !using.written {
                    self.slots[using.slot as usize] = Holds::Tensor(using.ty);
                }
            }
        }
    }

    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
        self.at += 1;
    }

    /// Notes how far the work of a step splits.
    pub fn note(&mut self, phases: &[usize]) {
        self.shared += phases.iter().copied().max().filter(|&n| n > 1).unwrap_or(0);
    }

    pub fn hold(&mut self, tensor: &Tensor) {
        if !self.held.iter().any(|t| t.id() == tensor.id()) {
            self.held.push(tensor.clone());
        }
    }

    pub fn touch(&mut self, place: &Place) {
        if let Base::Arena(buffer) = place.base {
            self.arena.touch(buffer as usize, self.at);
        }
    }

    /// A dense buffer for a value of this type.
    pub fn buffer(&mut self, ty: TensorType) -> Place {
        let buffer = self.arena.add(ty.bytes(), self.at);
        Place::dense(Base::Arena(buffer as u32), ty)
    }

    /// Scratch memory for the step at hand.
    pub fn scratch(&mut self, bytes: usize) -> u32 {
        if bytes == 0 {
            return NO_SCRATCH;
        }
        let buffer = self.arena.add(bytes, self.at);
        self.pointer(Base::Arena(buffer as u32), 0)
    }

    fn pointer(&mut self, base: Base, offset: isize) -> u32 {
        let index = self.pointers.len() as u32;
        if let Base::Slot(slot) = base {
            self.users[slot as usize].pointers.push((index, offset));
            self.reads_slot(slot);
        }
        self.pointers.push((base, offset));
        index
    }

    /// The addresses of places, as a step takes them.
    pub fn pointers(&mut self, places: &[Place]) -> Refs {
        let start = self.pointers.len() as u32;
        for place in places {
            self.touch(place);
            self.pointer(place.base, place.offset);
        }
        start..self.pointers.len() as u32
    }

    pub fn view(&mut self, place: &Place) -> u32 {
        self.touch(place);
        let index = self.views.len() as u32;
        if let Base::Slot(slot) = place.base {
            self.users[slot as usize].views.push((index, place.offset));
            self.reads_slot(slot);
        }
        self.views.push((place.view(), place.base, place.offset));
        index
    }

    fn reads_slot(&mut self, slot: u32) {
        if let Some(dense) = self.dense.get_mut(slot as usize) {
            *dense = true;
        }
    }

    pub fn constant_place(&self, tensor: &Tensor) -> Option<Place> {
        if tensor.dtype().size() == 0 {
            return None;
        }
        let base = Base::Fixed(tensor.data().expose_provenance());
        Some(Place { base, offset: 0, ty: *tensor.ty(), strides: tensor.strides(), owned: false })
    }

    /// Copies a value to another place of the same type.
    pub fn copy(&mut self, from: &Place, to: &Place) {
        let (from, to) = (self.view(from), self.view(to));
        self.push(Step::Copy { from, to });
    }

    /// A place of its own in row-major order.
    fn dense_place(&mut self, place: Place) -> Place {
        if place.is_dense() {
            return place;
        }
        let to = self.buffer(place.ty);
        self.copy(&place, &to);
        to
    }

    /// A fresh tensor's slot.
    fn allocate(&mut self, ty: TensorType, location: &'static Location<'static>) -> Place {
        let slot = self.slot(Holds::Tensor(ty));
        self.push(Step::Allocate { slot, ty, location });
        Place::dense(Base::Slot(slot), ty)
    }

    /// Where node `at` writes its result `v`. It may lie over the buffers `under`, which the node reads last.
    pub fn place_output(
        &mut self,
        scope: &mut Scope<'_>,
        v: Value,
        at: usize,
        under: &[u32],
        location: &'static Location<'static>,
    ) -> Option<Place> {
        let ty = scope.ty(v);
        let home = scope.prefer.get(&v).filter(|(home, param)| {
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
        self.touch(&place);
        scope.set(v, place.clone());
        Some(place)
    }

    /// Emits the nodes of a scope whose parameters have places.
    pub fn body(&mut self, scope: &mut Scope<'_>) -> Option<()> {
        let graph = scope.graph;
        for (value, tensor) in &graph.constants {
            self.hold(tensor);
            match self.constant_place(tensor) {
                Some(place) => scope.set(*value, place),
                None => {
                    let slot = self.constant_slot(tensor);
                    scope.set(*value, Place { owned: false, ..Place::dense(Base::Slot(slot), *tensor.ty()) });
                }
            }
        }
        for (at, node) in graph.nodes.iter().enumerate() {
            self.node(scope, node, at)?;
        }
        Some(())
    }

    fn constant_slot(&mut self, tensor: &Tensor) -> u32 {
        if let Some((slot, _)) = self.constants.iter().find(|(_, t)| t.id() == tensor.id()) {
            return *slot;
        }
        let slot = self.slot(Holds::Tensor(*tensor.ty()));
        self.constants.push((slot, tensor.clone()));
        slot
    }

    fn node(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        match (node.op.kind(), node.op.flow()) {
            (_, Some(Flow::Branch)) => self.branch(scope, node, at),
            (_, Some(Flow::Loop { .. })) if node.op.in_registers().is_some() => self.on_tensors(scope, node, at),
            (_, Some(Flow::Loop { carried })) => self.repeat(scope, node, at, carried),
            (Kind::Host, None) if !node.op.bodies().is_empty() => self.fused(scope, node, at),
            (Kind::View, _) => self.view_node(scope, node),
            (Kind::Read, _) => self.read(scope, node, at),
            (Kind::Elementwise { .. }, _) => {
                if scope.ty(node.outputs[0]).shape.num_elements() == 0 {
                    return self.place_output(scope, node.outputs[0], at, &[], node.location).map(drop);
                }
                let graph = scope.graph;
                let (nodes, results) = (std::slice::from_ref(node), &node.outputs[..]);
                let cluster = Cluster { graph, nodes, results, op: node.op.name(), location: node.location };
                self.emit_pass(scope, &cluster, &[], at)
            }
            (Kind::Control | Kind::Host, _) => self.on_tensors(scope, node, at),
            _ => self.kernel(scope, node, at),
        }
    }

    fn fused(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        let bodies = node.op.bodies();
        let graph: &Graph = bodies[0];
        let mut outer: Vec<(Value, Value)> = graph.params.iter().copied().zip(node.inputs.iter().copied()).collect();
        outer.extend(graph.results.iter().copied().zip(node.outputs.iter().copied()));
        let cluster = Cluster {
            graph,
            nodes: &graph.nodes,
            results: &graph.results,
            op: node.op.name(),
            location: node.location,
        };
        if self.emit_pass(scope, &cluster, &outer, at).is_some() {
            return Some(());
        }
        // Too large for one pass: its nodes one by one.
        let mut inner = Scope::new(graph, false);
        for (&param, &input) in graph.params.iter().zip(&node.inputs) {
            inner.set(param, Place { owned: false, ..scope.place(input)? });
        }
        self.body(&mut inner)?;
        for (&result, &output) in graph.results.iter().zip(&node.outputs) {
            scope.set(output, inner.place(result)?);
        }
        Some(())
    }

    fn view_node(&mut self, scope: &mut Scope<'_>, node: &Node) -> Option<()> {
        let (output, from) = (node.outputs[0], scope.place(node.inputs[0])?);
        let ty = scope.ty(output);
        if ty.dtype.size() == 0 {
            scope.set(output, from);
            return Some(());
        }
        let layout = node.op.view(&from.ty, &from.strides, &ty);
        let (from, layout) = match layout {
            Some(layout) => (from, layout),
            None => {
                let dense = self.dense_place(from);
                let layout = node.op.view(&dense.ty, &dense.strides, &ty)?;
                (dense, layout)
            }
        };
        let offset = from.offset + layout.offset * ty.dtype.size() as isize;
        scope.set(output, Place { ty, strides: layout.strides, offset, ..from });
        Some(())
    }

    /// A variable's value: its memory itself, or a copy if the variable changes while the value is still wanted.
    fn read(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        let (handle, output) = (node.inputs[0], node.outputs[0]);
        let using = self.resource(scope, handle)?;
        let memory = Place { owned: false, ..Place::dense(Base::Slot(using.slot), using.ty) };
        let last = scope.last_use(output);
        let changes = |n: &Node| writes(n, handle);
        let until = last.min(scope.graph.nodes.len().saturating_sub(1));
        if using.written && scope.graph.nodes[at + 1..=until.max(at)].iter().any(changes) {
            let to = self.place_output(scope, output, at, &[], node.location)?;
            self.copy(&memory, &to);
        } else {
            scope.set(output, memory);
        }
        Some(())
    }

    pub fn resource(&self, scope: &Scope<'_>, handle: Value) -> Option<ResourceUse> {
        let Base::Slot(slot) = scope.place(handle)?.base else { return None };
        self.resources.get(&slot).copied()
    }

    fn kernel(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        let op = &node.op;
        let mut inputs = Vec::new();
        for (i, &v) in node.inputs.iter().enumerate() {
            let place = scope.place(v)?;
            inputs.push(match scope.ty(v).dtype {
                DType::Resource => {
                    let using = self.resource(scope, v)?;
                    debug_assert!(using.written || op.access(i) == Access::Read);
                    Place { owned: false, ..Place::dense(Base::Slot(using.slot), using.ty) }
                }
                DType::Variant => return None,
                _ if op.takes_strides() => place,
                _ => self.dense_place(place),
            });
        }
        let mut outputs = Vec::new();
        for &v in &node.outputs {
            outputs.push(self.place_output(scope, v, at, &[], node.location)?);
        }
        let work = {
            let inputs: Vec<View> = inputs.iter().map(Place::view).collect();
            let outputs: Vec<View> = outputs.iter().map(Place::view).collect();
            let scratch = std::ptr::null_mut();
            op.work(&CpuCall { inputs: &inputs, outputs: &outputs, scratch, isa: Isa::current() })
        };
        let scratch = self.scratch(work.scratch);
        let mut refs = [&inputs, &outputs].map(|places| {
            let start = self.views.len() as u32;
            for place in places {
                self.view(place);
            }
            start..self.views.len() as u32
        });
        self.note(&work.phases);
        let [inputs, outputs] = &mut refs;
        let (inputs, outputs) = (inputs.clone(), outputs.clone());
        self.push(Step::Kernel {
            op: op.clone(),
            inputs,
            outputs,
            scratch,
            phases: work.phases,
            location: node.location,
        });
        Some(())
    }

    fn on_tensors(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        self.foreign |= matches!(node.op.kind(), Kind::Control);
        let mut inputs: Vec<(u32, bool)> = Vec::new();
        for &v in &node.inputs {
            if scope.ty(v).dtype == DType::Resource && self.resource(scope, v).is_some() {
                return None;
            }
            inputs.push(self.as_slot(scope, v, at, node.location)?);
        }
        for i in 0..inputs.len() {
            let slot = inputs[i].0;
            inputs[i].1 &= !inputs[i + 1..].iter().any(|(other, _)| *other == slot);
        }
        let mut outputs = Vec::new();
        for &v in &node.outputs {
            let ty = scope.ty(v);
            let slot = self.slot(Holds::Tensor(ty));
            outputs.push((slot, ty));
            scope.set(v, Place::dense(Base::Slot(slot), ty));
        }
        self.push(Step::Tensors { op: node.op.clone(), inputs, outputs, location: node.location });
        Some(())
    }

    /// The value as a tensor in a slot, and whether node `at` may have it.
    pub fn as_slot(
        &mut self,
        scope: &mut Scope<'_>,
        v: Value,
        at: usize,
        location: &'static Location<'static>,
    ) -> Option<(u32, bool)> {
        let place = scope.place(v)?;
        let ty = scope.ty(v);
        let from = match place.base {
            Base::Slot(slot) => Some(slot).filter(|&s| self.slots[s as usize] != Holds::Memory),
            Base::Fixed(_) => scope.graph.constant(scope.root[v.index()]).cloned().map(|t| self.constant_slot(&t)),
            Base::Arena(_) => None,
        };
        let Some(slot) = from else {
            let to = self.allocate(ty, location);
            self.copy(&place, &to);
            let Base::Slot(slot) = to.base else { return None };
            return Some((slot, true));
        };
        let whole = self.slots[slot as usize] == Holds::Tensor(ty)
            && place.offset == 0
            && (ty.dtype.size() == 0 || place.is_dense());
        if whole {
            return Some((slot, place.owned && scope.last_use(v) == at));
        }
        // The layout was worked out over a dense tensor.
        self.reads_slot(slot);
        let to = self.slot(Holds::Tensor(ty));
        let offset = place.offset / ty.dtype.size().max(1) as isize;
        let view = Some((ty, Layout { strides: place.strides, offset }));
        self.push(Step::Move { from: slot, to, give_up: false, view });
        Some((to, true))
    }
}
