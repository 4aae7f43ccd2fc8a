//! The graph with clusters in place of their nodes, each an operation with a body.
//! Fusion ends with it, when it is known what belongs together.

use super::{Clusters, Fused, fuse};
use crate::graph::passes::rewrite::{Rewriter, part_of, with_bodies};
use crate::ir::steps;
use crate::ir::{Graph, Value};
use crate::op::OpRef;
use crate::tensor::TensorType;
use kernels::error::Result;
use kernels::shape::Constraints;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Clusters<'_> {
    /// The graph with clusters as nodes, in an order that both the clusters and the effects allow.
    pub(super) fn rebuild(self) -> Result<Graph> {
        let n = self.graph.nodes.len();
        let wanted = self.wanted();
        let mut waits = vec![0usize; n];
        for i in 0..n {
            self.leads_to(i).for_each(|next| waits[next] += 1);
        }
        let mut ready: BTreeSet<(usize, usize)> =
            (0..n).filter(|&c| !self.members[c].is_empty() && waits[c] == 0).map(|c| (self.members[c][0], c)).collect();
        let mut new = Rewriter::new(self.graph);
        while let Some((_, cluster)) = ready.pop_first() {
            self.emit(&mut new, cluster, &wanted)?;
            for next in self.members[cluster].iter().flat_map(|&i| self.leads_to(i)) {
                steps::count(1);
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.insert((self.members[next][0], next));
                }
            }
        }
        Ok(new.finish())
    }

    /// The other clusters to which the edges of a node lead.
    fn leads_to(&self, i: usize) -> impl Iterator<Item = usize> {
        self.ways.after[i].iter().map(|&next| self.of[next]).filter(move |&c| c != self.of[i])
    }

    /// The values that are read outside of the cluster that computes them.
    fn wanted(&self) -> Vec<bool> {
        let mut wanted = vec![false; self.graph.types.len()];
        self.graph.results.iter().for_each(|v| wanted[v.index()] = true);
        for (i, node) in self.graph.nodes.iter().enumerate() {
            for v in &node.inputs {
                wanted[v.index()] |= self.producer[v.index()].is_some_and(|p| self.of[p] != self.of[i]);
            }
        }
        wanted
    }

    fn emit(&self, new: &mut Rewriter<'_>, cluster: usize, wanted: &[bool]) -> Result<()> {
        let members = &self.members[cluster];
        if let [only] = members[..] {
            let node = &self.graph.nodes[only];
            let op = with_bodies(node, fuse)?;
            new.copy(node, op);
            return Ok(());
        }
        let nodes = || members.iter().map(|&i| &self.graph.nodes[i]);
        let mut inputs: Vec<Value> = Vec::new();
        for &v in nodes().flat_map(|n| &n.inputs) {
            // In the order in which they are read.
            if self.inputs[cluster].contains(&v) && !inputs.contains(&v) {
                inputs.push(v);
            }
        }
        let outputs = nodes().flat_map(|n| n.outputs.iter().copied());
        let results: Vec<Value> = outputs.filter(|v| wanted[v.index()]).collect();
        let body = part_of(self.graph, "pass", nodes(), &inputs, &results, Constraints::default());
        let op = Fused { body: Arc::new(body) };
        let operands = inputs.iter().map(|&v| new.value(v)).collect();
        let types: Vec<TensorType> = results.iter().map(|&v| *self.graph.ty(v)).collect();
        let outputs = new.emit(OpRef::Shared(Arc::new(op)), operands, &types, self.graph.nodes[members[0]].at());
        results.iter().zip(outputs).for_each(|(&old, value)| new.set(old, value));
        Ok(())
    }
}
