//! One pass over memory: a fused scalar program over tiles that stores some results and folds others as it goes.
//! The compiler of plans makes one per cluster; running it allocates nothing and its results do not depend on threads.

use super::order::{Mode, Order};
use crate::backend::cpu::collapse::{Collapsed, collapse};
use crate::backend::cpu::reduce::{InOrder, Monoid};
use crate::backend::cpu::tile::{TILE, gather, period};
use crate::backend::cpu::vector::fold::{self, Fold, WIDE};
use crate::backend::cpu::vector::{self, Loop};
use crate::backend::cpu::{Isa, View, Work, part};
use crate::dtype::DType;
use crate::scalar::{Action, Code, Sequence, Slot, Step};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::mem::MaybeUninit;

/// Places of a tile: operands, results, constants and temporaries together.
pub(super) const MOST_SLOTS: usize = 192;
/// Bytes of temporaries that lie on the stack.
const ON_STACK: usize = 16 * TILE;
/// Bytes of output from which work is shared between threads, for instructions that only move memory.
const SHARE: usize = 256 * 1024;

/// Bytes of operands that no longer fit the second-level cache of a core.
const STREAM: usize = 512 * 1024;

/// The cost of a program that computes for long enough between two looks at memory: one element function.
const COMPUTES: usize = 8;

/// How an operand is walked.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Walk {
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
    walk: Walk,
    size: usize,
    /// The tile that it is packed into.
    packed: usize,
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
pub(crate) struct Pass {
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
}

// SAFETY: constants are read only, and everything else is plain data; addresses come with each call.
unsafe impl Send for Pass {}
// SAFETY: as above; threads work on disjoint chunks.
unsafe impl Sync for Pass {}

/// Operands of a pass before it is made.
pub(super) struct Operands<'a> {
    /// Layouts over the space; the addresses do not count.
    pub inputs: &'a [View],
    pub dims: &'a [usize],
    pub outputs: &'a [DType],
    pub folds: &'a [FoldSpec],
    pub in_order: Option<InOrder>,
}

impl Pass {
    pub(super) fn instructions(&self) -> usize {
        self.runs.len()
    }

    /// Bytes read and written, without folded results.
    pub(super) fn bytes(&self) -> usize {
        self.len * (self.inputs.iter().map(|input| input.size).sum::<usize>() + self.outputs.iter().sum::<usize>())
    }

    /// `None` if the program is too large for one pass, or has an instruction without a loop.
    pub fn new(sequence: &Sequence, operands: &Operands<'_>, isa: Isa) -> Option<Self> {
        let Operands { inputs, dims, outputs, folds, in_order } = *operands;
        let space = space_of(inputs, dims);
        let len = dims.iter().product();
        let whole = TILE / sequence.widest;
        let periods: SmallVec<[Option<usize>; 8]> = (0..inputs.len()).map(|i| period(&space, i)).collect();
        let order = Order::new(in_order, whole);
        let mut tile = whole;
        let longest = periods
            .iter()
            .enumerate()
            .filter_map(|(i, p)| p.filter(|&p| p <= tile && p > 0 && !space.is_dense(i)))
            .max();
        // Lanes want whole tiles; else tiles are whole rows of what repeats.
        if let (Some(longest), false) = (longest, order.wants_lanes()) {
            tile -= tile % longest;
        }
        if let Order::Columns(o) = &order
            && o.columns <= tile
        {
            tile -= tile % o.columns;
        }
        let mut packed = 0;
        let walks = inputs.iter().enumerate().map(|(i, view)| {
            let walk = match periods[i] {
                _ if space.is_dense(i) => Walk::Dense,
                Some(p) if p > 0 && p <= tile && tile.is_multiple_of(p) => Walk::Periodic,
                Some(p) if p > tile => Walk::Wrapped(p),
                _ => Walk::Gathered,
            };
            packed += usize::from(walk != Walk::Dense);
            Input { walk, size: view.dtype.size(), packed: packed.wrapping_sub(1) }
        });
        let inputs: Vec<Input> = walks.collect();
        let slots = inputs.len() + outputs.len() + sequence.constants.len() + sequence.temps as usize;
        if slots > MOST_SLOTS {
            return None;
        }
        let tile_bytes = (tile.next_multiple_of(8) * sequence.widest).next_multiple_of(64);
        let mut scratch = 0;
        let mut folded = Vec::new();
        for spec in folds {
            let (fold, acc) = (fold::lookup(spec.monoid, spec.dtype, isa)?, spec.dtype.compute().size());
            let divisor = spec.mean.then(|| order.count());
            folded.push(Folded { fold, size: spec.dtype.size(), acc, divisor, partials: scratch });
            scratch += (order.partials() * acc).next_multiple_of(64);
        }
        let mut pass = Self {
            runs: Vec::new(),
            steps: Vec::new(),
            packed,
            outputs: outputs.iter().map(|d| d.size()).collect(),
            folds: folded,
            space,
            constants: constants(&sequence.constants, tile, tile_bytes, isa),
            slots,
            temps: sequence.temps as usize,
            tile_bytes,
            tile,
            len,
            order,
            chunk: len.max(1),
            streams: false,
            work: Work::SERIAL,
            isa,
            inputs,
        };
        let dense =
            pass.inputs.iter().filter(|i| i.walk == Walk::Dense).map(|i| i.size).chain(pass.outputs.iter().copied());
        // Programs that only move memory keep the prefetcher of the processor awake themselves.
        let computes = sequence.actions.iter().map(cost).sum::<usize>() >= COMPUTES;
        pass.streams = computes && len * dense.sum::<usize>() > STREAM;
        pass.prepare(sequence)?;
        pass.share(sequence, scratch);
        Some(pass)
    }

    /// Loops and slots of all steps.
    fn prepare(&mut self, sequence: &Sequence) -> Option<()> {
        let (i, o, c) = (self.inputs.len() as u16, self.outputs.len() as u16, sequence.constants.len() as u16);
        let place = |slot: Slot| match slot {
            Slot::Input(n) => n,
            Slot::Output(n) => i + n,
            Slot::Const(n) => i + o + n,
            Slot::Temp(n) => i + o + c + n,
        };
        for action in &sequence.actions {
            let (run, to, size) = match action {
                Action::Fold(fold, from) => {
                    self.runs.push(Run::Fold { fold: *fold, from: place(*from) });
                    continue;
                }
                Action::Step(step) => {
                    self.steps.push(*step);
                    let run = vector::lookup(step.code, step.operand, step.result, self.isa)?;
                    (run, step.to, step.result.size())
                }
                Action::Pair(pair) => (vector::pair(pair.first, pair.second, pair.swapped, self.isa)?, pair.to, 4),
            };
            let reads = action.reads();
            let mut args = [place(to); 3];
            args.iter_mut().zip(reads).for_each(|(arg, &slot)| *arg = place(slot));
            // A stored result may lie over an operand that the same step reads.
            let clash = matches!(to, Slot::Output(_)) && reads.iter().any(|a| matches!(a, Slot::Input(_)));
            let step = self.steps.len().saturating_sub(1) as u16;
            let (arity, size, to) = (reads.len() as u8, size as u8, place(to));
            self.runs.push(Run::Step { run, args, arity, to, clash, size, step });
        }
        Some(())
    }

    /// Decides how the work splits: by shapes and instructions alone.
    fn share(&mut self, sequence: &Sequence, scratch: usize) {
        let weight: usize = sequence.actions.iter().map(cost).sum::<usize>() + self.outputs.len() + self.inputs.len();
        let bytes = sequence.widest * weight.max(1);
        let small = self.len * bytes < SHARE * 2;
        match &self.order {
            Order::Flat => {
                let chunk = (SHARE / bytes).div_ceil(self.tile).clamp(1, 64) * self.tile;
                self.chunk = if small { self.len.max(1) } else { chunk };
                self.work = Work::chunks(self.len.div_ceil(self.chunk));
            }
            order => {
                let chunks = if small { 1 } else { (self.len * bytes / SHARE).clamp(1, 64).min(order.units()) };
                let finish = if order.finishes_apart() { order.outputs().div_ceil(16 * 1024).max(1) } else { 0 };
                self.work = Work { scratch, phases: [chunks.max(1), finish, 0, 0] };
            }
        }
    }

    /// The instruction number `step`, for the error of a fault.
    pub fn step(&self, step: usize) -> &Step {
        &self.steps[step]
    }

    /// Runs one chunk of a phase: answers the instruction that faulted, if one did.
    ///
    /// `operands` are the addresses of inputs, stored results and fold results.
    ///
    /// # Safety
    /// The addresses are valid for the layouts given to [`Pass::new`], `scratch` for [`Pass::work`]; every chunk runs
    /// once, phase after phase, and nobody else uses the results meanwhile.
    pub unsafe fn run(&self, operands: &[*mut u8], scratch: *mut u8, phase: usize, chunk: usize) -> Option<usize> {
        let stored = self.inputs.len() + self.outputs.len();
        let results = &operands[stored..];
        if phase == 1 {
            let range = part(self.order.outputs(), chunk, self.work.phases[1], 1);
            // SAFETY: all partial results are there after phase 0; chunks write disjoint results.
            unsafe { self.finish(range, results, scratch) };
            return None;
        }
        let tiles = self.temps + self.packed + 1;
        let lanes = if self.order.wants_lanes() { self.folds.len() * WIDE * 8 } else { 0 };
        let needed = tiles * self.tile_bytes + lanes;
        if needed <= ON_STACK {
            let mut memory = MaybeUninit::<Stack>::uninit();
            // SAFETY: the stack has room for all tiles and lanes.
            unsafe { self.run_with(operands, results, scratch, memory.as_mut_ptr().cast(), chunk) }
        } else {
            SPARE.with_borrow_mut(|spare| {
                if spare.len() * 64 < needed {
                    spare.resize(needed.div_ceil(64), Line([0; 64]));
                }
                // SAFETY: the vector has room for all tiles and lanes.
                unsafe { self.run_with(operands, results, scratch, spare.as_mut_ptr().cast(), chunk) }
            })
        }
    }

    unsafe fn run_with(
        &self,
        operands: &[*mut u8],
        results: &[*mut u8],
        scratch: *mut u8,
        memory: *mut u8,
        chunk: usize,
    ) -> Option<usize> {
        let mut table = [MaybeUninit::<*mut u8>::uninit(); MOST_SLOTS];
        let stored = self.inputs.len() + self.outputs.len();
        let constants = self.slots - stored - self.temps;
        for c in 0..constants {
            table[stored + c].write(self.constants.as_ptr().cast::<u8>().wrapping_add(c * self.tile_bytes).cast_mut());
        }
        for t in 0..self.temps {
            table[stored + constants + t].write(memory.wrapping_add(t * self.tile_bytes));
        }
        let packs = memory.wrapping_add(self.temps * self.tile_bytes);
        let bounce = packs.wrapping_add(self.packed * self.tile_bytes);
        let mut tile = Tile {
            pass: self,
            operands,
            results,
            scratch,
            packs,
            bounce,
            lanes: bounce.wrapping_add(self.tile_bytes),
            table,
            fault: None,
        };
        // SAFETY: by the caller's promise; the tile's memory was just laid out.
        unsafe {
            match self.order {
                Order::Flat => {
                    let start = chunk * self.chunk;
                    tile.range(start, (start + self.chunk).min(self.len), &mut Mode::Plain);
                }
                _ => tile.fold_units(chunk),
            }
        }
        tile.fault
    }

    /// Combines the partial results of `range` and stores the fold results.
    ///
    /// # Safety
    /// As [`Pass::run`]; the partial results are complete.
    pub(super) unsafe fn finish(&self, range: std::ops::Range<usize>, results: &[*mut u8], scratch: *mut u8) {
        let (outputs, blocks) = (self.order.outputs(), self.order.blocks());
        for (folded, &out) in self.folds.iter().zip(results) {
            // SAFETY: by the caller's promise.
            unsafe {
                let partials = scratch.add(folded.partials);
                (folded.fold.finish)(range.clone(), outputs, blocks, partials, folded.divisor, out);
            }
        }
    }
}

#[repr(C, align(64))]
struct Stack([u8; ON_STACK]);

thread_local! {
    static SPARE: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// The merged dimensions of all operands; one operand more than there are inputs, dense, keeps merges honest.
fn space_of(inputs: &[View], dims: &[usize]) -> Collapsed {
    let mut dense = [0; crate::shape::MAX_RANK];
    crate::shape::contiguous_strides(dims, &mut dense);
    let n = inputs.len();
    let stride = |i: usize, axis: usize| {
        if i == n {
            return dense[axis];
        }
        match axis.checked_sub(dims.len() - inputs[i].rank()) {
            Some(own) if inputs[i].dims()[own] != 1 => inputs[i].strides()[own],
            _ => 0,
        }
    };
    collapse(dims, n + 1, stride, |_, _| true)
}

fn constants(values: &[(DType, u64)], tile: usize, tile_bytes: usize, isa: Isa) -> Vec<Line> {
    let mut lines = vec![Line([0; 64]); values.len() * tile_bytes / 64];
    for (i, (dtype, bits)) in values.iter().enumerate() {
        let one = std::ptr::from_ref(bits).cast();
        // SAFETY: a tile holds `tile` elements of the widest dtype.
        unsafe {
            let to = lines.as_mut_ptr().cast::<u8>().add(i * tile_bytes);
            (vector::splat(dtype.size(), isa))(tile, to, one, std::ptr::null(), std::ptr::null());
        }
    }
    lines
}

/// Asks the cache for memory; addresses beyond an operand's end do no harm.
#[inline]
fn fetch(from: *mut u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which never faults; every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(line).cast::<i8>()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, bytes);
}

/// How many times the work of a move one instruction is, roughly.
fn cost(action: &Action) -> usize {
    let Action::Step(step) = action else { return 0 };
    match step.code {
        Code::Exp | Code::Log | Code::Sigmoid | Code::Tanh | Code::Expm1 | Code::Log1p | Code::Erf => 8,
        Code::Sin | Code::Cos => 12,
        Code::Pow | Code::Rem | Code::FloorMod => 24,
        Code::Div | Code::Sqrt | Code::Rsqrt => 2,
        _ => 0,
    }
}

/// One thread's work on a chunk.
pub(super) struct Tile<'a> {
    pub pass: &'a Pass,
    operands: &'a [*mut u8],
    pub results: &'a [*mut u8],
    pub scratch: *mut u8,
    packs: *mut u8,
    bounce: *mut u8,
    pub lanes: *mut u8,
    table: [MaybeUninit<*mut u8>; MOST_SLOTS],
    fault: Option<usize>,
}

impl Tile<'_> {
    /// Runs the program for the elements `start..end`, tile after tile.
    ///
    /// # Safety
    /// As [`Pass::run`].
    #[inline]
    pub unsafe fn range(&mut self, start: usize, end: usize, mode: &mut Mode) {
        let mut at = start;
        while at < end {
            let count = self.pass.tile.min(end - at);
            // SAFETY: by the caller's promise.
            unsafe { self.one(at, count, at == start, mode) };
            at += count;
        }
    }

    /// Runs the program for `count` elements from `at` on, at most a tile.
    ///
    /// # Safety
    /// As [`Pass::run`].
    pub unsafe fn one(&mut self, at: usize, count: usize, first: bool, mode: &mut Mode) {
        let pass = self.pass;
        // SAFETY: by the caller's promise; all slots that steps name are written below or were before the first tile.
        unsafe {
            for (i, input) in pass.inputs.iter().enumerate() {
                let base = self.operands[i];
                let pack = self.packs.wrapping_add(input.packed.wrapping_mul(pass.tile_bytes));
                let from = match input.walk {
                    Walk::Dense => base.add(at * input.size),
                    // A tile is whole periods: the first packing serves all of the range.
                    Walk::Periodic if !first => pack,
                    Walk::Wrapped(period) if at % period + count <= period => base.add(at % period * input.size),
                    _ => {
                        gather(&pass.space, i, base, input.size, at, count, pack);
                        pack
                    }
                };
                self.table[i].write(from);
            }
            let outputs = pass.inputs.len();
            for (o, &size) in pass.outputs.iter().enumerate() {
                self.table[outputs + o].write(self.operands[outputs + o].add(at * size));
            }
            for (turn, run) in pass.runs.iter().enumerate() {
                if pass.streams {
                    self.fetch_next(at + count, count, turn);
                }
                match *run {
                    Run::Step { run, args, arity, to, clash, size, step } => {
                        let [a, b, c] = args.map(|slot| self.table[slot as usize].assume_init());
                        let to = self.table[to as usize].assume_init();
                        // Unused operands name the result's own slot, so they are no clash by themselves.
                        let fault = if clash && self.clashes(&args[..arity as usize], to) {
                            let fault = run(count, self.bounce, a, b, c);
                            std::ptr::copy_nonoverlapping(self.bounce, to, count * size as usize);
                            fault
                        } else {
                            run(count, to, a, b, c)
                        };
                        if fault {
                            self.fault = Some(step as usize);
                        }
                    }
                    Run::Fold { fold, from } => {
                        let from = self.table[from as usize].assume_init();
                        self.fold(fold as usize, from, count, mode);
                    }
                }
            }
        }
    }

    /// Asks for the memory of the next tile, which then arrives while this one is computed: the steps of a program take
    /// turns between waiting for memory and computing, and would else do neither while they do the other. Each step asks
    /// for its share, because a core keeps only so many requests open and waits with all others.
    #[inline]
    fn fetch_next(&self, at: usize, count: usize, turn: usize) {
        let pass = self.pass;
        let turns = pass.runs.len();
        let share = |base: *mut u8, size: usize| {
            let lines = (count * size).div_ceil(64);
            let (from, to) = (lines * turn / turns * 64, lines * (turn + 1) / turns * 64);
            fetch(base.wrapping_add(at * size + from), to - from);
        };
        for (i, input) in pass.inputs.iter().enumerate().filter(|(_, input)| input.walk == Walk::Dense) {
            share(self.operands[i], input.size);
        }
        for (o, &size) in pass.outputs.iter().enumerate() {
            share(self.operands[pass.inputs.len() + o], size);
        }
    }

    fn clashes(&self, args: &[u16], to: *mut u8) -> bool {
        // SAFETY: the slots of a step's operands were written before it runs.
        args.iter().any(|&slot| unsafe { self.table[slot as usize].assume_init() } == to)
    }
}
