//! Sums in place: `x + y`, where `y` is parts laid into zeros, becomes those parts added to `x`, so that a loop which takes a part
//! of a tensor per round has a gradient whose rounds cost the part. Runs first among the passes, and on gradients as they are recorded.
//!
//! Parts are found through whatever only adds to something: operations that say so (`adds_to`), branches, and loops that carry a
//! sum. Only cotangents have such parts: where `x` is -0 and nothing is added, the sum is -0 and no longer 0.

use super::rewrite::{Rewriter, with_bodies};
use crate::ir::{Graph, Node, Value};
use crate::op::{Flow, Kind, OpRef};
use kernels::error::Result;
use kernels::scalar::Code;
use smallvec::SmallVec;
use std::collections::HashMap;

pub(crate) fn sums(graph: &Graph) -> Result<Graph> {
    let bodies = graph.nodes.iter().map(|node| with_bodies(node, sums)).collect::<Result<Vec<_>>>()?;
    let mut found = Found::new(graph, &bodies);
    found.all();
    let Found { changes, dropped, .. } = found;
    let mut new = Rewriter::new(graph);
    for (at, node) in graph.nodes.iter().enumerate() {
        if let Some(sum) = dropped.get(&at) {
            let value = new.value(sum.whole);
            new.set(node.outputs[0], value);
            continue;
        }
        match changes.get(&at) {
            None => new.copy(node, bodies[at].clone()),
            Some(change) => {
                let mut inputs: SmallVec<[Value; 3]> = node.inputs.iter().map(|&v| new.value(v)).collect();
                let onto = new.value(change.onto);
                let op = match (change.input, node.op.onto()) {
                    (Some(input), _) => {
                        inputs[input] = onto;
                        bodies[at].clone().unwrap_or_else(|| node.op.clone())
                    }
                    (None, Some(op)) => {
                        inputs.insert(0, onto);
                        op
                    }
                    (None, None) => node.op.clone(),
                };
                let types: SmallVec<[_; 2]> = node.outputs.iter().map(|&v| *graph.ty(v)).collect();
                let outputs = new.emit(op, inputs, &types, node.at());
                node.outputs.iter().zip(outputs).for_each(|(&old, value)| new.set(old, value));
            }
        }
    }
    Ok(new.finish())
}

/// Whether a value is nothing but parts laid into zeros.
pub(crate) fn is_parts(graph: &Graph, value: Value) -> bool {
    let none = vec![None; graph.nodes.len()];
    Found::new(graph, &none).start(value).is_some()
}

/// A node that is to add to something: in place of its input `input`, or of zeros that its operation has inside.
struct Change {
    input: Option<usize>,
    onto: Value,
}

/// An addition that is gone: the parts with what they were added to, and the latter.
#[derive(Clone, Copy)]
struct Sum {
    whole: Value,
    onto: Value,
}

/// Where parts begin: the node, and its input that is zeros if it has one.
#[derive(Clone, Copy)]
struct Start {
    node: usize,
    input: Option<usize>,
}

struct Found<'a> {
    graph: &'a Graph,
    /// The operations of nodes whose bodies have changed.
    bodies: &'a [Option<OpRef>],
    maker: Vec<Option<usize>>,
    uses: Vec<u32>,
    /// For loops and branches that were asked: the input to which each output adds.
    through: HashMap<usize, Vec<Option<usize>>>,
    changes: HashMap<usize, Change>,
    dropped: HashMap<usize, Sum>,
}

impl<'a> Found<'a> {
    fn new(graph: &'a Graph, bodies: &'a [Option<OpRef>]) -> Self {
        let (maker, uses) = makers_and_uses(graph);
        Self { graph, bodies, maker, uses, through: HashMap::new(), changes: HashMap::new(), dropped: HashMap::new() }
    }

    /// Looks at every addition.
    fn all(&mut self) {
        for (at, node) in self.graph.nodes.iter().enumerate() {
            if !matches!(node.op.kind(), Kind::Elementwise { direct: Some(Code::Add), .. }) {
                continue;
            }
            let [x, y] = node.inputs[..] else { continue };
            if x != y && !self.merge(at, node, x, y) {
                self.merge(at, node, y, x);
            }
        }
    }

    /// Lets the parts of `y` be added to `x`, if `y` is parts that nobody else wants and `x` is there when they begin.
    fn merge(&mut self, at: usize, node: &Node, x: Value, y: Value) -> bool {
        let ty = self.graph.ty(node.outputs[0]);
        if self.graph.ty(x) != ty || self.graph.ty(y) != ty {
            return false;
        }
        let Some(start) = self.start(y) else { return false };
        let begins = &self.graph.nodes[start.node];
        let early = self.maker[x.index()].is_none_or(|made| made < start.node);
        if !early || begins.device != node.device || self.changes.contains_key(&start.node) {
            return false;
        }
        self.changes.insert(start.node, Change { input: start.input, onto: x });
        self.dropped.insert(at, Sum { whole: y, onto: x });
        true
    }

    /// Where the parts begin that a value consists of; `None` if there is anything else in it, or somebody wants a sum between.
    fn start(&mut self, value: Value) -> Option<Start> {
        let mut value = value;
        // The input of the node before, through which the walk came, for zeros that are there.
        let mut from: Option<Start> = None;
        loop {
            // None for a parameter or a constant.
            let at = self.maker[value.index()]?;
            let node = &self.graph.nodes[at];
            if node.op.repeats() == Some(0) {
                return from;
            }
            if self.uses[value.index()] != 1 {
                return None;
            }
            if let Some(sum) = self.dropped.get(&at) {
                (value, from) = (sum.onto, None);
                continue;
            }
            if node.op.onto().is_some() {
                return Some(Start { node: at, input: None });
            }
            let input = match node.op.adds_to() {
                Some(input) => input,
                None => self.through(at, node.outputs.iter().position(|v| *v == value)?)?,
            };
            from = Some(Start { node: at, input: Some(input) });
            value = node.inputs[input];
        }
    }

    /// The input to which an output of a branch or loop adds.
    fn through(&mut self, at: usize, output: usize) -> Option<usize> {
        if let Some(all) = self.through.get(&at) {
            return all.get(output).copied().flatten();
        }
        let op = self.bodies[at].as_ref().unwrap_or(&self.graph.nodes[at].op);
        let all = through(op);
        let input = all.get(output).copied().flatten();
        self.through.insert(at, all);
        input
    }
}

/// For each output of a branch or loop, the input to which it adds whatever way it goes.
pub(crate) fn through(op: &OpRef) -> Vec<Option<usize>> {
    let bodies = op.bodies();
    match (op.flow(), &bodies[..]) {
        (Some(Flow::Branch), [then, otherwise]) => {
            let (then, otherwise) = (added_to(then), added_to(otherwise));
            let same = then.into_iter().zip(otherwise).map(|(a, b)| if a == b { a } else { None });
            // The condition stands before the parameters.
            same.map(|param| param.map(|i| i + 1)).collect()
        }
        (Some(Flow::Loop { carried }), [test, body]) => {
            let read = |i: usize| test.nodes.iter().any(|n| n.inputs.contains(&test.params[i]));
            let sums = added_to(body).into_iter().enumerate().take(carried);
            sums.map(|(i, param)| param.filter(|&p| p == i && !read(i) && !test.results.contains(&test.params[i])))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// For each result of a body, the parameter to which it adds, if nothing else there reads that parameter.
fn added_to(body: &Graph) -> Vec<Option<usize>> {
    let (maker, uses) = makers_and_uses(body);
    let params: HashMap<Value, usize> = body.params.iter().enumerate().map(|(i, &p)| (p, i)).collect();
    let mut inside: HashMap<usize, Vec<Option<usize>>> = HashMap::new();
    let mut one = |result: Value| {
        let mut value = result;
        loop {
            if uses[value.index()] != 1 {
                return None;
            }
            let Some(at) = maker[value.index()] else { return params.get(&value).copied() };
            let node = &body.nodes[at];
            let input = match node.op.adds_to() {
                Some(input) => input,
                None => {
                    let all = inside.entry(at).or_insert_with(|| through(&node.op));
                    let output = node.outputs.iter().position(|v| *v == value)?;
                    all.get(output).copied().flatten()?
                }
            };
            value = node.inputs[input];
        }
    };
    body.results.iter().map(|&result| one(result)).collect()
}

/// The node that makes each value, and how often it is read or given back.
fn makers_and_uses(graph: &Graph) -> (Vec<Option<usize>>, Vec<u32>) {
    let (mut maker, mut uses) = (vec![None; graph.types.len()], vec![0u32; graph.types.len()]);
    for (at, node) in graph.nodes.iter().enumerate() {
        node.outputs.iter().for_each(|v| maker[v.index()] = Some(at));
        node.inputs.iter().for_each(|v| uses[v.index()] += 1);
    }
    graph.results.iter().for_each(|v| uses[v.index()] += 1);
    (maker, uses)
}
