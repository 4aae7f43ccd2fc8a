//! Registers for the values of a round: one walk over its lines, in which whoever is needed last makes room.
//! `emit.rs` starts a walk per round; `lines.rs` writes each line and asks here for its operands.

mod uses;

use super::emit::{Constants, LOAD, MOVE, REST_VECTOR, Request, Round, STORE};
use super::encode::general::RCX;
use super::encode::{Assembler, Memory, Operand};
use super::ops::{Line, Op, Source, Value};
use super::rare::Exit;
use super::target::Target;

const NONE: u32 = u32::MAX;
/// In place of a value: what lies there stays from round to round.
const KEPT: u32 = NONE - 1;

/// The walk over the lines of a round, which gives out registers.
pub(super) struct LoopBody<'a> {
    pub asm: Assembler,
    pub request: &'a Request<'a>,
    constants: &'a Constants,
    order: Vec<(Line, usize)>,
    pub round: Round,
    /// Values per vector; those of vector `v` begin at `v` times that.
    values: usize,
    /// Positions at which each value is read, those of value `v` from `first[v]` on, `at[v]` being the next.
    positions: Vec<u32>,
    at: Vec<u32>,
    last: Vec<u32>,
    pub register: Vec<u8>,
    slot: Vec<u32>,
    /// Inputs are read again instead of kept, if nothing is stored before, which may lie over them.
    pub loads: Vec<Option<Op>>,
    vectors: [u32; 32],
    masks: [u32; 8],
    /// Registers that the operation at hand needs.
    pinned: u32,
    pinned_masks: u8,
    pub slots: u32,
    /// Slots whose values are dead.
    free: Vec<u32>,
    /// Lines that may leave the loop.
    pub exits: Vec<Exit>,
}

pub(super) const NO_REGISTER: u8 = u8::MAX;

impl<'a> LoopBody<'a> {
    pub fn new(
        asm: Assembler,
        request: &'a Request<'a>,
        constants: &'a Constants,
        scalars: &[(usize, u32)],
        order: Vec<(Line, usize)>,
        vectors: usize,
        round: Round,
    ) -> Self {
        let values = request.list.values.len();
        let all = values * vectors;
        let mut walk = Self {
            asm,
            request,
            constants,
            order,
            round,
            values,
            positions: Vec::new(),
            at: vec![0; all + 1],
            last: vec![0; all],
            register: vec![NO_REGISTER; all],
            slot: vec![NONE; all],
            loads: vec![None; all],
            vectors: [NONE; 32],
            masks: [NONE; 8],
            pinned: 0,
            pinned_masks: 0,
            slots: 0,
            free: Vec::new(),
            exits: Vec::new(),
        };
        scalars.iter().for_each(|&(v, slot)| walk.slot[v] = slot);
        walk.find_uses();
        match (round, request.target) {
            // Accumulators keep their registers.
            (Round::Main, target) if request.keeps_lanes() => {
                let last = request.accumulator(0, 0) as usize;
                (0..request.folds.len() * target.wide()).for_each(|n| walk.vectors[last - n] = KEPT);
            }
            (Round::Rest, Target::Avx2) => walk.vectors[REST_VECTOR as usize] = KEPT,
            _ => {}
        }
        walk
    }

    /// Keeps constants and scalars in these registers, where they lie already.
    pub fn hold(&mut self, held: &[(usize, u8)]) {
        for &(v, register) in held {
            self.register[v] = register;
            self.vectors[register as usize] = KEPT;
        }
    }

    /// Whether a value keeps its register from round to round.
    fn is_held(&self, v: usize) -> bool {
        !self.is_line(v) && self.register[v] != NO_REGISTER && self.vectors[self.register[v] as usize] == KEPT
    }

    /// The number of a value of a vector: constants and scalars are shared by all.
    pub fn number(&self, value: Value, vector: usize) -> usize {
        match self.request.list.values[value.0 as usize] {
            Source::Line => value.0 as usize + vector * self.values,
            _ => value.0 as usize,
        }
    }

    pub fn run(&mut self) -> Option<()> {
        for position in 0..self.order.len() {
            let (line, vector) = self.order[position];
            (self.pinned, self.pinned_masks) = (0, 0);
            let mut args = [usize::MAX; 3];
            for (to, &arg) in args.iter_mut().zip(line.args()) {
                *to = self.number(arg, vector);
            }
            let args = &args[..line.args().len()];
            self.line(&line, vector, position as u32, args);
            self.free_slots(args);
            if self.slots > self.request.target.slots() {
                return None;
            }
        }
        Some(())
    }

    /// A free vector register; whoever is needed last makes room.
    pub fn free_vector(&mut self) -> u8 {
        let all = 0..self.request.target.registers();
        let free = all.clone().find(|&r| self.vectors[r] == NONE && self.pinned >> r & 1 == 0);
        let register = free.unwrap_or_else(|| {
            let movable = all.filter(|&r| self.pinned >> r & 1 == 0 && self.vectors[r] < KEPT);
            // An operation needs five registers at most, and so many are not kept from round to round.
            let victim = movable.max_by_key(|&r| self.next_use(self.vectors[r] as usize)).unwrap_or(0);
            let v = self.vectors[victim] as usize;
            self.register[v] = NO_REGISTER;
            let again = self.loads[v].is_some() || !self.is_line(v);
            if !again && self.slot[v] == NONE && self.next_use(v) != NONE {
                self.slot[v] = self.new_slot();
                self.asm.vector(&STORE, victim as u8, 0, self.request.slot_place(self.slot[v]), 0, false);
            }
            self.vectors[victim] = NONE;
            victim
        });
        self.pinned |= 1 << register;
        register as u8
    }

    pub fn free_mask(&mut self) -> u8 {
        let allowed = 3..8;
        let free = allowed.clone().find(|&m| self.masks[m] == NONE && self.pinned_masks >> m & 1 == 0);
        let mask = free.unwrap_or_else(|| {
            let movable = allowed.filter(|&m| self.pinned_masks >> m & 1 == 0);
            let victim = movable.max_by_key(|&m| self.next_use(self.masks[m] as usize)).unwrap_or(3);
            let v = self.masks[victim] as usize;
            self.register[v] = NO_REGISTER;
            if self.slot[v] == NONE && self.next_use(v) != NONE {
                self.slot[v] = self.new_slot();
                self.asm.mask_memory(victim as u8, self.slot[v] as i32 * 64, true);
            }
            self.masks[victim] = NONE;
            victim
        });
        self.pinned_masks |= 1 << mask;
        mask as u8
    }

    fn new_slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }

    fn is_constant(&self, v: usize) -> bool {
        !self.is_line(v) && matches!(self.request.list.values[v], Source::Constant(_))
    }

    fn is_line(&self, v: usize) -> bool {
        v >= self.values || self.request.list.values[v] == Source::Line
    }

    /// A value in a vector register.
    pub fn vector(&mut self, v: usize) -> u8 {
        let register = match self.register[v] {
            NO_REGISTER => {
                let to = self.free_vector();
                self.bring(v, to);
                self.vectors[to as usize] = v as u32;
                self.register[v] = to;
                to
            }
            register => register,
        };
        self.pinned |= 1 << register;
        register
    }

    /// Loads a value that has no register into `to`.
    fn bring(&mut self, v: usize, to: u8) {
        if let Some(op) = self.loads[v] {
            return self.load(op, v / self.values, to);
        }
        if self.is_constant(v) {
            return self.constants.load(&mut self.asm, self.request.target, v, to);
        }
        self.asm.vector(&LOAD, to, 0, self.home(v), 0, false);
    }

    /// Where a value without a register lies.
    pub fn home(&self, v: usize) -> Operand {
        if self.is_constant(v) {
            let offset = self.constants.offsets[v];
            let repeated = self.request.target == Target::Avx512;
            return Operand::Memory(Memory { base: RCX, index: None, offset, repeated });
        }
        self.request.slot_place(self.slot[v])
    }

    pub fn mask(&mut self, v: usize) -> u8 {
        let mask = match self.register[v] {
            NO_REGISTER => {
                let to = self.free_mask();
                self.asm.mask_memory(to, self.slot[v] as i32 * 64, false);
                self.masks[to as usize] = v as u32;
                self.register[v] = to;
                to
            }
            mask => mask,
        };
        self.pinned_masks |= 1 << mask;
        mask
    }

    /// A value as the operand that may lie in memory.
    pub fn place(&mut self, v: usize, position: u32) -> Operand {
        let kept = self.register[v] != NO_REGISTER;
        let repeated = !self.is_line(v);
        let whole = self.loads[v].is_none() && self.slot[v] != NONE && self.dies(v, position);
        if !kept && (repeated || whole) { self.home(v) } else { Operand::Register(self.vector(v)) }
    }

    /// Whether [`Self::place`] would answer memory.
    pub fn in_memory(&self, v: usize, position: u32) -> bool {
        let whole = self.loads[v].is_none() && self.slot[v] != NONE && self.dies(v, position);
        self.register[v] == NO_REGISTER && (!self.is_line(v) || whole)
    }

    pub fn define(&mut self, v: usize, register: u8) {
        // A value that nobody reads leaves its register free.
        if self.next_use(v) != NONE {
            self.register[v] = register;
            self.vectors[register as usize] = v as u32;
        }
    }

    pub fn define_mask(&mut self, v: usize, mask: u8) {
        if self.next_use(v) != NONE {
            self.register[v] = mask;
            self.masks[mask as usize] = v as u32;
        }
    }

    /// A register for the result; operands that died have left theirs, which the operation may write over.
    pub fn result(&mut self) -> u8 {
        let free = (0..self.request.target.registers()).find(|&r| self.vectors[r] == NONE);
        match free {
            Some(register) => {
                self.pinned |= 1 << register;
                register as u8
            }
            None => self.free_vector(),
        }
    }

    /// A register that holds the value and may be written over.
    pub fn over(&mut self, v: usize, position: u32) -> u8 {
        if self.register[v] != NO_REGISTER && self.dies(v, position) {
            return self.vector(v);
        }
        let to = self.free_vector();
        match self.register[v] {
            NO_REGISTER => self.bring(v, to),
            from => self.asm.vector(&MOVE, to, 0, Operand::Register(from), 0, false),
        }
        to
    }
}
