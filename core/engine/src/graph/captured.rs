//! Graphs on a GPU as recorded work: after three calls operation by operation, what the fourth queues is captured; from then
//! on a call copies its operands, starts the recording, and copies the results. `Callable` runs calls on a GPU through here.

use super::capture_check::can_be_captured;
use super::on_device::{gpu_of, with_constants_on};
use super::passes::pure::written_in;
use super::run;
use crate::device;
use crate::execute::{bring, dense, is_number};
use crate::ir::Graph;
use crate::ir::sizes::{Known, Sizes};
use crate::op::{Operands, Outputs};
use crate::tensor::{Guard, Resource, Tensor, TensorType};
use kernels::backend::cuda::{self, Captured, Gpu};
use kernels::error::{Error, Result};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A graph made ready for operands of some types on a GPU.
pub(crate) struct Placed {
    pub types: Vec<TensorType>,
    pub known: Known,
    pub graph: Arc<Graph>,
    /// With all constants on the device, as captured work wants it.
    there: OnceLock<Graph>,
    stage: Mutex<Stage>,
}

enum Stage {
    /// So many calls ran operation by operation, and so many recordings were given up since variables moved.
    Calls(u32, u32),
    Ready(Recording),
    /// Calls go on operation by operation, for this reason.
    Never(String),
}

impl Stage {
    /// After a recording that no longer fits: the next call makes another one, unless many were made.
    fn anew(remade: u32) -> Self {
        match remade + 1 < MOST_RECORDINGS {
            true => Self::Calls(u32::MAX, remade + 1),
            false => Self::Never("its variables lie elsewhere in each call".into()),
        }
    }
}

/// Calls operation by operation before one is captured: what is called less often is not worth it.
const WARM: u32 = 3;

/// As [`WARM`], or what `EAGERFLOW_CUDA_GRAPHS` asks for; `None` if nothing is to be captured.
fn warm() -> Option<u32> {
    static CALLS: OnceLock<Option<u32>> = OnceLock::new();
    *CALLS.get_or_init(|| match std::env::var("EAGERFLOW_CUDA_GRAPHS") {
        Ok(asked) if asked == "off" => None,
        Ok(asked) => Some(asked.parse().unwrap_or(WARM)),
        Err(_) => Some(WARM),
    })
}

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
        let stage = match warm() {
            Some(_) => Stage::Calls(0, 0),
            None => Stage::Never("EAGERFLOW_CUDA_GRAPHS is off".into()),
        };
        Self { types, known, graph, there: OnceLock::new(), stage: Mutex::new(stage) }
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
            *stage = Stage::anew(recording.remade);
        }
        match *stage {
            Stage::Calls(calls, remade) if warm().is_some_and(|warm| calls >= warm) => {
                // What cannot be captured runs operation by operation, which also tells what is wrong with it.
                *stage = match self.record(&inputs, remade) {
                    Ok(recording) => {
                        if let Some(values) = recording.values(&inputs) {
                            let outputs = recording.replay(&inputs, values);
                            *stage = Stage::Ready(recording);
                            return outputs;
                        }
                        Stage::anew(remade)
                    }
                    Err(error) => Stage::Never(error.to_string()),
                };
            }
            Stage::Calls(calls, remade) => *stage = Stage::Calls(calls + 1, remade),
            _ => {}
        }
        drop(stage);
        run::run(&self.graph, inputs, &Sizes::of(&self.known))
    }

    fn graph_on(&self, gpu: &'static Gpu) -> Result<&Graph> {
        if let Some(graph) = self.there.get() {
            return Ok(graph);
        }
        let graph = with_constants_on(&self.graph, gpu, true)?;
        Ok(self.there.get_or_init(|| graph))
    }

    /// The graph for a call that is part of captured work.
    pub fn within_a_capture(&self) -> Result<&Graph> {
        let gpu = cuda::captured_on().ok_or_else(|| Error::internal("capture", "this thread captures nothing"))?;
        // Constants are no part of the work. They are copied when it is tried.
        cuda::aside(|| self.graph_on(gpu))
    }

    /// How the last call ran, in words.
    pub fn report(&self) -> String {
        let name = &self.graph.name;
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        match &*stage {
            Stage::Calls(..) => format!("{name} on a GPU, operation by operation: not called often enough yet\n"),
            Stage::Ready(recording) => {
                format!("{name} on a GPU, started as one CUDA graph: {}\n", recording.captured.report())
            }
            Stage::Never(why) => {
                let why = why.replace('\n', "\n  ");
                format!("{name} on a GPU, operation by operation, not as one CUDA graph:\n  {}\n", why.trim_end())
            }
        }
    }

    /// Captures a call.
    ///
    /// # Errors
    /// Why it cannot be captured: the graph needs the host.
    fn record(&self, inputs: &Operands, remade: u32) -> Result<Recording> {
        let no_gpu = || Error::internal("capture", "the operands lie on no GPU");
        let gpu = gpu_of(inputs)?.ok_or_else(no_gpu)?;
        can_be_captured(&self.graph, gpu, inputs)?;
        let graph = self.graph_on(gpu)?;
        let (mut operands, mut variables) = (Vec::new(), Vec::new());
        let written = written_in(&self.graph);
        for (i, input) in inputs.iter().enumerate() {
            operands.push(match input.as_object::<Resource>() {
                Some(resource) => {
                    let written = written[self.graph.params[i].index()];
                    variables.push(Used { operand: i, address: settle(resource, gpu, written)?, written });
                    None
                }
                None => Some(Tensor::uninit_on(gpu, input.ty())?),
            });
        }
        let given: Operands =
            operands.iter().zip(inputs).map(|(own, input)| own.clone().unwrap_or_else(|| input.clone())).collect();
        let work = || {
            let results = run::run(graph, given.clone(), &Sizes::of(&self.known))?;
            match results.iter().find(|t| !t.is_away() && !is_number(t)) {
                Some(other) => {
                    Err(Error::unimplemented("graph", "only tensors come out of captured calls").got(other.ty()))
                }
                None => Ok(results),
            }
        };
        let (results, captured) = cuda::capture(gpu, work)?;
        Ok(Recording { gpu, captured, operands, results: results.into_iter().collect(), variables, remade })
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
            if !result.is_away() {
                // A number that does not depend on the operands; a guard wants it where it wants everything.
                let asked = device::asked().is_some_and(|id| id == self.gpu.id);
                outputs.push(if asked { bring(self.gpu, result)? } else { result.alias() });
                continue;
            }
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
