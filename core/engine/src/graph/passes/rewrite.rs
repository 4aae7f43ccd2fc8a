//! The rewriter: copies a graph node by node into a new one, with whatever a pass does differently.
//! Every pass but dead code is a loop over the old nodes that calls it.

use crate::ir::steps;
use crate::ir::{At, Graph, Node, Value, fresh_id};
use crate::op::OpRef;
use crate::tape::IdMap;
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::Constraints;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes up to which equal constants become one.
const SMALL: usize = 64;

pub(crate) struct Rewriter<'a> {
    old: &'a Graph,
    pub graph: Graph,
    /// The new value of each old one.
    map: Vec<Option<Value>>,
    /// The constants so far: small ones by type and elements, all by the tensor's id.
    alike: HashMap<(TensorType, Vec<u8>), Value>,
    known: IdMap<Value>,
}

impl<'a> Rewriter<'a> {
    /// A copy of the parameters; nodes and constants come when they are asked for.
    pub fn new(old: &'a Graph) -> Self {
        steps::count(old.types.len());
        let mut graph = Graph { id: fresh_id(), ..Graph::empty(&old.name) };
        graph.constraints = old.constraints.clone();
        let (alike, known) = (HashMap::new(), IdMap::default());
        let mut new = Self { old, graph, map: vec![None; old.types.len()], alike, known };
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
        steps::count(1);
        let small = small(tensor).map(|bytes| (*tensor.ty(), bytes));
        let same = small.as_ref().and_then(|key| self.alike.get(key)).or_else(|| self.known.get(&tensor.id()));
        if let Some(&value) = same {
            return value;
        }
        let value = self.fresh(*tensor.ty());
        self.graph.constants.push((value, tensor.clone()));
        self.alike.extend(small.map(|key| (key, value)));
        self.known.insert(tensor.id(), value);
        value
    }

    /// A node with new operands; answers its results.
    pub fn emit(
        &mut self,
        op: OpRef,
        inputs: SmallVec<[Value; 3]>,
        types: &[TensorType],
        At { location, device, gradient_of, scope }: At,
    ) -> SmallVec<[Value; 1]> {
        let outputs: SmallVec<[Value; 1]> = types.iter().map(|ty| self.fresh(*ty)).collect();
        let node = Node { op, inputs, outputs: outputs.clone(), location, device, gradient_of, scope };
        self.graph.nodes.push(node);
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

/// The elements of a constant that is one with others of the same ones.
fn small(tensor: &Tensor) -> Option<Vec<u8>> {
    let ty = tensor.ty();
    if ty.dtype.size() == 0 || ty.bytes() > SMALL || !tensor.is_contiguous() {
        return None;
    }
    // SAFETY: a dense tensor of these many bytes, which nobody writes while it is a constant.
    Some(unsafe { std::slice::from_raw_parts(tensor.data(), ty.bytes()) }.to_vec())
}

/// A graph of some nodes of another one alone, with values of its own: those that it does not have would make it look as if
/// it had their sizes. Constants go along, so that passes see them; equal ones become one.
pub(crate) fn part_of<'n>(
    graph: &Graph,
    name: &str,
    nodes: impl Iterator<Item = &'n Node>,
    params: &[Value],
    results: &[Value],
    constraints: Constraints,
) -> Graph {
    let mut part = Graph { constraints, ..Graph::empty(name) };
    let mut own: HashMap<Value, Value> = HashMap::new();
    let mut own = |part: &mut Graph, v: Value| {
        *own.entry(v).or_insert_with(|| {
            part.types.push(*graph.ty(v));
            let value = Value(part.types.len() as u32 - 1);
            part.constants.extend(graph.constant(v).map(|tensor| (value, tensor.clone())));
            part.resources.extend(graph.resource(v).map(|resource| (value, resource)));
            value
        })
    };
    for &param in params {
        let param = own(&mut part, param);
        part.params.push(param);
    }
    for node in nodes {
        let mut node = node.clone();
        node.inputs.iter_mut().chain(&mut node.outputs).for_each(|v| *v = own(&mut part, *v));
        part.nodes.push(node);
    }
    part.results = results.iter().map(|&v| own(&mut part, v)).collect();
    Rewriter::new(&part).whole()
}

/// The operation of a node with a pass applied to its bodies; `None` where it has none.
pub(crate) fn with_bodies(node: &Node, pass: impl Fn(&Graph) -> Result<Graph>) -> Result<Option<OpRef>> {
    if node.op.bodies().is_empty() || node.op.flow().is_none() {
        return Ok(None);
    }
    let bodies = node.op.bodies().iter().map(|body| pass(body).map(Arc::new)).collect::<Result<Vec<_>>>()?;
    Ok(node.op.with_bodies(&bodies))
}
