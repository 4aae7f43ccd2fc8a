//! What a pass may do with a node: leave it out, move it, or nothing.
//! Nodes with effects and nodes that may fail keep their order among themselves; the rest is free.

use crate::backend::cpu::vector::load_bits;
use crate::dtype::DType;
use crate::graph::ir::{Graph, Node, Value};
use crate::op::{Access, Flow, Kind};
use crate::scalar::{Code, program_of};
use crate::tensor::TensorType;
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

/// Whether a node changes the resource that is its graph's value.
pub(crate) fn writes(node: &Node, resource: Value) -> bool {
    let mut at = node.inputs.iter().enumerate().filter(|(_, v)| **v == resource).map(|(i, _)| i);
    match node.op.flow() {
        Some(flow) => {
            let skip = usize::from(flow == Flow::Branch);
            at.any(|i| {
                node.op.bodies().iter().any(|body| {
                    i.checked_sub(skip)
                        .and_then(|p| body.params.get(p))
                        .is_some_and(|&param| body.nodes.iter().any(|inner| writes(inner, param)))
                })
            })
        }
        None => at.any(|i| {
            matches!(node.op.kind(), Kind::Control | Kind::Host)
                || (!matches!(node.op.kind(), Kind::Read) && node.op.access(i) != Access::Read)
        }),
    }
}

/// Whether a node changes any resource.
pub(crate) fn writes_any(graph: &Graph, node: &Node) -> bool {
    node.inputs.iter().any(|&v| graph.ty(v).dtype == DType::Resource && writes(node, v))
}
