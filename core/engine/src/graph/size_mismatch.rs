//! Sizes that turn out not to fit when a graph runs: the operation that wants them equal says so itself, at the user's line and
//! with the numbers of the call. The executors, the compiler of plans and the builder check the graph's equalities here.

use crate::execute::view_of;
use crate::ir::sizes::Sizes;
use crate::ir::{Graph, Node};
use crate::op::{Facts, Infer, Op};
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::View;
use kernels::error::{Error, Result};
use kernels::shape::{Constraints, Shape, Symbol};
use smallvec::SmallVec;

/// An error unless the sizes of a call are equal where the graph wants it; `params` gives the types of its operands.
pub(crate) fn check(graph: &Graph, sizes: &Sizes<'_>, params: &dyn Fn() -> Vec<TensorType>) -> Result<()> {
    let Err(error) = graph.constraints.check(&|s| sizes.get(s)) else { return Ok(()) };
    let explained = first_misfit(graph, &params(), sizes);
    Err(explained.unwrap_or_else(|| error.in_op(&graph.name)))
}

/// As [`check`] for an operation that is being recorded.
pub(crate) fn check_recorded(
    op: &dyn Op,
    inputs: &[&TensorType],
    facts: &dyn Facts,
    constraints: &Constraints,
    lookup: &dyn Fn(Symbol) -> Option<usize>,
) -> Result<()> {
    let Err(error) = constraints.check(lookup) else { return Ok(()) };
    let explained = refusal(op, inputs, facts, lookup).err();
    Err(explained.unwrap_or(error).in_op(op.name()))
}

/// A type with the numbers that are known.
fn numbered(ty: &TensorType, lookup: &dyn Fn(Symbol) -> Option<usize>) -> TensorType {
    let sizes: Result<SmallVec<[_; 8]>> = ty.shape.iter().map(|d| d.bind(lookup)).collect();
    let shape = sizes.and_then(|sizes| Shape::from_dims(&sizes));
    shape.map_or(*ty, |shape| TensorType::new(ty.dtype, shape))
}

/// What the operation has against operands of these types; else the types of its outputs.
fn refusal(
    op: &dyn Op,
    inputs: &[&TensorType],
    facts: &dyn Facts,
    lookup: &dyn Fn(Symbol) -> Option<usize>,
) -> Result<Vec<TensorType>> {
    let bound = op.bind(lookup)?;
    let inputs: Vec<TensorType> = inputs.iter().map(|ty| numbered(ty, lookup)).collect();
    let inputs: SmallVec<[&TensorType; 4]> = inputs.iter().collect();
    let mut cx = Infer::new(op.name(), &inputs, facts);
    bound.infer(&mut cx)?;
    cx.constraints.check(lookup)?;
    Ok(cx.outputs.to_vec())
}

/// The error of the first operation whose operands do not fit.
#[cold]
fn first_misfit(graph: &Graph, params: &[TensorType], sizes: &Sizes<'_>) -> Option<Error> {
    let mut types = graph.types.clone();
    for (param, ty) in graph.params.iter().zip(params) {
        types[param.index()] = *ty;
    }
    graph.nodes.iter().find_map(|node| misfit(graph, node, &mut types, sizes).map(|e| e.at(node.location)))
}

fn misfit(graph: &Graph, node: &Node, types: &mut [TensorType], sizes: &Sizes<'_>) -> Option<Error> {
    let inputs: Vec<TensorType> = node.inputs.iter().map(|v| types[v.index()]).collect();
    match (node.op.flow(), &node.op.bodies()[..]) {
        (None, []) => {}
        // A part of this graph, such as a cluster: what is in it happens whenever this node does.
        (None | Some(crate::op::Flow::Call), [part]) => return first_misfit(part, &inputs, sizes),
        // Whether a branch or another round runs is not known here.
        _ => return None,
    }
    let inputs: Vec<&TensorType> = inputs.iter().collect();
    match refusal(&*node.op, &inputs, &Constants { graph, node }, &|s| sizes.get(s)) {
        Err(error) => Some(error.in_op(node.op.name())),
        Ok(outputs) => {
            for (value, ty) in node.outputs.iter().zip(outputs) {
                types[value.index()] = ty;
            }
            None
        }
    }
}

struct Constants<'a> {
    graph: &'a Graph,
    node: &'a Node,
}

impl Facts for Constants<'_> {
    fn value(&self, index: usize) -> Option<View> {
        let constant: &Tensor = self.graph.constant(self.node.inputs[index])?;
        (constant.dtype().size() > 0).then(|| view_of(constant))
    }

    fn resource(&self, index: usize) -> Option<(TensorType, Option<Shape>)> {
        self.graph.resource(self.node.inputs[index]).map(|r| (r.value, r.shape))
    }
}
