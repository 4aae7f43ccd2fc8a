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

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::graph::plan::tests::{check, noise};
    use crate::graph::plan::{Plan, Step};

    /// Few rows of many columns, whose pass stores what it folds: the pass is shared as if nothing was folded.
    #[test]
    fn folds_of_few_rows_are_steps_of_their_own() {
        let folds = |plan: &Plan| {
            plan.steps
                .iter()
                .filter(|step| matches!(step, Step::Kernel { op, .. } if op.name() == "reduce_sum"))
                .count()
        };
        let shared = |plan: &Plan| {
            let chunks = |step: &Step| match step {
                Step::FusedLoop { fused, .. } => fused.work.phases[0],
                _ => 0,
            };
            plan.steps.iter().map(chunks).max().unwrap_or(0)
        };
        for (shape, apart) in
            [(&[512, 256][..], 1), (&[3, 200, 300], 1), (&[100, 256], 0), (&[5000, 64], 0), (&[256, 512], 1)]
        {
            let (x, y) = (noise(shape, 4), noise(shape, 5));
            let plan = check(&[&x, &y], |p| {
                let z = tf::tanh(&p[0] * &p[1]) * &p[0];
                vec![tf::reduce_sum(&z, -2), z]
            });
            assert_eq!(folds(&plan), apart, "{shape:?}");
            assert!(apart == 0 || shared(&plan) > 4, "{shape:?}: {} chunks", shared(&plan));
            // What is not stored is folded on the way.
            let plan = check(&[&x, &y], |p| vec![tf::reduce_sum(tf::tanh(&p[0] * &p[1]), -2)]);
            assert_eq!(folds(&plan), 0, "{shape:?}");
        }
    }
}
