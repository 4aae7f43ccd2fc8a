//! One node of a graph as steps of a plan, by its kind: views, reads of variables, kernels, operations on tensors.
//! The compiler of plans calls `body` for each graph; branches and loops are in `control.rs`, fused loops in `lower.rs`.

use super::compile::{Compiler, Holds};
use super::lower::Cluster;
use super::scope::{Scope, ValueLocation};
use super::{Base, ResourceUse, Step};
use crate::graph::control::while_loop::in_registers;
use crate::ir::{Graph, Node, Value};
use crate::op::{Access, Flow, Kind};
use crate::tensor::{Layout, Tensor, TensorType};
use kernels::backend::cpu::{CpuCall, Isa, View};
use kernels::dtype::DType;
use std::collections::HashSet;
use std::panic::Location;

impl Compiler {
    /// Emits the nodes of a scope whose parameters have places.
    pub fn body(&mut self, scope: &mut Scope<'_>) -> Option<()> {
        let graph = scope.graph;
        for (value, tensor) in &graph.constants {
            self.hold(tensor);
            match self.constant_place(tensor) {
                Some(place) => scope.set(*value, place),
                None => {
                    let slot = self.constant_slot(tensor);
                    scope.set(
                        *value,
                        ValueLocation { owned: false, ..ValueLocation::dense(Base::Slot(slot), *tensor.ty()) },
                    );
                }
            }
        }
        for (at, node) in graph.nodes.iter().enumerate() {
            self.node(scope, node, at)?;
        }
        Some(())
    }

    fn constant_slot(&mut self, tensor: &Tensor) -> u32 {
        if let Some(&slot) = self.constant_slots.get(&tensor.id()) {
            return slot;
        }
        let slot = self.slot(Holds::Tensor(*tensor.ty()));
        self.constants.push((slot, tensor.clone()));
        self.constant_slots.insert(tensor.id(), slot);
        slot
    }

    fn node(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        match (node.op.kind(), node.op.flow()) {
            (_, Some(Flow::Branch)) => self.branch(scope, node, at),
            (_, Some(Flow::Loop { .. })) if in_registers(&*node.op).is_some() => self.on_tensors(scope, node, at),
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
        if self.emit_apart(scope, &cluster, &outer, at).is_some()
            || self.emit_pass(scope, &cluster, &outer, at).is_some()
        {
            return Some(());
        }
        // Too large for one fused loop: its nodes one by one.
        let mut inner = Scope::new(graph, false);
        for (&param, &input) in graph.params.iter().zip(&node.inputs) {
            inner.set(param, ValueLocation { owned: false, ..scope.place(input)? });
        }
        self.body(&mut inner)?;
        for (&result, &output) in graph.results.iter().zip(&node.outputs) {
            scope.set(output, inner.place(result)?);
        }
        Some(())
    }

    fn view_node(&mut self, scope: &mut Scope<'_>, node: &Node) -> Option<()> {
        let from = scope.place(node.inputs[0])?;
        let types: Vec<TensorType> = node.outputs.iter().map(|&v| scope.ty(v)).collect();
        if types[0].dtype.size() == 0 {
            scope.set(node.outputs[0], from);
            return Some(());
        }
        let layouts = |from: &ValueLocation| match types[..] {
            [ty] => node.op.view(&from.ty, &from.strides, &ty).map(|layout| vec![layout]),
            _ => node.op.views(&from.ty, &from.strides, &types),
        };
        let (from, layouts) = match layouts(&from) {
            Some(layouts) => (from, layouts),
            None => {
                let dense = self.dense_place(from);
                let layouts = layouts(&dense)?;
                (dense, layouts)
            }
        };
        for ((&output, ty), layout) in node.outputs.iter().zip(types).zip(layouts) {
            let offset = from.offset + layout.offset * ty.dtype.size() as isize;
            scope.set(output, ValueLocation { ty, strides: layout.strides, offset, ..from.clone() });
        }
        Some(())
    }

    /// A variable's value: its memory itself, or a copy if the variable changes while the value is still wanted.
    fn read(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        let (handle, output) = (node.inputs[0], node.outputs[0]);
        let using = self.resource(scope, handle)?;
        let memory = ValueLocation { owned: false, ..ValueLocation::dense(Base::Slot(using.slot), using.ty) };
        if using.written && scope.changes(handle, at, scope.last_use(output)) {
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

    pub(super) fn kernel(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        let op = &node.op;
        if let Some(i) = op.overwrites() {
            self.take_views_apart(scope, node.inputs[i], at);
        }
        let mut inputs = Vec::new();
        for (i, &v) in node.inputs.iter().enumerate() {
            let place = scope.place(v)?;
            inputs.push(match scope.ty(v).dtype {
                DType::Resource => {
                    let using = self.resource(scope, v)?;
                    debug_assert!(using.written || op.access(i) == Access::Read);
                    ValueLocation { owned: false, ..ValueLocation::dense(Base::Slot(using.slot), using.ty) }
                }
                DType::Variant => return None,
                _ if op.takes_strides() => place,
                _ => self.dense_place(place),
            });
        }
        let mut under = Vec::new();
        let mut over = None;
        if let Some(i) = op.overwrites() {
            inputs[i] = self.dense_place(inputs[i].clone());
            self.take_apart(&mut inputs, i);
            let alone = inputs.iter().filter(|place| place.base == inputs[i].base).count() == 1;
            match inputs[i].base {
                Base::Arena(buffer) if alone => {
                    under.push(buffer);
                    over = self.dying(scope, node.inputs[i], &inputs[i], at);
                }
                Base::Slot(_) if alone && self.is_own(&inputs[i]) => {
                    over = self.dying(scope, node.inputs[i], &inputs[i], at)
                }
                Base::Slot(_) if alone => {
                    over = self.own(scope, node.inputs[i], at, node.location);
                    inputs[i] = over.clone().unwrap_or_else(|| inputs[i].clone());
                }
                _ => {}
            }
        }
        let mut outputs = Vec::new();
        for &v in &node.outputs {
            outputs.push(match over.take_if(|place| scope.may_stay(v, place)) {
                Some(place) => {
                    scope.occupy(&place, v);
                    self.settle(scope, v, place)
                }
                None => self.place_output(scope, v, at, &under, node.location)?,
            });
        }
        let work = {
            let view =
                |place: &ValueLocation| place.view_apart(op.overwrites().is_some_and(|i| place.is_at(&inputs[i])));
            let outputs: Vec<View> = outputs.iter().map(view).collect();
            let inputs: Vec<View> = inputs.iter().map(ValueLocation::view).collect();
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
        // What is given twice is given up by the last.
        let mut given: HashSet<u32> = HashSet::new();
        inputs.iter_mut().rev().for_each(|(slot, give_up)| *give_up &= given.insert(*slot));
        let mut outputs = Vec::new();
        for &v in &node.outputs {
            let ty = scope.ty(v);
            let slot = self.slot(Holds::Tensor(ty));
            outputs.push((slot, ty));
            scope.set(v, ValueLocation::dense(Base::Slot(slot), ty));
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
            Base::Fixed(_) => scope.graph.constant(scope.views.root(v)).cloned().map(|t| self.constant_slot(&t)),
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
