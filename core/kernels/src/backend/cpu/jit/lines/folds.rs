//! Folds: a vector is combined with the lanes that stand for it, in registers or in memory.
//! `lines.rs` comes here for a line that folds.

use crate::backend::cpu::jit::emit::{LOAD, REST, REST_VECTOR, Round, SPARE, STORE};
use crate::backend::cpu::jit::encode::{Form, Operand};
use crate::backend::cpu::jit::ops::compare;
use crate::backend::cpu::jit::registers::LoopBody;
use crate::backend::cpu::jit::target::Target;
use crate::backend::cpu::reduce::Monoid;

impl LoopBody<'_> {
    /// Combines a vector with the lanes of a fold.
    pub(super) fn fold(&mut self, fold: usize, vector: usize, position: u32, v: usize) {
        let request = self.request;
        let from = self.vector(v);
        let kept = self.round == Round::Main && request.keeps_lanes();
        let place = request.lane_place(fold, vector);
        let lanes = if kept { request.accumulator(fold, vector) } else { self.free_vector() };
        if !kept {
            self.asm.vector(&LOAD, lanes, 0, place, 0, false);
        }
        let (opcode, chooses) = match request.folds[fold] {
            Monoid::Sum => (0x58, false),
            Monoid::Prod => (0x59, false),
            Monoid::Max => (0x5f, true),
            _ => (0x5d, true),
        };
        let to = if chooses { self.free_vector() } else { lanes };
        self.asm.vector(&Form::new(1, 0, opcode), to, lanes, Operand::Register(from), 0, false);
        if chooses {
            self.keep_nan(lanes, to);
        }
        match (kept, self.round, request.target) {
            (true, ..) => {}
            (_, Round::Rest, Target::Avx512) => self.asm.vector(&STORE, lanes, 0, place, REST, false),
            (_, Round::Rest, Target::Avx2) => {
                self.asm.vector(&Form::new(2, 1, 0x2e), lanes, REST_VECTOR, place, 0, false);
            }
            _ => self.asm.vector(&STORE, lanes, 0, place, 0, false),
        }
        self.consume(position, &[v]);
    }

    /// `lanes = best`, but a NaN that the lanes hold stays; the processor would answer the other operand.
    fn keep_nan(&mut self, lanes: u8, best: u8) {
        let unordered = Form::new(1, 0, 0xc2);
        let nan = if self.request.target == Target::Avx512 { SPARE } else { self.free_vector() };
        self.asm.vector(&unordered, nan, lanes, Operand::Register(lanes), 0, false);
        self.asm.immediate(compare::UNORDERED);
        if self.request.target == Target::Avx512 {
            return self.asm.vector(&Form::new(2, 1, 0x65), lanes, best, Operand::Register(lanes), SPARE, false);
        }
        self.asm.vector(&Form::new(3, 1, 0x4a), lanes, best, Operand::Register(lanes), 0, false);
        self.asm.immediate(nan << 4);
    }
}
