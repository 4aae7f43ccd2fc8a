//! What a pass may do with a node: leave it out, move it, or nothing.
//! Nodes with effects and nodes that may fail keep their order among themselves; the rest is free.

use crate::ir::{Graph, Node, Value};
use crate::meaning::program_of;
use crate::op::{Access, Flow, Kind};
use crate::tensor::TensorType;
use kernels::backend::cpu::vector::load_bits;
use kernels::dtype::DType;
use kernels::scalar::Code;
use smallvec::SmallVec;

/// Whether running the node is seen by anyone but the readers of its results.
pub(crate) fn has_effect(graph: &Graph, node: &Node) -> bool {
    match node.op.kind() {
        Kind::Effect | Kind::Control => true,
        Kind::Host => node.op.bodies().iter().any(|body| body.nodes.iter().any(|n| has_effect(body, n))),
        _ => writes_any(graph, node),
    }
}

/// Whether the node may refuse its operands when it runs.
pub(crate) fn may_fail(graph: &Graph, node: &Node) -> bool {
    match node.op.kind() {
        Kind::Elementwise { .. } => {
            let dtypes: SmallVec<[DType; 4]> = node.inputs.iter().map(|&v| graph.ty(v).dtype).collect();
            let faults = |d: DType| !d.is_floating() && d != DType::Bool;
            if divides_by_constant(graph, node) {
                return false;
            }
            let program = program_of(&*node.op, &dtypes);
            program.steps.iter().any(|step| step.code.fault().is_some() && faults(step.operand))
        }
        Kind::Host if node.op.flow().is_some() => {
            node.op.bodies().iter().any(|body| body.nodes.iter().any(|n| may_fail(body, n)))
        }
        _ => {
            let inputs = || node.inputs.iter().map(|&v| graph.ty(v)).collect::<SmallVec<[&TensorType; 4]>>();
            node.op.may_fail() || node.op.may_refuse_sizes(&inputs())
        }
    }
}

/// Whether the node is one instruction that faults for some right operands, and its right operand is a constant for which
/// it does not.
fn divides_by_constant(graph: &Graph, node: &Node) -> bool {
    let Kind::Elementwise { direct: Some(code), .. } = node.op.kind() else { return false };
    let Some(divisor) = node.inputs.get(1).and_then(|&v| graph.constant(v)) else { return false };
    if divisor.num_elements() != 1 || divisor.dtype().size() == 0 || divisor.is_away() || code.fault().is_none() {
        return false;
    }
    let size = divisor.dtype().size();
    // SAFETY: one element of this size.
    let bits = unsafe { load_bits(size, divisor.data()) };
    let negative = !divisor.dtype().is_unsigned() && bits >> (8 * size - 1) & 1 == 1;
    bits != 0 && (code != Code::Pow || !negative)
}

/// Whether the node depends on the moment at which it runs.
pub(crate) fn reads_state(node: &Node) -> bool {
    match node.op.kind() {
        Kind::Read => true,
        Kind::Host => node.op.bodies().iter().any(|body| body.nodes.iter().any(reads_state)),
        _ => false,
    }
}

/// Whether the node may be left out, moved, run early or done once instead of twice.
pub(crate) fn is_free(graph: &Graph, node: &Node) -> bool {
    !reads_state(node) && !has_effect(graph, node) && !may_fail(graph, node)
}

/// The operands of a node that it changes, if they are resources.
pub(crate) fn written(node: &Node) -> SmallVec<[Value; 2]> {
    let Some(flow) = node.op.flow() else {
        let kind = node.op.kind();
        let any = matches!(kind, Kind::Control | Kind::Host);
        let changes = |i: usize| any || (!matches!(kind, Kind::Read) && node.op.access(i) != Access::Read);
        return node.inputs.iter().enumerate().filter(|(i, _)| changes(*i)).map(|(_, &v)| v).collect();
    };
    let skip = usize::from(flow == Flow::Branch);
    let mut written = SmallVec::new();
    for body in node.op.bodies() {
        let inside = written_in(body);
        let operands = node.inputs.iter().skip(skip).zip(&body.params);
        written.extend(operands.filter(|(_, param)| inside[param.index()]).map(|(&v, _)| v));
    }
    written
}

/// By value whether a node of the graph changes it, if it is a resource.
pub(crate) fn written_in(graph: &Graph) -> Vec<bool> {
    let mut all = vec![false; graph.types.len()];
    graph.nodes.iter().flat_map(written).for_each(|v| all[v.index()] = true);
    all
}

/// Whether a node changes the resource that is its graph's value.
pub(crate) fn writes(node: &Node, resource: Value) -> bool {
    node.inputs.contains(&resource) && written(node).contains(&resource)
}

/// Whether a node changes any resource.
pub(crate) fn writes_any(graph: &Graph, node: &Node) -> bool {
    let is_resource = |v: &Value| graph.ty(*v).dtype == DType::Resource;
    node.inputs.iter().any(is_resource) && written(node).iter().any(is_resource)
}
