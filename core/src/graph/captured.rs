//! Graphs on a GPU as recorded work: after two calls operation by operation, and one with everything on the device, what the
//! fourth queues is captured; from then on a call copies its operands, starts the recording, and copies the results.
//! `Callable` runs calls on a GPU through here.

use super::ir::Graph;
use super::on_device::{gpu_of, with_constants_on};
use super::run;
use super::sizes::{Known, Sizes};
use crate::backend::cuda::{self, Captured, Gpu};
use crate::error::Result;
use crate::execute::{bring, dense};
use crate::op::{Access, Kind, Operands, Outputs};
use crate::tensor::{Guard, Resource, Tensor, TensorType};
use std::sync::{Arc, Mutex, PoisonError};

/// A graph made ready for operands of some types on a GPU.
pub(crate) struct Placed {
    pub types: Vec<TensorType>,
    pub known: Known,
    pub graph: Arc<Graph>,
    stage: Mutex<Stage>,
}

enum Stage {
    /// So many calls ran operation by operation, and so many recordings were given up since variables moved.
    Calls(u32, u32),
    Ready(Recording),
    /// Something in the graph needs the host.
    Never,
}

/// Calls that compile kernels and fill caches before one is captured.
const WARM: u32 = 2;
/// Recordings that may be made anew because a variable lies elsewhere.
const MOST_RECORDINGS: u32 = 8;

/// A captured call.
struct Recording {
    gpu: &'static Gpu,
    captured: Captured,
    /// Where operands are copied to; variables are used where they lie.
    operands: Vec<Option<Tensor>>,
    results: Vec<Tensor>,
    variables: Vec<Used>,
    remade: u32,
}

/// A variable of a recording.
struct Used {
    operand: usize,
    address: usize,
    written: bool,
}

impl Placed {
    pub fn new(types: Vec<TensorType>, known: Known, graph: Arc<Graph>) -> Self {
        Self { types, known, graph, stage: Mutex::new(Stage::Calls(0, 0)) }
    }

    /// Runs the graph on operands of these types.
    pub fn run(&self, inputs: Operands) -> Result<Outputs> {
        let gpu = gpu_of(&inputs)?;
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let elsewhere = match (&*stage, gpu) {
            (_, None) => true,
            (Stage::Ready(recording), Some(gpu)) => recording.gpu.id != gpu.id,
            _ => false,
        };
        if elsewhere {
            // A guard asks for another device this time: that says nothing of the next call.
            drop(stage);
            return run::run(&self.graph, inputs, &Sizes::of(&self.known));
        }
        if let Stage::Ready(recording) = &*stage {
            if let Some(values) = recording.values(&inputs) {
                return recording.replay(&inputs, values);
            }
            let remade = recording.remade + 1;
            *stage = if remade < MOST_RECORDINGS { Stage::Calls(WARM + 1, remade) } else { Stage::Never };
        }
        match *stage {
            Stage::Calls(WARM, remade) => match self.rehearse(&inputs) {
                Ok(Some(outputs)) => {
                    *stage = Stage::Calls(WARM + 1, remade);
                    return Ok(outputs);
                }
                Ok(None) => *stage = Stage::Never,
                // The error of a call, not of what it stands for.
                Err(error) => return Err(error),
            },
            Stage::Calls(WARM.., remade) => {
                // What cannot be captured runs operation by operation, which also tells what is wrong with it.
                match self.record(&inputs, remade) {
                    Ok(Some(recording)) => {
                        if let Some(values) = recording.values(&inputs) {
                            let outputs = recording.replay(&inputs, values);
                            *stage = Stage::Ready(recording);
                            return outputs;
                        }
                    }
                    Ok(None) | Err(_) => *stage = Stage::Never,
                }
            }
            Stage::Calls(calls, remade) => *stage = Stage::Calls(calls + 1, remade),
            _ => {}
        }
        drop(stage);
        run::run(&self.graph, inputs, &Sizes::of(&self.known))
    }

    /// Runs a call with everything where it will be when one is captured; `None` if the graph needs the host.
    fn rehearse(&self, inputs: &Operands) -> Result<Option<Outputs>> {
        let Some(gpu) = gpu_of(inputs)?.filter(|gpu| stays_on(&self.graph, gpu)) else { return Ok(None) };
        let graph = with_constants_on(&self.graph, gpu, true)?;
        let mut given = Operands::new();
        for (i, input) in inputs.iter().enumerate() {
            given.push(match input.as_object::<Resource>() {
                Some(resource) => {
                    settle(resource, gpu, writes(&self.graph, i))?;
                    input.clone()
                }
                None => bring(gpu, input)?,
            });
        }
        cuda::rehearse(gpu, || run::run(&graph, given, &Sizes::of(&self.known))).map(Some)
    }

    /// Captures a call; `None` if the graph needs the host.
    fn record(&self, inputs: &Operands, remade: u32) -> Result<Option<Recording>> {
        let Some(gpu) = gpu_of(inputs)?.filter(|gpu| stays_on(&self.graph, gpu)) else { return Ok(None) };
        let graph = with_constants_on(&self.graph, gpu, true)?;
        let (mut operands, mut variables) = (Vec::new(), Vec::new());
        for (i, input) in inputs.iter().enumerate() {
            operands.push(match input.as_object::<Resource>() {
                Some(resource) => {
                    let written = writes(&self.graph, i);
                    variables.push(Used { operand: i, address: settle(resource, gpu, written)?, written });
                    None
                }
                None => Some(Tensor::uninit_on(gpu, input.ty())?),
            });
        }
        let given: Operands =
            operands.iter().zip(inputs).map(|(own, input)| own.clone().unwrap_or_else(|| input.clone())).collect();
        let work = || run::run(&graph, given, &Sizes::of(&self.known));
        let (results, captured) = cuda::capture(gpu, work)?;
        // A result on the host was computed by the host, once.
        if results.iter().any(|t| !t.is_away()) {
            return Ok(None);
        }
        Ok(Some(Recording { gpu, captured, operands, results: results.into_iter().collect(), variables, remade }))
    }
}

impl Recording {
    /// The variables' values, locked, if they lie where they lay and nobody else sees the memory of those that change. While they
    /// are locked nobody can take a handle of what is about to change.
    fn values<'a>(&self, inputs: &'a Operands) -> Option<Vec<Guard<'a>>> {
        let mut used: Vec<(&Used, &'a Resource)> = Vec::new();
        for one in &self.variables {
            used.push((one, inputs[one.operand].as_object::<Resource>()?));
        }
        // One order for all, so that two calls cannot wait for each other.
        used.sort_by_key(|(_, resource)| std::ptr::from_ref(*resource).addr());
        if used.windows(2).any(|pair| std::ptr::eq(pair[0].1, pair[1].1)) {
            return None;
        }
        let values: Vec<Guard<'a>> = used.iter().map(|(_, resource)| resource.lock()).collect();
        let fits = used
            .iter()
            .zip(&values)
            .all(|((used, _), value)| value.address().addr() == used.address && (!used.written || value.is_unique()));
        fits.then_some(values)
    }

    fn replay(&self, inputs: &Operands, values: Vec<Guard<'_>>) -> Result<Outputs> {
        for (own, input) in self.operands.iter().zip(inputs) {
            let Some(own) = own else { continue };
            let (to, bytes) = (own.address().addr() as u64, own.ty().bytes());
            let from = dense(input)?;
            // SAFETY: both hold all elements, densely; host memory may be used again when the copy was queued.
            unsafe {
                match from.device_id() == self.gpu.id {
                    _ if bytes == 0 => {}
                    true => self.gpu.copy(to, from.address().addr() as u64, bytes)?,
                    false if from.is_away() => {
                        let there = bring(self.gpu, &from)?;
                        self.gpu.copy(to, there.address().addr() as u64, bytes)?;
                    }
                    false => self.gpu.upload(to, from.data(), bytes)?,
                }
            }
        }
        self.captured.start()?;
        let written = |value: &Guard<'_>| {
            self.variables.iter().any(|used| used.written && used.address == value.address().addr())
        };
        for value in values.iter().filter(|value| written(value)) {
            // SAFETY: `values` saw that the variable holds the only handle, and its lock is still held.
            unsafe { value.renew_id() };
        }
        // A result may be a variable's own memory: the locks are held until it is copied.
        let mut outputs = Outputs::with_capacity(self.results.len());
        for result in &self.results {
            let from = dense(result)?;
            let own = Tensor::uninit_on(self.gpu, result.ty())?;
            if own.ty().bytes() > 0 {
                // SAFETY: both hold all elements, densely.
                unsafe { self.gpu.copy(own.address().addr() as u64, from.address().addr() as u64, own.ty().bytes())? };
            }
            outputs.push(own);
        }
        Ok(outputs)
    }
}

/// Whether the graph needs neither the host nor another device.
fn stays_on(graph: &Graph, gpu: &Gpu) -> bool {
    needs_no_host(graph) && graph.devices().iter().all(|device| *device == gpu.id)
}

/// Whether every node is a kernel, or only names elements anew.
fn needs_no_host(graph: &Graph) -> bool {
    graph.nodes.iter().all(|node| match node.op.kind() {
        Kind::Host => node.op.name() == "fused",
        Kind::Control => false,
        _ => !node.op.runs_on_host() && (0..node.inputs.len()).all(|i| !node.op.keeps_on_host(i)),
    })
}

/// Whether the graph changes the variable that is its parameter `index`.
fn writes(graph: &Graph, index: usize) -> bool {
    let param = graph.params[index];
    graph
        .nodes
        .iter()
        .filter(|node| matches!(node.op.kind(), Kind::Effect))
        .any(|node| node.inputs.iter().enumerate().any(|(i, v)| *v == param && node.op.access(i) != Access::Read))
}

/// Makes sure that a variable lies densely on the GPU, alone in its memory if it will be changed; where it lies.
fn settle(resource: &Resource, gpu: &'static Gpu, written: bool) -> Result<usize> {
    let mut value = resource.lock();
    if value.device_id() != gpu.id || !value.is_row_major() {
        *value = bring(gpu, &dense(&value)?)?.alias();
    }
    if written && !value.is_unique() {
        let own = Tensor::uninit_on(gpu, value.ty())?;
        // SAFETY: a fresh target of the same type.
        unsafe { gpu.copy(own.address().addr() as u64, value.address().addr() as u64, own.ty().bytes())? };
        *value = own;
    }
    Ok(value.address().addr())
}
