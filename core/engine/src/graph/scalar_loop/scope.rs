//! Walks the graphs of a loop, bodies inside bodies included, and tells [`Forms`] what each operation says of its values.
//! A [`Scope`] is one use of a graph; the emitter walks the same scopes again.

use super::forms::{Forms, Id, MOST_DEPTH, MOST_NODES, Pack};
use crate::ir::{Graph, Node, Value};
use crate::lists::List;
use crate::lists::list_op::ListOp;
use crate::meaning::program_of;
use crate::op::{Flow, Kind};
use kernels::dtype::DType;
use smallvec::SmallVec;

/// One use of a graph, with the unknowns of its values and the uses of graphs inside it.
pub(super) struct Scope<'g> {
    pub graph: &'g Graph,
    pub ids: Vec<Id>,
    /// For each node, its bodies.
    pub inner: Vec<Vec<Scope<'g>>>,
}

impl Forms {
    /// One use of a graph on parameters.
    pub fn enter<'g>(&mut self, graph: &'g Graph, params: &[Id], depth: usize) -> Option<Scope<'g>> {
        if depth > MOST_DEPTH || self.contents.len() > MOST_NODES {
            return None;
        }
        let mut ids = vec![usize::MAX; graph.types.len()];
        graph.params.iter().zip(params).for_each(|(v, &id)| ids[v.index()] = id);
        for (value, constant) in &graph.constants {
            ids[value.index()] = match constant.as_object::<List>() {
                None => self.of_type(constant.ty())?,
                // Lists that begin empty: a loop's own, and cotangents of nothing.
                Some(List::Full(items)) if items.is_empty() => {
                    let list = self.of_type(constant.ty())?;
                    self.item_of(list)?;
                    list
                }
                Some(List::Last(items)) if items.is_empty() => {
                    let missing = self.of_type(constant.ty())?;
                    self.may_miss(missing);
                    missing
                }
                Some(_) => return None,
            };
        }
        let mut scope = Scope { graph, ids, inner: Vec::with_capacity(graph.nodes.len()) };
        for node in &graph.nodes {
            let inner = self.node(&mut scope, node, depth)?;
            scope.inner.push(inner);
        }
        Some(scope)
    }

    fn node<'g>(&mut self, scope: &mut Scope<'g>, node: &'g Node, depth: usize) -> Option<Vec<Scope<'g>>> {
        let graph = scope.graph;
        let inputs: SmallVec<[Id; 4]> = node.inputs.iter().map(|v| scope.ids[v.index()]).collect();
        if inputs.contains(&usize::MAX) {
            return None;
        }
        let mut set = |value: &Value, id: Id| scope.ids[value.index()] = id;
        if let Some(op) = ListOp::of(&*node.op) {
            let outputs = self.list_op(op, &inputs, graph, node)?;
            node.outputs.iter().zip(outputs).for_each(|(v, id)| set(v, id));
            return Some(Vec::new());
        }
        let bodies = node.op.bodies();
        match node.op.flow() {
            None if bodies.is_empty() => {
                for value in &node.outputs {
                    let id = self.of_type(graph.ty(*value))?;
                    set(value, id);
                }
                is_number_op(graph, node).then(Vec::new)
            }
            None | Some(Flow::Call) => {
                let body = self.enter(graph_of(node, 0)?, &inputs, depth + 1)?;
                node.outputs.iter().zip(&body.graph.results).for_each(|(v, r)| set(v, body.ids[r.index()]));
                Some(vec![body])
            }
            Some(Flow::Branch) => {
                let then = self.enter(graph_of(node, 0)?, &inputs[1..], depth + 1)?;
                let otherwise = self.enter(graph_of(node, 1)?, &inputs[1..], depth + 1)?;
                for (i, value) in node.outputs.iter().enumerate() {
                    let (a, b) = (then.result(i)?, otherwise.result(i)?);
                    self.unify(a, b)?;
                    set(value, a);
                }
                Some(vec![then, otherwise])
            }
            Some(Flow::Loop { carried }) => {
                let test = self.enter(graph_of(node, 0)?, &inputs, depth + 1)?;
                let body = self.enter(graph_of(node, 1)?, &inputs, depth + 1)?;
                for (i, value) in node.outputs.iter().enumerate().take(carried) {
                    self.unify(inputs[i], body.result(i)?)?;
                    set(value, inputs[i]);
                }
                Some(vec![test, body])
            }
        }
    }

    fn list_op(&mut self, op: ListOp<'_>, inputs: &[Id], graph: &Graph, node: &Node) -> Option<SmallVec<[Id; 2]>> {
        let mut outputs = SmallVec::new();
        for value in &node.outputs {
            outputs.push(self.of_type(graph.ty(*value))?);
        }
        match op {
            ListOp::Pack(op) => {
                if op.dtypes.iter().any(|dtype| dtype.is_complex()) {
                    return None;
                }
                let mut items: Vec<Id> = op.dtypes.iter().map(|&dtype| self.of_dtype(dtype)).collect();
                op.items.iter().zip(inputs).for_each(|(&at, &input)| items[at as usize] = input);
                self.pack_of(outputs[0], Pack { key: op.dtypes.clone(), items })?;
            }
            ListOp::Unpack(op) => {
                let key = op.types.iter().map(|ty| ty.dtype).collect();
                self.pack_of(inputs[0], Pack { key, items: outputs.to_vec() })?;
            }
            ListOp::Push(op) => {
                self.unify(outputs[0], inputs[0])?;
                let item = self.item_of(inputs[0])?;
                if op.present {
                    self.unify(item, inputs[1])?;
                }
            }
            ListOp::Pop(_) => {
                self.unify(outputs[0], inputs[0])?;
                self.list_of(inputs[0], outputs[1])?;
            }
            ListOp::Nth(op) => self.taken.push((inputs[0], op.index as usize, op.item.dtype, outputs[0])),
            ListOp::Len(_) => {
                self.item_of(inputs[0])?;
            }
            ListOp::NothingLike(_) => {
                self.may_miss(outputs[0]);
            }
            _ => return None,
        }
        Some(outputs)
    }
}

impl Scope<'_> {
    /// The unknown of a result.
    pub fn result(&self, index: usize) -> Option<Id> {
        Some(self.ids[self.graph.results.get(index)?.index()])
    }
}

/// Body number `index` of a node.
fn graph_of(node: &Node, index: usize) -> Option<&Graph> {
    node.op.bodies().get(index).map(|body| &***body)
}

/// Whether an operation without bodies is one on numbers.
fn is_number_op(graph: &Graph, node: &Node) -> bool {
    let number = |v: &Value| graph.ty(*v).dtype.size() > 0 && graph.ty(*v).shape.rank() == 0;
    if !node.inputs.iter().chain(&node.outputs).all(number) || node.outputs.len() != 1 {
        return false;
    }
    let result = graph.ty(node.outputs[0]).dtype;
    match node.op.kind() {
        Kind::Elementwise { .. } => {
            let dtypes: SmallVec<[DType; 4]> = node.inputs.iter().map(|&v| graph.ty(v).dtype).collect();
            program_of(&*node.op, &dtypes).outputs[0] == result
        }
        // A view of one number is that number.
        Kind::View => graph.ty(node.inputs[0]).dtype == result,
        _ => node.inputs.is_empty() && node.op.repeats().is_some(),
    }
}
