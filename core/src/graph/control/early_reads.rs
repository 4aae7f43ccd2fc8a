//! Variables that a loop reads and does not change are read once, before it: then what the loop computes from them alone can
//! leave it, and its gradient keeps one value instead of one for each round. Whoever records a loop calls it.

use crate::error::Result;
use crate::graph::ir::{Graph, Node, Value};
use crate::graph::passes::pure::writes;
use crate::op::Kind;
use crate::ops::read_variable;
use crate::tensor::local::InName;
use crate::tensor::{Tensor, TensorType};
use std::panic::Location;

/// A variable among the parameters, and the type of its value.
struct Early {
    param: usize,
    ty: TensorType,
    location: &'static Location<'static>,
}

/// Adds to the operands `fixed`, which stay from round to round, the values of variables that none of the graphs changes;
/// the graphs get them as further parameters. The first `carried` parameters are not variables.
pub(crate) fn read_early(graphs: &mut [Graph], carried: usize, fixed: &mut Vec<Tensor>) -> Result<()> {
    let mut found: Vec<Early> = Vec::new();
    for param in carried..carried + fixed.len() {
        let changed = |g: &Graph| g.nodes.iter().any(|node| writes(node, g.params[param]));
        let mut read =
            graphs.iter().flat_map(|g| g.nodes.iter().filter(|n| reads(n, g.params[param])).map(move |n| (g, n)));
        let Some((graph, node)) = read.next() else { continue };
        let ty = *graph.ty(node.outputs[0]);
        let same = read.all(|(g, n)| *g.ty(n.outputs[0]) == ty);
        if same && ty.shape.is_known() && !graphs.iter().any(changed) {
            found.push(Early { param, ty, location: node.location });
        }
    }
    for early in &found {
        let handle = fixed[early.param - carried].clone();
        let _name = InName::of(Some(early.location));
        fixed.push(read_variable(&handle)?);
        graphs.iter_mut().for_each(|graph| give(graph, early));
    }
    Ok(())
}

fn reads(node: &Node, handle: Value) -> bool {
    matches!(node.op.kind(), Kind::Read) && node.inputs[0] == handle
}

/// The graph with the variable's value as one more parameter.
fn give(graph: &mut Graph, early: &Early) {
    let handle = graph.params[early.param];
    let value = Value(graph.types.len() as u32);
    graph.types.push(early.ty);
    graph.params.push(value);
    let read: Vec<Value> = graph.nodes.iter().filter(|n| reads(n, handle)).map(|n| n.outputs[0]).collect();
    graph.nodes.retain(|node| !reads(node, handle));
    let replace = |v: &mut Value| {
        if read.contains(v) {
            *v = value;
        }
    };
    graph.nodes.iter_mut().flat_map(|node| node.inputs.iter_mut()).for_each(replace);
    graph.results.iter_mut().for_each(replace);
}
