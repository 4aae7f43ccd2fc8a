//! Inlining: a call of a graph becomes the nodes of that graph, so that its operations meet those around it.
//! Errors still name the line at which each operation was written.

use super::rewrite::{Rewriter, with_bodies};
use crate::ir::{At, Graph, Node, Value};
use crate::op::Flow;
use kernels::device::DeviceId;
use kernels::error::Result;
use smallvec::SmallVec;

pub(super) fn inline(graph: &Graph) -> Result<Graph> {
    let mut new = Rewriter::new(graph);
    for node in &graph.nodes {
        if node.op.flow() == Some(Flow::Call) && !node.op.bodies().is_empty() {
            let inputs: Vec<Value> = node.inputs.iter().map(|&v| new.value(v)).collect();
            let body = inline(node.op.bodies()[0])?;
            let results = paste(&mut new, &body, &inputs, node.device);
            node.outputs.iter().zip(results).for_each(|(&old, value)| new.set(old, value));
            continue;
        }
        let op = with_bodies(node, inline)?;
        new.copy(node, op);
    }
    Ok(new.finish())
}

/// Copies the nodes of a body into the graph, on these operands; answers the results. Nodes that ask for no device are placed
/// as the call was.
pub(super) fn paste(new: &mut Rewriter<'_>, body: &Graph, inputs: &[Value], device: Option<DeviceId>) -> Vec<Value> {
    let mut map: Vec<Option<Value>> = vec![None; body.types.len()];
    body.params.iter().zip(inputs).for_each(|(p, &v)| map[p.index()] = Some(v));
    for (value, tensor) in &body.constants {
        map[value.index()] = Some(new.constant(tensor));
    }
    body.constraints.iter().for_each(|(a, b)| new.graph.constraints.push(a, b));
    for node in &body.nodes {
        let Node { op, inputs, outputs, .. } = node;
        let inputs: SmallVec<[Value; 3]> = inputs.iter().filter_map(|v| map[v.index()]).collect();
        let types: Vec<_> = outputs.iter().map(|&v| *body.ty(v)).collect();
        let values = new.emit(op.clone(), inputs, &types, At { device: node.device.or(device), ..node.at() });
        outputs.iter().zip(values).for_each(|(old, value)| map[old.index()] = Some(value));
    }
    body.results.iter().filter_map(|v| map[v.index()]).collect()
}
