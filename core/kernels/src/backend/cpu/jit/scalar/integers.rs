//! Integers and truth values in general registers: arithmetic that wraps, comparisons, jumps that compare, division.
//! `emit.rs` calls these line by line.

use super::super::encode::general::{RAX, RCX, RDX};
use super::super::encode::scalar::Condition;
use super::super::encode::{If, Operand};
use super::emit::Emitter;
use super::ops::{Binary, Comparison, Division, Line, Logic, Number, Unary};
use super::uses::Class;

const ADD: u8 = 0x03;
const SUB: u8 = 0x2b;
const AND: u8 = 0x23;
const XOR: u8 = 0x33;
const COMPARE: u8 = 0x3b;
const TEST: u8 = 0x85;
const MULTIPLY: u8 = 0xaf;

/// What holds of two integers after their comparison.
fn condition(comparison: Comparison) -> Condition {
    match comparison {
        Comparison::Eq => Condition::Equal,
        Comparison::Ne => Condition::NotEqual,
        Comparison::Lt => Condition::Less,
        Comparison::Le => Condition::NotGreater,
    }
}

impl Emitter<'_> {
    /// Moves a value of so many bytes into a register; the bits above mean nothing.
    pub fn load_sized(&mut self, register: u8, from: Operand, size: u8) {
        match (from, size) {
            (Operand::Register(r), _) if r == register => {}
            (Operand::Memory(_), 1) => self.asm.integer_long(0xb6, register, from, false),
            (Operand::Memory(_), 2) => self.asm.integer_long(0xb7, register, from, false),
            _ => self.asm.integer(0x8b, register, from, size == 8),
        }
    }

    pub fn store_sized(&mut self, register: u8, to: Operand, size: u8) {
        match size {
            1 => self.asm.integer(0x88, register, to, false),
            2 => self.asm.store_short(register, to),
            _ => self.asm.integer(0x89, register, to, size == 8),
        }
    }

    pub fn integer_operand(&self, word: u32) -> Operand {
        self.register(word, Class::General).map_or_else(|| self.home(word), Operand::Register)
    }

    /// A register that holds the operand: its own, or this one.
    pub fn integer_in(&mut self, word: u32, size: u8, free: u8) -> u8 {
        match self.integer_operand(word) {
            Operand::Register(register) => register,
            place => {
                self.load_sized(free, place, size);
                free
            }
        }
    }

    /// Brings a result of so many bytes from a register to where it lives.
    pub fn integer_done(&mut self, line: &Line, from: u8, size: u8) {
        self.word_done(u32::from(line.to), from, size);
    }

    pub fn word_done(&mut self, word: u32, from: u8, size: u8) {
        match self.integer_operand(word) {
            Operand::Register(to) => self.load_sized(to, Operand::Register(from), size),
            home => self.store_sized(from, home, size),
        }
    }

    /// `register = register op place`
    fn combine(&mut self, op: Binary, register: u8, place: Operand, wide: bool) {
        match op {
            Binary::Add => self.asm.integer(ADD, register, place, wide),
            Binary::Sub => self.asm.integer(SUB, register, place, wide),
            Binary::Mul => self.asm.integer_long(MULTIPLY, register, place, wide),
            Binary::Min | Binary::Max | Binary::Div => {
                self.asm.integer(COMPARE, register, place, wide);
                let other = if op == Binary::Min { Condition::NotLess } else { Condition::NotGreater };
                self.asm.choose(other, register, place, wide);
            }
        }
    }

    pub fn integer_binary(&mut self, op: Binary, number: Number, line: &Line) {
        let (wide, size) = (number.is_wide(), number.size());
        let (a, b) = (self.integer_operand(u32::from(line.a)), self.integer_operand(u32::from(line.b)));
        let is = |place: Operand, register: u8| matches!(place, Operand::Register(r) if r == register);
        let to = self.register(u32::from(line.to), Class::General);
        // In place, unless that would overwrite the second operand first.
        let at = to.filter(|&to| is(a, to) || !is(b, to)).unwrap_or(RAX);
        self.load_sized(at, a, size);
        self.combine(op, at, b, wide);
        self.integer_done(line, at, size);
    }

    pub fn integer_pair(&mut self, [first, second]: [Binary; 2], number: Number, swapped: bool, line: &Line) {
        let (wide, size) = (number.is_wide(), number.size());
        let [a, b, c] = [line.a, line.b, line.c].map(|r| self.integer_operand(u32::from(r)));
        self.load_sized(RAX, a, size);
        self.combine(first, RAX, b, wide);
        if swapped {
            self.load_sized(RCX, c, size);
            self.combine(second, RCX, Operand::Register(RAX), wide);
            return self.integer_done(line, RCX, size);
        }
        self.combine(second, RAX, c, wide);
        self.integer_done(line, RAX, size);
    }

    pub fn integer_unary(&mut self, op: Unary, number: Number, line: &Line) {
        let (wide, size) = (number.is_wide(), number.size());
        let a = self.integer_operand(u32::from(line.a));
        self.load_sized(RAX, a, size);
        if op == Unary::Neg {
            self.asm.negate(RAX, wide);
        } else {
            self.asm.integer(0x8b, RCX, Operand::Register(RAX), wide);
            self.asm.negate(RCX, wide);
            self.asm.integer(TEST, RAX, Operand::Register(RAX), wide);
            self.asm.choose(Condition::Less, RAX, Operand::Register(RCX), wide);
        }
        self.integer_done(line, RAX, size);
    }

    pub fn logic(&mut self, logic: Logic, line: &Line) {
        let opcode = match logic {
            Logic::And => AND,
            Logic::Or => 0x0b,
            Logic::Xor => XOR,
        };
        let a = self.integer_operand(u32::from(line.a));
        self.load_sized(RAX, a, 1);
        let b = self.integer_in(u32::from(line.b), 1, RCX);
        self.asm.integer(opcode, RAX, Operand::Register(b), false);
        self.integer_done(line, RAX, 1);
    }

    pub fn negation(&mut self, line: &Line) {
        let a = self.integer_operand(u32::from(line.a));
        self.asm.compare_byte(a, 0);
        self.asm.truth(Condition::Equal);
        self.integer_done(line, RAX, 1);
    }

    fn compare_integers(&mut self, number: Number, line: &Line) {
        let a = self.integer_in(u32::from(line.a), number.size(), RAX);
        let b = self.integer_operand(u32::from(line.b));
        self.asm.integer(COMPARE, a, b, number.is_wide());
    }

    pub fn compare(&mut self, comparison: Comparison, number: Number, line: &Line) {
        if number.is_float() {
            self.float_truth(comparison, number.is_wide(), line);
        } else {
            self.compare_integers(number, line);
            self.asm.truth(condition(comparison));
        }
        self.integer_done(line, RAX, 1);
    }

    pub fn branch(&mut self, comparison: Comparison, number: Number, unless: bool, line: &Line) {
        if number.is_float() {
            return self.float_branch(comparison, unless, number.is_wide(), line);
        }
        self.compare_integers(number, line);
        let condition = condition(comparison);
        self.jump_on(if unless { condition.not() } else { condition }, line.imm as usize);
    }

    pub fn count(&mut self, step: Binary, comparison: Comparison, number: Number, swapped: bool, line: &Line) {
        let (wide, size) = (number.is_wide(), number.size());
        let to = u32::from(line.to);
        let counter = self.integer_in(to, size, RAX);
        let [b, c] = [line.b, line.c].map(|r| self.integer_operand(u32::from(r)));
        self.combine(step, counter, c, wide);
        self.word_done(to, counter, size);
        self.asm.integer(COMPARE, counter, b, wide);
        let condition = match (comparison, swapped) {
            (Comparison::Lt, true) => Condition::Greater,
            (Comparison::Le, true) => Condition::NotLess,
            _ => condition(comparison),
        };
        self.jump_on(condition, line.imm as usize);
    }

    /// A quotient or a rest; a divisor of zero is a fault.
    pub fn division(&mut self, division: Division, number: Number, line: &Line) {
        let (wide, size) = (number.is_wide(), number.size());
        let [a, b] = [line.a, line.b].map(|r| self.integer_operand(u32::from(r)));
        self.load_sized(RCX, b, size);
        self.asm.integer(TEST, RCX, Operand::Register(RCX), wide);
        self.fault_on(Condition::Equal, self.line);
        self.load_sized(RAX, a, size);
        // The quotient of the least integer and -1 is none; the instruction would stop the program.
        self.asm.integer_number(7, RCX, -1, wide);
        let by_minus_one = self.asm.jump_on(Condition::Equal);
        self.asm.divide(RCX, wide);
        let quotient = matches!(division, Division::Div | Division::FloorDiv);
        if matches!(division, Division::FloorDiv | Division::FloorMod) {
            self.round_down(quotient, wide);
        }
        let done = self.asm.jump(If::Always);
        let here = self.asm.here();
        self.asm.reach(by_minus_one, here);
        self.asm.negate(RAX, wide);
        self.asm.constant(RDX, 0);
        let here = self.asm.here();
        self.asm.reach(done, here);
        self.integer_done(line, if quotient { RAX } else { RDX }, size);
    }

    /// From a division towards zero to one downwards: where there is a rest whose sign is not the divisor's, the quotient
    /// is one less and the rest a divisor more.
    fn round_down(&mut self, quotient: bool, wide: bool) {
        self.asm.integer(TEST, RDX, Operand::Register(RDX), wide);
        let no_rest = self.asm.jump_on(Condition::Equal);
        if quotient {
            self.asm.integer(XOR, RDX, Operand::Register(RCX), wide);
            self.asm.shift_sign(RDX, if wide { 63 } else { 31 }, wide);
            self.asm.integer(ADD, RAX, Operand::Register(RDX), wide);
        } else {
            self.asm.integer(0x8b, RAX, Operand::Register(RDX), wide);
            self.asm.integer(XOR, RAX, Operand::Register(RCX), wide);
            self.asm.shift_sign(RAX, if wide { 63 } else { 31 }, wide);
            self.asm.integer(AND, RAX, Operand::Register(RCX), wide);
            self.asm.integer(ADD, RDX, Operand::Register(RAX), wide);
        }
        let here = self.asm.here();
        self.asm.reach(no_rest, here);
    }
}
