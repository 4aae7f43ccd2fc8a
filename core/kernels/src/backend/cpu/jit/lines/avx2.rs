//! What AVX2 has no single instruction for: bytes out of a vector, and the last elements, which no mask of bytes tells.
//! `lines.rs` comes here for stores of bytes and for all loads and stores of the last round.

use crate::backend::cpu::jit::emit::{REST_VECTOR, Round};
use crate::backend::cpu::jit::encode::general::{RAX, RBX, RDX, RSI};
use crate::backend::cpu::jit::encode::{Form, If, Operand};
use crate::backend::cpu::jit::ops::Op;
use crate::backend::cpu::jit::registers::LoopBody;

const HALF: Form = Form::new(1, 1, 0x6e).wide().half();

impl LoopBody<'_> {
    /// The last elements of an input, zeros behind them.
    pub(super) fn load_rest(&mut self, op: Op, to: u8) {
        match op {
            Op::Load(n) => {
                let place = self.memory(n as usize, 0);
                self.asm.vector(&Form::new(2, 1, 0x2c), to, REST_VECTOR, place, 0, false);
            }
            Op::LoadBytes(n) => {
                let place = self.memory(n as usize, 0);
                self.bytes_left(place, |walk| {
                    walk.asm.general(0x31, RDX, RDX);
                    let again = walk.asm.here();
                    walk.asm.gather_byte();
                    walk.asm.number(5, RBX, 1);
                    let back = walk.asm.jump(If::NotZero);
                    walk.asm.reach(back, again);
                    walk.asm.vector(&HALF, to, 0, Operand::Register(RDX), 0, false);
                });
                self.asm.vector(&Form::new(2, 1, 0x31), to, 0, Operand::Register(to), 0, false);
            }
            _ => {}
        }
    }

    /// Stores the low bytes of integers, or the last elements.
    pub(super) fn store_avx2(&mut self, op: Op, output: usize, vector: usize, from: u8) {
        let place = self.memory(output, vector);
        if op == Op::Store(output as u16) {
            return self.asm.vector(&Form::new(2, 1, 0x2e), from, REST_VECTOR, place, 0, false);
        }
        // Eight numbers from 0 to 255 as bytes.
        let bytes = self.free_vector();
        self.asm.vector(&Form::new(3, 1, 0x39), from, 0, Operand::Register(bytes), 0, false);
        self.asm.immediate(1);
        self.asm.vector(&Form::new(2, 1, 0x2b).half(), bytes, from, Operand::Register(bytes), 0, false);
        self.asm.vector(&Form::new(1, 1, 0x67).half(), bytes, bytes, Operand::Register(bytes), 0, false);
        if self.round != Round::Rest {
            return self.asm.vector(&Form::new(1, 1, 0xd6).half(), bytes, 0, place, 0, false);
        }
        self.bytes_left(place, |walk| {
            walk.asm.vector(&Form { opcode: 0x7e, ..HALF }, bytes, 0, Operand::Register(RDX), 0, false);
            let again = walk.asm.here();
            walk.asm.scatter_byte();
            walk.asm.number(5, RBX, 1);
            let back = walk.asm.jump(If::NotZero);
            walk.asm.reach(back, again);
        });
    }

    /// Runs what `write` writes with the address of an operand's last elements in `rsi` and their number in `rbx`; it may change both, and `rdx`.
    fn bytes_left(&mut self, place: Operand, write: impl FnOnce(&mut Self)) {
        let Operand::Memory(operand) = place else { return };
        let saved = [RDX, RSI, RBX];
        saved.iter().for_each(|&register| self.asm.push(register));
        self.asm.sum(RSI, operand.base, RAX);
        write(self);
        saved.iter().rev().for_each(|&register| self.asm.pop(register));
    }
}
