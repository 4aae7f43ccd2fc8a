//! A graph being compiled into a plan, the top one or a body: where its values lie, and who uses them last.
//! The compiler of plans makes one per graph and asks it at every node.

use super::Base;
use crate::backend::cpu::View;
use crate::graph::ir::{Graph, Node, Value};
use crate::op::Kind;
use crate::shape::{MAX_RANK, contiguous_strides};
use crate::tensor::TensorType;
use std::collections::HashMap;

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

    /// As [`Place::view`] for an output, at another address unless it lies `over` an operand: so that `work` can tell.
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
    places: Vec<Option<Place>>,
    /// The value whose elements a view shows.
    pub root: Vec<Value>,
    /// By root: the node that uses it last; results are used at the very end.
    last: Vec<usize>,
    /// Values that must be tensors of their own.
    pub wants: Vec<bool>,
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
                node.outputs.iter().for_each(|v| root[v.index()] = root[node.inputs[0].index()]);
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

    /// Whether no other of these operands shows the memory of `v`.
    pub fn is_only_one(&self, operands: &[Value], v: Value) -> bool {
        operands.iter().filter(|other| self.root[other.index()] == self.root[v.index()]).count() == 1
    }

    /// Notes that `v` now lies in a place which may be the home of a result: until its last use nothing else is written there.
    pub fn occupy(&mut self, place: &Place, v: Value) {
        for (home, occupant) in self.prefer.values_mut() {
            if home.base == place.base {
                *occupant = Some(v);
            }
        }
    }

    /// Whether a result of the node may stay in a buffer that an operand leaves: of its type, and neither wanted as a tensor of its
    /// own nor elsewhere.
    pub fn may_stay(&self, v: Value, place: &Place) -> bool {
        let home = self.prefer.get(&v).is_none_or(|(home, _)| home.is_at(place));
        // What lies in a slot is a tensor of its own.
        let wanted = self.wants[v.index()] && matches!(place.base, Base::Arena(_));
        place.ty == self.ty(v) && !wanted && home
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
