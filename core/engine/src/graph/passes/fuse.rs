//! Fusion: clusters of element-wise operations over one space, and the reductions that read them, become one operation
//! each, which the plan runs as a single pass over memory. Its body is a graph, which says what it computes.

mod cycle_check;
mod fused;
mod rebuild;
mod sequence;
#[cfg(test)]
mod tests;

pub(crate) use fused::Fused;

use super::pure::{has_effect, may_fail, reads_state};
use crate::ir::steps;
use crate::ir::{Graph, Node, Value};
use crate::op::{Kind, Op};
use crate::tensor::TensorType;
use cycle_check::Ways;
use kernels::backend::cpu::View;
use kernels::backend::cpu::reduce::{self, InOrder};
use kernels::error::Result;
use kernels::shape::Shape;
use smallvec::SmallVec;

/// Bounds of a cluster: more operands than this no longer fit the first-level cache, more nodes make no faster pass.
const MOST_NODES: usize = 64;
const MOST_INPUTS: usize = 20;
/// How many further readers of a value a node looks at, to be one pass with: those that are written close by. A value that thousands
/// read would else be asked about for each two of them.
const MOST_READERS: usize = 64;

/// How the reduction of a node walks a dense operand, if a pass can follow it.
pub(crate) fn walk_of(ty: &TensorType, op: &dyn Op) -> Option<InOrder> {
    let (_, axes, _) = op.reduction()?;
    let view = View::dense(std::ptr::null_mut(), ty.dtype, ty.shape.known_dims()?);
    reduce::ReducePlan::new(&view, axes).in_order()
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

/// What the members of a cluster read of others, constants aside, in ascending order.
type Inputs = SmallVec<[Value; 4]>;

struct Clusters<'a> {
    graph: &'a Graph,
    classes: Vec<Class>,
    producer: Vec<Option<usize>>,
    ways: Ways,
    /// The cluster of each node; its own number at first.
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
    inputs: Vec<Inputs>,
    /// How the reductions of each cluster walk.
    walks: Vec<Option<InOrder>>,
    /// How many edges lead out of each cluster and into it.
    edges: Vec<[usize; 2]>,
    /// How often each cluster has grown.
    grown: Vec<u32>,
    /// By cluster the last one that it could not be one with, and how often both had grown then.
    refused: Vec<(usize, [u32; 2])>,
}

impl<'a> Clusters<'a> {
    fn new(graph: &'a Graph) -> Self {
        let n = graph.nodes.len();
        let mut producer = vec![None; graph.types.len()];
        for (i, node) in graph.nodes.iter().enumerate() {
            node.outputs.iter().for_each(|v| producer[v.index()] = Some(i));
        }
        let classes: Vec<Class> = graph.nodes.iter().map(|node| class(graph, node)).collect();
        let ways = Ways::new(followers(graph, &producer));
        let inputs = |node: &Node| {
            let mut inputs: Inputs = node.inputs.iter().copied().filter(|v| graph.constant(*v).is_none()).collect();
            inputs.sort_unstable();
            inputs.dedup();
            inputs
        };
        let walk = |class: &Class| match class {
            Class::Fold(_, walk) => Some(*walk),
            _ => None,
        };
        Self {
            walks: classes.iter().map(walk).collect(),
            classes,
            producer,
            edges: (0..n).map(|i| [ways.after[i].len(), ways.before[i].len()]).collect(),
            ways,
            of: (0..n).collect(),
            members: (0..n).map(|i| vec![i]).collect(),
            inputs: graph.nodes.iter().map(inputs).collect(),
            grown: vec![0; n],
            refused: vec![(usize::MAX, [0; 2]); n],
            graph,
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
        let graph = self.graph;
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); graph.types.len()];
        for (i, node) in graph.nodes.iter().enumerate() {
            if let Class::Elementwise(_) = self.classes[i] {
                for v in node.inputs.iter().filter(|v| graph.constant(**v).is_none()) {
                    readers[v.index()].push(i);
                }
            }
        }
        for (i, node) in graph.nodes.iter().enumerate() {
            let Class::Elementwise(space) = self.classes[i] else { continue };
            // Sharing a scalar is no reason to be one pass, unless the space is one as well.
            for v in node.inputs.iter().filter(|v| graph.ty(**v).shape == space) {
                let readers = &readers[v.index()];
                let later = readers.partition_point(|&other| other <= i);
                for &other in readers[later..].iter().take(MOST_READERS) {
                    steps::count(1);
                    if self.classes[other].space() == Some(&space) {
                        self.join(i, other);
                    }
                }
            }
        }
    }

    /// Makes one cluster of those of two nodes, if it can be.
    fn join(&mut self, p: usize, i: usize) {
        let (a, b) = (self.of[p], self.of[i]);
        let grown = [self.grown[a], self.grown[b]];
        if a == b || self.refused[b] == (a, grown) {
            return;
        }
        steps::count(1);
        let Some((kept, inputs)) = self.one(p, i) else {
            self.refused[b] = (a, grown);
            return;
        };
        let gone = if kept == a { b } else { a };
        let moved = std::mem::take(&mut self.members[gone]);
        moved.iter().for_each(|&i| self.of[i] = kept);
        self.members[kept].extend(moved);
        steps::count(self.members[kept].len());
        self.members[kept].sort_unstable();
        self.inputs[kept] = inputs;
        self.walks[kept] = self.walks[kept].or(self.walks[gone]);
        (0..2).for_each(|side| self.edges[kept][side] += self.edges[gone][side]);
        self.grown[kept] += 1;
    }

    /// The cluster that stands for those of both nodes, and what it reads; `None` if they cannot be one.
    fn one(&mut self, p: usize, i: usize) -> Option<(usize, Inputs)> {
        let ends = self.in_order(self.of[p], self.of[i]);
        let to = if self.of[p] == ends[1] { p } else { i };
        if !self.fits(ends) || self.is_cut(ends) || self.is_led_around(ends, to) {
            return None;
        }
        let inputs = self.inputs_of(ends);
        if inputs.len() > MOST_INPUTS {
            return None;
        }
        Some((self.between(ends)?, inputs))
    }

    /// Whether two clusters together stay on one device, within bounds, and fold along the same axes.
    fn fits(&self, [a, b]: [usize; 2]) -> bool {
        let device = |cluster: usize| self.graph.nodes[self.members[cluster][0]].device;
        let walks = [self.walks[a], self.walks[b]];
        self.members[a].len() + self.members[b].len() <= MOST_NODES
            && device(a) == device(b)
            && !matches!(walks, [Some(one), Some(other)] if one != other)
    }

    /// What two clusters read of others.
    fn inputs_of(&self, [a, b]: [usize; 2]) -> Inputs {
        let inside = |v: &Value| self.producer[v.index()].is_some_and(|p| self.of[p] == a || self.of[p] == b);
        let mut inputs: Inputs = self.inputs[a].iter().chain(&self.inputs[b]).copied().filter(|v| !inside(v)).collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }
}

/// The nodes that must come after each node: readers of its results, and the next node that keeps its order.
fn followers(graph: &Graph, producer: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    let mut last_ordered = None;
    for (i, node) in graph.nodes.iter().enumerate() {
        for p in node.inputs.iter().filter_map(|v| producer[v.index()]) {
            if after[p].last() != Some(&i) {
                after[p].push(i);
            }
        }
        let ordered = reads_state(node) || has_effect(graph, node) || may_fail(graph, node);
        if ordered && let Some(before) = last_ordered.replace(i) {
            after[before].push(i);
        }
    }
    after
}
