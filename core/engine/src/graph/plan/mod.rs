//! Plans: a graph of known sizes as flat steps over one arena, with everything that does not change from call to call
//! decided beforehand. Traced functions run them; where a size depends on values, `run.rs` runs the graph instead.

mod apart;
mod arena;
mod borrowed_inputs;
mod compile;
mod control;
mod exec;
mod frame;
mod free_ranges;
mod fused_loop;
mod lower;
mod nodes;
mod order;
mod overwrite;
pub(crate) mod profile;
#[cfg(test)]
mod random_tests;
mod resources;
mod scope;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod transposed_tests;

use super::passes;
use super::run;
use crate::ir::Graph;
use crate::ir::sizes::Sizes;
use crate::op::{OpRef, Operands, Outputs};
use crate::tensor::{Layout, Tensor, TensorType};
pub(crate) use borrowed_inputs::Seat;
use frame::{Frame, Pool};
use fused_loop::FusedLoop;
use kernels::error::{Error, Result};
use std::ops::Range;
use std::panic::Location;

/// Where the first element of an operand lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Base {
    /// Buffer number `n` of the arena; after planning, the arena itself.
    Arena(u32),
    /// The tensor in slot `n`, which changes from call to call.
    Slot(u32),
    /// A constant's memory.
    Fixed(usize),
}

/// A list of operands in the frame's tables.
type Refs = Range<u32>;

/// One thing that a call does.
enum Step {
    /// One fused loop over memory.
    FusedLoop {
        fused: Box<FusedLoop>,
        operands: Refs,
        scratch: u32,
        op: &'static str,
        location: &'static Location<'static>,
    },
    /// The kernel of an operation.
    Kernel {
        op: OpRef,
        inputs: Refs,
        outputs: Refs,
        scratch: u32,
        phases: [usize; kernels::backend::cpu::PHASES],
        location: &'static Location<'static>,
    },
    /// Copies elements from one view to another of the same shape.
    Copy { from: u32, to: u32 },
    /// A fresh tensor for a value that outlives the call, or that a list takes.
    Allocate { slot: u32, ty: TensorType, location: &'static Location<'static> },
    /// An operation on tensors. Inputs say whether they are given up.
    Tensors {
        op: OpRef,
        inputs: Vec<(u32, bool)>,
        outputs: Vec<(u32, TensorType)>,
        location: &'static Location<'static>,
    },
    /// A tensor, or a view of it, into another slot.
    Move { from: u32, to: u32, give_up: bool, view: Option<(TensorType, Layout)> },
    /// The tensor of a slot into another, as one that nobody else sees: itself if that is so, else a copy.
    Own { from: u32, to: u32, location: &'static Location<'static> },
    Branch {
        condition: u32,
        then: Vec<Step>,
        otherwise: Vec<Step>,
        /// The numbers of their first steps.
        first: [u32; 2],
    },
    Loop {
        condition: u32,
        test: Vec<Step>,
        body: Vec<Step>,
        /// The numbers of their first steps.
        first: [u32; 2],
    },
}

/// A parameter of the graph.
struct Param {
    ty: TensorType,
    /// The variable behind it.
    resource: Option<ResourceUse>,
    /// Whether a kernel reads it, which then has to lie dense.
    dense: bool,
}

/// How a plan uses a variable.
#[derive(Clone, Copy)]
struct ResourceUse {
    ty: TensorType,
    /// The slot of its value.
    slot: u32,
    written: bool,
}

/// Where a result comes from at the end.
struct Answer {
    slot: u32,
    give_up: bool,
}

/// What has to be changed when a slot gets another tensor.
#[derive(Clone, Default)]
struct Users {
    views: Vec<(u32, isize)>,
    pointers: Vec<(u32, isize)>,
}

/// A compiled graph.
pub(crate) struct Plan {
    name: String,
    /// What runs where an operand is not what the plan was made for, or two variables are one.
    fallback: Graph,
    params: Vec<Param>,
    /// Constants that are handed out as tensors: slot and tensor.
    constants: Vec<(u32, Tensor)>,
    /// By slot: whether its tensor stays from call to call.
    kept: Vec<bool>,
    _held: Vec<Tensor>,
    steps: Vec<Step>,
    step_count: u32,
    costs: profile::Costs,
    answers: Vec<Answer>,
    users: Vec<Users>,
    /// Views and addresses of a new frame; those in slots are filled in by each call.
    views: Vec<(kernels::backend::cpu::View, Base, isize)>,
    pointers: Vec<(Base, isize)>,
    arena: usize,
    /// Whether operands may stay the caller's: nothing but their addresses is used.
    lends: bool,
    /// Whether a call is long enough that the thread pool should be awake.
    long: bool,
    frames: Pool,
}

impl Plan {
    /// The plan of a graph whose sizes are known or have numbers in `sizes`; `None` if some depend on values, or if an
    /// operation can only run on its own.
    ///
    /// # Errors
    /// Sizes that break what the graph relies on.
    pub fn compile(graph: &Graph, sizes: &Sizes<'_>) -> Result<Option<Self>> {
        let lookup = |symbol| sizes.get(symbol);
        let mut params = Vec::new();
        for ty in graph.param_types() {
            params.push(TensorType::new(ty.dtype, ty.shape.bind(&lookup)?));
        }
        let inlined = passes::optimise(graph)?;
        let Some(bound) = passes::bind::bind(&inlined, &params, sizes)? else { return Ok(None) };
        let fused = passes::specialise(&bound)?;
        Ok(compile::compile(&fused, graph))
    }

    /// The plan of a graph after all passes.
    #[cfg(test)]
    pub fn of_optimised(graph: &Graph) -> Option<Self> {
        compile::compile(graph, graph)
    }

    /// The graph as it will run, for those who want to see it.
    pub fn optimised(graph: &Graph, params: &[TensorType]) -> Result<Option<Graph>> {
        let inlined = passes::optimise(graph)?;
        match passes::bind::bind(&inlined, params, &Sizes::default())? {
            Some(bound) => passes::specialise(&bound).map(Some),
            None => Ok(None),
        }
    }

    /// Runs the plan.
    pub fn run(&self, inputs: Operands) -> Result<Outputs> {
        if inputs.len() != self.params.len() {
            let what = format!("{} operands for {} parameters", inputs.len(), self.params.len());
            return Err(Error::internal(&self.name, what));
        }
        if !self.suits(&inputs) {
            return run::run(&self.fallback, inputs, &Sizes::default());
        }
        let mut frame = self.frame()?;
        let result = exec::call(self, &mut frame, inputs);
        frame.clear(self);
        self.frames.put(frame);
        result
    }

    /// A frame of the pool, or a new one.
    fn frame(&self) -> Result<Box<Frame>> {
        self.frames.take().map_or_else(|| Frame::new(self), Ok)
    }

    /// The types of its operands, as they were given.
    pub fn param_types(&self) -> Vec<TensorType> {
        self.params.iter().map(|param| param.ty).collect()
    }

    /// Whether operands are as the plan expects them.
    fn suits(&self, inputs: &Operands) -> bool {
        inputs.iter().zip(&self.params).all(|(input, param)| *input.ty() == param.ty && !input.is_symbol())
    }
}
