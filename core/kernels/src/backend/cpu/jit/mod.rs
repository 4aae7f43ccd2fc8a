//! Machine code for fused programs on x86-64 with AVX-512 or AVX2: every element stays in registers from operands to results.
//! Fused loops of plans ask [`Machine::new`] and keep the tile loops where it answers `None`; both give the same bits.
//!
//! The tile loops load and store a vector per instruction, and a core that computes one instruction at a time waits for
//! each chain of dependent steps. Here a program is one loop of several vectors side by side. It is the same
//! arithmetic in the same order, folds included.

mod angles;
mod avx2;
mod emit;
mod encode;
mod functions;
mod lines;
mod logarithms;
mod lower;
mod memory;
mod ops;
mod rare;
mod registers;
pub mod scalar;
mod schedule;
mod target;
#[cfg(test)]
mod tests;

use super::Isa;
use super::reduce::Monoid;
use crate::dtype::DType;
use crate::scalar::Sequence;
use emit::{MOST_FOLDS, Request, emit};
use lower::{Folds, lower};
use memory::Executable;
use ops::List;
use std::sync::OnceLock;
use target::Target;

/// `(operands, count, lanes)`: runs the program for `count` elements. Operands are the addresses of inputs and outputs,
/// then those of stored folds; lanes are those of the folds, `WIDE * 8` bytes each.
type Entry = unsafe extern "sysv64" fn(*const *mut u8, usize, *mut u8);

/// A program as machine code.
pub struct Machine {
    code: Executable,
    lanes: bool,
}

/// How an input of a program comes.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    pub dtype: DType,
    /// One element for all.
    pub scalar: bool,
}

/// What a program works on.
pub struct Operands<'a> {
    pub inputs: &'a [Input],
    pub outputs: &'a [DType],
    /// Monoid and dtype of each fold.
    pub folds: &'a [(Monoid, DType)],
    /// Whether folds walk long rows, lane by lane.
    pub lanes: bool,
}

/// `EAGERFLOW_JIT=off` keeps the tile loops, for comparisons and reports of errors.
fn wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var("EAGERFLOW_JIT").as_deref() != Ok("off"))
}

impl Machine {
    /// The code of a program; `None` where this processor or system has none, or an instruction is not known here.
    pub fn new(sequence: &Sequence, operands: &Operands<'_>, isa: Isa) -> Option<Self> {
        let target = Target::of(isa).filter(|_| wanted())?;
        Self::compile(sequence, operands, target)
    }

    fn compile(sequence: &Sequence, operands: &Operands<'_>, target: Target) -> Option<Self> {
        let in_lanes = |(monoid, dtype): &(Monoid, DType)| {
            *dtype == DType::F32 && matches!(monoid, Monoid::Sum | Monoid::Prod | Monoid::Max | Monoid::Min)
        };
        let lanes = operands.lanes && operands.folds.len() <= MOST_FOLDS && operands.folds.iter().all(in_lanes);
        let stored = operands.inputs.len() + operands.outputs.len();
        let folds = if lanes { Folds::Lanes } else { Folds::Stored(stored as u16) };
        let mut list = lower(sequence, operands.inputs, folds)?;
        if target == Target::Avx2 {
            list = list.for_avx2();
        }
        let mut sizes: Vec<u8> = operands.inputs.iter().map(|input| input.dtype.size() as u8).collect();
        sizes.extend(operands.outputs.iter().map(|dtype| dtype.size() as u8));
        let monoids: Vec<Monoid> = operands.folds.iter().map(|(monoid, _)| *monoid).collect();
        if !lanes {
            sizes.extend(operands.folds.iter().map(|(_, dtype)| dtype.size() as u8));
        }
        let folds = if lanes { &monoids[..] } else { &[] };
        let room = target.registers() - 1 - target.accumulators(folds.len());
        let streams = streams(&list, room);
        list.schedule(streams, room / streams);
        let held = room.saturating_sub((streams * list.alive()).max(LEAST));
        let code = |streams, held| emit(&Request { list: &list, folds, operands: &sizes, streams, held, target });
        let bytes = code(streams, held).or_else(|| code(1, 0))?;
        Some(Self { code: Executable::new(&bytes)?, lanes })
    }

    /// Whether folds are combined in lanes; else what they fold is stored.
    #[inline]
    pub fn lanes(&self) -> bool {
        self.lanes
    }

    /// Runs the program for `count` elements.
    ///
    /// # Safety
    /// `operands` has an address for every input, output and stored fold, valid for `count` elements (for one, where the
    /// input is a scalar); `lanes` those of the folds, if they are combined in lanes.
    #[inline]
    pub unsafe fn run(&self, operands: *const *mut u8, count: usize, lanes: *mut u8) {
        // SAFETY: the bytes were written as a function of this type.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(self.code.start()) };
        // SAFETY: by the caller's promise.
        unsafe { entry(operands, count, lanes) }
    }
}

/// How many vectors are computed side by side: as many as find room in the registers. Chains of dependent operations
/// leave a core idle, and its own window holds too few elements to fill the gaps; long lists have several chains of their
/// own, which [`List::schedule`] lets take turns.
fn streams(list: &List, room: usize) -> usize {
    let most = if list.lines.len() > LONG { 2 } else { 4 };
    [4, 2].into_iter().find(|&streams| streams <= most && streams * list.alive() <= room).unwrap_or(1)
}

/// Registers but one that an operation finds free or with something that can be brought again.
const LEAST: usize = 5;

/// Lines from which two vectors side by side keep a core busy.
const LONG: usize = 60;
