//! Variables that a loop reads and does not change are read once, before it: then what the loop computes from them alone can
//! leave it, and its gradient keeps one value instead of one for each round. Whoever records a loop calls it.

use crate::graph::passes::pure::written_in;
use crate::ir::{Graph, Node, Value};
use crate::op::Kind;
use crate::ops::read_variable;
use crate::tensor::local::InName;
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use std::collections::HashMap;
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
    let written: Vec<Vec<bool>> = graphs.iter().map(written_in).collect();
    let readers: Vec<HashMap<Value, Vec<&Node>>> = graphs.iter().map(readers).collect();
    for param in carried..carried + fixed.len() {
        let changed = graphs.iter().zip(&written).any(|(g, written)| written[g.params[param].index()]);
        let each = graphs.iter().zip(&readers);
        let mut read = each.flat_map(|(g, all)| all.get(&g.params[param]).into_iter().flatten().map(move |n| (g, n)));
        let Some((graph, node)) = read.next() else { continue };
        let ty = *graph.ty(node.outputs[0]);
        let same = read.all(|(g, n)| *g.ty(n.outputs[0]) == ty);
        if same && ty.shape.is_known() && !changed {
            found.push(Early { param, ty, location: node.location });
        }
    }
    drop(readers);
    for early in &found {
        let handle = fixed[early.param - carried].clone();
        let _name = InName::of(Some(early.location));
        fixed.push(read_variable(&handle)?);
    }
    graphs.iter_mut().for_each(|graph| give(graph, &found));
    Ok(())
}

/// The nodes that read each variable.
fn readers(graph: &Graph) -> HashMap<Value, Vec<&Node>> {
    let mut readers: HashMap<Value, Vec<&Node>> = HashMap::new();
    let reads = graph.nodes.iter().filter(|node| matches!(node.op.kind(), Kind::Read));
    reads.for_each(|node| readers.entry(node.inputs[0]).or_default().push(node));
    readers
}

/// The graph with the values of the variables as further parameters.
fn give(graph: &mut Graph, found: &[Early]) {
    let mut values: HashMap<Value, Value> = HashMap::new();
    for early in found {
        let value = Value(graph.types.len() as u32);
        graph.types.push(early.ty);
        values.insert(graph.params[early.param], value);
        graph.params.push(value);
    }
    let mut read: HashMap<Value, Value> = HashMap::new();
    graph.nodes.retain(|node| {
        let early = Some(node).filter(|n| matches!(n.op.kind(), Kind::Read)).and_then(|n| values.get(&n.inputs[0]));
        read.extend(early.map(|&value| (node.outputs[0], value)));
        early.is_none()
    });
    let replace = |v: &mut Value| {
        if let Some(&value) = read.get(v) {
            *v = value;
        }
    };
    graph.nodes.iter_mut().flat_map(|node| node.inputs.iter_mut()).for_each(replace);
    graph.results.iter_mut().for_each(replace);
}
