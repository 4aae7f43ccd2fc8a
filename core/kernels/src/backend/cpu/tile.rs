//! The tile machine: runs a scalar program over whole tensors, a few hundred elements at a time in cache.
//! Eager element-wise operations and fused graphs are both programs over the same loops, so their bits are equal.

use super::merge_dims::{Collapsed, collapse};
use super::vector::{self, Loop};
use super::{Isa, View};
use crate::error::{Error, Result};
use crate::scalar::{Program, Slot, Step};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::ops::Range;

mod pack;

pub use pack::gather;

/// Bytes of the widest value in a tile: four of them and an output fit into a first-level cache.
pub const TILE: usize = 2048;
/// Tiles of temporaries that lie on the stack; more take this thread's spare memory.
const ON_STACK: usize = 12;

/// How an operand is walked.
#[derive(Clone, Copy, PartialEq, Debug)]
enum InputRead {
    /// As the output: read in place.
    Dense,
    /// The same elements again every `n`, which divides the tile: packed once.
    Periodic,
    /// Anything else: packed for each tile.
    Gathered,
    /// One element for all: repeated once.
    Scalar,
}

/// The loops of a program's steps.
pub type Loops = SmallVec<[Loop; 8]>;

/// A program over operands, with all choices made; [`Tiled::run`] then works on any range of elements.
pub struct Tiled<'a> {
    program: &'a Program,
    loops: Loops,
    space: Collapsed,
    inputs: SmallVec<[(*const u8, InputRead); 4]>,
    outputs: SmallVec<[*mut u8; 2]>,
    isa: Isa,
    /// Elements per tile.
    tile: usize,
    /// Number of elements.
    pub len: usize,
}

// SAFETY: threads share the choices and work on disjoint ranges of the outputs.
unsafe impl Sync for Tiled<'_> {}

impl<'a> Tiled<'a> {
    /// Prepares a program for operands that are broadcast to the shape of the dense outputs.
    pub fn new(program: &'a Program, inputs: &[View], outputs: &[View], isa: Isa) -> Result<Self> {
        let dims = outputs[0].dims();
        debug_assert!(outputs.iter().all(|o| o.is_dense() && o.dims() == dims));
        let lead = |i: usize| dims.len() - inputs[i].rank();
        // One operand more than there are inputs: the dense output keeps merges honest.
        let mut dense = [0; crate::shape::MAX_RANK];
        crate::shape::contiguous_strides(dims, &mut dense);
        let n = inputs.len();
        let stride = |i: usize, axis: usize| match axis.checked_sub(if i == n { 0 } else { lead(i) }) {
            _ if i == n => dense[axis],
            Some(own) if inputs[i].dims()[own] != 1 => inputs[i].strides()[own],
            _ => 0,
        };
        let space = collapse(dims, n + 1, stride, |_, _| true);
        let mut tile = TILE / program.widest;
        let periods: SmallVec<[Option<usize>; 4]> = (0..n).map(|i| period(&space, i)).collect();
        if let Some(longest) = periods.iter().flatten().filter(|&&p| p <= tile && p > 0).max() {
            tile -= tile % longest;
        }
        let walks = (0..n).map(|i| {
            let walk = match periods[i] {
                _ if space.is_dense(i) => InputRead::Dense,
                Some(p) if p <= tile => InputRead::Periodic,
                _ => InputRead::Gathered,
            };
            (inputs[i].ptr.cast_const(), walk)
        });
        Ok(Self {
            program,
            loops: loops_of(program, isa)?,
            isa,
            inputs: walks.collect(),
            outputs: outputs.iter().map(|o| o.ptr).collect(),
            tile,
            len: dims.iter().product(),
            space,
        })
    }

    /// As [`Tiled::new`] for operands that are dense like the output or, where the flag says so, one element; `loops` are
    /// the program's.
    pub fn flat(
        program: &'a Program,
        loops: &Loops,
        inputs: &[(*const u8, bool)],
        output: *mut u8,
        len: usize,
        isa: Isa,
    ) -> Self {
        let walks =
            inputs.iter().map(|&(from, scalar)| (from, if scalar { InputRead::Scalar } else { InputRead::Dense }));
        Self {
            program,
            loops: Loops::from_slice(loops),
            isa,
            inputs: walks.collect(),
            outputs: SmallVec::from_slice(&[output]),
            tile: TILE / program.widest,
            len,
            // Nothing is gathered.
            space: Collapsed::default(),
        }
    }

    /// The length of ranges that threads should take: whole tiles.
    pub fn grain(&self) -> usize {
        self.tile
    }

    /// Runs the program for the elements of `range`; answers the instruction that faulted, if one did.
    ///
    /// # Safety
    /// The views given to [`Tiled::new`] are valid, and no other thread works on these elements of the outputs.
    pub unsafe fn run(&self, range: Range<usize>) -> Option<&Step> {
        if range.is_empty() {
            return None;
        }
        let slots = self.program.temps as usize + self.program.constants.len() + self.inputs.len() + 1;
        let tile_bytes = self.tile.min(range.len()).next_multiple_of(8) * self.program.widest;
        let tile_bytes = tile_bytes.next_multiple_of(64);
        if slots <= ON_STACK {
            let mut memory = MaybeUninit::<Stack>::uninit();
            // SAFETY: the stack holds ON_STACK tiles of at most TILE bytes (rounded up to a line).
            unsafe { self.run_with(range, memory.as_mut_ptr().cast(), tile_bytes) }
        } else {
            SPARE.with_borrow_mut(|spare| {
                let lines = slots * tile_bytes / 64;
                if spare.len() < lines {
                    spare.resize(lines, Line([0; 64]));
                }
                // SAFETY: the vector holds a tile per slot.
                unsafe { self.run_with(range, spare.as_mut_ptr().cast(), tile_bytes) }
            })
        }
    }

    /// # Safety
    /// As [`Tiled::run`]; `memory` holds a tile of `tile_bytes` per slot, aligned to 64.
    unsafe fn run_with(&self, range: Range<usize>, memory: *mut u8, tile_bytes: usize) -> Option<&Step> {
        let program = self.program;
        let (n, constants) = (self.inputs.len(), program.constants.len());
        // Layout of the slots: packed inputs, constants, the bounce tile, temporaries.
        let slot = |index: usize| memory.wrapping_add(index * tile_bytes);
        let bounce = slot(n + constants);
        let full = self.tile.min(range.len());
        let mut fault = None;
        // SAFETY: every slot holds `full` elements of the widest dtype; operands are valid by the caller's promise.
        unsafe {
            for (i, &(dtype, bits)) in program.constants.iter().enumerate() {
                let one = std::ptr::from_ref(&bits).cast();
                (vector::splat(dtype.size(), self.isa))(full, slot(n + i), one, std::ptr::null(), std::ptr::null());
            }
            let mut at = range.start;
            while at < range.end {
                let count = self.tile.min(range.end - at);
                for i in 0..n {
                    let (base, walk) = self.inputs[i];
                    let size = program.inputs[i].size();
                    match walk {
                        InputRead::Dense => {}
                        InputRead::Scalar if at != range.start => {}
                        InputRead::Scalar => {
                            (vector::splat(size, self.isa))(full, slot(i), base, std::ptr::null(), std::ptr::null());
                        }
                        // Ranges start at whole tiles and tiles are whole periods: the first packing serves all.
                        InputRead::Periodic if at != range.start => {}
                        _ => gather(&self.space, i, base, size, at, count, slot(i)),
                    }
                }
                let find = |s: Slot| -> *mut u8 {
                    match s {
                        Slot::Input(i) => {
                            let (base, walk) = self.inputs[i as usize];
                            match walk {
                                InputRead::Dense => base.cast_mut().add(at * program.inputs[i as usize].size()),
                                _ => slot(i as usize),
                            }
                        }
                        Slot::Const(i) => slot(n + i as usize),
                        Slot::Temp(i) => slot(n + constants + 1 + i as usize),
                        Slot::Output(i) => self.outputs[i as usize].add(at * program.outputs[i as usize].size()),
                    }
                };
                for (step, run) in program.steps.iter().zip(&self.loops) {
                    let args = step.args.map(find);
                    let to = find(step.to);
                    // A loop may not write what it reads: an output that lies over an operand goes through a tile.
                    let clash = args[..step.code.arity()].contains(&to);
                    let out = if clash { bounce } else { to };
                    if run(count, out, args[0], args[1], args[2]) {
                        fault = Some(step);
                    }
                    if clash {
                        std::ptr::copy_nonoverlapping(bounce, to, count * step.result.size());
                    }
                }
                at += count;
            }
        }
        fault
    }
}

/// One cache line of spare memory.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

#[repr(C, align(64))]
struct Stack([u8; ON_STACK * TILE]);

thread_local! {
    static SPARE: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// The loops of a program's steps.
pub fn loops_of(program: &Program, isa: Isa) -> Result<Loops> {
    program
        .steps
        .iter()
        .map(|step| {
            vector::lookup(step.code, step.operand, step.result, isa).ok_or_else(|| {
                Error::internal(step.code.name(), format!("no loop from {} to {}", step.operand, step.result))
            })
        })
        .collect()
}

/// The error of an instruction that faulted.
pub fn fault_error(op: &str, step: &Step) -> Error {
    let what = step.code.fault().unwrap_or("an instruction without faults faulted");
    let help = match step.code {
        crate::scalar::Code::Pow => "take powers of floats, or `cast` the operands to a floating dtype first",
        _ => "replace the zeros of the divisor, for example with `maximum` or `where_`, or divide floats",
    };
    Error::invalid_argument(op, what).got(format!("{} operands", step.operand)).help(help)
}

/// After how many elements the operand's elements come again; `None` if they never do in order.
pub fn period(space: &Collapsed, operand: usize) -> Option<usize> {
    let mut expected = 1isize;
    let mut axis = space.dims.len();
    while axis > 0 && space.stride(axis - 1, operand) == expected {
        axis -= 1;
        expected *= space.dims[axis] as isize;
    }
    (0..axis).all(|a| space.stride(a, operand) == 0).then_some(expected as usize)
}
