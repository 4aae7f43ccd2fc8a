//! From a list of vector operations to machine code: registers are given out in one walk, the loop is written around it.
//! `mod.rs` calls [`emit`]; what the code is called with stands at [`super::Entry`].

use super::encode::general::*;
use super::encode::{Assembler, Form, If, Memory, Operand};
use super::ops::{Line, List, Source};
use super::rare::{Exit, exits};
use super::registers::LoopBody;
use super::target::Target;
use crate::backend::cpu::reduce::Monoid;
use crate::backend::cpu::vector::fold::WIDE;

/// Folds that are combined in lanes at most.
pub(super) const MOST_FOLDS: usize = 3;
/// The mask of the elements that are left at the end of a range.
pub(super) const REST: u8 = 1;
/// A mask for within one operation.
pub(super) const SPARE: u8 = 2;
/// Registers for addresses of operands; the others are read from the table when needed.
pub(super) const ADDRESSES: [u8; 7] = [R8, R9, R10, R11, R12, R13, R14];
/// The register of AVX2 that tells the elements that are left, while they are worked on.
pub(super) const REST_VECTOR: u8 = 15;

/// A list to be compiled, with what it works on.
pub(super) struct Request<'a> {
    pub list: &'a List,
    pub folds: &'a [Monoid],
    /// Operands in memory, and bytes of an element of each.
    pub operands: &'a [u8],
    /// Streams side by side.
    pub streams: usize,
    /// Constants and scalars that keep registers of their own in the main loop, at most.
    pub held: usize,
    pub target: Target,
}

impl Request<'_> {
    /// Whether the lanes of folds stay in registers from round to round.
    pub fn keeps_lanes(&self) -> bool {
        self.target.accumulators(self.folds.len()) > 0
    }

    /// The register of vector `vector` of fold `fold`.
    pub fn accumulator(&self, fold: usize, vector: usize) -> u8 {
        (self.target.registers() - 1 - fold * self.target.wide() - vector) as u8
    }

    /// Constants and scalars that keep a register in the main loop, those that are read most often first, and their registers.
    fn held(&self) -> Vec<(usize, u8)> {
        let mut reads = vec![0_u32; self.list.values.len()];
        self.list.lines.iter().flat_map(Line::args).for_each(|arg| reads[arg.0 as usize] += 1);
        let shared = |&v: &usize| reads[v] > 0 && self.list.values[v] != Source::Line;
        let mut held: Vec<usize> = (0..reads.len()).filter(shared).collect();
        held.sort_by_key(|&v| std::cmp::Reverse(reads[v]));
        held.truncate(self.held);
        let first = self.target.registers() - 1 - self.target.accumulators(self.folds.len());
        held.into_iter().enumerate().map(|(i, v)| (v, (first - i) as u8)).collect()
    }

    pub fn lane_place(&self, fold: usize, vector: usize) -> Operand {
        let offset = (fold * WIDE * 8 + vector * self.target.bytes()) as i32;
        Operand::Memory(Memory { base: RDX, index: None, offset, repeated: false })
    }

    pub fn slot_place(&self, slot: u32) -> Operand {
        let offset = slot as i32 * self.target.bytes() as i32;
        Operand::Memory(Memory { base: RSP, index: None, offset, repeated: false })
    }
}

/// A walk over the elements: what a round of it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Round {
    /// As many vectors as there are side by side.
    Main,
    /// A vector.
    Whole,
    /// The elements of the last vector, which a mask tells.
    Rest,
}

/// The code of a program with its constants behind it; `None` if it needs too much room.
pub(super) fn emit(request: &Request<'_>) -> Option<Vec<u8>> {
    let target = request.target;
    let vectors = if request.folds.is_empty() { request.streams } else { target.wide() };
    let mut asm = Assembler::new(target);
    let saved = [RBX, RBP, R12, R13, R14, R15];
    saved.iter().for_each(|&register| asm.push(register));
    asm.general(0x89, R15, RSP);
    asm.number(5, RSP, 0);
    let frame = asm.here();
    asm.number(4, RSP, -64);
    let pool = asm.address(RCX);
    for (i, &register) in ADDRESSES.iter().enumerate().take(request.operands.len()) {
        asm.load(register, RDI, i as i32 * 8);
    }
    asm.general(0x31, RAX, RAX);
    let constants = Constants::new(request.list, target);
    let scalars = spread_scalars(&mut asm, request);
    let held = request.held();
    let most = scalars.len() as u32;
    let mut walk = Walk { request, constants: &constants, scalars: &scalars, held: &held, most, exits: Vec::new() };
    move_lanes(&mut asm, request, false);
    asm = walk.rounds(asm, Round::Main, vectors)?;
    move_lanes(&mut asm, request, true);
    if target == Target::Avx2 {
        asm = walk.rounds(asm, Round::Whole, 1)?;
    }
    asm = walk.rest(asm)?;
    asm.general(0x89, RSP, R15);
    saved.iter().rev().for_each(|&register| asm.pop(register));
    asm.finish();
    exits(&mut asm, &walk.exits);
    let most = walk.most;
    if most > target.slots() {
        return None;
    }
    asm.patch(frame, (most as usize * target.bytes()) as i32);
    let padding = asm.bytes.len().next_multiple_of(64);
    asm.bytes.resize(padding, 0);
    let here = asm.here();
    asm.reach(pool, here);
    asm.bytes.extend_from_slice(&constants.bytes);
    Some(asm.bytes)
}

/// Writes each input of one element to a slot of its own, repeated; answers the values and their slots.
fn spread_scalars(asm: &mut Assembler, request: &Request<'_>) -> Vec<(usize, u32)> {
    let mut scalars = Vec::new();
    for (v, source) in request.list.values.iter().enumerate() {
        let Source::Scalar(input) = *source else { continue };
        let slot = scalars.len() as u32;
        asm.load(RBX, RDI, i32::from(input) * 8);
        let one = Memory { base: RBX, index: None, offset: 0, repeated: false };
        asm.vector(&BROADCAST, 0, 0, Operand::Memory(one), 0, false);
        asm.vector(&STORE, 0, 0, request.slot_place(slot), 0, false);
        scalars.push((v, slot));
    }
    scalars
}

/// The loops of a program, written one after the other; each knows what lies in slots before it begins.
struct Walk<'a> {
    request: &'a Request<'a>,
    constants: &'a Constants,
    scalars: &'a [(usize, u32)],
    /// What keeps a register in the main loop, and which.
    held: &'a [(usize, u8)],
    /// Slots that the loops need at most.
    most: u32,
    exits: Vec<Exit>,
}

impl Walk<'_> {
    fn body(&mut self, asm: Assembler, round: Round, vectors: usize) -> Option<Assembler> {
        let order = interleaved(self.request.list, self.request.streams, vectors);
        let mut body = LoopBody::new(asm, self.request, self.constants, self.scalars, order, vectors, round);
        body.slots = self.scalars.len() as u32;
        if round == Round::Main {
            body.hold(self.held);
        }
        body.run()?;
        self.most = self.most.max(body.slots);
        self.exits.append(&mut body.exits);
        Some(body.asm)
    }

    fn load_held(&self, asm: &mut Assembler) {
        for &(v, register) in self.held {
            match self.scalars.iter().find(|&&(scalar, _)| scalar == v) {
                Some(&(_, slot)) => asm.vector(&LOAD, register, 0, self.request.slot_place(slot), 0, false),
                None => self.constants.load(asm, self.request.target, v, register),
            }
        }
    }

    /// As many rounds of whole vectors as there are elements for.
    fn rounds(&mut self, mut asm: Assembler, round: Round, vectors: usize) -> Option<Assembler> {
        let elements = (vectors * self.request.target.lanes()) as i32;
        asm.general(0x89, RBX, RSI);
        asm.number(5, RBX, elements);
        let too_few = asm.jump(If::Below);
        if round == Round::Main {
            self.load_held(&mut asm);
        }
        // A second loop begins where the first one ended.
        asm.general(0x39, RAX, RBX);
        let inside = asm.jump(If::BelowOrEqual);
        let none = asm.jump(If::Always);
        let again = asm.here();
        asm.reach(inside, again);
        asm = self.body(asm, round, vectors)?;
        asm.number(0, RAX, elements);
        if round == Round::Whole && !self.request.folds.is_empty() {
            asm.number(0, RDX, self.request.target.bytes() as i32);
        }
        asm.general(0x39, RAX, RBX);
        let back = asm.jump(If::BelowOrEqual);
        asm.reach(back, again);
        let here = asm.here();
        asm.reach(too_few, here);
        asm.reach(none, here);
        Some(asm)
    }

    /// What is left, by mask: a vector at a time for AVX-512, one that is not whole for AVX2.
    fn rest(&mut self, mut asm: Assembler) -> Option<Assembler> {
        let target = self.request.target;
        let next = asm.here();
        asm.general(0x89, RBX, RSI);
        asm.general(0x29, RBX, RAX);
        let done = asm.jump(If::BelowOrEqual);
        match target {
            Target::Avx512 => {
                asm.set(RBP, 0xffff);
                asm.low_bits(RBP, RBP, RBX);
                asm.mask_from(REST, RBP);
            }
            Target::Avx2 => {
                // Fewer than eight are left: lanes whose number is below that.
                let count = Operand::Register(RBX);
                asm.vector(&Form::new(1, 1, 0x6e).half(), REST_VECTOR, 0, count, 0, false);
                asm.vector(&Form::new(2, 1, 0x58), REST_VECTOR, 0, Operand::Register(REST_VECTOR), 0, false);
                let numbers = Memory { base: RCX, index: None, offset: self.constants.numbers, repeated: false };
                asm.vector(&Form::new(1, 1, 0x66), REST_VECTOR, REST_VECTOR, Operand::Memory(numbers), 0, false);
            }
        }
        asm = self.body(asm, Round::Rest, 1)?;
        if target == Target::Avx512 {
            asm.number(0, RAX, target.lanes() as i32);
            if !self.request.folds.is_empty() {
                asm.number(0, RDX, target.bytes() as i32);
            }
            let back = asm.jump(If::Always);
            asm.reach(back, next);
        }
        let here = asm.here();
        asm.reach(done, here);
        Some(asm)
    }
}

pub(super) const STORE: Form = Form::new(1, 0, 0x11);
pub(super) const LOAD: Form = Form::new(1, 0, 0x10);
pub(super) const MOVE: Form = Form::new(1, 0, 0x28);
/// One number to all lanes.
const BROADCAST: Form = Form::new(2, 1, 0x18).reads(4);

/// Brings the lanes of all folds into registers, or back.
fn move_lanes(asm: &mut Assembler, request: &Request<'_>, store: bool) {
    let folds = if request.keeps_lanes() { request.folds.len() } else { 0 };
    for (fold, vector) in (0..folds).flat_map(|fold| (0..request.target.wide()).map(move |vector| (fold, vector))) {
        let form = if store { &STORE } else { &LOAD };
        asm.vector(form, request.accumulator(fold, vector), 0, request.lane_place(fold, vector), 0, false);
    }
}

/// Where the constants lie, counted from the register that points to them.
pub(super) struct Constants {
    pub offsets: Vec<i32>,
    /// Where the numbers of the lanes are, for AVX2.
    pub numbers: i32,
    bytes: Vec<u8>,
}

impl Constants {
    fn new(list: &List, target: Target) -> Self {
        let mut constants = Self { offsets: vec![0; list.values.len()], numbers: 0, bytes: Vec::new() };
        if target == Target::Avx2 {
            constants.bytes.extend((0..8u32).flat_map(u32::to_le_bytes));
        }
        let times = if target == Target::Avx2 { target.lanes() } else { 1 };
        for (v, source) in list.values.iter().enumerate() {
            if let Source::Constant(bits) = *source {
                constants.offsets[v] = constants.bytes.len() as i32;
                constants.bytes.extend(bits.to_le_bytes().repeat(times));
            }
        }
        constants
    }

    /// Brings a constant into every lane of a register.
    pub fn load(&self, asm: &mut Assembler, target: Target, v: usize, to: u8) {
        let one = Operand::Memory(Memory { base: RCX, index: None, offset: self.offsets[v], repeated: false });
        match target {
            Target::Avx512 => asm.vector(&BROADCAST, to, 0, one, 0, false),
            Target::Avx2 => asm.vector(&LOAD, to, 0, one, 0, false),
        }
    }
}

/// The lines of `vectors` vectors, `streams` of them side by side, so that chains of dependent operations hide each
/// other's latency.
fn interleaved(list: &List, streams: usize, vectors: usize) -> Vec<(Line, usize)> {
    let streams = streams.min(vectors);
    let mut order = Vec::with_capacity(list.lines.len() * vectors);
    for block in (0..vectors).step_by(streams) {
        for line in &list.lines {
            order.extend((block..block + streams).map(|vector| (*line, vector)));
        }
    }
    order
}
