//! Graphs whose operands or whose thread's operations belong on a GPU: which calls those are, the graph made ready for it,
//! and its clusters as kernels. `Callable` asks before it takes a plan, which is the CPU's.

use super::host_part::Split;
use super::kernel_warm_up;
use super::passes::rewrite::with_bodies;
use super::passes::{bind, optimise, specialise};
use crate::device;
use crate::execute::may_place;
use crate::execute::{bring, is_number, view_of};
use crate::graph::passes::fuse::walk_of;
use crate::ir::sizes::Sizes;
use crate::ir::{Graph, Value};
use crate::meaning::apply;
use crate::op::{Operands, Outputs};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::backend::cpu::View;
use kernels::backend::cpu::reduce::InOrder;
use kernels::backend::cuda::{self, CudaCall, FoldTo, Gpu, Owner};
use kernels::device::DeviceId;
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::scalar::{Program, Scalar, Val};
use kernels::shape::Shape;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::panic::Location;

/// Whether a call on these operands is placed operation by operation, because some of it belongs on a GPU.
#[inline]
pub(crate) fn placed(inputs: &[Tensor]) -> bool {
    may_place() && belongs_elsewhere(inputs)
}

#[cold]
fn belongs_elsewhere(inputs: &[Tensor]) -> bool {
    device::settle();
    let away = |t: &Tensor| t.is_away() || t.as_object::<Resource>().is_some_and(|r| r.lock().is_away());
    device::placed_on() != DeviceId::CPU || inputs.iter().any(away)
}

/// The GPU on which what is computed from these operands belongs.
pub(super) fn gpu_of(inputs: &[Tensor]) -> Result<Option<&'static Gpu>> {
    let asked = device::asked();
    let theirs = || inputs.iter().map(Tensor::device_id).find(|id| *id != DeviceId::CPU);
    let floats = || inputs.is_empty() || inputs.iter().any(|t| t.dtype().is_differentiable());
    let default = || floats().then(device::placed_on);
    match asked.or_else(theirs).or_else(default).and_then(DeviceId::gpu_index) {
        Some(index) => cuda::gpu(index).map(Some),
        None => Ok(None),
    }
}

/// The graph for operands of these types, with its clusters; `None` if sizes depend on values.
pub(crate) fn ready(
    graph: &Graph,
    types: &[TensorType],
    inputs: &[Tensor],
    sizes: &Sizes<'_>,
) -> Result<Option<Graph>> {
    let Some(bound) = bind::bind(&optimise(graph)?, types, sizes)? else { return Ok(None) };
    let fused = specialise(&bound)?;
    match gpu_of(inputs)? {
        Some(gpu) => {
            let graph = with_constants_on(&fused, gpu, false)?;
            kernel_warm_up::compile(gpu, &graph, inputs);
            Ok(Some(graph))
        }
        None => {
            if let Some(index) = fused.devices().iter().find_map(|device| device.gpu_index()) {
                kernel_warm_up::compile(cuda::gpu(index)?, &fused, inputs);
            }
            Ok(Some(fused))
        }
    }
}

/// The graph with its larger constants in a GPU's memory, so that no call copies them; integers too, where all is placed
/// there.
pub(crate) fn with_constants_on(graph: &Graph, gpu: &'static Gpu, all: bool) -> Result<Graph> {
    let mut new = graph.clone();
    let there = |(value, constant): &(Value, Tensor)| {
        let dtype = constant.dtype();
        let goes = constant.rank() > 0 && dtype.size() > 0 && (all || dtype.is_differentiable());
        Ok((*value, if goes { bring(gpu, constant)? } else { constant.clone() }))
    };
    new.constants = graph.constants.iter().map(there).collect::<Result<_>>()?;
    for node in &mut new.nodes {
        if let Some(op) = with_bodies(node, |body| with_constants_on(body, gpu, all))? {
            node.op = op;
        }
    }
    Ok(new)
}

/// What a cluster is on a GPU: one program whose first results are stored and whose last are folded.
struct Lowered {
    program: Program,
    /// Numbers of the operands that the program reads.
    operands: SmallVec<[usize; 8]>,
    /// Constants that the program reads, behind the operands.
    constants: SmallVec<[Tensor; 2]>,
    dims: Shape,
    /// For each result of the cluster: its number among those stored, or among those folded.
    results: Vec<(bool, usize)>,
    folds: Vec<(kernels::backend::cpu::reduce::Monoid, bool)>,
    walk: Option<InOrder>,
}

/// Runs a cluster as one kernel; `None` if it does not belong on a GPU or is no one kernel.
pub(crate) fn run_cluster(body: &Graph, inputs: &[Tensor], sizes: &Sizes<'_>) -> Result<Option<Outputs>> {
    if !placed(inputs) {
        return Ok(None);
    }
    let Some(gpu) = gpu_of(inputs)? else { return Ok(None) };
    if (device::asked().is_none() || cuda::capturing())
        && let Some(split) = Split::of(body, inputs)
    {
        return split.run(inputs, sizes).map(Some);
    }
    let Some(low) = lower(body, inputs) else { return Ok(None) };
    let location = body.nodes.first().map_or_else(Location::caller, |node| node.location);
    let mut held: SmallVec<[Tensor; 8]> = SmallVec::new();
    for tensor in low.operands.iter().map(|&i| &inputs[i]).chain(&low.constants) {
        held.push(if is_number(tensor) { tensor.clone() } else { bring(gpu, tensor)? });
    }
    let views: SmallVec<[View; 8]> = held.iter().map(view_of).collect();
    let numbers: SmallVec<[bool; 8]> = held.iter().map(|t| !t.is_away()).collect();
    let mut outputs = Outputs::new();
    for ty in body.result_types() {
        outputs.push(Tensor::uninit_on(gpu, ty).map_err(|e| e.at(location))?);
    }
    let (mut stored, mut folds) = (Vec::new(), Vec::new());
    for (output, &(is_fold, at)) in outputs.iter().zip(&low.results) {
        match is_fold {
            false => stored.push((at, view_of(output))),
            true => {
                folds.push((at, FoldTo { monoid: low.folds[at].0, mean: low.folds[at].1, output: view_of(output) }))
            }
        }
    }
    stored.sort_by_key(|(at, _)| *at);
    folds.sort_by_key(|(at, _)| *at);
    let stored: Vec<View> = stored.into_iter().map(|(_, view)| view).collect();
    let folds: Vec<FoldTo> = folds.into_iter().map(|(_, fold)| fold).collect();
    let call = CudaCall { gpu, inputs: &[], outputs: &[], on_host: 0, op: "fused", location };
    let owner = Owner { name: "fused", attributes: body.id };
    // SAFETY: operands are valid on the device or scalars of the host; outputs are fresh and of the cluster's types.
    unsafe {
        match low.walk {
            Some(walk) if !folds.is_empty() => {
                let operands = (&views[..], &numbers[..]);
                cuda::run_fused(&call, owner, &low.program, operands, low.dims.dims(), &stored, &folds, walk)
            }
            _ => cuda::run_program(&call, owner, &low.program, &views, &numbers, &stored),
        }
        .map_err(|e| e.at(location))?;
    }
    Ok(Some(outputs))
}

/// The most operands and results of one kernel: its arguments have their bounds.
const MOST: usize = 40;

fn lower(body: &Graph, inputs: &[Tensor]) -> Option<Lowered> {
    let s = Scalar::new(kernels::backend::cpu::vector::evaluate);
    let mut values: HashMap<usize, Val> = HashMap::new();
    let mut dtypes: Vec<DType> = Vec::new();
    let mut low = Lowered {
        program: Program::new(&s, &[], &[]),
        operands: SmallVec::new(),
        constants: SmallVec::new(),
        dims: Shape::new(&[]).ok()?,
        results: Vec::new(),
        folds: Vec::new(),
        walk: None,
    };
    for (i, &param) in body.params.iter().enumerate() {
        dtypes.push(inputs.get(i)?.dtype());
        values.insert(param.index(), s.operand(i, dtypes[i]));
        low.operands.push(i);
    }
    for (value, constant) in &body.constants {
        values.insert(value.index(), s.operand(dtypes.len(), constant.dtype()));
        dtypes.push(constant.dtype());
        low.constants.push(constant.clone());
    }
    let mut folded: HashMap<usize, (Val, kernels::backend::cpu::reduce::Monoid, bool)> = HashMap::new();
    for node in &body.nodes {
        let operands: Option<Vec<Val>> = node.inputs.iter().map(|v| values.get(&v.index()).copied()).collect();
        let (operands, output) = (operands?, node.outputs[0]);
        match node.op.reduction() {
            Some((monoid, _, mean)) => {
                let ty = body.ty(node.inputs[0]);
                low.dims = ty.shape;
                low.walk = Some(walk_of(ty, &*node.op)?);
                folded.insert(output.index(), (operands[0], monoid, mean));
            }
            None => {
                low.dims = body.ty(output).shape;
                values.insert(output.index(), apply(&s, &*node.op, &operands));
            }
        }
    }
    let (mut stored, mut sums) = (Vec::new(), Vec::new());
    for value in &body.results {
        match folded.get(&value.index()) {
            Some(&(from, monoid, mean)) => {
                low.results.push((true, sums.len()));
                low.folds.push((monoid, mean));
                sums.push(from);
            }
            None => {
                low.results.push((false, stored.len()));
                stored.push(*values.get(&value.index())?);
            }
        }
    }
    let roots: Vec<Val> = stored.into_iter().chain(sums).collect();
    if roots.is_empty() || roots.len() + dtypes.len() > MOST {
        return None;
    }
    low.program = Program::new(&s, &dtypes, &roots);
    Some(low)
}

/// Operands as a list of types.
pub(crate) fn types_of(inputs: &Operands) -> Vec<TensorType> {
    inputs.iter().map(|t| *t.ty()).collect()
}
