//! Dead code: what nobody reads and nobody notices is left out, the state of loops included.
//! A value carried by a loop is alive if someone reads it after the loop, the condition does, or an effect or another live
//! value of the body does: a fixed point over rounds.

use super::named::Shown;
use super::pure::{has_effect, may_fail};
use super::rewrite::Rewriter;
use crate::error::Result;
use crate::graph::control::While;
use crate::graph::ir::{Graph, Node, Value};
use crate::op::{Flow, OpRef};
use smallvec::SmallVec;
use std::sync::Arc;

pub(super) fn dead(graph: &Graph) -> Result<Graph> {
    let all = vec![true; graph.results.len()];
    let live = live_values(graph, &all);
    let mut new = Rewriter::new(graph);
    for node in &graph.nodes {
        if !is_kept(graph, node, &live) {
            continue;
        }
        match node.op.flow() {
            Some(Flow::Loop { carried }) => loop_node(&mut new, node, carried, &live)?,
            Some(_) => {
                let op = super::rewrite::with_bodies(node, dead)?;
                new.copy(node, op);
            }
            None => new.copy(node, None),
        }
    }
    Ok(new.finish())
}

fn is_kept(graph: &Graph, node: &Node, live: &[bool]) -> bool {
    node.outputs.iter().any(|v| live[v.index()]) || has_effect(graph, node) || may_fail(graph, node)
}

/// Which values are read, if of the results those in `wanted` are.
fn live_values(graph: &Graph, wanted: &[bool]) -> Vec<bool> {
    let mut live = vec![false; graph.types.len()];
    graph.results.iter().zip(wanted).filter(|(_, w)| **w).for_each(|(v, _)| live[v.index()] = true);
    let shown = Shown::of(graph);
    for node in graph.nodes.iter().rev() {
        if !is_kept(graph, node, &live) {
            continue;
        }
        shown.by(node).into_iter().for_each(|v| live[v.index()] = true);
        match node.op.flow() {
            Some(Flow::Loop { carried }) => {
                let read = live_in_loop(node, carried, &live);
                node.inputs.iter().zip(read).filter(|(_, r)| *r).for_each(|(v, _)| live[v.index()] = true);
            }
            _ => node.inputs.iter().for_each(|v| live[v.index()] = true),
        }
    }
    live
}

/// Which operands of a loop are alive.
fn live_in_loop(node: &Node, carried: usize, live: &[bool]) -> Vec<bool> {
    let bodies = node.op.bodies();
    let (cond, body) = (bodies[0], bodies[1]);
    let in_cond = live_values(cond, &[true]);
    let mut read: Vec<bool> = (0..node.inputs.len())
        .map(|i| in_cond[cond.params[i].index()] || (i < carried && live[node.outputs[i].index()]))
        .collect();
    loop {
        let inside = live_values(body, &read[..carried]);
        let before = read.clone();
        read.iter_mut().zip(&body.params).for_each(|(r, p)| *r |= inside[p.index()]);
        if read == before {
            return read;
        }
    }
}

fn loop_node(new: &mut Rewriter<'_>, node: &Node, carried: usize, live: &[bool]) -> Result<()> {
    let read = live_in_loop(node, carried, live);
    let bodies = node.op.bodies();
    let cond = dead(&pruned(bodies[0], &read, None))?;
    let body = dead(&pruned(bodies[1], &read, Some(&read[..carried])))?;
    let inputs: SmallVec<[Value; 3]> =
        node.inputs.iter().zip(&read).filter(|(_, r)| **r).map(|(&v, _)| new.value(v)).collect();
    let kept: Vec<Value> = node.outputs.iter().zip(&read).filter(|(_, r)| **r).map(|(&v, _)| v).collect();
    let types: Vec<_> = kept.iter().map(|&v| new.old_type(v)).collect();
    let op = While::new(Arc::new(cond), Arc::new(body), kept.len());
    let outputs = new.emit(OpRef::Shared(Arc::new(op)), inputs, &types, node.at());
    kept.iter().zip(outputs).for_each(|(&old, value)| new.set(old, value));
    Ok(())
}

/// A body with only the parameters in `params` and the results in `results`.
fn pruned(body: &Graph, params: &[bool], results: Option<&[bool]>) -> Graph {
    let mut pruned = body.clone();
    let keep = |list: &[Value], which: &[bool]| -> Vec<Value> {
        list.iter().zip(which).filter(|(_, keep)| **keep).map(|(&v, _)| v).collect()
    };
    pruned.params = keep(&body.params, params);
    if let Some(results) = results {
        pruned.results = keep(&body.results, results);
    }
    // Nodes that read a parameter that is gone are dead themselves, or it would be alive.
    let wanted = vec![true; pruned.results.len()];
    let live = live_values(&pruned, &wanted);
    pruned.nodes = body.nodes.iter().filter(|n| is_kept(body, n, &live)).cloned().collect();
    pruned
}
