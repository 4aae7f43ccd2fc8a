//! What branches and loops hand on as it was: the value itself stands for it behind them, so that nobody copies it.
//! Gradients are full of it, because a cotangent goes on to earlier rounds as well as into the one at hand.

use super::rewrite::{Rewriter, with_bodies};
use crate::graph::control::While;
use crate::ir::{Graph, Node, Value, fresh_id};
use crate::op::{Flow, OpRef};
use kernels::error::Result;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn unchanged(graph: &Graph) -> Result<Graph> {
    let mut new = Rewriter::new(graph);
    for node in &graph.nodes {
        let op = with_bodies(node, unchanged)?.unwrap_or_else(|| node.op.clone());
        match op.flow() {
            Some(Flow::Branch) => branch(&mut new, node, &op),
            Some(Flow::Loop { carried }) => repeat(&mut new, node, &op, carried),
            _ => new.copy(node, Some(op)),
        }
    }
    Ok(new.finish())
}

/// A branch without the results that are one parameter on both ways.
fn branch(new: &mut Rewriter<'_>, node: &Node, op: &OpRef) {
    let bodies: SmallVec<[Arc<Graph>; 2]> = op.bodies().into_iter().cloned().collect();
    let params = [0, 1].map(|way: usize| -> HashMap<Value, usize> {
        bodies[way].params.iter().enumerate().map(|(i, &param)| (param, i)).collect()
    });
    let param = |way: usize, i: usize| params[way].get(&bodies[way].results[i]).copied();
    let same = |i: usize| param(0, i).filter(|_| param(0, i) == param(1, i));
    // The condition stands before the parameters.
    let before = |i: usize| same(i).map(|p| node.inputs[p + 1]).filter(|&v| is_known_alike(new, v, node.outputs[i]));
    let stays: Vec<Option<Value>> = (0..node.outputs.len()).map(before).collect();
    let without = |body: &Arc<Graph>| {
        let kept = body.results.iter().zip(&stays).filter(|(_, stays)| stays.is_none());
        Arc::new(Graph { results: kept.map(|(&v, _)| v).collect(), id: fresh_id(), ..(**body).clone() })
    };
    let fewer = if stays.iter().any(Option::is_some) {
        op.with_bodies(&bodies.iter().map(without).collect::<Vec<_>>())
    } else {
        None
    };
    let Some(fewer) = fewer else { return new.copy(node, Some(op.clone())) };
    let inputs = node.inputs.iter().map(|&v| new.value(v)).collect();
    hand_on(new, node, fewer, inputs, &stays);
}

/// A loop in which the values that no round changes are no longer carried.
fn repeat(new: &mut Rewriter<'_>, node: &Node, op: &OpRef, carried: usize) {
    let bodies = op.bodies();
    let (test, body) = (bodies[0], bodies[1]);
    let same = |i: usize| body.results[i] == body.params[i] && is_known_alike(new, node.inputs[i], node.outputs[i]);
    let stays: Vec<Option<Value>> = (0..carried).map(|i| same(i).then(|| node.inputs[i])).collect();
    if stays.iter().all(Option::is_none) {
        return new.copy(node, Some(op.clone()));
    }
    let changes = |i: &usize| *i < carried && stays[*i].is_none();
    let mut order: Vec<usize> = (0..node.inputs.len()).filter(changes).collect();
    let carried = order.len();
    order.extend((0..node.inputs.len()).filter(|i| !changes(i)));
    let reordered = |graph: &Graph, results: Vec<Value>| {
        let params = order.iter().map(|&i| graph.params[i]).collect();
        Arc::new(Graph { params, results, id: fresh_id(), ..graph.clone() })
    };
    let results = order[..carried].iter().map(|&i| body.results[i]).collect();
    let op = While::new(reordered(test, test.results.clone()), reordered(body, results), carried);
    let inputs = order.iter().map(|&i| new.value(node.inputs[i])).collect();
    hand_on(new, node, OpRef::Shared(Arc::new(op)), inputs, &stays);
}

/// Whether two values are of one type: a size that only the run tells may have another name behind a branch, by which others know it.
fn is_known_alike(new: &Rewriter<'_>, before: Value, behind: Value) -> bool {
    new.old_type(before) == new.old_type(behind)
}

/// Emits the node, whose results are those that do not stay.
fn hand_on(new: &mut Rewriter<'_>, node: &Node, op: OpRef, inputs: SmallVec<[Value; 3]>, stays: &[Option<Value>]) {
    let types: SmallVec<[_; 2]> =
        node.outputs.iter().zip(stays).filter(|(_, stays)| stays.is_none()).map(|(&v, _)| new.old_type(v)).collect();
    let mut outputs = new.emit(op, inputs, &types, node.at()).into_iter();
    for (&old, stays) in node.outputs.iter().zip(stays) {
        let value = match stays {
            Some(before) => Some(new.value(*before)),
            None => outputs.next(),
        };
        if let Some(value) = value {
            new.set(old, value);
        }
    }
}
