//! Instructions of AVX2 in the VEX form, and the few of general registers that its last elements need.
//! The assembler's one entry for vector instructions comes here where code is made for AVX2.

use super::{Assembler, Form, Operand};

impl Assembler {
    /// A vector instruction, whose registers are below 16.
    pub(super) fn vex(&mut self, form: &Form, reg: u8, second: u8, place: Operand) {
        let (base, index) = match place {
            Operand::Register(r) => (r >> 3, 0),
            Operand::Memory(m) => (m.base >> 3, m.index.map_or(0, |(index, _)| index >> 3)),
        };
        let not = |bit: u8| bit & 1 ^ 1;
        self.put(&[
            0xc4,
            not(reg >> 3) << 7 | not(index) << 6 | not(base) << 5 | form.map,
            u8::from(form.wide) << 7 | (!second & 15) << 3 | u8::from(!form.half) << 2 | form.prefix,
            form.opcode,
        ]);
        self.operand(reg, place, 1);
    }

    /// `to = base + index`, 64 bits.
    pub fn sum(&mut self, to: u8, base: u8, index: u8) {
        self.put(&[0x48 | to >> 3 << 2 | index >> 3 << 1 | base >> 3, 0x8d, 0x44 | (to & 7) << 3]);
        self.put(&[(index & 7) << 3 | base & 7, 0]);
    }

    /// `rdx = rdx << 8 | [rsi + rbx - 1]`.
    pub fn gather_byte(&mut self) {
        self.put(&[0x48, 0xc1, 0xe2, 8, 0x8a, 0x54, 0x1e, 0xff]);
    }

    /// `[rsi] = rdx & 255; rdx >>= 8; rsi += 1`.
    pub fn scatter_byte(&mut self) {
        self.put(&[0x88, 0x16, 0x48, 0xc1, 0xea, 8, 0x48, 0xff, 0xc6]);
    }
}
