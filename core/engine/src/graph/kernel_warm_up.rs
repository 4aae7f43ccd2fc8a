//! The kernels of a graph, compiled together before it first runs on a GPU: the graph runs once with stand-ins for what its
//! operations would compute, and only notes which kernels these would launch. `on_device::ready` asks for it.

use super::capture_check::can_be_captured;
use super::on_device::with_constants_on;
use super::run;
use crate::device::{place_on, placed_on};
use crate::execute::{device_of, run_at};
use crate::graph::control::while_loop::in_registers;
use crate::ir::sizes::Sizes;
use crate::ir::{Graph, Node};
use crate::op::{Flow, Kind, Operands, Outputs};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::backend::cuda::{self, Gpu};
use kernels::device::DeviceId;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::sync::Once;

/// A value, unless nothing can stand for it.
type Known = Option<Tensor>;

/// Compiles the kernels of a graph that runs on these operands, as it runs operation by operation and as it is captured.
///
/// What cannot be known beforehand, and what the compiler refuses, is left to the operations that need it.
pub(super) fn compile(gpu: &'static Gpu, graph: &Graph, inputs: &[Tensor]) {
    if graph.is_symbolic() || !crate::graph::switches::kernels_together() {
        return;
    }
    let collected = cuda::collect(|| {
        walk(gpu, graph, inputs.iter().map(|t| stand_for(gpu, t, false).ok()).collect());
        if can_be_captured(graph, gpu, inputs).is_ok()
            && let Ok(all) = with_constants_on(graph, gpu, true)
            && let Ok(given) = inputs.iter().map(|t| stand_for(gpu, t, true)).collect::<Result<Operands>>()
        {
            // An error says that it cannot be captured, as the capture will.
            let _ = cuda::as_captured(gpu, &|| run::run(&all, given.clone(), &Sizes::default()));
        }
    });
    if let Err(error) = collected {
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            eprintln!("eagerflow: kernels are compiled one by one, since not all could be together: {error}")
        });
    }
}

/// What stands for an operand: itself, since nothing is queued; a variable of the same value, since it would be changed.
fn stand_for(gpu: &'static Gpu, input: &Tensor, all: bool) -> Result<Tensor> {
    let Some(resource) = input.as_object::<Resource>() else {
        return if all && input.dtype().size() > 0 { Tensor::uninit_on(gpu, input.ty()) } else { Ok(input.clone()) };
    };
    let value = resource.read();
    let value = match value.is_away() || all {
        true => Tensor::uninit_on(gpu, value.ty())?,
        false => value,
    };
    Ok(Resource::handle(resource.name.clone(), value, resource.shape, resource.trainable()))
}

/// Goes through a graph in its order, with whatever is known of its operands.
fn walk(gpu: &'static Gpu, graph: &Graph, inputs: Vec<Known>) {
    let mut values: Vec<Known> = vec![None; graph.types.len()];
    for (&param, input) in graph.params.iter().zip(inputs) {
        // Bodies are given what they declare only when they run: what a loop changes may be of another size then.
        values[param.index()] = input.filter(|input| fits(graph.ty(param), input));
    }
    for (value, constant) in &graph.constants {
        values[value.index()] = Some(constant.clone());
    }
    for node in &graph.nodes {
        let inputs: Vec<Known> = node.inputs.iter().map(|v| values[v.index()].clone()).collect();
        let away = inputs.iter().flatten().any(Tensor::is_away);
        let away = node.device.map_or(away, |asked| asked != DeviceId::CPU);
        let outputs = step(gpu, node, inputs);
        for (i, value) in node.outputs.iter().enumerate() {
            let ty = graph.ty(*value);
            let output = outputs.as_ref().ok().and_then(|all| all.get(i).cloned()).filter(|output| fits(ty, output));
            let away = away || (node.device.is_none() && ty.dtype.is_differentiable() && placed_on() != DeviceId::CPU);
            values[value.index()] = output.or_else(|| stand_in(gpu, ty, away));
        }
    }
}

/// Whether a value is of the type that is declared, as far as its sizes are known.
fn fits(ty: &TensorType, value: &Tensor) -> bool {
    let sized = ty.dtype.size() > 0;
    ty.dtype == value.dtype() && (!sized || ty.shape.known_dims().is_none_or(|dims| dims == value.shape().dims()))
}

/// A tensor of a type that nobody computed.
fn stand_in(gpu: &'static Gpu, ty: &TensorType, away: bool) -> Known {
    ty.shape.known_dims()?;
    if ty.dtype.size() == 0 {
        return None;
    }
    if away {
        return Tensor::uninit_on(gpu, ty).ok();
    }
    let zeros = Tensor::uninit(ty).ok()?;
    // SAFETY: a fresh tensor of these many bytes; zeros are elements of every dtype.
    unsafe { zeros.data().write_bytes(0, ty.bytes()) };
    Some(zeros)
}

/// What a node would launch. An error where it needs elements, where the host would do it, or where an operand is not known.
fn step(gpu: &'static Gpu, node: &Node, inputs: Vec<Known>) -> Result<Outputs> {
    let op = &*node.op;
    let _there = node.device.map(place_on);
    if let Some(flow) = op.flow() {
        let on_host = inputs.iter().flatten().all(|t| !t.is_away() && t.dtype() != DType::Resource);
        let bodies = op.bodies();
        let each = |skip: usize| {
            for body in bodies.iter().filter(|body| !body.is_symbolic()) {
                walk(gpu, body, inputs.iter().skip(skip).cloned().collect());
            }
        };
        match flow {
            Flow::Branch => each(1),
            // A loop over numbers of the host is a program of its own.
            Flow::Loop { .. } if on_host && in_registers(op).is_some() => {}
            Flow::Loop { .. } => each(0),
            // What is called has kernels of its own, which it asks for.
            Flow::Call => {}
        }
        return Err(unknown(node));
    }
    let inputs: Operands = inputs.into_iter().collect::<Option<_>>().ok_or_else(|| unknown(node))?;
    if let Kind::Host = op.kind() {
        return op.host(inputs, &Sizes::default());
    }
    let refs: SmallVec<[&Tensor; 4]> = inputs.iter().collect();
    match op.kind() {
        Kind::View | Kind::Read => {}
        // What the host does happens when the graph runs, and then alone.
        Kind::Control => return Err(unknown(node)),
        _ if device_of(op, &refs)?.gpu_index().is_none() => return Err(unknown(node)),
        _ => {}
    }
    run_at(op, &refs, 0, node.location)
}

#[cold]
fn unknown(node: &Node) -> Error {
    Error::failed_precondition(node.op.name(), "its results are not known before it runs")
}
