//! One fused loop over memory: a fused scalar program over tiles that stores some results and folds others as it goes.
//! The compiler of plans makes one per cluster; running it allocates nothing and its results do not depend on threads.

mod alone;
mod make;
mod tile;

pub(super) use tile::Tile;

use super::order::Order;
use alone::Alone;
use kernels::backend::cpu::jit::Machine;
use kernels::backend::cpu::merge_dims::Collapsed;
use kernels::backend::cpu::reduce::{InOrder, Monoid};
use kernels::backend::cpu::tile::{TILE, gather};
use kernels::backend::cpu::vector::Loop;
use kernels::backend::cpu::vector::fold::{Fold, WIDE};
use kernels::backend::cpu::{Isa, View, Work, part};
use kernels::dtype::DType;
use kernels::scalar::Step;
use std::cell::RefCell;
use std::mem::MaybeUninit;

/// Places of a tile: operands, results, constants and temporaries together.
pub(super) const MOST_SLOTS: usize = 192;
/// Bytes of temporaries that lie on the stack.
const ON_STACK: usize = 16 * TILE;

/// How an operand is walked.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Stepping {
    /// As the results: read in place.
    Dense,
    /// The same elements again every so many, a divisor of the tile: packed once per range.
    Periodic,
    /// A dense run that starts again after more elements than a tile has: read in place where it does not wrap.
    Wrapped(usize),
    /// Anything else: packed for each tile.
    Gathered,
}

struct Input {
    walk: Stepping,
    size: usize,
    /// The tile that it is packed into.
    packed: usize,
    /// Machine code reads its one element where it lies.
    single: bool,
}

/// A fold of a result of the program.
pub(super) struct Folded {
    pub fold: Fold,
    /// Bytes of an element, of an accumulator.
    pub size: usize,
    pub acc: usize,
    pub divisor: Option<usize>,
    /// Where the partial results begin in the scratch memory.
    pub partials: usize,
}

/// What a fold is asked to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoldSpec {
    pub monoid: Monoid,
    pub dtype: DType,
    pub mean: bool,
}

enum Run {
    /// `step` is the number of the instruction, for the error of a fault; pairs have none.
    Step {
        run: Loop,
        args: [u16; 3],
        arity: u8,
        to: u16,
        clash: bool,
        size: u8,
        step: u16,
    },
    Fold {
        fold: u16,
        from: u16,
    },
}

/// A line of memory.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// A program with all choices made but the addresses: those of inputs, outputs and fold results come with each call.
pub(crate) struct FusedLoop {
    runs: Vec<Run>,
    steps: Vec<Step>,
    inputs: Vec<Input>,
    /// Bytes of an element of each stored result.
    outputs: Vec<usize>,
    pub(super) folds: Vec<Folded>,
    space: Collapsed,
    /// Constants, a tile each.
    constants: Vec<Line>,
    slots: usize,
    temps: usize,
    packed: usize,
    tile_bytes: usize,
    pub(super) tile: usize,
    pub(super) len: usize,
    pub(super) order: Order,
    /// Elements per chunk where nothing is folded.
    chunk: usize,
    /// Whether the operands are too large for the second-level cache.
    streams: bool,
    pub work: Work,
    isa: Isa,
    /// The whole of it, if it is one instruction.
    alone: Option<Alone>,
    /// The whole program as one loop, where there is one; the steps do the rest.
    machine: Option<Machine>,
    /// Elements that the machine code is given at once.
    stretch: usize,
}

// SAFETY: constants are read only, and everything else is plain data; addresses come with each call.
unsafe impl Send for FusedLoop {}
// SAFETY: as above; threads work on disjoint chunks.
unsafe impl Sync for FusedLoop {}

/// Operands of a fused loop before it is made.
pub(super) struct Operands<'a> {
    /// Layouts over the space; the addresses do not count.
    pub inputs: &'a [View],
    pub dims: &'a [usize],
    pub outputs: &'a [DType],
    pub folds: &'a [FoldSpec],
    pub in_order: Option<InOrder>,
}

impl FusedLoop {
    pub(super) fn instructions(&self) -> usize {
        self.runs.len()
    }

    /// Bytes read and written, without folded results.
    pub(super) fn bytes(&self) -> usize {
        self.len * (self.inputs.iter().map(|input| input.size).sum::<usize>() + self.outputs.iter().sum::<usize>())
    }

    /// Whether the fused loop is machine code.
    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.machine.is_some()
    }

    /// Whether machine code combines the folds, in lanes; from [`WIDE`] elements on, single rows are folded so too.
    pub(super) fn folds_in_lanes(&self) -> bool {
        self.machine.as_ref().is_some_and(Machine::lanes)
    }

    /// The instruction number `step`, for the error of a fault.
    pub fn step(&self, step: usize) -> &Step {
        &self.steps[step]
    }
}
