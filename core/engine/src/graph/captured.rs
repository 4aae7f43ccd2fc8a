//! Graphs on a GPU as recorded work: after three calls operation by operation, what the fourth queues is captured; from then
//! on a call tells the recording's kernels where operands and results lie, and starts it. `Callable` runs calls on a GPU through here.

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
use kernels::backend::cuda::{self, Captured, Gpu, Place};
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
    Ready(Box<Recording>),
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

/// Bytes whose copy takes about as long as launching a kernel does: large devices copy two million in a microsecond.
const BYTES_A_LAUNCH: usize = 4 << 20;

/// A captured call.
struct Recording {
    gpu: &'static Gpu,
    captured: Captured,
    operands: Vec<Lies>,
    results: Vec<(Tensor, Option<usize>)>,
    variables: Vec<Used>,
    remade: u32,
}

/// Where an operand of a recording lies.
enum Lies {
    /// A variable is used where it is.
    There,
    /// Kernels are told where it is: the number of its place.
    Anywhere(usize),
    /// It is copied to this tensor.
    In(Tensor),
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
                            *stage = Stage::Ready(Box::new(recording));
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
        let places = |results: &Outputs| places(&operands, results);
        let (results, captured) = cuda::capture(gpu, work, |results| {
            let (places, before) = places(results);
            (places.into_iter().map(|(_, place)| place).collect(), before)
        })?;
        let moved: Vec<(usize, usize)> = places(&results)
            .0
            .into_iter()
            .enumerate()
            .map(|(i, (of, _))| (of, i))
            .filter(|(_, i)| captured.moves(*i))
            .collect();
        let place_of = |of: usize| moved.iter().find(|(other, _)| *other == of).map(|(_, place)| *place);
        let count = operands.len();
        let results: Vec<_> = results.into_iter().enumerate().map(|(i, t)| (t, place_of(count + i))).collect();
        let lies = |(i, own): (usize, Option<Tensor>)| match (own, place_of(i)) {
            (None, _) => Lies::There,
            (Some(_), Some(place)) => Lies::Anywhere(place),
            (Some(own), None) => Lies::In(own),
        };
        let operands: Vec<Lies> = operands.into_iter().enumerate().map(lies).collect();
        let recording = Recording { gpu, captured, operands, results, variables, remade };
        let copied = recording.copied();
        if copied > recording.captured.work() * BYTES_A_LAUNCH {
            return Err(Error::unimplemented("graph", "copying operands and results would take longer than it saves")
                .got(format!("{copied} bytes to copy for {} kernels", recording.captured.work())));
        }
        Ok(recording)
    }
}

/// Operands and results that could lie elsewhere in each call, by number, the results behind all operands: those whose memory is
/// nobody else's. And how many of the places are operands.
fn places(operands: &[Option<Tensor>], results: &Outputs) -> (Vec<(usize, Place)>, usize) {
    let all = || operands.iter().map(Option::as_ref).chain(results.iter().map(Some));
    let memory = |t: &Tensor| t.storage().filter(|_| t.is_away()).map(|storage| storage.data().addr());
    let alone = |mine: usize| all().flatten().filter(|other| memory(other) == Some(mine)).count() == 1;
    let place = |(i, tensor): (usize, Option<&Tensor>)| {
        let tensor = tensor.filter(|t| t.is_row_major() && t.ty().bytes() > 0)?;
        let address = tensor.address().addr();
        let whole = memory(tensor) == Some(address) && alone(address);
        whole.then(|| (i, Place { address: address as u64, bytes: tensor.ty().bytes() }))
    };
    let places: Vec<_> = all().enumerate().filter_map(place).collect();
    let before = places.iter().filter(|(of, _)| *of < operands.len()).count();
    (places, before)
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

    /// Bytes that each call copies.
    fn copied(&self) -> usize {
        let operands = self.operands.iter().map(|lies| if let Lies::In(own) = lies { own.ty().bytes() } else { 0 });
        let results = self.results.iter().map(|(t, place)| if place.is_none() { t.ty().bytes() } else { 0 });
        operands.sum::<usize>() + results.sum::<usize>()
    }

    fn replay(&self, inputs: &Operands, values: Vec<Guard<'_>>) -> Result<Outputs> {
        // What kernels are told to read and write lives until they are queued.
        let mut used: Vec<Tensor> = Vec::new();
        let mut places = vec![0; inputs.len() + self.results.len()];
        for (lies, input) in self.operands.iter().zip(inputs) {
            match lies {
                Lies::There => {}
                Lies::Anywhere(place) => {
                    let there = whole(self.gpu, &bring(self.gpu, &dense(input)?)?)?;
                    places[*place] = there.address().addr() as u64;
                    used.push(there);
                }
                Lies::In(own) => self.copy_in(own, input)?,
            }
        }
        let mut fresh: Vec<Option<Tensor>> = Vec::with_capacity(self.results.len());
        for (result, place) in &self.results {
            let own = place.map(|_| Tensor::uninit_on(self.gpu, result.ty())).transpose()?;
            if let (Some(place), Some(own)) = (place, &own) {
                places[*place] = own.address().addr() as u64;
            }
            fresh.push(own);
        }
        // SAFETY: each place has a tensor of its type, which begins at a multiple of 16 bytes; the stream has them in order.
        unsafe { self.captured.start(&places)? };
        drop(used);
        let written = |value: &Guard<'_>| {
            self.variables.iter().any(|used| used.written && used.address == value.address().addr())
        };
        for value in values.iter().filter(|value| written(value)) {
            // SAFETY: `values` saw that the variable holds the only handle, and its lock is still held.
            unsafe { value.renew_id() };
        }
        // A result may be a variable's own memory: the locks are held until it is copied.
        self.results.iter().zip(fresh).map(|((result, _), own)| own.map_or_else(|| self.copy_out(result), Ok)).collect()
    }

    fn copy_in(&self, own: &Tensor, input: &Tensor) -> Result<()> {
        let (to, bytes) = (own.address().addr() as u64, own.ty().bytes());
        let from = dense(input)?;
        // SAFETY: both hold all elements, densely; host memory may be used again when the copy was queued.
        unsafe {
            match from.device_id() == self.gpu.id {
                _ if bytes == 0 => Ok(()),
                true => self.gpu.copy(to, from.address().addr() as u64, bytes),
                false if from.is_away() => {
                    let there = bring(self.gpu, &from)?;
                    self.gpu.copy(to, there.address().addr() as u64, bytes)
                }
                false => self.gpu.upload(to, from.data(), bytes),
            }
        }
    }

    fn copy_out(&self, result: &Tensor) -> Result<Tensor> {
        if !result.is_away() {
            // A number that does not depend on the operands; a guard wants it where it wants everything.
            let asked = device::asked().is_some_and(|id| id == self.gpu.id);
            return if asked { bring(self.gpu, result) } else { Ok(result.alias()) };
        }
        copied_on(self.gpu, &dense(result)?)
    }
}

/// A copy of a dense tensor in memory of its own.
fn copied_on(gpu: &'static Gpu, from: &Tensor) -> Result<Tensor> {
    let own = Tensor::uninit_on(gpu, from.ty())?;
    if own.ty().bytes() > 0 {
        // SAFETY: both hold all elements, densely.
        unsafe { gpu.copy(own.address().addr() as u64, from.address().addr() as u64, own.ty().bytes())? };
    }
    Ok(own)
}

/// A dense tensor as captured kernels may be told of it: they load and store 16 bytes at once, as memory of its own allows.
fn whole(gpu: &'static Gpu, tensor: &Tensor) -> Result<Tensor> {
    if tensor.address().addr().is_multiple_of(16) { Ok(tensor.clone()) } else { copied_on(gpu, tensor) }
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
