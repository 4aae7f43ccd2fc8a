//! Folds of a cluster that run as steps of their own, behind the pass that stores what they fold: where few rows of columns are folded, a pass
//! would be the work of one thread. `nodes.rs` asks for each cluster.

use super::compile::Compiler;
use super::lower::Cluster;
use super::scope::Scope;
use crate::graph::passes::fuse::walk_of;
use crate::ir::{Graph, Node, Value};
use crate::op::Kind;

/// Elements from which sharing a pass gains more than reading its result once more costs.
const ENOUGH: usize = 64 << 10;
/// Units of a fold that threads can share well enough.
const UNITS: usize = 4;

/// Whether a node folds a result of the cluster along columns, in fewer units than threads could share.
fn is_apart(graph: &Graph, node: &Node) -> bool {
    let [from] = node.inputs[..] else { return false };
    if !matches!(node.op.kind(), Kind::Reduction) || !graph.results.contains(&from) {
        return false;
    }
    let ty = graph.ty(from);
    let walk = walk_of(ty, &*node.op).filter(|walk| walk.columns > 1 && walk.groups * walk.blocks < UNITS);
    walk.is_some() && ty.shape.num_elements() >= ENOUGH
}

impl Compiler {
    /// Emits a cluster without such folds, and the folds; `None` if it has none, or the rest is too large for one pass.
    pub(super) fn emit_apart(
        &mut self,
        scope: &mut Scope<'_>,
        cluster: &Cluster<'_>,
        outer: &[(Value, Value)],
        at: usize,
    ) -> Option<()> {
        let graph = cluster.graph;
        let (apart, nodes): (Vec<&Node>, Vec<&Node>) = cluster.nodes.iter().partition(|node| is_apart(graph, node));
        if apart.is_empty() {
            return None;
        }
        let nodes: Vec<Node> = nodes.into_iter().cloned().collect();
        let is_fold = |value: &Value| apart.iter().any(|node| node.outputs.contains(value));
        let results: Vec<Value> = cluster.results.iter().copied().filter(|value| !is_fold(value)).collect();
        self.emit_pass(scope, &Cluster { nodes: &nodes, results: &results, ..*cluster }, outer, at)?;
        let outside = |value: &Value| outer.iter().find(|(inner, _)| inner == value).map(|(_, outer)| *outer);
        for node in apart {
            let inputs = node.inputs.iter().filter_map(outside).collect();
            let outputs = node.outputs.iter().filter_map(outside).collect();
            self.kernel(scope, &Node { inputs, outputs, ..node.clone() }, at)?;
        }
        Some(())
    }
}
