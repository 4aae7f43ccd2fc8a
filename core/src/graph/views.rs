//! Which values of a graph are views of others, and who uses each last: what an executor must copy before a node writes over memory
//! that small views still show. Plans and the executor of single operations ask.

use super::ir::{Graph, Value};
use crate::op::{Flow, Kind, OpRef};
use std::collections::{HashMap, HashSet};

/// Used by no node.
pub(super) const UNUSED: usize = usize::MAX;
/// A result: used at the very end.
pub(super) const RESULT: usize = usize::MAX - 1;

/// For each value, the position of the node that uses it last, views of it not counted; or [`RESULT`], or [`UNUSED`].
pub(super) fn last_uses(graph: &Graph) -> Vec<usize> {
    let mut uses = vec![UNUSED; graph.types.len()];
    for (position, node) in graph.nodes.iter().enumerate() {
        node.inputs.iter().for_each(|v| uses[v.index()] = position);
    }
    graph.results.iter().for_each(|v| uses[v.index()] = RESULT);
    uses
}

/// The views of each value, with what they show a part of, in their order.
pub(super) struct Views {
    /// The value whose elements a view shows; of all others, themselves.
    root: Vec<Value>,
    of: HashMap<Value, Vec<(Value, Value)>>,
}

impl Views {
    pub fn of(graph: &Graph) -> Self {
        let mut root: Vec<Value> = (0..graph.types.len() as u32).map(Value).collect();
        let mut of: HashMap<Value, Vec<(Value, Value)>> = HashMap::new();
        for node in graph.nodes.iter().filter(|node| matches!(node.op.kind(), Kind::View)) {
            let (shown, whole) = (node.inputs[0], root[node.inputs[0].index()]);
            node.outputs.iter().for_each(|v| root[v.index()] = whole);
            of.entry(whole).or_default().extend(node.outputs.iter().map(|&v| (v, shown)));
        }
        Self { root, of }
    }

    #[inline]
    pub fn root(&self, v: Value) -> Value {
        self.root[v.index()]
    }

    /// The other values that show the memory of `v`.
    pub fn beside(&self, v: Value) -> impl Iterator<Item = Value> {
        let root = self.root(v);
        let views = self.of.get(&root).into_iter().flatten().map(|(view, _)| *view);
        std::iter::once(root).chain(views).filter(move |&w| w != v)
    }

    /// Notes that these views have memory of their own from now on, and tells which values show it besides: views of them.
    pub fn part(&mut self, copies: &[Value]) -> Vec<(Value, Value)> {
        let Some(&first) = copies.first() else { return Vec::new() };
        let old = self.root(first);
        copies.iter().for_each(|view| self.root[view.index()] = *view);
        let mut shown_by_copies = Vec::new();
        for (view, shown) in self.of.remove(&old).unwrap_or_default() {
            if self.root(view) == old {
                self.root[view.index()] = self.root(shown);
            }
            let now = self.root(view);
            if now == view {
                continue;
            }
            self.of.entry(now).or_default().push((view, shown));
            if now != old {
                shown_by_copies.push((view, now));
            }
        }
        shown_by_copies
    }
}

/// For each output of a branch or loop, the input of which all its ways change parts, or which they hand on: no two have the same one.
pub(super) fn changed_in_place(op: &OpRef) -> Vec<Option<usize>> {
    let bodies = op.bodies();
    let mut all: Vec<Option<usize>> = match (op.flow(), &bodies[..]) {
        (Some(Flow::Branch), [then, otherwise]) => {
            let same = |(a, b): (Option<usize>, Option<usize>)| if a == b { a } else { None };
            // The condition stands before the parameters.
            changed(then).into_iter().zip(changed(otherwise)).map(same).map(|param| param.map(|i| i + 1)).collect()
        }
        (Some(Flow::Loop { carried }), [_, body]) => {
            changed(body).into_iter().enumerate().take(carried).map(|(i, param)| param.filter(|&p| p == i)).collect()
        }
        _ => Vec::new(),
    };
    let mut given = HashSet::new();
    all.iter_mut().for_each(|input| *input = input.filter(|&i| given.insert(i)));
    all
}

/// For each result of a body, the parameter of which it is what kernels that write over an operand have made.
fn changed(body: &Graph) -> Vec<Option<usize>> {
    let mut of: HashMap<Value, usize> = body.params.iter().enumerate().map(|(i, &param)| (param, i)).collect();
    for node in &body.nodes {
        if let Some(&param) = node.op.overwrites().and_then(|i| of.get(&node.inputs[i])) {
            of.insert(node.outputs[0], param);
        } else if node.op.flow().is_some() {
            for (i, input) in changed_in_place(&node.op).into_iter().enumerate() {
                if let Some(&param) = input.and_then(|input| of.get(&node.inputs[input])) {
                    of.insert(node.outputs[i], param);
                }
            }
        }
    }
    body.results.iter().map(|result| of.get(result).copied()).collect()
}
