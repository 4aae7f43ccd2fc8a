//! An assembler for the instructions that compiled programs are made of: AVX-512 in its EVEX form, masks, and a loop.
//! `emit.rs` calls it with registers already chosen; every instruction is a row of [`Form`].

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
pub(super) enum Place {
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
}

impl Form {
    /// 512 bits of 32-bit elements.
    pub const fn new(map: u8, prefix: u8, opcode: u8) -> Self {
        Self { opcode, map, prefix, wide: false, memory: 64 }
    }

    /// 64-bit elements.
    pub const fn wide(self) -> Self {
        Self { wide: true, ..self }
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
}

/// A place that jumps go to, or come from.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

/// Machine code being written.
#[derive(Default)]
pub(super) struct Assembler {
    pub bytes: Vec<u8>,
}

impl Assembler {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A vector instruction: `reg` and `second` as the form has them, `mask` 0 for none, `zeroing` for lanes left out.
    pub fn vector(&mut self, form: &Form, reg: u8, second: u8, place: Place, mask: u8, zeroing: bool) {
        let (third, fourth, repeated) = match place {
            // A register is extended by the two bits that extend base and index of an address.
            Place::Register(r) => (r >> 3 & 1, r >> 4 & 1, false),
            Place::Memory(m) => (m.base >> 3, m.index.map_or(0, |(index, _)| index >> 3), m.repeated),
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
    fn operand(&mut self, reg: u8, place: Place, unit: i32) {
        let reg = (reg & 7) << 3;
        let m = match place {
            Place::Register(r) => return self.put(&[0xc0 | reg | r & 7]),
            Place::Memory(m) => m,
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

    /// `to = a >> by` on masks of 16 bits.
    pub fn mask_shift(&mut self, to: u8, a: u8, by: u8) {
        self.put(&[0xc4, 0xe3, 0xf9, 0x30, 0xc0 | to << 3 | a, by]);
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
mod tests {
    use super::general::*;
    use super::*;
    use crate::backend::cpu::Isa;
    use crate::backend::cpu::jit::memory::Executable;

    const LOAD: Form = Form::new(1, 0, 0x10);
    const STORE: Form = Form::new(1, 0, 0x11);
    const SUB: Form = Form::new(1, 0, 0x5c);

    fn run(write: impl FnOnce(&mut Assembler), operands: &[*mut f32]) {
        let mut asm = Assembler::default();
        let saved = [RBX, RBP, R12, R13, R14, R15];
        saved.iter().for_each(|&register| asm.push(register));
        write(&mut asm);
        saved.iter().rev().for_each(|&register| asm.pop(register));
        asm.finish();
        let code = Executable::new(&asm.bytes).expect("this system lets tests run code of their own");
        // SAFETY: the bytes are a function of this type, which the tests below wrote.
        unsafe {
            let f = std::mem::transmute::<*const u8, extern "sysv64" fn(*const *mut f32)>(code.start());
            f(operands.as_ptr());
        }
    }

    fn at(base: u8, offset: i32) -> Place {
        Place::Memory(Memory { base, index: None, offset, repeated: false })
    }

    #[test]
    fn every_register_in_every_role() {
        if !Isa::available().any(|isa| isa == Isa::Avx512) {
            return;
        }
        let a: Vec<f32> = (0..16).map(|i| i as f32).collect();
        let b: Vec<f32> = (0..16).map(|i| (i * i) as f32).collect();
        for r in 0..32u8 {
            let (first, second) = ((r + 7) % 32, (r + 19) % 32);
            let mut out = [0f32; 16];
            let operands = [a.as_ptr().cast_mut(), b.as_ptr().cast_mut(), out.as_mut_ptr()];
            run(
                |asm| {
                    (0..3).for_each(|i| asm.load([R12, R13, R14][i], RDI, i as i32 * 8));
                    asm.vector(&LOAD, first, 0, at(R12, 0), 0, false);
                    asm.vector(&LOAD, second, 0, at(R13, 0), 0, false);
                    asm.vector(&SUB, r, first, Place::Register(second), 0, false);
                    asm.vector(&STORE, r, 0, at(R14, 0), 0, false);
                },
                &operands,
            );
            (0..16).for_each(|i| assert_eq!(out[i], a[i] - b[i], "register {r}"));
        }
    }

    #[test]
    fn every_base_and_every_kind_of_address() {
        if !Isa::available().any(|isa| isa == Isa::Avx512) {
            return;
        }
        let a: Vec<f32> = (0..4096).map(|i| i as f32).collect();
        for base in (0..16).filter(|&base| base != RSP && base != RDI) {
            // Short, long, odd and negative offsets; whole vectors and one element; with an index and without.
            for (offset, repeated, index) in [
                (0, false, None),
                (64, false, Some((R9, 2))),
                (-64, false, Some((RAX, 0))),
                (4, false, None),
                (8192, false, Some((R11, 3))),
                (508, true, None),
                (-512, true, Some((RSI, 1))),
                (512, true, None),
                (4000, true, Some((R10, 2))),
            ] {
                if index.is_some_and(|(register, _)| register == base) {
                    continue;
                }
                let mut out = [0f32; 16];
                let operands = [a[1024..].as_ptr().cast_mut(), out.as_mut_ptr()];
                run(
                    |asm| {
                        asm.load(base, RDI, 0);
                        if let Some((register, _)) = index {
                            asm.general(0x31, register, register);
                            asm.number(0, register, 8);
                        }
                        let place = Place::Memory(Memory { base, index, offset, repeated });
                        // Zero minus what lies there.
                        asm.vector(&Form::new(1, 1, 0xef), 21, 21, Place::Register(21), 0, false);
                        asm.vector(&SUB, 5, 21, place, 0, false);
                        asm.load(RDI, RDI, 8);
                        asm.vector(&STORE, 5, 0, at(RDI, 0), 0, false);
                    },
                    &operands,
                );
                let start = 1024 + (offset + index.map_or(0, |(_, scale)| 8 << scale)) / 4;
                for (i, &got) in out.iter().enumerate() {
                    let from = start as usize + if repeated { 0 } else { i };
                    assert_eq!(got, -a[from], "base {base}, offset {offset}, {index:?}");
                }
            }
        }
    }

    #[test]
    fn masks_select_lanes() {
        if !Isa::available().any(|isa| isa == Isa::Avx512) {
            return;
        }
        let a: Vec<f32> = (0..16).map(|i| i as f32 + 1.0).collect();
        for count in 0..=16u32 {
            let mut out = [-1f32; 32];
            let operands = [a.as_ptr().cast_mut(), out.as_mut_ptr()];
            run(
                |asm| {
                    asm.load(R8, RDI, 0);
                    asm.load(R15, RDI, 8);
                    asm.set(RBX, count);
                    asm.set(RBP, 0xffff);
                    asm.low_bits(RBP, RBP, RBX);
                    asm.mask_from(3, RBP);
                    // The complement by way of the stack.
                    asm.number(5, RSP, 64);
                    asm.mask_memory(3, 8, true);
                    asm.mask_memory(6, 8, false);
                    asm.number(0, RSP, 64);
                    asm.mask_not(7, 6);
                    asm.masks(0x45, 4, 7, 3);
                    asm.mask_shift(4, 4, 12);
                    asm.vector(&LOAD, 30, 0, at(R8, 0), 3, true);
                    asm.vector(&STORE, 30, 0, at(R15, 0), 0, false);
                    asm.vector(&STORE, 30, 0, at(R15, 64), 4, false);
                },
                &operands,
            );
            for i in 0..16 {
                assert_eq!(out[i], if (i as u32) < count { a[i] } else { 0.0 }, "{count} lanes");
                assert_eq!(out[16 + i], if i < 4 { out[i] } else { -1.0 }, "the four lanes that are left");
            }
        }
    }

    #[test]
    fn jumps_go_where_they_aim() {
        // Counts down from 10 to 3 in rbx and writes how often it went round.
        let mut out = [0u64; 1];
        run(
            |asm| {
                asm.set(RBX, 10);
                asm.general(0x31, RAX, RAX);
                let again = asm.here();
                asm.number(7, RBX, 4);
                let out = asm.jump(If::Below);
                asm.number(5, RBX, 1);
                asm.number(0, RAX, 1);
                let back = asm.jump(If::Always);
                asm.reach(back, again);
                let here = asm.here();
                asm.reach(out, here);
                asm.load(RCX, RDI, 0);
                // mov [rcx], rax
                asm.put(&[0x48, 0x89, 0x01]);
            },
            &[out.as_mut_ptr().cast()],
        );
        assert_eq!(out[0], 7);
    }
}
