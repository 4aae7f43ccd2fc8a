//! Floats in vector registers: arithmetic, comparisons and conversions, with the bits of the eager kernels.
//! `emit.rs` calls these line by line.

use super::super::encode::general::{RAX, RCX};
use super::super::encode::scalar::Condition;
use super::super::encode::{Form, Operand};
use super::emit::Emitter;
use super::ops::{Binary, Comparison, Line, Number, Unary};
use super::uses::Class;

/// Vector registers that lines use in between.
pub(super) const FIRST: u8 = 13;
pub(super) const SECOND: u8 = 14;
pub(super) const THIRD: u8 = 15;

/// An instruction on one number.
fn one(opcode: u8, wide: bool) -> Form {
    Form::new(1, if wide { 3 } else { 2 }, opcode).half()
}

/// An instruction on 128 bits.
fn all(opcode: u8, wide: bool) -> Form {
    Form::new(1, u8::from(wide), opcode).half()
}

const MOVE: Form = Form::new(1, 0, 0x28).half();
const AND: u8 = 0x54;
const OR: u8 = 0x56;
const XOR: u8 = 0x57;
/// Kinds of comparisons whose result is a mask.
const EQUAL: u8 = 0;
const UNORDERED: u8 = 3;
const NOT_EQUAL: u8 = 4;
const GREATER: u8 = 30;
/// Rounding downwards, exactly.
const DOWNWARDS: u8 = 9;

fn opcode(op: Binary) -> u8 {
    match op {
        Binary::Add => 0x58,
        Binary::Mul => 0x59,
        Binary::Sub => 0x5c,
        Binary::Min => 0x5d,
        Binary::Div => 0x5e,
        Binary::Max => 0x5f,
    }
}

/// The bit of the sign, and 1.0, in 64 bits.
fn sign_and_one(wide: bool) -> (u64, u64) {
    if wide { (1 << 63, 1.0f64.to_bits()) } else { (twice(1 << 31), twice(1.0f32.to_bits())) }
}

fn twice(bits: u32) -> u64 {
    u64::from(bits) << 32 | u64::from(bits)
}

impl Emitter<'_> {
    pub fn load_float(&mut self, register: u8, from: Operand, wide: bool) {
        match from {
            Operand::Register(r) if r == register => {}
            Operand::Register(_) => self.asm.float(&MOVE, register, 0, from),
            Operand::Memory(_) => self.asm.float(&one(0x10, wide), register, 0, from),
        }
    }

    pub fn store_float(&mut self, register: u8, to: Operand, wide: bool) {
        self.asm.float(&one(0x11, wide), register, 0, to);
    }

    pub fn float_operand(&self, word: u32) -> Operand {
        self.register(word, Class::Float).map_or_else(|| self.home(word), Operand::Register)
    }

    /// A register that holds the operand: its own, or this one.
    pub fn float_in(&mut self, word: u32, wide: bool, free: u8) -> u8 {
        match self.float_operand(word) {
            Operand::Register(register) => register,
            place => {
                self.load_float(free, place, wide);
                free
            }
        }
    }

    /// The register that a line's result is computed in.
    pub fn float_to(&self, line: &Line) -> u8 {
        self.register(u32::from(line.to), Class::Float).unwrap_or(THIRD)
    }

    /// Stores the result, if it lives in memory.
    pub fn float_done(&mut self, line: &Line, wide: bool) {
        let to = u32::from(line.to);
        if self.register(to, Class::Float).is_none() {
            let home = self.home(to);
            self.store_float(THIRD, home, wide);
        }
    }

    /// `to = if mask { second } else { first }`
    pub fn blend(&mut self, to: u8, first: u8, second: u8, mask: u8, wide: bool) {
        let form = Form::new(3, 1, if wide { 0x4b } else { 0x4a }).half();
        self.asm.float_with(&form, to, first, Operand::Register(second), mask << 4);
    }

    fn mask(&mut self, kind: u8, to: u8, a: u8, b: Operand, wide: bool) {
        self.asm.float_with(&one(0xc2, wide), to, a, b, kind);
    }

    pub fn float_unary(&mut self, op: Unary, number: Number, line: &Line) {
        let wide = number.is_wide();
        let a = self.float_in(u32::from(line.a), wide, FIRST);
        let to = self.float_to(line);
        let (sign, unit) = sign_and_one(wide);
        match op {
            Unary::Neg => {
                let sign = self.constant(sign);
                self.asm.float(&all(XOR, wide), to, a, sign);
            }
            Unary::Abs => {
                let rest = self.constant(!sign);
                self.asm.float(&all(AND, wide), to, a, rest);
            }
            Unary::Sign => {
                // One with the sign of the number; zero and NaN come back as they are.
                let sign = self.constant(sign);
                self.asm.float(&all(AND, wide), SECOND, a, sign);
                self.asm.float(&all(XOR, wide), THIRD, a, Operand::Register(SECOND));
                let zero = self.constant(0);
                self.mask(GREATER, THIRD, THIRD, zero, wide);
                let unit = self.constant(unit);
                self.asm.float(&all(OR, wide), SECOND, SECOND, unit);
                self.blend(to, a, SECOND, THIRD, wide);
            }
            Unary::Sqrt => self.asm.float(&one(0x51, wide), to, a, Operand::Register(a)),
            Unary::Floor => {
                let form = Form::new(3, 1, if wide { 0x0b } else { 0x0a }).half();
                self.asm.float_with(&form, to, a, Operand::Register(a), DOWNWARDS);
            }
        }
        self.float_done(line, wide);
    }

    pub fn float_binary(&mut self, op: Binary, number: Number, line: &Line) {
        let wide = number.is_wide();
        let a = self.float_in(u32::from(line.a), wide, FIRST);
        let b = self.float_operand(u32::from(line.b));
        let to = self.float_to(line);
        if matches!(op, Binary::Min | Binary::Max) {
            // The instruction gives the second of two zeros, as it should, but also of a NaN and a number.
            self.asm.float(&one(opcode(op), wide), THIRD, a, b);
            self.mask(UNORDERED, SECOND, a, Operand::Register(a), wide);
            self.blend(to, THIRD, a, SECOND, wide);
        } else {
            self.asm.float(&one(opcode(op), wide), to, a, b);
        }
        self.float_done(line, wide);
    }

    pub fn float_pair(&mut self, [first, second]: [Binary; 2], number: Number, swapped: bool, line: &Line) {
        let wide = number.is_wide();
        let a = self.float_in(u32::from(line.a), wide, FIRST);
        let b = self.float_operand(u32::from(line.b));
        self.asm.float(&one(opcode(first), wide), THIRD, a, b);
        let to = self.float_to(line);
        let c = u32::from(line.c);
        if swapped {
            let c = self.float_in(c, wide, FIRST);
            self.asm.float(&one(opcode(second), wide), to, c, Operand::Register(THIRD));
        } else {
            let c = self.float_operand(c);
            self.asm.float(&one(opcode(second), wide), to, THIRD, c);
        }
        self.float_done(line, wide);
    }

    /// Compares; the condition holds for a comparison that is less, or less or equal, and for no NaN.
    fn compare_floats(&mut self, comparison: Comparison, wide: bool, line: &Line) -> Condition {
        let (a, b) = (u32::from(line.a), u32::from(line.b));
        let (first, second, condition) = match comparison {
            Comparison::Lt => (b, a, Condition::Above),
            Comparison::Le => (b, a, Condition::NotBelow),
            Comparison::Eq => (a, b, Condition::Equal),
            Comparison::Ne => (a, b, Condition::NotEqual),
        };
        let first = self.float_in(first, wide, FIRST);
        let second = self.float_operand(second);
        self.asm.float(&all(0x2e, wide), first, 0, second);
        condition
    }

    /// The truth of a comparison in `rax`.
    pub fn float_truth(&mut self, comparison: Comparison, wide: bool, line: &Line) {
        let kind = match comparison {
            Comparison::Eq => EQUAL,
            Comparison::Ne => NOT_EQUAL,
            Comparison::Lt | Comparison::Le => {
                let condition = self.compare_floats(comparison, wide, line);
                return self.asm.truth(condition);
            }
        };
        let a = self.float_in(u32::from(line.a), wide, FIRST);
        let b = self.float_operand(u32::from(line.b));
        self.mask(kind, THIRD, a, b, wide);
        self.bits_of(RAX, THIRD, false);
        self.asm.integer(0x83, 4, Operand::Register(RAX), false);
        self.asm.immediate(1);
    }

    pub fn float_branch(&mut self, comparison: Comparison, unless: bool, wide: bool, line: &Line) {
        let target = line.imm as usize;
        let condition = self.compare_floats(comparison, wide, line);
        // Two numbers with a NaN among them compare as equal and as less.
        match (comparison, unless) {
            (Comparison::Lt | Comparison::Le, false) => self.jump_on(condition, target),
            (Comparison::Lt | Comparison::Le, true) => self.jump_on(condition.not(), target),
            (Comparison::Eq, true) | (Comparison::Ne, false) => {
                self.jump_on(Condition::Unordered, target);
                self.jump_on(Condition::NotEqual, target);
            }
            (Comparison::Eq, false) | (Comparison::Ne, true) => {
                let over = self.asm.jump_on(Condition::Unordered);
                self.jump_on(Condition::Equal, target);
                let here = self.asm.here();
                self.asm.reach(over, here);
            }
        }
    }

    /// The bits of a vector register in a general one.
    pub fn bits_of(&mut self, to: u8, from: u8, wide: bool) {
        let form = Form::new(1, 1, 0x7e).half();
        let form = if wide { form.wide() } else { form };
        self.asm.float(&form, from, 0, Operand::Register(to));
    }

    /// The bits of a general register in a vector one.
    pub fn float_of_bits(&mut self, to: u8, from: u8, wide: bool) {
        let form = Form::new(1, 1, 0x6e).half();
        let form = if wide { form.wide() } else { form };
        self.asm.float(&form, to, 0, Operand::Register(from));
    }

    pub fn convert(&mut self, from: Number, into: Number, line: &Line) {
        let a = u32::from(line.a);
        match (from.is_float(), into.is_float()) {
            (true, true) => {
                let a = self.float_in(a, from.is_wide(), FIRST);
                let to = self.float_to(line);
                if from == into {
                    self.load_float(to, Operand::Register(a), from.is_wide());
                } else {
                    self.asm.float(&one(0x5a, from.is_wide()), to, a, Operand::Register(a));
                }
                self.float_done(line, into.is_wide());
            }
            (false, true) => {
                let place = self.integer_operand(a);
                let to = self.float_to(line);
                // The rest of the register comes from an operand, which must not be one that is still computed.
                self.asm.float(&all(XOR, false), THIRD, THIRD, Operand::Register(THIRD));
                let form = one(0x2a, into.is_wide());
                let form = if from.is_wide() { form.wide() } else { form };
                self.asm.float(&form, to, THIRD, place);
                self.float_done(line, into.is_wide());
            }
            (true, false) => self.truncate(from.is_wide(), into.is_wide(), line),
            (false, false) => {
                let place = self.integer_operand(a);
                match (from.is_wide(), into.is_wide()) {
                    (false, true) => self.asm.extend(RAX, place),
                    (_, wide) => self.load_sized(RAX, place, if wide { 8 } else { 4 }),
                }
                self.integer_done(line, RAX, into.size());
            }
        }
    }

    /// A float as an integer: towards zero, the nearest one there is, and zero for NaN.
    fn truncate(&mut self, from_wide: bool, wide: bool, line: &Line) {
        let a = self.float_in(u32::from(line.a), from_wide, FIRST);
        let form = one(0x2c, from_wide);
        let form = if wide { form.wide() } else { form };
        self.asm.float(&form, RAX, 0, Operand::Register(a));
        // The instruction gives the least integer for all that have none, which is right below zero.
        let (largest, least_above) =
            if wide { (i64::MAX as u64, 2f64.powi(63)) } else { (i32::MAX as u64, 2f64.powi(31)) };
        let limit = if from_wide { least_above.to_bits() } else { twice((least_above as f32).to_bits()) };
        self.asm.constant(RCX, largest);
        let limit = self.constant(limit);
        self.asm.float(&all(0x2e, from_wide), a, 0, limit);
        self.asm.choose(Condition::NotBelow, RAX, Operand::Register(RCX), wide);
        self.asm.constant(RCX, 0);
        self.asm.float(&all(0x2e, from_wide), a, 0, Operand::Register(a));
        self.asm.choose(Condition::Unordered, RAX, Operand::Register(RCX), wide);
        self.integer_done(line, RAX, if wide { 8 } else { 4 });
    }
}
