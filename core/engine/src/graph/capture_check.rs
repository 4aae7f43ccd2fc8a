//! What keeps a graph from being captured, before anything of it is tried: nodes in which the host or another device takes
//! part, and loops that the host runs faster than any device. `captured.rs` and `kernel_warm_up.rs` ask.

use crate::graph::control::custom::CustomGradient;
use crate::graph::control::while_loop::in_registers;
use crate::graph::passes::fuse::Fused;
use crate::ir::{Graph, Value};
use crate::lists::ListOp;
use crate::op::Kind;
use crate::tensor::Tensor;
use kernels::backend::cuda::Gpu;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::collections::HashSet;

/// An error if a graph cannot be captured on a GPU, or should not be.
pub(super) fn can_be_captured(graph: &Graph, gpu: &Gpu, inputs: &[Tensor]) -> Result<()> {
    if let Some(other) = graph.devices().iter().find(|device| **device != gpu.id) {
        let other = other.device();
        return Err(Error::unimplemented("graph", format!("some of it runs on {other}, where a guard wants it")));
    }
    if graph.has_strings() {
        return Err(Error::unimplemented("graph", "the host takes part in it: it works on strings"));
    }
    only_tensors(graph, inputs)?;
    needs_no_host(graph)?;
    no_loop_of_the_host(graph, inputs)
}

/// An error if a list comes in or out. What a branch has saved is of the branch that ran, and captured work goes both ways.
fn only_tensors(graph: &Graph, inputs: &[Tensor]) -> Result<()> {
    let is_list = |dtype: DType| dtype.size() == 0 && dtype != DType::Resource;
    if let Some(list) = inputs.iter().find(|input| is_list(input.dtype())) {
        return Err(Error::unimplemented("graph", "only calls on tensors are captured").got(list.ty()));
    }
    match graph.result_types().find(|ty| ty.dtype.size() == 0) {
        Some(list) => Err(Error::unimplemented("graph", "only tensors come out of captured calls").got(list)),
        None => Ok(()),
    }
}

/// An error that names the first node, also of bodies, that needs the host.
fn needs_no_host(graph: &Graph) -> Result<()> {
    for node in &graph.nodes {
        let op = &node.op;
        let on_handles = || ListOp::of(&**op).is_some() || op.is::<Fused>() || op.is::<CustomGradient>();
        let stays = || op.runs_on_host();
        let host = match (op.kind(), op.flow()) {
            (Kind::Host, Some(_)) => {
                op.bodies().iter().try_for_each(|body| needs_no_host(body))?;
                false
            }
            (Kind::Host, _) => !on_handles(),
            (Kind::Control, _) => true,
            _ => stays(),
        };
        if host {
            return Err(Error::unimplemented(op.name(), "the host takes part in it").at(node.location));
        }
    }
    Ok(())
}

/// An error if a loop over numbers computes with those of the host alone: it runs in registers there, some nanoseconds a round,
/// and a device would take as many microseconds.
fn no_loop_of_the_host(graph: &Graph, inputs: &[Tensor]) -> Result<()> {
    let lies_there = |(_, input): &(&Value, &Tensor)| input.is_away() || input.dtype() == DType::Resource;
    let mut there: HashSet<Value> = graph.params.iter().zip(inputs).filter(lies_there).map(|(&v, _)| v).collect();
    for node in &graph.nodes {
        let given = node.inputs.iter().any(|v| there.contains(v));
        if in_registers(&*node.op).is_some() {
            if !given {
                return Err(Error::unimplemented(node.op.name(), "a loop over numbers of the host runs there")
                    .at(node.location));
            }
        } else if !given && node.outputs.iter().all(|&v| !graph.ty(v).dtype.is_differentiable()) {
            // Integers that follow from those of the host stay there; floats are a device's.
            continue;
        }
        there.extend(&node.outputs);
    }
    Ok(())
}
