//! What may be written over: which values of a graph are views of others, who uses each last, and which inputs branches and loops
//! change in place. Plans, the executor of single operations and captured branches ask before they reuse an operand's memory.

use crate::ir::{Graph, Value};
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
    changed_by(op, false)
}

/// As [`changed_in_place`], but for inputs of which a list or bundle that is made inside may hold a view.
pub(super) fn changed_and_not_held(op: &OpRef) -> Vec<Option<usize>> {
    changed_by(op, true)
}

fn changed_by(op: &OpRef, not_held: bool) -> Vec<Option<usize>> {
    let bodies = op.bodies();
    let mut all: Vec<Option<usize>> = match (op.flow(), &bodies[..]) {
        (Some(Flow::Branch), [then, otherwise]) => {
            let (then, otherwise) = (changed(then, not_held), changed(otherwise, not_held));
            let same = |(a, b): (Option<usize>, Option<usize>)| if a == b { a } else { None };
            // The condition stands before the parameters.
            then.into_iter().zip(otherwise).map(same).map(|param| param.map(|i| i + 1)).collect()
        }
        (Some(Flow::Loop { carried }), [_, body]) => {
            let each = changed(body, not_held).into_iter().enumerate().take(carried);
            each.map(|(i, param)| param.filter(|&p| p == i)).collect()
        }
        _ => Vec::new(),
    };
    let mut given = HashSet::new();
    all.iter_mut().for_each(|input| *input = input.filter(|&i| given.insert(i)));
    all
}

/// For each result of a body, the parameter of which it is what kernels that write over an operand have made.
fn changed(body: &Graph, not_held: bool) -> Vec<Option<usize>> {
    // Views show a parameter too, but are not what has become of it.
    let mut shows: HashMap<Value, (usize, bool)> =
        body.params.iter().enumerate().map(|(i, &param)| (param, (i, true))).collect();
    let mut held = HashSet::new();
    for node in &body.nodes {
        let shown = |i: usize| shows.get(&node.inputs[i]).copied();
        let of = |i: usize| shown(i).filter(|(_, whole)| *whole);
        let mut made: Vec<(Value, (usize, bool))> = Vec::new();
        match (node.op.overwrites(), node.op.flow(), node.op.kind()) {
            (Some(i), ..) => made.extend(of(i).map(|of| (node.outputs[0], of))),
            (None, Some(_), _) => {
                let through = changed_by(&node.op, not_held);
                let passes = |i: usize| through.contains(&Some(i));
                held.extend((0..node.inputs.len()).filter(|&i| !passes(i)).filter_map(shown).map(|(param, _)| param));
                let each = node.outputs.iter().zip(&through);
                made.extend(each.filter_map(|(&output, input)| Some((output, of((*input)?)?))));
            }
            (None, None, Kind::View) => {
                made.extend(node.outputs.iter().filter_map(|&view| Some((view, (shown(0)?.0, false)))));
            }
            (None, None, Kind::Host | Kind::Control) if node.op.bodies().is_empty() => {
                held.extend((0..node.inputs.len()).filter_map(shown).map(|(param, _)| param));
            }
            _ => {}
        }
        shows.extend(made);
    }
    let of = |result: &Value| shows.get(result).filter(|(_, whole)| *whole).map(|(param, _)| *param);
    body.results.iter().map(|result| of(result).filter(|param| !not_held || !held.contains(param))).collect()
}
