//! Numbers in place of the open sizes of a trace, where its graph becomes part of another one: there the same names may stand
//! for other sizes. A call that was recorded operation by operation is differentiated so inside of a traced function.

use super::differentiate::{Backward, Pair};
use super::passes::rewrite::with_bodies;
use crate::ir::sizes::{Known, Sizes};
use crate::ir::{Graph, fresh_id};
use crate::tensor::TensorType;
use kernels::error::Result;
use kernels::shape::Constraints;
use std::sync::Arc;

/// The graph with the sizes that have numbers; those that follow from values stay open.
fn numbered(graph: &Graph, sizes: &Sizes<'_>) -> Result<Graph> {
    let mut new = Graph { id: fresh_id(), constraints: Constraints::default(), ..graph.clone() };
    for ty in &mut new.types {
        ty.shape = ty.shape.bind(&|s| sizes.get(s))?;
    }
    for (a, b) in graph.constraints.iter() {
        new.constraints.push(a.bind(&|s| sizes.get(s))?, b.bind(&|s| sizes.get(s))?);
    }
    for node in &mut new.nodes {
        node.op = match with_bodies(node, |body| numbered(body, sizes))? {
            Some(op) => op,
            None => sizes.bind(&node.op)?,
        };
    }
    Ok(new)
}

impl Pair {
    /// Both ways for a call with these sizes.
    pub fn numbered(&self, known: &Known) -> Result<Self> {
        let sizes = Sizes::of(known);
        let graph = |graph: &Graph| numbered(graph, &sizes).map(Arc::new);
        let back = |way: &Backward| Ok(Backward { graph: graph(&way.graph)?, given: way.given.clone() });
        let saved = |ty: &TensorType| Ok(TensorType::new(ty.dtype, ty.shape.bind(&|s| sizes.get(s))?));
        Ok(Self {
            forward: graph(&self.forward)?,
            results: self.results,
            dys: self.dys.clone(),
            first: back(&self.first)?,
            second: back(&self.second)?,
            saved_dys: self.saved_dys.clone(),
            saved: self.saved.iter().map(saved).collect::<Result<_>>()?,
        })
    }
}
