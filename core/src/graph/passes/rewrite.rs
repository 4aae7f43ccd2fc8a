//! The rewriter: copies a graph node by node into a new one, with whatever a pass does differently.
//! Every pass but dead code is a loop over the old nodes that calls it.

use crate::error::Result;
use crate::graph::ir::{At, Graph, Node, Value, fresh_id};
use crate::op::OpRef;
use crate::tensor::{Tensor, TensorType};
use smallvec::SmallVec;
use std::sync::Arc;

/// Bytes up to which equal constants become one.
const SMALL: usize = 64;

pub(crate) struct Rewriter<'a> {
    old: &'a Graph,
    pub graph: Graph,
    /// The new value of each old one.
    map: Vec<Option<Value>>,
}

impl<'a> Rewriter<'a> {
    /// A copy of the parameters; nodes and constants come when they are asked for.
    pub fn new(old: &'a Graph) -> Self {
        let mut graph = Graph { id: fresh_id(), ..Graph::empty(&old.name) };
        graph.constraints = old.constraints.clone();
        let mut new = Self { old, graph, map: vec![None; old.types.len()] };
        for &param in &old.params {
            let value = new.fresh(*old.ty(param));
            new.graph.params.push(value);
            if let Some(resource) = old.resource(param) {
                new.graph.resources.push((value, resource));
            }
            new.map[param.index()] = Some(value);
        }
        new
    }

    fn fresh(&mut self, ty: TensorType) -> Value {
        self.graph.types.push(ty);
        Value(self.graph.types.len() as u32 - 1)
    }

    /// The type of an old value.
    pub fn old_type(&self, old: Value) -> TensorType {
        *self.old.ty(old)
    }

    /// A further parameter.
    pub fn param(&mut self, ty: TensorType) -> Value {
        let value = self.fresh(ty);
        self.graph.params.push(value);
        value
    }

    /// The new value that stands for an old one, which was computed before.
    pub fn value(&mut self, old: Value) -> Value {
        if let Some(value) = self.map[old.index()] {
            return value;
        }
        let value = match self.old.constant(old) {
            Some(tensor) => self.constant(&tensor.clone()),
            // Only an illegal graph gets here; `verify` says so of the new one as well.
            None => self.fresh(*self.old.ty(old)),
        };
        self.map[old.index()] = Some(value);
        value
    }

    /// Lets a new value stand for an old one.
    pub fn set(&mut self, old: Value, new: Value) {
        self.map[old.index()] = Some(new);
    }

    /// A constant; one of those that are there, if it is small and equal.
    pub fn constant(&mut self, tensor: &Tensor) -> Value {
        let same = |other: &Tensor| other.id() == tensor.id() || small_and_equal(other, tensor);
        if let Some((value, _)) = self.graph.constants.iter().find(|(_, other)| same(other)) {
            return *value;
        }
        let value = self.fresh(*tensor.ty());
        self.graph.constants.push((value, tensor.clone()));
        value
    }

    /// A node with new operands; answers its results.
    pub fn emit(
        &mut self,
        op: OpRef,
        inputs: SmallVec<[Value; 3]>,
        types: &[TensorType],
        At { location, device }: At,
    ) -> SmallVec<[Value; 1]> {
        let outputs: SmallVec<[Value; 1]> = types.iter().map(|ty| self.fresh(*ty)).collect();
        self.graph.nodes.push(Node { op, inputs, outputs: outputs.clone(), location, device });
        outputs
    }

    /// Copies an old node, with another operation in its place if one is given.
    pub fn copy(&mut self, node: &Node, op: Option<OpRef>) {
        let inputs = node.inputs.iter().map(|&v| self.value(v)).collect();
        let types: SmallVec<[TensorType; 2]> = node.outputs.iter().map(|&v| *self.old.ty(v)).collect();
        let outputs = self.emit(op.unwrap_or_else(|| node.op.clone()), inputs, &types, node.at());
        node.outputs.iter().zip(outputs).for_each(|(&old, new)| self.set(old, new));
    }

    /// The old graph as it was, without values that nobody computes.
    pub fn whole(mut self) -> Graph {
        self.old.nodes.iter().for_each(|node| self.copy(node, None));
        self.finish()
    }

    /// The finished graph, with the old results.
    pub fn finish(mut self) -> Graph {
        self.graph.results = self.old.results.iter().map(|&v| self.value(v)).collect();
        self.graph
    }
}

fn small_and_equal(a: &Tensor, b: &Tensor) -> bool {
    let comparable = a.ty() == b.ty() && a.dtype().size() > 0 && a.ty().bytes() <= SMALL;
    if !comparable || !a.is_contiguous() || !b.is_contiguous() {
        return false;
    }
    // SAFETY: dense tensors of these many bytes, which nobody writes while they are constants.
    let bytes = |t: &Tensor| unsafe { std::slice::from_raw_parts(t.data(), t.ty().bytes()) };
    bytes(a) == bytes(b)
}

/// The operation of a node with a pass applied to its bodies; `None` where it has none.
pub(crate) fn with_bodies(node: &Node, pass: impl Fn(&Graph) -> Result<Graph>) -> Result<Option<OpRef>> {
    if node.op.bodies().is_empty() || node.op.flow().is_none() {
        return Ok(None);
    }
    let bodies = node.op.bodies().iter().map(|body| pass(body).map(Arc::new)).collect::<Result<Vec<_>>>()?;
    Ok(node.op.with_bodies(&bodies))
}
