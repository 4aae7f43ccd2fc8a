//! Hoisting: what a loop computes anew in each round from values that stay the same is computed once before it.
//! Only free nodes move: they have no effect and cannot fail, so it does not matter if the loop makes no round.

use super::pure::is_free;
use super::rewrite::Rewriter;
use super::size_uses::Shown;
use crate::ir::{Graph, Node, Value};
use crate::op::{Flow, Kind};
use kernels::error::Result;
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(super) fn hoist(graph: &Graph) -> Result<Graph> {
    let mut new = Rewriter::new(graph);
    for node in &graph.nodes {
        match node.op.flow() {
            Some(Flow::Loop { carried }) => loop_node(&mut new, node, carried)?,
            Some(_) => {
                let op = super::rewrite::with_bodies(node, hoist)?;
                new.copy(node, op);
            }
            None => new.copy(node, None),
        }
    }
    Ok(new.finish())
}

fn loop_node(new: &mut Rewriter<'_>, node: &Node, carried: usize) -> Result<()> {
    let mut inputs: SmallVec<[Value; 3]> = node.inputs.iter().map(|&v| new.value(v)).collect();
    let mut bodies = Vec::new();
    let mut moved = Vec::new();
    for body in node.op.bodies() {
        bodies.push(hoist(body)?);
        moved.push(Vec::new());
    }
    for (body, moved) in bodies.iter().zip(&mut moved) {
        leave(new, body, carried, &inputs, moved);
    }
    // Both bodies get all values that left either, as further parameters in one order.
    let lists: Vec<Vec<(Value, Value)>> = moved;
    let mut known: HashSet<Value> = HashSet::new();
    inputs.extend(lists.iter().flatten().map(|(_, value)| *value).filter(|value| known.insert(*value)));
    let added = inputs[node.inputs.len()..].to_vec();
    let rebuilt: Vec<Arc<Graph>> =
        bodies.iter().zip(&lists).map(|(body, list)| Arc::new(without(body, list, &added, &new.graph))).collect();
    let op = node.op.with_bodies(&rebuilt);
    let types: Vec<_> = rebuilt[1].params[..carried].iter().zip(&node.outputs).map(|(_, &v)| v).collect();
    let types: Vec<_> = types.into_iter().map(|v| new.old_type(v)).collect();
    let outputs = new.emit(op.unwrap_or_else(|| node.op.clone()), inputs, &types, node.at());
    node.outputs.iter().zip(outputs).for_each(|(&old, value)| new.set(old, value));
    Ok(())
}

/// Copies the nodes of a body that depend on nothing that changes out of it; notes `(inside, outside)` of their results.
fn leave(new: &mut Rewriter<'_>, body: &Graph, carried: usize, inputs: &[Value], moved: &mut Vec<(Value, Value)>) {
    let mut outside: Vec<Option<Value>> = vec![None; body.types.len()];
    body.params.iter().zip(inputs).skip(carried).for_each(|(p, &v)| outside[p.index()] = Some(v));
    let shown = Shown::of(body);
    for node in &body.nodes {
        let ready = |v: &Value| outside[v.index()].is_some() || body.constant(*v).is_some();
        let stays = node.inputs.iter().all(|v| body.constant(*v).is_some());
        if stays || !node.inputs.iter().all(ready) || !is_free(body, node) || matches!(node.op.kind(), Kind::Host) {
            continue;
        }
        // A size that changes from round to round is no other's before the loop.
        if !shown.by(node).iter().all(|v| outside[v.index()].is_some()) {
            continue;
        }
        let operands = node.inputs.iter().map(|v| match (outside[v.index()], body.constant(*v)) {
            (None, Some(constant)) => new.constant(constant),
            (known, _) => known.unwrap_or(*v),
        });
        let operands = operands.collect();
        let types: Vec<_> = node.outputs.iter().map(|&v| *body.ty(v)).collect();
        let outputs = new.emit(node.op.clone(), operands, &types, node.at());
        for (&inside, value) in node.outputs.iter().zip(outputs) {
            outside[inside.index()] = Some(value);
            moved.push((inside, value));
        }
    }
}

/// The body without the nodes that left it; their results are parameters now.
fn without(body: &Graph, moved: &[(Value, Value)], added: &[Value], outer: &Graph) -> Graph {
    let mut new = Rewriter::new(body);
    let params: HashMap<Value, Value> = added.iter().map(|&value| (value, new.param(*outer.ty(value)))).collect();
    let mut gone = vec![false; body.types.len()];
    for (inside, outside) in moved {
        new.set(*inside, params[outside]);
        gone[inside.index()] = true;
    }
    for node in &body.nodes {
        if !node.outputs.iter().any(|v| gone[v.index()]) {
            new.copy(node, None);
        }
    }
    new.finish()
}
