//! Dead code: what nobody reads and nobody notices is left out, the state of loops included.
//! A value carried by a loop is alive if someone reads it after the loop, the condition does, or an effect or another live
//! value of the body does: a fixed point over rounds.

use super::pure::{has_effect, may_fail};
use super::rewrite::Rewriter;
use super::size_uses::Shown;
use crate::graph::control::While;
use crate::ir::steps;
use crate::ir::{Graph, Node, Value};
use crate::op::{Flow, OpRef};
use kernels::error::Result;
use smallvec::SmallVec;
use std::collections::{BTreeSet, HashMap};
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
    let mut live = Live::new(graph);
    graph.results.iter().zip(wanted).filter(|(_, w)| **w).for_each(|(&v, _)| live.mark(v));
    live.follow();
    live.values
}

/// Which operands of a loop are alive.
fn live_in_loop(node: &Node, carried: usize, live: &[bool]) -> Vec<bool> {
    let bodies = node.op.bodies();
    let (cond, body) = (bodies[0], bodies[1]);
    let in_cond = live_values(cond, &[true]);
    let mut read: Vec<bool> = (0..node.inputs.len())
        .map(|i| in_cond[cond.params[i].index()] || (i < carried && live[node.outputs[i].index()]))
        .collect();
    let mut inside = Live::new(body);
    (0..carried).filter(|&i| read[i]).for_each(|i| inside.mark(body.results[i]));
    // What a round reads the round before has to hand on.
    loop {
        inside.follow();
        let reached = std::mem::take(&mut inside.params);
        if reached.is_empty() {
            return read;
        }
        for i in reached {
            if !std::mem::replace(&mut read[i], true) && i < carried {
                inside.mark(body.results[i]);
            }
        }
    }
}

/// The values of a graph that are known to be read, which become more.
struct Live<'g> {
    graph: &'g Graph,
    shown: Shown,
    /// The node that computes each value.
    makers: Vec<Option<usize>>,
    values: Vec<bool>,
    kept: Vec<bool>,
    /// Values that were marked, and loops of which one result was: what they read is not marked yet.
    open: Vec<Value>,
    loops: BTreeSet<usize>,
    /// The parameters that were marked, by place.
    params: Vec<usize>,
    places: HashMap<Value, usize>,
}

impl<'g> Live<'g> {
    /// With what nodes read that are kept whether somebody reads them or not.
    fn new(graph: &'g Graph) -> Self {
        steps::count(graph.types.len());
        let mut makers = vec![None; graph.types.len()];
        for (at, node) in graph.nodes.iter().enumerate() {
            node.outputs.iter().for_each(|v| makers[v.index()] = Some(at));
        }
        let mut live = Self {
            graph,
            shown: Shown::of(graph),
            makers,
            values: vec![false; graph.types.len()],
            kept: vec![false; graph.nodes.len()],
            open: Vec::new(),
            loops: BTreeSet::new(),
            params: Vec::new(),
            places: graph.params.iter().enumerate().map(|(i, &param)| (param, i)).collect(),
        };
        let nodes = graph.nodes.iter().enumerate();
        nodes.filter(|(_, node)| has_effect(graph, node) || may_fail(graph, node)).for_each(|(at, _)| live.keep(at));
        live
    }

    fn mark(&mut self, v: Value) {
        if !std::mem::replace(&mut self.values[v.index()], true) {
            self.open.push(v);
        }
    }

    fn keep(&mut self, at: usize) {
        let node = &self.graph.nodes[at];
        let looping = matches!(node.op.flow(), Some(Flow::Loop { .. }));
        if looping {
            self.loops.insert(at);
        }
        if !std::mem::replace(&mut self.kept[at], true) {
            self.shown.by(node).into_iter().for_each(|v| self.mark(v));
            let inputs = node.inputs.iter().filter(|_| !looping);
            inputs.for_each(|&v| self.mark(v));
        }
    }

    /// Marks what follows from what is marked.
    fn follow(&mut self) {
        loop {
            while let Some(v) = self.open.pop() {
                self.params.extend(self.places.get(&v));
                if let Some(at) = self.makers[v.index()] {
                    self.keep(at);
                }
            }
            // The last loop first: it may read results of the others.
            let Some(at) = self.loops.pop_last() else { return };
            let node = &self.graph.nodes[at];
            if let Some(Flow::Loop { carried }) = node.op.flow() {
                let read = live_in_loop(node, carried, &self.values);
                node.inputs.iter().zip(read).filter(|(_, r)| *r).for_each(|(&v, _)| self.mark(v));
            }
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
