//! An assembler for the instructions that compiled programs are made of: vectors in the EVEX form of AVX-512 or the VEX form of AVX2, masks,
//! and a loop. `emit.rs` calls it with registers already chosen; every instruction is a row of [`Form`].

pub(super) mod scalar;
mod vex;

use super::target::Target;

/// Where an operand lies in memory: `base + index * scale + offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub base: u8,
    /// Register and power of two that it is multiplied by.
    pub index: Option<(u8, u8)>,
    pub offset: i32,
    /// One element, repeated in all lanes.
    pub repeated: bool,
}

/// The operand that may be a register or memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(u8),
    Memory(Memory),
}

/// Which bytes stand for an instruction, as the processor manuals list them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub opcode: u8,
    /// 1: 0F, 2: 0F 38, 3: 0F 3A.
    pub map: u8,
    /// 0: none, 1: 66, 2: F3, 3: F2.
    pub prefix: u8,
    pub wide: bool,
    /// Bytes of an operand in memory.
    pub memory: u8,
    /// The lower 128 bits alone, of AVX2.
    pub half: bool,
}

impl Form {
    /// 512 bits of 32-bit elements.
    pub const fn new(map: u8, prefix: u8, opcode: u8) -> Self {
        Self { opcode, map, prefix, wide: false, memory: 64, half: false }
    }

    /// 64-bit elements.
    pub const fn wide(self) -> Self {
        Self { wide: true, ..self }
    }

    /// The lower 128 bits.
    pub const fn half(self) -> Self {
        Self { half: true, ..self }
    }

    /// An operand in memory of `bytes`.
    pub const fn reads(self, bytes: u8) -> Self {
        Self { memory: bytes, ..self }
    }
}

/// The numbers of general registers.
pub(super) mod general {
    pub const RAX: u8 = 0;
    pub const RCX: u8 = 1;
    pub const RDX: u8 = 2;
    pub const RBX: u8 = 3;
    pub const RSP: u8 = 4;
    pub const RBP: u8 = 5;
    pub const RSI: u8 = 6;
    pub const RDI: u8 = 7;
    pub const R8: u8 = 8;
    pub const R9: u8 = 9;
    pub const R10: u8 = 10;
    pub const R11: u8 = 11;
    pub const R12: u8 = 12;
    pub const R13: u8 = 13;
    pub const R14: u8 = 14;
    pub const R15: u8 = 15;
}

/// What a jump asks of the comparison before it, unsigned.
#[derive(Clone, Copy)]
pub(super) enum If {
    Always,
    Below,
    BelowOrEqual,
    NotZero,
}

/// A place that jumps go to, or come from.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

/// Machine code being written.
pub(super) struct Assembler {
    pub bytes: Vec<u8>,
    pub target: Target,
}

impl Assembler {
    pub fn new(target: Target) -> Self {
        Self { bytes: Vec::new(), target }
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A vector instruction: `reg` and `second` as the form has them, `mask` 0 for none, `zeroing` for lanes left out.
    pub fn vector(&mut self, form: &Form, reg: u8, second: u8, place: Operand, mask: u8, zeroing: bool) {
        if self.target == Target::Avx2 {
            debug_assert_eq!((mask, zeroing), (0, false), "masks of AVX2 are operands");
            return self.vex(form, reg, second, place);
        }
        let (third, fourth, repeated) = match place {
            // A register is extended by the two bits that extend base and index of an address.
            Operand::Register(r) => (r >> 3 & 1, r >> 4 & 1, false),
            Operand::Memory(m) => (m.base >> 3, m.index.map_or(0, |(index, _)| index >> 3), m.repeated),
        };
        let not = |bit: u8| bit & 1 ^ 1;
        self.put(&[
            0x62,
            not(reg >> 3) << 7 | not(fourth) << 6 | not(third) << 5 | not(reg >> 4) << 4 | form.map,
            u8::from(form.wide) << 7 | (!second & 15) << 3 | 4 | form.prefix,
            u8::from(zeroing) << 7 | 2 << 5 | u8::from(repeated) << 4 | not(second >> 4) << 3 | mask,
            form.opcode,
        ]);
        let element = if form.wide { 8 } else { 4 };
        self.operand(reg, place, if repeated { element } else { i32::from(form.memory) });
    }

    /// The bytes that name a register or an address; short offsets count in units of the operand in memory.
    fn operand(&mut self, reg: u8, place: Operand, unit: i32) {
        let reg = (reg & 7) << 3;
        let m = match place {
            Operand::Register(r) => return self.put(&[0xc0 | reg | r & 7]),
            Operand::Memory(m) => m,
        };
        let short = (m.offset % unit == 0).then(|| i8::try_from(m.offset / unit).ok()).flatten();
        let mode = if short.is_some() { 0x40 } else { 0x80 };
        match m.index {
            Some((index, scale)) => self.put(&[mode | reg | 4, scale << 6 | (index & 7) << 3 | m.base & 7]),
            // The number of the stack pointer announces an index; "no index" is that number again.
            None if m.base & 7 == general::RSP => self.put(&[mode | reg | 4, 0x24]),
            None => self.put(&[mode | reg | m.base & 7]),
        }
        match short {
            Some(short) => self.put(&[short as u8]),
            None => self.put(&m.offset.to_le_bytes()),
        }
    }

    /// The number at the end of an instruction.
    pub fn immediate(&mut self, value: u8) {
        self.put(&[value]);
    }

    /// `to = a op b` on masks of 16 bits: 0x41 and, 0x45 or, 0x47 exclusive or.
    pub fn masks(&mut self, opcode: u8, to: u8, a: u8, b: u8) {
        self.put(&[0xc5, 0x84 | (!a & 15) << 3, opcode, 0xc0 | to << 3 | b]);
    }

    /// `to = !a` on masks of 16 bits.
    pub fn mask_not(&mut self, to: u8, a: u8) {
        self.put(&[0xc5, 0xf8, 0x44, 0xc0 | to << 3 | a]);
    }

    /// Compares a mask of 16 bits with zero.
    pub fn mask_test(&mut self, mask: u8) {
        self.put(&[0xc5, 0xf8, 0x98, 0xc0 | mask << 3 | mask]);
    }

    /// Loads a mask of 16 bits from the stack, or stores it there.
    pub fn mask_memory(&mut self, mask: u8, offset: i32, store: bool) {
        self.put(&[0xc5, 0xf8, 0x90 | u8::from(store), 0x84 | mask << 3, 0x24]);
        self.put(&offset.to_le_bytes());
    }

    /// `mask = from`, the low 16 bits of a general register below 8.
    pub fn mask_from(&mut self, mask: u8, from: u8) {
        self.put(&[0xc5, 0xf8, 0x92, 0xc0 | mask << 3 | from]);
    }

    /// `to = [base + offset]`, 64 bits; the base is not the stack pointer.
    pub fn load(&mut self, to: u8, base: u8, offset: i32) {
        self.put(&[0x48 | to >> 3 << 2 | base >> 3, 0x8b, 0x80 | (to & 7) << 3 | base & 7]);
        self.put(&offset.to_le_bytes());
    }

    /// An operation of two registers, 64 bits: 0x01 add, 0x29 subtract, 0x31 exclusive or, 0x39 compare, 0x89 move.
    pub fn general(&mut self, opcode: u8, to: u8, from: u8) {
        self.put(&[0x48 | from >> 3 << 2 | to >> 3, opcode, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    /// An operation with a number, 64 bits: 0 add, 4 and, 5 subtract, 7 compare.
    pub fn number(&mut self, operation: u8, to: u8, value: i32) {
        self.put(&[0x48 | to >> 3, 0x81, 0xc0 | operation << 3 | to & 7]);
        self.put(&value.to_le_bytes());
    }

    /// `to = value`, for registers below 8.
    pub fn set(&mut self, to: u8, value: u32) {
        self.put(&[0xb8 | to]);
        self.put(&value.to_le_bytes());
    }

    /// `to = from` without the bits from number `count` on, for registers below 8.
    pub fn low_bits(&mut self, to: u8, from: u8, count: u8) {
        self.put(&[0xc4, 0xe2, (!count & 15) << 3, 0xf5, 0xc0 | to << 3 | from]);
    }

    /// `to = here + distance`, the distance being set by [`Self::reach`].
    pub fn address(&mut self, to: u8) -> Mark {
        self.put(&[0x48 | to >> 3 << 2, 0x8d, 5 | (to & 7) << 3, 0, 0, 0, 0]);
        Mark(self.bytes.len())
    }

    pub fn push(&mut self, register: u8) {
        self.put(&[0x40 | register >> 3, 0x50 | register & 7]);
    }

    pub fn pop(&mut self, register: u8) {
        self.put(&[0x40 | register >> 3, 0x58 | register & 7]);
    }

    /// The end: the upper parts of the vector registers are cleared, as callers without AVX expect.
    pub fn finish(&mut self) {
        self.put(&[0xc5, 0xf8, 0x77, 0xc3]);
    }

    /// A call whose aim is set by [`Self::reach`].
    pub fn call_here(&mut self) -> Mark {
        self.put(&[0xe8, 0, 0, 0, 0]);
        Mark(self.bytes.len())
    }

    /// This place, for a jump back.
    pub fn here(&self) -> Mark {
        Mark(self.bytes.len())
    }

    /// A jump whose aim is set by [`Self::reach`].
    pub fn jump(&mut self, condition: If) -> Mark {
        match condition {
            If::Always => self.put(&[0xe9]),
            If::Below => self.put(&[0x0f, 0x82]),
            If::BelowOrEqual => self.put(&[0x0f, 0x86]),
            If::NotZero => self.put(&[0x0f, 0x85]),
        }
        self.put(&[0; 4]);
        Mark(self.bytes.len())
    }

    /// Lets a jump, or an address, mean `to`.
    pub fn reach(&mut self, from: Mark, to: Mark) {
        self.patch(from, (to.0 as i64 - from.0 as i64) as i32);
    }

    /// Sets the number of 32 bits that ends at `before`.
    pub fn patch(&mut self, before: Mark, number: i32) {
        self.bytes[before.0 - 4..before.0].copy_from_slice(&number.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
