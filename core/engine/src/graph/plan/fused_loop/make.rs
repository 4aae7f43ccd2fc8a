//! How a fused loop is made of a program and its operands: tiles, walks, loops of each step, machine code, and shares of threads.
//! [`FusedLoop::new`] is called by the compiler of plans, once per cluster; all choices depend on shapes and instructions alone.

use super::alone::Alone;
use super::{Folded, FusedLoop, Input, Line, MOST_SLOTS, Operands, Order, Run, Stepping};
use kernels::backend::cpu::jit::{self, Machine};
use kernels::backend::cpu::merge_dims::{Collapsed, collapse};
use kernels::backend::cpu::tile::{TILE, period};
use kernels::backend::cpu::vector::{self, fold};
use kernels::backend::cpu::{Isa, View, Work};
use kernels::dtype::DType;
use kernels::scalar::{Action, Code, Sequence, Slot};
use smallvec::SmallVec;

/// Bytes of output from which work is shared between threads, for instructions that only move memory.
const SHARE: usize = 256 * 1024;

/// Bytes of operands that no longer fit the second-level cache of a core.
const STREAM: usize = 512 * 1024;

/// Elements below which machine code is not worth the microseconds that it takes to make.
const FEW: usize = 16;

/// The cost of a program that computes for long enough between two looks at memory: one element function.
const COMPUTES: usize = 8;

impl FusedLoop {
    /// `None` if the program is too large for one fused loop, or has an instruction without a loop.
    pub fn new(sequence: &Sequence, operands: &Operands<'_>, isa: Isa) -> Option<Self> {
        let Operands { inputs, dims, outputs, folds, in_order } = *operands;
        let space = space_of(inputs, dims);
        let len = dims.iter().product();
        let whole = TILE / sequence.widest;
        let order = Order::new(in_order, whole);
        let periods: SmallVec<[Option<usize>; 8]> = (0..inputs.len()).map(|i| period(&space, i)).collect();
        let tile = tile_of(whole, &space, &periods, &order);
        let inputs = walks_of(inputs, &space, &periods, tile);
        let packed = inputs.iter().filter(|input| input.walk != Stepping::Dense).count();
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
        let mut fused = Self {
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
            alone: None,
            machine: None,
            stretch: tile,
        };
        let dense = fused
            .inputs
            .iter()
            .filter(|i| i.walk == Stepping::Dense)
            .map(|i| i.size)
            .chain(fused.outputs.iter().copied());
        // Programs that only move memory keep the prefetcher of the processor awake themselves.
        let computes = sequence.actions.iter().map(cost).sum::<usize>() >= COMPUTES;
        fused.streams = computes && len * dense.sum::<usize>() > STREAM;
        fused.prepare(sequence)?;
        fused.share(sequence, scratch);
        fused.alone = Alone::of(&fused);
        fused.compile(sequence, operands);
        Some(fused)
    }

    /// Makes machine code of the program, where that can be done.
    fn compile(&mut self, sequence: &Sequence, operands: &Operands<'_>) {
        let inputs: SmallVec<[jit::Input; 8]> = (self.inputs.iter().zip(operands.inputs))
            .map(|(input, view)| jit::Input { dtype: view.dtype, scalar: input.single })
            .collect();
        if self.len < FEW {
            return;
        }
        let folds: SmallVec<[_; 4]> = operands.folds.iter().map(|fold| (fold.monoid, fold.dtype)).collect();
        let lanes = self.order.wants_lanes();
        let operands = jit::Operands { inputs: &inputs, outputs: operands.outputs, folds: &folds, lanes };
        self.machine = Machine::new(sequence, &operands, self.isa);
        let Some(machine) = &self.machine else { return };
        if !machine.lanes() {
            let more = folds.len().saturating_sub(self.temps);
            if self.slots + more > MOST_SLOTS {
                self.machine = None;
                return;
            }
            (self.temps, self.slots) = (self.temps + more, self.slots + more);
        }
        // Nothing is packed and nothing written to tiles: a range is one call.
        let in_place = self.inputs.iter().all(|input| input.walk == Stepping::Dense || input.single);
        if in_place && (folds.is_empty() || machine.lanes()) {
            self.stretch = usize::MAX;
        }
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
                self.work = Work { scratch, phases: [chunks.max(1), finish, 0, 0, 0] };
            }
        }
    }
}

/// Elements of a tile, `whole` at the most: whole rows of what repeats, unless folds in lanes want it whole.
fn tile_of(whole: usize, space: &Collapsed, periods: &[Option<usize>], order: &Order) -> usize {
    let mut tile = whole;
    let repeats = |(i, p): (usize, &Option<usize>)| p.filter(|&p| p <= tile && p > 0 && !space.is_dense(i));
    let longest = periods.iter().enumerate().filter_map(repeats).max();
    if let (Some(longest), false) = (longest, order.wants_lanes()) {
        tile -= tile % longest;
    }
    if let Order::Columns(o) = order
        && o.columns <= tile
    {
        tile -= tile % o.columns;
    }
    tile
}

/// How each operand is walked; those that are packed are numbered.
fn walks_of(inputs: &[View], space: &Collapsed, periods: &[Option<usize>], tile: usize) -> Vec<Input> {
    let mut packed = 0usize;
    let one = |(i, view): (usize, &View)| {
        let single = periods[i] == Some(1) && !space.is_dense(i) && view.dtype.size() == 4;
        let walk = match periods[i] {
            _ if space.is_dense(i) => Stepping::Dense,
            Some(p) if p > 0 && p <= tile && tile.is_multiple_of(p) => Stepping::Periodic,
            Some(p) if p > tile => Stepping::Wrapped(p),
            _ => Stepping::Gathered,
        };
        packed += usize::from(walk != Stepping::Dense);
        Input { walk, size: view.dtype.size(), packed: packed.wrapping_sub(1), single }
    };
    inputs.iter().enumerate().map(one).collect()
}

/// The merged dimensions of all operands; one operand more than there are inputs, dense, keeps merges honest.
fn space_of(inputs: &[View], dims: &[usize]) -> Collapsed {
    let mut dense = [0; kernels::shape::MAX_RANK];
    kernels::shape::contiguous_strides(dims, &mut dense);
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

/// How many times the work of a move one instruction is, roughly.
fn cost(action: &Action) -> usize {
    let Action::Step(step) = action else { return 0 };
    match step.code {
        Code::Exp | Code::Log | Code::Sigmoid | Code::Tanh | Code::Expm1 | Code::Log1p | Code::Erf => 8,
        Code::Sin | Code::Cos => 12,
        Code::Pow | Code::Rem | Code::FloorMod => 24,
        Code::Asin | Code::Acos | Code::Atan | Code::Sinh | Code::Cosh | Code::Asinh | Code::Acosh | Code::Atanh => 24,
        Code::Tan | Code::Atan2 | Code::NextAfter => 24,
        code if code.is_special() => 200,
        Code::Div | Code::Sqrt | Code::Rsqrt => 2,
        _ => 0,
    }
}
