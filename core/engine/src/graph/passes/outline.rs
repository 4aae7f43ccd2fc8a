//! Outlining: where some sizes depend on values, the parts of a graph between the nodes that make such sizes become
//! segments, each with plans of its own. Runs when a graph as a whole has no plan; node order stays, and with it effects.

use super::rewrite::{Rewriter, part_of};
use crate::graph::control::segment::Segment;
use crate::ir::{At, Graph, Node, Value};
use crate::op::{Flow, Kind, OpRef};
use crate::tensor::TensorType;
use kernels::error::Result;
use kernels::shape::{Symbol, as_symbol};
use std::collections::HashSet;
use std::sync::Arc;

/// The graph in segments; `None` if that would be no other graph.
pub(crate) fn outline(graph: &Graph) -> Result<Option<Graph>> {
    let around = Seen::default();
    let segments = split(graph, false, &around);
    if segments.iter().any(|s| s.planned && s.nodes.len() == graph.nodes.len()) {
        return Ok(None);
    }
    rewritten(graph, &segments, false, &around).map(Some)
}

/// Neighbouring nodes, all of which can stand in a plan, or one that cannot.
struct Part<'g> {
    nodes: &'g [Node],
    planned: bool,
}

/// The sizes that have numbers where a node runs.
#[derive(Clone, Default)]
struct Seen(HashSet<Symbol>);

impl Seen {
    /// At the begin of a graph, a body where `self` is known.
    fn and_params(&self, graph: &Graph) -> Self {
        let mut seen = self.clone();
        graph.param_types().for_each(|ty| seen.add(ty));
        seen
    }

    /// A value of this type shows the sizes that stand alone in it.
    fn add(&mut self, ty: &TensorType) {
        self.0.extend(ty.shape.iter().filter_map(as_symbol));
    }

    fn has_all(&self, ty: &TensorType) -> bool {
        ty.shape.iter().all(|size| size.is_known() || size.symbols().iter().all(|s| self.0.contains(s)))
    }
}

/// Whether a node can stand in a plan once the sizes seen so far have numbers. In a body whose sizes change from round
/// to round, `fixed`, only nodes without open sizes can: a plan for each round costs more than it gives.
fn plannable(graph: &Graph, node: &Node, seen: &Seen, fixed: bool) -> bool {
    let known = |v: &Value| graph.ty(*v).shape.is_known();
    let open = || {
        let values = node.inputs.iter().chain(&node.outputs);
        node.names_sizes() || !values.into_iter().all(known) || node.op.bodies().iter().any(|body| body.is_open())
    };
    if matches!(node.op.kind(), Kind::Control) || (fixed && open()) || graph.node_has_strings(node) {
        return false;
    }
    node.outputs.iter().all(|&v| seen.has_all(graph.ty(v))) && node.op.bodies().iter().all(|body| closed(body, seen))
}

/// Whether all sizes of a body follow from its parameters and what is known around it.
fn closed(body: &Graph, around: &Seen) -> bool {
    let mut seen = around.and_params(body);
    body.nodes.iter().all(|node| {
        let fits = plannable(body, node, &seen, false);
        node.outputs.iter().for_each(|&v| seen.add(body.ty(v)));
        fits
    })
}

fn split<'g>(graph: &'g Graph, fixed: bool, around: &Seen) -> Vec<Part<'g>> {
    let mut seen = around.and_params(graph);
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut start = 0;
    for (at, node) in graph.nodes.iter().enumerate() {
        let planned = plannable(graph, node, &seen, fixed);
        node.outputs.iter().for_each(|&v| seen.add(graph.ty(v)));
        let joins = parts.last().is_some_and(|last| last.planned && planned);
        if !joins {
            start = at;
            parts.push(Part { nodes: &[], planned });
        }
        if let Some(last) = parts.last_mut() {
            last.nodes = &graph.nodes[start..=at];
        }
    }
    parts
}

/// A single operation is not worth a plan; a loop is.
fn is_worth_it(part: &Part<'_>) -> bool {
    part.planned && (part.nodes.len() > 1 || part.nodes.iter().any(|node| node.op.flow().is_some()))
}

fn rewritten(graph: &Graph, parts: &[Part<'_>], fixed: bool, around: &Seen) -> Result<Graph> {
    let mut used_until: Vec<usize> = vec![0; graph.types.len()];
    for (at, part) in parts.iter().enumerate() {
        part.nodes.iter().flat_map(|n| &n.inputs).for_each(|v| used_until[v.index()] = at);
    }
    graph.results.iter().for_each(|v| used_until[v.index()] = usize::MAX);
    let mut seen = around.and_params(graph);
    let mut new = Rewriter::new(graph);
    for (at, part) in parts.iter().enumerate() {
        if is_worth_it(part) {
            let wanted = |v: &Value| used_until[v.index()] > at;
            segment(&mut new, graph, part.nodes, &wanted);
            part.nodes.iter().flat_map(|n| &n.outputs).for_each(|&v| seen.add(graph.ty(v)));
            continue;
        }
        for node in part.nodes {
            let inner = |body: &Graph| {
                let fixed = fixed || matches!(node.op.flow(), Some(Flow::Loop { .. }));
                rewritten(body, &split(body, fixed, &seen), fixed, &seen).map(Arc::new)
            };
            let op = match node.op.flow() {
                Some(Flow::Branch | Flow::Loop { .. }) if !part.planned => {
                    let bodies = node.op.bodies().into_iter().map(|b| inner(b)).collect::<Result<Vec<_>>>()?;
                    node.op.with_bodies(&bodies)
                }
                _ => None,
            };
            new.copy(node, op);
            node.outputs.iter().for_each(|&v| seen.add(graph.ty(v)));
        }
    }
    Ok(new.finish())
}

/// Puts nodes into a segment of their own. Constants go along, so that passes see them.
fn segment(new: &mut Rewriter<'_>, graph: &Graph, nodes: &[Node], wanted: &dyn Fn(&Value) -> bool) {
    let mut seen: HashSet<Value> = HashSet::new();
    let mut params: Vec<Value> = Vec::new();
    for node in nodes {
        params.extend(node.inputs.iter().copied().filter(|&v| seen.insert(v) && graph.constant(v).is_none()));
        seen.extend(&node.outputs);
    }
    let inputs = params.iter().map(|&v| new.value(v)).collect();
    let results: Vec<Value> = nodes.iter().flat_map(|n| &n.outputs).copied().filter(|v| wanted(v)).collect();
    let types: Vec<TensorType> = results.iter().map(|&v| *graph.ty(v)).collect();
    let at = At { location: nodes[0].location, device: None, gradient_of: None, scope: None };
    let part = part_of(graph, &graph.name, nodes.iter(), &params, &results, graph.constraints.clone());
    let outputs = new.emit(OpRef::Shared(Arc::new(Segment::new(part))), inputs, &types, at);
    results.iter().zip(outputs).for_each(|(&old, value)| new.set(old, value));
}
