//! One line as instructions: where its operands lie, which of them the result may be written over, and the rest by mask.
//! The walk in `registers.rs` calls [`LoopBody::line`] for every line of a round.

mod avx2;
mod folds;

use super::emit::{ADDRESSES, LOAD, REST, Round, STORE};
use super::encode::general::{RAX, RBP, RDI};
use super::encode::{Form, Memory, Operand};
use super::ops::{Line, Op, Shape};
use super::registers::{LoopBody, NO_REGISTER};
use super::target::Target;

impl LoopBody<'_> {
    /// The elements of an operand that a vector works on.
    pub(super) fn memory(&mut self, operand: usize, vector: usize) -> Operand {
        let size = self.request.operands[operand];
        let base = ADDRESSES.get(operand).copied().unwrap_or_else(|| {
            self.asm.load(RBP, RDI, operand as i32 * 8);
            RBP
        });
        let offset = (vector * self.request.target.lanes() * size as usize) as i32;
        let scale = size.trailing_zeros() as u8;
        Operand::Memory(Memory { base, index: Some((RAX, scale)), offset, repeated: false })
    }

    pub fn load(&mut self, op: Op, vector: usize, to: u8) {
        if self.request.target == Target::Avx2 && self.round == Round::Rest {
            return self.load_rest(op, to);
        }
        let (input, form) = match op {
            Op::LoadBytes(n) => (n, Form::new(2, 1, 0x31).reads(16)),
            Op::Load(n) => (n, LOAD),
            _ => return,
        };
        let place = self.memory(input as usize, vector);
        let rest = self.rest();
        self.asm.vector(&form, to, 0, place, rest, rest != 0);
    }

    /// The mask of AVX-512 for what is loaded and stored.
    fn rest(&self) -> u8 {
        if self.round == Round::Rest && self.request.target == Target::Avx512 { REST } else { 0 }
    }

    pub fn line(&mut self, line: &Line, vector: usize, position: u32, args: &[usize]) {
        let to = self.number(line.to, vector);
        let (form, shape, number) = line.op.form(self.request.target);
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
            Shape::Blend => {
                let mask = self.mask(args[0]);
                let otherwise = self.vector(args[2]);
                let then = self.place(args[1], position);
                self.consume(position, args);
                let register = self.result();
                self.asm.vector(&form, register, otherwise, then, mask, false);
                self.define(to, register);
            }
            Shape::BlendVector => {
                let mask = self.vector(args[0]);
                let otherwise = self.vector(args[2]);
                let then = self.place(args[1], position);
                self.consume(position, args);
                let register = self.result();
                self.asm.vector(&form, register, otherwise, then, 0, false);
                self.asm.immediate(mask << 4);
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
                if self.request.target == Target::Avx2 && (op != Op::Store(n) || self.round == Round::Rest) {
                    return self.store_avx2(op, n as usize, vector, from);
                }
                let form = if op == Op::Store(n) { STORE } else { Form::new(2, 2, 0x31).reads(16) };
                let place = self.memory(n as usize, vector);
                self.asm.vector(&form, from, 0, place, self.rest(), false);
            }
            Op::Rare(shift) => self.rare(shift, position, args, to),
            Op::Fold(n) => self.fold(n as usize, vector, position, args[0]),
            Op::MaskNot => {
                let from = self.mask(args[0]);
                self.consume(position, args);
                let mask = self.free_mask();
                self.asm.mask_not(mask, from);
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
}
