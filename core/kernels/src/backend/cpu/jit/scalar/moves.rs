//! Moves and choices of values whose type is only a size, and the rows of lists: pushed and popped at the end of the
//! list's memory, by the caller's step where there is no room or no row. `emit.rs` calls these line by line.

use super::super::encode::general::{RAX, RBX, RCX, RDX};
use super::super::encode::scalar::{Condition, at};
use super::super::encode::{If, Mark, Operand};
use super::emit::Emitter;
use super::floats::{FIRST, SECOND, THIRD};
use super::ops::{Line, Op};
use super::uses::Class;

const COMPARE: u8 = 0x3b;
const ADDRESS: u8 = 0x8d;
/// Bytes of a row up to which a missing one is written here.
const WIDEST_MISSING: u32 = 64;
/// Subtracts the second operand and what the comparison before borrowed.
const SUBTRACT_BORROW: u8 = 0x1b;

impl Emitter<'_> {
    /// Whether a word that is written lives in vector registers.
    fn is_float(&self, word: u32) -> bool {
        self.places.classes.written[word as usize] && self.places.classes.written_class(word) == Some(Class::Float)
    }

    pub fn move_word(&mut self, size: u8, line: &Line) {
        let (to, a) = (u32::from(line.to), u32::from(line.a));
        if self.is_float(to) {
            let from = self.float_operand(a);
            let register = self.float_to(line);
            if let (Operand::Register(from), THIRD) = (from, register) {
                let home = self.home(to);
                return self.store_float(from, home, size == 8);
            }
            self.load_float(register, from, size == 8);
            return self.float_done(line, size == 8);
        }
        match (self.integer_operand(to), self.integer_operand(a)) {
            (Operand::Register(register), from) => self.load_sized(register, from, size),
            (home, Operand::Register(from)) => self.store_sized(from, home, size),
            (home, from) => {
                self.load_sized(RAX, from, size);
                self.store_sized(RAX, home, size);
            }
        }
    }

    pub fn select(&mut self, size: u8, line: &Line) {
        let truth = self.integer_operand(u32::from(line.a));
        let (b, c) = (u32::from(line.b), u32::from(line.c));
        if self.is_float(u32::from(line.to)) {
            let wide = size == 8;
            // Ones where the truth value is zero.
            self.asm.compare_byte(truth, 1);
            self.asm.integer(SUBTRACT_BORROW, RAX, Operand::Register(RAX), wide);
            self.float_of_bits(SECOND, RAX, wide);
            let b = self.float_in(b, wide, FIRST);
            let c = self.float_in(c, wide, THIRD);
            let to = self.float_to(line);
            self.blend(to, b, c, SECOND, wide);
            return self.float_done(line, wide);
        }
        let c = self.integer_operand(c);
        self.load_sized(RAX, c, size);
        let b = self.integer_in(b, size, RCX);
        self.asm.compare_byte(truth, 0);
        self.asm.choose(Condition::NotEqual, RAX, Operand::Register(b), size == 8);
        self.integer_done(line, RAX, size);
    }

    /// The word at a place behind that of a list's end.
    fn list_word(&self, end: u32, number: i32) -> Operand {
        at(RBX, (end as i32 + number) * 8)
    }

    /// A word of so many bytes in a row; uses `rax`.
    fn store_field_at(&mut self, word: u32, place: Operand, size: u8) {
        if self.is_float(word) {
            let register = self.float_in(word, size == 8, THIRD);
            return self.store_float(register, place, size == 8);
        }
        let register = self.integer_in(word, size, RAX);
        self.store_sized(register, place, size);
    }

    fn load_field_at(&mut self, line: &Line, place: Operand, size: u8) {
        if self.is_float(u32::from(line.to)) {
            let register = self.float_to(line);
            self.load_float(register, place, size == 8);
            return self.float_done(line, size == 8);
        }
        match self.integer_operand(u32::from(line.to)) {
            Operand::Register(register) => self.load_sized(register, place, size),
            home => {
                self.load_sized(RAX, place, size);
                self.store_sized(RAX, home, size);
            }
        }
    }

    pub fn push_row(&mut self, line: &Line) {
        let end = self.request.end(line.to);
        let register = self.integer_in(end, 8, RCX);
        let bytes = if let Op::Push(size) = line.op { i32::from(size) } else { line.imm as i32 };
        self.asm.integer(ADDRESS, RDX, at(register, bytes), true);
        let limit = self.list_word(end, 1);
        self.asm.integer(COMPARE, RDX, limit, true);
        let seldom = self.step_on(Condition::Above);
        if let Op::Push(size) = line.op {
            self.store_field_at(u32::from(line.a), at(register, 0), size);
        }
        self.word_done(end, RDX, 8);
        self.go_on(seldom);
    }

    pub fn pop_row(&mut self, line: &Line) {
        let (list, bytes) = match line.op {
            Op::Pop(size) => (line.a, i32::from(size)),
            _ => (line.to, line.imm as i32),
        };
        let end = self.request.end(list);
        let register = self.integer_in(end, 8, RCX);
        let start = self.list_word(end, 2);
        self.asm.integer(COMPARE, register, start, true);
        let seldom = self.step_on(Condition::NotAbove);
        self.asm.integer_number(5, register, bytes, true);
        self.word_done(end, register, 8);
        if let Op::Pop(size) = line.op {
            self.load_field_at(line, at(register, 0), size);
        }
        self.go_on(seldom);
    }

    /// One row without bytes more or less.
    pub fn count_row(&mut self, line: &Line) {
        let end = self.request.end(line.to);
        let register = self.integer_in(end, 8, RCX);
        if line.op == Op::PushCount {
            self.asm.integer_number(0, register, 1, true);
            return self.word_done(end, register, 8);
        }
        self.asm.integer_number(7, register, 0, true);
        let seldom = self.step_on(Condition::Equal);
        self.asm.integer_number(5, register, 1, true);
        self.word_done(end, register, 8);
        self.go_on(seldom);
    }

    /// Behind a pop that found no row: a missing row is zeros, as wide as it is, and the code goes on at `back`. Answers the
    /// jumps that mean it is not that.
    pub fn missing_row(&mut self, number: usize, back: Mark) -> Vec<Mark> {
        let line = self.request.lines[number];
        let (list, bytes) = match line.op {
            Op::Pop(_) => (line.a, 0),
            Op::PopCount => (line.to, 0),
            Op::PopRow if line.imm <= WIDEST_MISSING => (line.to, line.imm as i32),
            _ => return Vec::new(),
        };
        let end = self.request.end(list);
        let missing = self.list_word(end, 3);
        self.asm.compare_byte(missing, 0);
        let mut unknown = vec![self.asm.jump_on(Condition::Equal)];
        self.asm.constant(RAX, 0);
        if bytes > 0 {
            // Its fields are loaded from behind the end.
            let register = self.integer_in(end, 8, RCX);
            self.asm.integer(ADDRESS, RDX, at(register, bytes), true);
            let limit = self.list_word(end, 1);
            self.asm.integer(COMPARE, RDX, limit, true);
            unknown.push(self.asm.jump_on(Condition::Above));
            (0..bytes).for_each(|offset| self.store_sized(RAX, at(register, offset), 1));
        }
        if let Op::Pop(size) = line.op {
            if self.is_float(u32::from(line.to)) {
                let register = self.float_to(&line);
                self.float_of_bits(register, RAX, size == 8);
                self.float_done(&line, size == 8);
            } else {
                self.integer_done(&line, RAX, size);
            }
        }
        let jump = self.asm.jump(If::Always);
        self.asm.reach(jump, back);
        unknown
    }

    pub fn store_field(&mut self, size: u8, line: &Line) {
        let register = self.integer_in(self.request.end(line.to), 8, RCX);
        self.store_field_at(u32::from(line.a), at(register, -(line.imm as i32)), size);
    }

    pub fn load_field(&mut self, size: u8, line: &Line) {
        let register = self.integer_in(self.request.end(line.a), 8, RCX);
        self.load_field_at(line, at(register, line.imm as i32), size);
    }
}
