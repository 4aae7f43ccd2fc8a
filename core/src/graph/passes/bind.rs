//! Binding: the numbers of a call in place of symbolic sizes, in types and attributes, bodies included.
//! The plan's compiler runs it first; where a size depends on values, it says so and there is no plan.

use super::rewrite::Rewriter;
use crate::backend::cpu::View;
use crate::error::Result;
use crate::execute::view_of;
use crate::graph::control::{Cond, While};
use crate::graph::ir::{Graph, Node, Value};
use crate::graph::sizes::Sizes;
use crate::op::{Facts, Flow, Infer, OpRef};
use crate::shape::Shape;
use crate::tensor::{Tensor, TensorType};
use smallvec::SmallVec;
use std::sync::Arc;

/// The graph with all sizes known, for parameters of these types; `None` if some depend on values.
pub(crate) fn bind(graph: &Graph, params: &[TensorType], outer: &Sizes<'_>) -> Result<Option<Graph>> {
    let sizes = Sizes::within(outer);
    for (&param, ty) in graph.params.iter().zip(params) {
        sizes.learn(graph.ty(param), &ty.shape);
    }
    graph.constraints.check(&|s| sizes.get(s)).map_err(|e| e.in_op(&graph.name))?;
    let mut new = Rewriter::new(graph);
    for (i, ty) in params.iter().enumerate() {
        let value = new.graph.params[i];
        if !ty.shape.is_known() {
            return Ok(None);
        }
        new.graph.types[value.index()] = *ty;
    }
    new.graph.constraints = Default::default();
    for node in &graph.nodes {
        let inputs: SmallVec<[Value; 3]> = node.inputs.iter().map(|&v| new.value(v)).collect();
        let types: Vec<TensorType> = inputs.iter().map(|&v| *new.graph.ty(v)).collect();
        let Some((op, outputs)) = bound(&new.graph, node, &inputs, &types, &sizes)? else { return Ok(None) };
        if outputs.len() != node.outputs.len() || outputs.iter().any(|ty| !ty.shape.is_known()) {
            return Ok(None);
        }
        for (&old, ty) in node.outputs.iter().zip(&outputs) {
            sizes.learn(graph.ty(old), &ty.shape);
        }
        let values = new.emit(op, inputs, &outputs, node.location);
        node.outputs.iter().zip(values).for_each(|(&old, value)| new.set(old, value));
    }
    Ok(Some(new.finish()))
}

type Bound = Option<(OpRef, SmallVec<[TensorType; 1]>)>;

fn bound(graph: &Graph, node: &Node, inputs: &[Value], types: &[TensorType], sizes: &Sizes<'_>) -> Result<Bound> {
    let bodies = node.op.bodies();
    match node.op.flow() {
        Some(Flow::Branch) => {
            let [then, otherwise] = [0, 1].map(|i| bind(bodies[i], &types[1..], sizes));
            let (Some(then), Some(otherwise)) = (then?, otherwise?) else { return Ok(None) };
            let outputs: SmallVec<[TensorType; 1]> = then.result_types().copied().collect();
            if !otherwise.result_types().eq(outputs.iter()) {
                return Ok(None);
            }
            let op = Cond { then: Arc::new(then), otherwise: Arc::new(otherwise) };
            Ok(Some((OpRef::Shared(Arc::new(op)), outputs)))
        }
        Some(Flow::Loop { carried }) => {
            let [cond, body] = [0, 1].map(|i| bind(bodies[i], types, sizes));
            let (Some(cond), Some(body)) = (cond?, body?) else { return Ok(None) };
            let outputs: SmallVec<[TensorType; 1]> = body.result_types().copied().collect();
            // A value that changes its shape from round to round.
            if outputs.iter().ne(&types[..carried]) {
                return Ok(None);
            }
            let op = While::new(Arc::new(cond), Arc::new(body), carried);
            Ok(Some((OpRef::Shared(Arc::new(op)), outputs)))
        }
        Some(Flow::Call) => Ok(None),
        None => {
            let op = sizes.bind(&node.op)?;
            let types: SmallVec<[&TensorType; 4]> = types.iter().collect();
            let facts = Known { graph, inputs };
            let mut cx = Infer::new(op.name(), &types, &facts);
            // Types that are wrong with these numbers are an error of the call, which running it will say in its place.
            if op.infer(&mut cx).is_err() {
                return Ok(None);
            }
            let outputs = cx.outputs;
            Ok(Some((op, outputs)))
        }
    }
}

struct Known<'a> {
    graph: &'a Graph,
    inputs: &'a [Value],
}

impl Facts for Known<'_> {
    fn value(&self, index: usize) -> Option<View> {
        let constant: &Tensor = self.graph.constant(self.inputs[index])?;
        (constant.dtype().size() > 0).then(|| view_of(constant))
    }

    fn resource(&self, index: usize) -> Option<(TensorType, Option<Shape>)> {
        self.graph.resource(self.inputs[index]).map(|r| (r.value, r.shape))
    }
}
