//! From a list of vector operations to machine code: registers are given out in one walk, the loop is written around it.
//! `mod.rs` calls [`emit`]; what the code is called with stands at [`super::Entry`].

use super::encode::general::*;
use super::encode::{Assembler, Form, If, Memory, Operand};
use super::ops::{Line, List, Source};
use super::registers::LoopBody;
use crate::backend::cpu::reduce::Monoid;

/// Elements of a vector.
pub(super) const LANES: usize = 16;
/// Vectors of a round where something is folded: one per vector of lanes.
pub(super) const WIDE: usize = crate::backend::cpu::vector::fold::WIDE / LANES;
/// Folds whose accumulators may stay in registers.
pub(super) const MOST_FOLDS: usize = 3;
/// The mask of the elements that are left at the end of a range.
pub(super) const REST: u8 = 1;
/// A mask for within one operation.
pub(super) const SPARE: u8 = 2;
/// Registers for addresses of operands; the others are read from the table when needed.
pub(super) const ADDRESSES: [u8; 7] = [R8, R9, R10, R11, R12, R13, R14];
/// Vectors of spilled values that fit where the system's guard page is not jumped over.
pub(super) const MOST_SLOTS: u32 = 60;

/// A list to be compiled, with what it works on.
pub(super) struct Request<'a> {
    pub list: &'a List,
    pub folds: &'a [Monoid],
    /// Operands in memory, and bytes of an element of each.
    pub operands: &'a [u8],
    /// Streams side by side.
    pub streams: usize,
}

/// The code of a program with its constants behind it; `None` if it needs too much room.
pub(super) fn emit(request: &Request<'_>) -> Option<Vec<u8>> {
    let vectors = if request.folds.is_empty() { request.streams } else { WIDE };
    let mut asm = Assembler::default();
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
    let constants = Constants::new(request.list);
    let mut slots = 0;
    let mut scalars = Vec::new();
    for (v, source) in request.list.values.iter().enumerate() {
        let Source::Scalar(input) = *source else { continue };
        asm.load(RBX, RDI, i32::from(input) * 8);
        let one = Memory { base: RBX, index: None, offset: 0, repeated: false };
        asm.vector(&Form::new(2, 1, 0x18).reads(4), 0, 0, Operand::Memory(one), 0, false);
        asm.vector(&STORE, 0, 0, slot_place(slots), 0, false);
        scalars.push((v, slots));
        slots += 1;
    }
    let accumulators = request.folds.len() * WIDE;
    move_lanes(&mut asm, request.folds.len(), false);
    // Whole rounds.
    let round = (vectors * LANES) as i32;
    asm.general(0x89, RBX, RSI);
    asm.number(5, RBX, round);
    let too_few = asm.jump(If::Below);
    let again = asm.here();
    let order = interleaved(request.list, request.streams, vectors);
    let walk = |asm, order, vectors, tail| LoopBody::new(asm, request, &constants, &scalars, order, vectors, tail);
    let mut main = walk(asm, order, vectors, false);
    main.slots = slots;
    main.run()?;
    let (mut asm, most) = (main.asm, main.slots);
    asm.number(0, RAX, round);
    asm.general(0x39, RAX, RBX);
    let back = asm.jump(If::BelowOrEqual);
    asm.reach(back, again);
    let here = asm.here();
    asm.reach(too_few, here);
    move_lanes(&mut asm, request.folds.len(), true);
    // The rest, a vector at a time.
    let next = asm.here();
    asm.general(0x89, RBX, RSI);
    asm.general(0x29, RBX, RAX);
    let done = asm.jump(If::BelowOrEqual);
    asm.set(RBP, 0xffff);
    asm.low_bits(RBP, RBP, RBX);
    asm.mask_from(REST, RBP);
    let mut tail = walk(asm, interleaved(request.list, 1, 1), 1, true);
    tail.slots = slots;
    tail.run()?;
    let (mut asm, most) = (tail.asm, most.max(tail.slots));
    asm.number(0, RAX, LANES as i32);
    if accumulators > 0 {
        asm.number(0, RDX, 64);
    }
    let back = asm.jump(If::Always);
    asm.reach(back, next);
    let here = asm.here();
    asm.reach(done, here);
    asm.general(0x89, RSP, R15);
    saved.iter().rev().for_each(|&register| asm.pop(register));
    asm.finish();
    if most > MOST_SLOTS {
        return None;
    }
    let room = (most * 64) as i32;
    asm.patch(frame, room);
    let padding = asm.bytes.len().next_multiple_of(64);
    asm.bytes.resize(padding, 0);
    let here = asm.here();
    asm.reach(pool, here);
    asm.bytes.extend_from_slice(&constants.bytes);
    Some(asm.bytes)
}

pub(super) const STORE: Form = Form::new(1, 0, 0x11);
pub(super) const LOAD: Form = Form::new(1, 0, 0x10);
pub(super) const MOVE: Form = Form::new(1, 0, 0x28);

pub(super) fn slot_place(slot: u32) -> Operand {
    Operand::Memory(Memory { base: RSP, index: None, offset: slot as i32 * 64, repeated: false })
}

/// The register of vector `vector` of fold `fold`.
pub(super) fn accumulator(fold: usize, vector: usize) -> u8 {
    (31 - fold * WIDE - vector) as u8
}

pub(super) fn lane_place(fold: usize, vector: usize) -> Operand {
    let offset = (fold * WIDE * LANES * 8 + vector * 64) as i32;
    Operand::Memory(Memory { base: RDX, index: None, offset, repeated: false })
}

/// Brings the lanes of all folds into registers, or back.
fn move_lanes(asm: &mut Assembler, folds: usize, store: bool) {
    for fold in 0..folds {
        for vector in 0..WIDE {
            let form = if store { &STORE } else { &LOAD };
            asm.vector(form, accumulator(fold, vector), 0, lane_place(fold, vector), 0, false);
        }
    }
}

/// Where the constants lie, counted from the register that points to them.
pub(super) struct Constants {
    pub offsets: Vec<i32>,
    bytes: Vec<u8>,
}

impl Constants {
    fn new(list: &List) -> Self {
        let mut constants = Self { offsets: vec![0; list.values.len()], bytes: Vec::new() };
        // The wide ones first, so that all are aligned.
        for size in [8, 4] {
            for (v, source) in list.values.iter().enumerate() {
                if let Source::Constant(bits, of) = *source
                    && of == size
                {
                    constants.offsets[v] = constants.bytes.len() as i32;
                    constants.bytes.extend_from_slice(&bits.to_le_bytes()[..size as usize]);
                }
            }
        }
        constants
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
