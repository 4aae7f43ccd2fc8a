//! One line as instructions: where its operands lie, which of them the result may be written over, and the rest by mask.
//! The walk in `registers.rs` calls [`LoopBody::line`] for every line of a round.

use super::emit::{ADDRESSES, LANES, LOAD, REST, SPARE, STORE, accumulator, lane_place};
use super::encode::general::{RAX, RBP, RDI};
use super::encode::{Form, Memory, Operand};
use super::ops::{Line, Op, Shape, compare};
use super::registers::{LoopBody, NO_REGISTER};
use crate::backend::cpu::reduce::Monoid;

impl LoopBody<'_> {
    /// The elements of an operand that a vector works on.
    fn memory(&mut self, operand: usize, vector: usize) -> Operand {
        let size = self.request.operands[operand];
        let base = ADDRESSES.get(operand).copied().unwrap_or_else(|| {
            self.asm.load(RBP, RDI, operand as i32 * 8);
            RBP
        });
        let offset = (vector * LANES * size as usize) as i32;
        let scale = size.trailing_zeros() as u8;
        Operand::Memory(Memory { base, index: Some((RAX, scale)), offset, repeated: false })
    }

    pub fn load(&mut self, op: Op, vector: usize, to: u8) {
        let (input, form) = match op {
            Op::LoadBytes(n) => (n, Form::new(2, 1, 0x31).reads(16)),
            Op::Load(n) => (n, LOAD),
            _ => return,
        };
        let place = self.memory(input as usize, vector);
        self.asm.vector(&form, to, 0, place, self.rest(), self.tail);
    }

    fn rest(&self) -> u8 {
        if self.tail { REST } else { 0 }
    }

    pub fn line(&mut self, line: &Line, vector: usize, position: u32, args: &[usize]) {
        let to = self.number(line.to, vector);
        let (form, shape, number) = line.op.form();
        match shape {
            Shape::Special => return self.special(line.op, vector, position, args, to),
            Shape::One => {
                let place = self.place(args[0], position);
                self.consume(position, args);
                let register = self.result();
                self.asm.vector(&form, register, 0, place, 0, false);
                self.define(to, register);
            }
            Shape::Two | Shape::Commuting => {
                let (mut a, mut b) = (args[0], args[1]);
                if shape == Shape::Commuting && self.in_memory(a, position) && !self.in_memory(b, position) {
                    (a, b) = (b, a);
                }
                let second = self.vector(a);
                let place = self.place(b, position);
                self.consume(position, args);
                let register = self.result();
                self.asm.vector(&form, register, second, place, 0, false);
                self.define(to, register);
            }
            Shape::Shift(digit) => {
                let from = self.vector(args[0]);
                self.consume(position, args);
                let register = self.result();
                self.asm.vector(&form, digit, register, Operand::Register(from), 0, false);
                self.define(to, register);
            }
            Shape::Extract => {
                let from = self.vector(args[0]);
                self.consume(position, args);
                let register = self.result();
                self.asm.vector(&form, from, 0, Operand::Register(register), 0, false);
                self.define(to, register);
            }
            Shape::Blend => {
                let mask = self.mask(args[0]);
                let otherwise = self.vector(args[2]);
                let then = self.place(args[1], position);
                self.consume(position, args);
                let register = self.result();
                self.asm.vector(&form, register, otherwise, then, mask, false);
                self.define(to, register);
            }
            Shape::Test => {
                let second = self.vector(args[0]);
                let place = self.place(args[1], position);
                self.consume(position, args);
                let mask = self.free_mask();
                self.asm.vector(&form, mask, second, place, 0, false);
                self.define_mask(to, mask);
            }
            Shape::Bits => {
                let second = self.vector(args[1]);
                let first = self.over(args[0], position);
                let place = self.place(args[2], position);
                self.consume(position, args);
                self.asm.vector(&form, first, second, place, 0, false);
                self.define(to, first);
            }
            Shape::Fused => {
                let register = self.fused(form, position, args);
                self.define(to, register);
            }
        }
        if let Some(number) = number {
            self.asm.immediate(number);
        }
    }

    /// `a b + c` or `c - a b`; the three forms differ in which operand the result lies over and which may be in memory.
    fn fused(&mut self, form: Form, position: u32, args: &[usize]) -> u8 {
        let (mut a, mut b, c) = (args[0], args[1], args[2]);
        if self.in_memory(a, position) && !self.in_memory(b, position) {
            (a, b) = (b, a);
        }
        let dying = |walk: &Self, v: usize| walk.register[v] != NO_REGISTER && walk.dies(v, position);
        let with = |offset: i8| Form { opcode: form.opcode.wrapping_add_signed(offset), ..form };
        // Who lies where: over, second, place.
        let (over, second, last, form) = if self.in_memory(b, position) {
            if dying(self, c) || self.in_memory(c, position) || !dying(self, a) {
                (c, a, b, with(16))
            } else {
                (a, c, b, with(-16))
            }
        } else if self.in_memory(c, position) {
            if dying(self, b) && !dying(self, a) { (b, a, c, form) } else { (a, b, c, form) }
        } else if dying(self, c) {
            (c, a, b, with(16))
        } else if dying(self, b) && !dying(self, a) {
            (b, a, c, form)
        } else {
            (a, b, c, form)
        };
        let second = self.vector(second);
        let last_register = if self.in_memory(last, position) { None } else { Some(self.vector(last)) };
        let over = self.over(over, position);
        let place = match last_register {
            Some(register) => Operand::Register(register),
            None => self.home(last),
        };
        self.consume(position, args);
        self.asm.vector(&form, over, second, place, 0, false);
        over
    }

    fn special(&mut self, op: Op, vector: usize, position: u32, args: &[usize], to: usize) {
        match op {
            Op::Load(_) | Op::LoadBytes(_) => {
                let register = self.result();
                self.load(op, vector, register);
                self.loads[to] = self.stays(to, vector).then_some(op);
                self.define(to, register);
            }
            Op::Store(n) | Op::StoreBytes(n) => {
                let from = self.vector(args[0]);
                self.consume(position, args);
                let form = if op == Op::Store(n) { STORE } else { Form::new(2, 2, 0x31).reads(16) };
                let place = self.memory(n as usize, vector);
                self.asm.vector(&form, from, 0, place, self.rest(), false);
            }
            Op::Fold(n) => self.fold(n as usize, vector, position, args[0]),
            Op::MaskNot | Op::MaskUpper => {
                let from = self.mask(args[0]);
                self.consume(position, args);
                let mask = self.free_mask();
                match op {
                    Op::MaskNot => self.asm.mask_not(mask, from),
                    _ => self.asm.mask_shift(mask, from, 8),
                }
                self.define_mask(to, mask);
            }
            _ => {
                let (a, b) = (self.mask(args[0]), self.mask(args[1]));
                self.consume(position, args);
                let mask = self.free_mask();
                let opcode = match op {
                    Op::MaskAnd => 0x41,
                    Op::MaskOr => 0x45,
                    _ => 0x47,
                };
                self.asm.masks(opcode, mask, a, b);
                self.define_mask(to, mask);
            }
        }
    }

    /// Combines a vector with the lanes of a fold: those in a register, or, for the last elements, in memory.
    fn fold(&mut self, fold: usize, vector: usize, position: u32, v: usize) {
        let from = self.vector(v);
        let lanes = if self.tail { self.free_vector() } else { accumulator(fold, vector) };
        if self.tail {
            self.asm.vector(&LOAD, lanes, 0, lane_place(fold, 0), 0, false);
        }
        let (opcode, chooses) = match self.request.folds[fold] {
            Monoid::Sum => (0x58, false),
            Monoid::Prod => (0x59, false),
            Monoid::Max => (0x5f, true),
            _ => (0x5d, true),
        };
        let to = if chooses { self.free_vector() } else { lanes };
        self.asm.vector(&Form::new(1, 0, opcode), to, lanes, Operand::Register(from), 0, false);
        if chooses {
            // A NaN that the lanes hold stays; the processor would answer the other operand.
            self.asm.vector(&Form::new(1, 0, 0xc2), SPARE, lanes, Operand::Register(lanes), 0, false);
            self.asm.immediate(compare::UNORDERED);
            self.asm.vector(&Form::new(2, 1, 0x65), lanes, to, Operand::Register(lanes), SPARE, false);
        }
        if self.tail {
            self.asm.vector(&STORE, lanes, 0, lane_place(fold, 0), REST, false);
        }
        self.consume(position, &[v]);
    }
}
