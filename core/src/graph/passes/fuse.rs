//! Fusion: clusters of element-wise operations over one space, and the reductions that read them, become one operation
//! each, which the plan runs as a single pass over memory. Its body is a graph, which says what it computes.

mod fused;

pub(crate) use fused::Fused;

use super::pure::{has_effect, may_fail, reads_state};
use super::rewrite::{Rewriter, with_bodies};
use crate::backend::cpu::View;
use crate::backend::cpu::reduce::{self, InOrder};
use crate::error::Result;
use crate::graph::ir::{Graph, Node, Value};
use crate::op::{Kind, Op, OpRef};
use crate::shape::Shape;
use crate::tensor::TensorType;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Bounds of a cluster: more operands than this no longer fit the first-level cache, more nodes make no faster pass.
const MOST_NODES: usize = 64;
const MOST_INPUTS: usize = 20;

/// How the reduction of a node walks a dense operand, if a pass can follow it.
pub(crate) fn walk_of(ty: &TensorType, op: &dyn Op) -> Option<InOrder> {
    let (_, axes, _) = op.reduction()?;
    let view = View::dense(std::ptr::null_mut(), ty.dtype, ty.shape.known_dims()?);
    reduce::Plan::new(&view, axes).in_order()
}

/// What a node may be to a cluster.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Elementwise(Shape),
    Fold(Shape, InOrder),
    Other,
}

impl Class {
    fn space(&self) -> Option<&Shape> {
        match self {
            Self::Elementwise(shape) | Self::Fold(shape, _) => Some(shape),
            Self::Other => None,
        }
    }
}

fn class(graph: &Graph, node: &Node) -> Class {
    let nothing = |shape: &Shape| !shape.is_known() || shape.num_elements() == 0;
    match node.op.kind() {
        Kind::Elementwise { .. } if !may_fail(graph, node) => {
            let shape = graph.ty(node.outputs[0]).shape;
            if nothing(&shape) { Class::Other } else { Class::Elementwise(shape) }
        }
        Kind::Reduction if node.op.reduction().is_some() => {
            let ty = graph.ty(node.inputs[0]);
            match walk_of(ty, &*node.op) {
                Some(walk) if !nothing(&ty.shape) => Class::Fold(ty.shape, walk),
                _ => Class::Other,
            }
        }
        _ => Class::Other,
    }
}

pub(crate) fn fuse(graph: &Graph) -> Result<Graph> {
    let mut clusters = Clusters::new(graph);
    clusters.along_edges();
    clusters.siblings();
    clusters.rebuild()
}

struct Clusters<'a> {
    graph: &'a Graph,
    classes: Vec<Class>,
    producer: Vec<Option<usize>>,
    /// Nodes that must come after each node: readers of its results, and the next node that keeps its order.
    after: Vec<Vec<usize>>,
    /// The cluster of each node; its own number at first.
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl<'a> Clusters<'a> {
    fn new(graph: &'a Graph) -> Self {
        let n = graph.nodes.len();
        let mut producer = vec![None; graph.types.len()];
        let mut after = vec![Vec::new(); n];
        let mut last_ordered = None;
        for (i, node) in graph.nodes.iter().enumerate() {
            for v in &node.inputs {
                if let Some(p) = producer[v.index()] {
                    let list: &mut Vec<usize> = &mut after[p];
                    if list.last() != Some(&i) {
                        list.push(i);
                    }
                }
            }
            node.outputs.iter().for_each(|v| producer[v.index()] = Some(i));
            let ordered = reads_state(node) || has_effect(graph, node) || may_fail(graph, node);
            if ordered && let Some(before) = last_ordered.replace(i) {
                let list: &mut Vec<usize> = &mut after[before];
                list.push(i);
            }
        }
        Self {
            classes: graph.nodes.iter().map(|node| class(graph, node)).collect(),
            graph,
            producer,
            after,
            of: (0..n).collect(),
            members: (0..n).map(|i| vec![i]).collect(),
        }
    }

    /// Joins producers with their readers.
    fn along_edges(&mut self) {
        for i in 0..self.graph.nodes.len() {
            if self.classes[i].space().is_none() {
                continue;
            }
            for &v in &self.graph.nodes[i].inputs {
                if let Some(p) = self.producer[v.index()].filter(|&p| self.feeds(p, i)) {
                    self.join(p, i);
                }
            }
        }
    }

    /// Whether `p` computes element by element what `i` reads element by element.
    fn feeds(&self, p: usize, i: usize) -> bool {
        matches!(self.classes[p], Class::Elementwise(_)) && self.classes[p].space() == self.classes[i].space()
    }

    /// Joins clusters over one space that read the same value.
    fn siblings(&mut self) {
        let mut readers: HashMap<Value, Vec<usize>> = HashMap::new();
        for (i, node) in self.graph.nodes.iter().enumerate() {
            if let Class::Elementwise(_) = self.classes[i] {
                for v in node.inputs.iter().filter(|v| self.graph.constant(**v).is_none()) {
                    readers.entry(*v).or_default().push(i);
                }
            }
        }
        for i in 0..self.graph.nodes.len() {
            let Class::Elementwise(space) = self.classes[i] else { continue };
            for v in self.graph.nodes[i].inputs.clone() {
                // Sharing a scalar is no reason to be one pass, unless the space is one as well.
                if self.graph.ty(v).shape != space {
                    continue;
                }
                for other in readers.get(&v).cloned().unwrap_or_default().into_iter().filter(|&o| o > i) {
                    if self.classes[other].space() == Some(&space) {
                        self.join(i, other);
                    }
                }
            }
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of[a], self.of[b]);
        if a == b || !self.fits(a, b) || self.goes_around(a, b) {
            return;
        }
        let moved = std::mem::take(&mut self.members[b]);
        moved.iter().for_each(|&i| self.of[i] = a);
        self.members[a].extend(moved);
        self.members[a].sort_unstable();
    }

    /// Whether two clusters together stay on one device, within bounds, and fold along the same axes.
    fn fits(&self, a: usize, b: usize) -> bool {
        let both = || self.members[a].iter().chain(&self.members[b]).copied();
        let first = self.graph.nodes[self.members[a][0]].device;
        if both().count() > MOST_NODES || both().any(|i| self.graph.nodes[i].device != first) {
            return false;
        }
        let mut walks = both().filter_map(|i| match self.classes[i] {
            Class::Fold(_, walk) => Some(walk),
            _ => None,
        });
        if let Some(first) = walks.next()
            && walks.any(|walk| walk != first)
        {
            return false;
        }
        let mut inputs: Vec<Value> = both().flat_map(|i| self.graph.nodes[i].inputs.iter().copied()).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let inside = |v: &Value| self.producer[v.index()].is_some_and(|p| self.of[p] == a || self.of[p] == b);
        inputs.iter().filter(|v| !inside(v) && self.graph.constant(**v).is_none()).count() <= MOST_INPUTS
    }

    /// Whether a value of the two clusters comes back into them by way of something that is not part of the pass.
    fn goes_around(&self, a: usize, b: usize) -> bool {
        let inside = |i: usize| self.of[i] == a || self.of[i] == b;
        let mut seen = vec![false; self.graph.nodes.len()];
        let mut open = Vec::new();
        for &i in self.members[a].iter().chain(&self.members[b]) {
            for &next in &self.after[i] {
                match inside(next) {
                    // Inside a pass values go from element to element only.
                    true if self.feeds(i, next) => {}
                    true => return true,
                    false => open.push(next),
                }
            }
        }
        while let Some(i) = open.pop() {
            if inside(i) {
                return true;
            }
            if seen[i] {
                continue;
            }
            // A cluster runs as one: all of its members, hence all that follows them.
            for &member in &self.members[self.of[i]] {
                seen[member] = true;
                open.extend(self.after[member].iter().copied().filter(|&n| !seen[n]));
            }
        }
        false
    }

    /// The graph with clusters as nodes, in an order that both the clusters and the effects allow.
    fn rebuild(self) -> Result<Graph> {
        let n = self.graph.nodes.len();
        let mut waits = vec![0usize; n];
        let edges = |i: usize| self.after[i].iter().copied();
        for i in 0..n {
            for next in edges(i).filter(|&next| self.of[next] != self.of[i]) {
                waits[self.of[next]] += 1;
            }
        }
        let mut ready: BTreeSet<(usize, usize)> =
            (0..n).filter(|&c| !self.members[c].is_empty() && waits[c] == 0).map(|c| (self.members[c][0], c)).collect();
        let mut new = Rewriter::new(self.graph);
        while let Some((_, cluster)) = ready.pop_first() {
            self.emit(&mut new, cluster)?;
            for &i in &self.members[cluster] {
                for next in edges(i).map(|next| self.of[next]).filter(|&c| c != cluster) {
                    waits[next] -= 1;
                    if waits[next] == 0 {
                        ready.insert((self.members[next][0], next));
                    }
                }
            }
        }
        Ok(new.finish())
    }

    fn emit(&self, new: &mut Rewriter<'_>, cluster: usize) -> Result<()> {
        let members = &self.members[cluster];
        if let [only] = members[..] {
            let node = &self.graph.nodes[only];
            let op = with_bodies(node, fuse)?;
            new.copy(node, op);
            return Ok(());
        }
        let inside = |v: Value| self.producer[v.index()].is_some_and(|p| self.of[p] == cluster);
        let read_outside = |v: Value| {
            self.graph.results.contains(&v)
                || self.graph.nodes.iter().enumerate().any(|(i, n)| self.of[i] != cluster && n.inputs.contains(&v))
        };
        let nodes = || members.iter().map(|&i| &self.graph.nodes[i]);
        let mut inputs: Vec<Value> = Vec::new();
        for v in nodes().flat_map(|n| n.inputs.iter().copied()) {
            if !inside(v) && self.graph.constant(v).is_none() && !inputs.contains(&v) {
                inputs.push(v);
            }
        }
        let results: Vec<Value> =
            nodes().flat_map(|n| n.outputs.iter().copied()).filter(|&v| read_outside(v)).collect();
        // A graph of these nodes alone, which a rewriter then numbers anew.
        let part = Graph {
            name: "pass".to_owned(),
            params: inputs.clone(),
            nodes: nodes().cloned().collect(),
            results: results.clone(),
            resources: Vec::new(),
            constraints: Default::default(),
            ..self.graph.clone()
        };
        let mut body = Rewriter::new(&part);
        part.nodes.iter().for_each(|node| body.copy(node, None));
        let op = Fused { body: Arc::new(body.finish()) };
        let operands = inputs.iter().map(|&v| new.value(v)).collect();
        let types: Vec<TensorType> = results.iter().map(|&v| *self.graph.ty(v)).collect();
        let outputs = new.emit(OpRef::Shared(Arc::new(op)), operands, &types, self.graph.nodes[members[0]].at());
        results.iter().zip(outputs).for_each(|(&old, value)| new.set(old, value));
        Ok(())
    }
}
