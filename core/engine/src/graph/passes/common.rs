//! Common sub-expressions: a node that computes what an earlier one did becomes that one.
//! Reads of a variable are equal as long as nothing was written in between.

use super::pure::{has_effect, reads_state};
use super::rewrite::{Rewriter, with_bodies};
use crate::ir::{Graph, Node, Value};
use crate::op::{Kind, fingerprint};
use kernels::error::Result;
use smallvec::SmallVec;
use std::collections::HashMap;

/// What tells two nodes apart: operation, operands, and for reads how many effects came before.
type Key = (usize, u64, SmallVec<[Value; 3]>, usize);

pub(super) fn common(graph: &Graph) -> Result<Graph> {
    let mut new = Rewriter::new(graph);
    let mut seen: HashMap<Key, Vec<usize>> = HashMap::new();
    let mut effects = 0;
    for node in &graph.nodes {
        let effect = has_effect(graph, node);
        effects += usize::from(effect);
        if effect || matches!(node.op.kind(), Kind::Host | Kind::Control) {
            let op = with_bodies(node, common)?;
            new.copy(node, op);
            continue;
        }
        let inputs: SmallVec<[Value; 3]> = node.inputs.iter().map(|&v| new.value(v)).collect();
        let moment = if reads_state(node) { effects } else { 0 };
        let key = (node.op.name().as_ptr().addr(), fingerprint(&*node.op), inputs, moment);
        let candidates = seen.entry(key).or_default();
        let same = candidates.iter().copied().find(|&at| equal(&new.graph, &new.graph.nodes[at], graph, node));
        match same {
            Some(at) => {
                let outputs = new.graph.nodes[at].outputs.clone();
                node.outputs.iter().zip(outputs).for_each(|(&old, value)| new.set(old, value));
            }
            None => {
                candidates.push(new.graph.nodes.len());
                new.copy(node, None);
            }
        }
    }
    Ok(new.finish())
}

/// Whether two nodes with the same fingerprint and operands are the same.
fn equal(new: &Graph, a: &Node, old: &Graph, b: &Node) -> bool {
    let types = |graph: &Graph, node: &Node| node.outputs.iter().map(|&v| *graph.ty(v)).collect::<SmallVec<[_; 2]>>();
    a.device == b.device && types(new, a) == types(old, b) && format!("{:?}", &*a.op) == format!("{:?}", &*b.op)
}
