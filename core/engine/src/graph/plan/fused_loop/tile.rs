//! Running a fused loop: one thread's tiles of a chunk, from operands through the program to results and folds.
//! The executor of plans calls [`FusedLoop::run`]; the order in which folds walk the tiles is in `order.rs`.

use super::super::order::{Mode, Order};
use super::*;

impl FusedLoop {
    /// Runs one chunk of a phase: answers the instruction that faulted, if one did.
    ///
    /// `operands` are the addresses of inputs, stored results and fold results.
    ///
    /// # Safety
    /// The addresses are valid for the layouts given to [`FusedLoop::new`], `scratch` for [`FusedLoop::work`]; every chunk runs
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
        if self.machine.as_ref().is_some_and(|machine| !machine.lanes()) {
            // Its constants are its own; what it stores for the folds lies where steps would have temporaries.
            for n in 0..self.folds.len() {
                table[stored + n].write(memory.wrapping_add(n * self.tile_bytes));
            }
        }
        let packs = memory.wrapping_add(self.temps * self.tile_bytes);
        let bounce = packs.wrapping_add(self.packed * self.tile_bytes);
        let mut tile = Tile {
            fused: self,
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
    /// As [`FusedLoop::run`]; the partial results are complete.
    pub(in crate::graph::plan) unsafe fn finish(
        &self,
        range: std::ops::Range<usize>,
        results: &[*mut u8],
        scratch: *mut u8,
    ) {
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

/// One thread's work on a chunk.
pub(in crate::graph::plan) struct Tile<'a> {
    pub fused: &'a FusedLoop,
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
    /// As [`FusedLoop::run`].
    #[inline]
    pub unsafe fn range(&mut self, start: usize, end: usize, mode: &mut Mode) {
        let mut at = start;
        while at < end {
            let count = self.fused.stretch.min(end - at);
            // SAFETY: by the caller's promise.
            unsafe { self.one(at, count, at == start, mode) };
            at += count;
        }
    }

    /// Runs the program for `count` elements from `at` on, at most a tile.
    ///
    /// # Safety
    /// As [`FusedLoop::run`].
    pub unsafe fn one(&mut self, at: usize, count: usize, first: bool, mode: &mut Mode) {
        let fused = self.fused;
        let machine = fused.machine.as_ref().filter(|machine| !machine.lanes() || matches!(mode, Mode::Lanes));
        // SAFETY: by the caller's promise; all slots that steps name are written below or were before the first tile.
        unsafe {
            for (i, input) in fused.inputs.iter().enumerate() {
                let base = self.operands[i];
                let pack = self.packs.wrapping_add(input.packed.wrapping_mul(fused.tile_bytes));
                let from = match input.walk {
                    _ if input.single && machine.is_some() => base,
                    Stepping::Dense => base.add(at * input.size),
                    // A tile is whole periods: the first packing serves all of the range.
                    Stepping::Periodic if !first => pack,
                    Stepping::Wrapped(period) if at % period + count <= period => base.add(at % period * input.size),
                    _ => {
                        gather(&fused.space, i, base, input.size, at, count, pack);
                        pack
                    }
                };
                self.table[i].write(from);
            }
            let outputs = fused.inputs.len();
            for (o, &size) in fused.outputs.iter().enumerate() {
                self.table[outputs + o].write(self.operands[outputs + o].add(at * size));
            }
            if let Some(machine) = machine {
                return self.compiled(machine, count, mode);
            }
            for (turn, run) in fused.runs.iter().enumerate() {
                if fused.streams {
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

    /// Runs the program as machine code, and folds what it gives.
    ///
    /// # Safety
    /// As [`FusedLoop::run`]; the table holds the addresses of operands.
    unsafe fn compiled(&mut self, machine: &Machine, count: usize, mode: &mut Mode) {
        let fused = self.fused;
        let stored = fused.inputs.len() + fused.outputs.len();
        let operands = self.table.as_ptr().cast::<*mut u8>();
        // SAFETY: by the caller's promise; lanes have room for all folds.
        unsafe {
            machine.run(operands, count, self.lanes);
            if machine.lanes() {
                return;
            }
            for n in 0..fused.folds.len() {
                let from = self.table[stored + n].assume_init();
                self.fold(n, from, count, mode);
            }
        }
    }

    /// Asks for the memory of the next tile, which then arrives while this one is computed: the steps of a program take
    /// turns between waiting for memory and computing, and would else do neither while they do the other. Each step asks
    /// for its share, because a core keeps only so many requests open and waits with all others.
    #[inline]
    fn fetch_next(&self, at: usize, count: usize, turn: usize) {
        let fused = self.fused;
        let turns = fused.runs.len();
        let share = |base: *mut u8, size: usize| {
            let lines = (count * size).div_ceil(64);
            let (from, to) = (lines * turn / turns * 64, lines * (turn + 1) / turns * 64);
            fetch(base.wrapping_add(at * size + from), to - from);
        };
        for (i, input) in fused.inputs.iter().enumerate().filter(|(_, input)| input.walk == Stepping::Dense) {
            share(self.operands[i], input.size);
        }
        for (o, &size) in fused.outputs.iter().enumerate() {
            share(self.operands[fused.inputs.len() + o], size);
        }
    }

    fn clashes(&self, args: &[u16], to: *mut u8) -> bool {
        // SAFETY: the slots of a step's operands were written before it runs.
        args.iter().any(|&slot| unsafe { self.table[slot as usize].assume_init() } == to)
    }
}
