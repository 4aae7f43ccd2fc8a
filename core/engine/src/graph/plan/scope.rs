//! A graph being compiled into a plan, the top one or a body: where its values lie, and who uses them last.
//! The compiler of plans makes one per graph and asks it at every node.

use super::Base;
use crate::graph::control::while_loop::in_registers;
use crate::graph::passes::pure::{writes_any, written};
use crate::graph::views::{RESULT, UNUSED, Views, last_uses};
use crate::ir::steps::count;
use crate::ir::{Graph, Node, Value};
use crate::op::Kind;
use crate::tensor::TensorType;
use kernels::backend::cpu::View;
use kernels::shape::{MAX_RANK, contiguous_strides};
use std::collections::HashMap;

/// Where a value lies.
#[derive(Clone, Debug)]
pub(super) struct ValueLocation {
    pub base: Base,
    /// Bytes from the base to the first element.
    pub offset: isize,
    pub ty: TensorType,
    pub strides: [isize; MAX_RANK],
    /// Whether this scope may give the tensor in the slot away.
    pub owned: bool,
}

impl ValueLocation {
    pub fn dense(base: Base, ty: TensorType) -> Self {
        let mut strides = [0; MAX_RANK];
        contiguous_strides(ty.shape.dims(), &mut strides);
        Self { base, offset: 0, ty, strides, owned: true }
    }

    pub fn view(&self) -> View {
        View::new(std::ptr::without_provenance_mut(64), self.ty.dtype, self.ty.shape.dims(), &self.strides)
    }

    /// As [`ValueLocation::view`] for an output, at another address unless it lies `over` an operand: so that `work` can tell.
    pub fn view_apart(&self, over: bool) -> View {
        let view = self.view();
        if over { view } else { view.at(std::ptr::without_provenance_mut(128)) }
    }

    /// Whether the elements of both are the same memory.
    pub fn is_at(&self, other: &Self) -> bool {
        self.base == other.base && self.offset == other.offset
    }

    pub fn is_dense(&self) -> bool {
        self.view().is_dense()
    }
}

/// A graph being compiled: the top one, or a body.
pub(super) struct Scope<'g> {
    pub graph: &'g Graph,
    places: Vec<Option<ValueLocation>>,
    /// The values whose elements others show.
    pub views: Views,
    /// By root: the node that uses it last; results are used at the very end.
    last: Vec<usize>,
    /// By value: the node that uses it last by itself.
    used: Vec<usize>,
    /// Values that must be tensors of their own.
    pub wants: Vec<bool>,
    /// Where a value should be written: the home of a loop's value, with the parameter that lies there until then.
    pub prefer: HashMap<Value, (ValueLocation, Option<Value>)>,
    /// The values that took over a place in which another lay.
    occupants: HashMap<Base, Value>,
    /// The nodes that change each variable, in their order.
    writers: HashMap<Value, Vec<usize>>,
}

impl<'g> Scope<'g> {
    pub fn new(graph: &'g Graph, top: bool) -> Self {
        let n = graph.types.len();
        count(n);
        let views = Views::of(graph);
        let mut last = vec![0; n];
        let mut wants = vec![false; n];
        let mut writers: HashMap<Value, Vec<usize>> = HashMap::new();
        for (i, node) in graph.nodes.iter().enumerate() {
            for v in &node.inputs {
                let v = views.root(*v);
                last[v.index()] = i;
                wants[v.index()] |= on_tensors(node);
            }
            if writes_any(graph, node) {
                written(node).into_iter().for_each(|v| writers.entry(v).or_default().push(i));
            }
        }
        for v in &graph.results {
            let v = views.root(*v);
            last[v.index()] = RESULT;
            wants[v.index()] |= top;
        }
        Self {
            graph,
            places: vec![None; n],
            views,
            last,
            used: last_uses(graph),
            wants,
            prefer: HashMap::new(),
            occupants: HashMap::new(),
            writers,
        }
    }

    pub fn ty(&self, v: Value) -> TensorType {
        *self.graph.ty(v)
    }

    pub fn place(&self, v: Value) -> Option<ValueLocation> {
        self.places[v.index()].clone()
    }

    pub fn set(&mut self, v: Value, place: ValueLocation) {
        self.places[v.index()] = Some(place);
    }

    /// For each of these operands, whether no other one shows its memory.
    pub fn only_ones(&self, operands: &[Value]) -> Vec<bool> {
        let root = |v: &Value| self.views.root(*v);
        let mut times: HashMap<Value, usize> = HashMap::new();
        operands.iter().for_each(|v| *times.entry(root(v)).or_default() += 1);
        operands.iter().map(|v| times[&root(v)] == 1).collect()
    }

    /// Notes that `v` now lies in a place which may be the home of a result: until its last use nothing else is written there.
    pub fn occupy(&mut self, place: &ValueLocation, v: Value) {
        self.occupants.insert(place.base, v);
    }

    /// The home of a result, and the value that lies there until then.
    pub fn home_of(&self, v: Value) -> Option<(&ValueLocation, Option<Value>)> {
        let (home, param) = self.prefer.get(&v)?;
        Some((home, self.occupants.get(&home.base).copied().or(*param)))
    }

    /// Whether a result of the node may stay in a buffer that an operand leaves: of its type, and neither wanted as a tensor of its
    /// own nor elsewhere.
    pub fn may_stay(&self, v: Value, place: &ValueLocation) -> bool {
        let home = self.prefer.get(&v).is_none_or(|(home, _)| home.is_at(place));
        // What lies in a slot is a tensor of its own.
        let wanted = self.wants[v.index()] && matches!(place.base, Base::Arena(_));
        place.ty == self.ty(v) && !wanted && home
    }

    /// Whether a node behind `at`, up to `until`, changes the variable.
    pub fn changes(&self, variable: Value, at: usize, until: usize) -> bool {
        let Some(writers) = self.writers.get(&variable) else { return false };
        writers.get(writers.partition_point(|&writer| writer <= at)).is_some_and(|&next| next <= until)
    }

    pub fn last_use(&self, v: Value) -> usize {
        self.last[self.views.root(v).index()]
    }

    /// Whether a node behind `at`, or the end, uses a value by itself.
    fn is_used_behind(&self, v: Value, at: usize) -> bool {
        self.used[v.index()] != UNUSED && self.used[v.index()] > at
    }

    /// The views of a value's memory that are there and used behind `at`; `None` if all of it is.
    pub fn shown_behind(&self, v: Value, at: usize) -> Option<Vec<Value>> {
        if self.is_used_behind(v, at) || self.is_used_behind(self.views.root(v), at) {
            return None;
        }
        Some(self.views.beside(v).filter(|&w| self.is_used_behind(w, at) && self.place(w).is_some()).collect())
    }

    /// Notes that views of a value's memory have been copied to places of their own, so that node `at` uses it last.
    pub fn part(&mut self, v: Value, at: usize, copies: Vec<(Value, ValueLocation)>) {
        let root = self.views.root(v);
        let views: Vec<Value> = copies.iter().map(|(view, _)| *view).collect();
        for (view, place) in copies {
            self.last[view.index()] = self.used[view.index()];
            self.set(view, place);
        }
        for (view, copy) in self.views.part(&views).into_iter().filter(|(view, _)| self.used[view.index()] != UNUSED) {
            self.last[copy.index()] = self.last[copy.index()].max(self.used[view.index()]);
        }
        self.last[root.index()] = at;
    }
}

/// Whether a node works on tensors instead of memory.
fn on_tensors(node: &Node) -> bool {
    match node.op.kind() {
        Kind::Control => true,
        Kind::Host => node.op.bodies().is_empty() || in_registers(&*node.op).is_some(),
        _ => false,
    }
}
