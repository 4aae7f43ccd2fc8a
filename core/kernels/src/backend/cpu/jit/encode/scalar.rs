//! Instructions of general registers, one number in a vector register, and calls, for loops over numbers.
//! The emitters in `scalar/` call these; an operand is a register or a place in memory.

use super::general::RAX;
use super::{Assembler, Form, Mark, Memory, Operand};

/// What a jump, a choice or a truth value asks of the comparison before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    Below = 2,
    NotBelow = 3,
    Equal = 4,
    NotEqual = 5,
    NotAbove = 6,
    Above = 7,
    /// Of a comparison of floats: one is NaN.
    Unordered = 10,
    Ordered = 11,
    Less = 12,
    NotLess = 13,
    NotGreater = 14,
    Greater = 15,
}

impl Condition {
    pub fn not(self) -> Self {
        match self {
            Self::Below => Self::NotBelow,
            Self::NotBelow => Self::Below,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::NotAbove => Self::Above,
            Self::Above => Self::NotAbove,
            Self::Unordered => Self::Ordered,
            Self::Ordered => Self::Unordered,
            Self::Less => Self::NotLess,
            Self::NotLess => Self::Less,
            Self::NotGreater => Self::Greater,
            Self::Greater => Self::NotGreater,
        }
    }
}

/// `base + offset`.
pub fn at(base: u8, offset: i32) -> Operand {
    Operand::Memory(Memory { base, index: None, offset, repeated: false })
}

impl Assembler {
    /// An instruction of general registers: `reg` and the operand, 64 bits if `wide`, behind the byte 0F if `long`.
    fn general_form(&mut self, long: bool, opcode: u8, reg: u8, place: Operand, wide: bool) {
        let base = match place {
            Operand::Register(r) => r >> 3,
            Operand::Memory(m) => m.base >> 3,
        };
        // The byte is there for registers whose low byte it makes reachable, too.
        self.put(&[0x40 | u8::from(wide) << 3 | reg >> 3 << 2 | base]);
        if long {
            self.put(&[0x0f]);
        }
        self.put(&[opcode]);
        self.operand(reg, place, 1);
    }

    /// `reg = reg op place`: 0x03 add, 0x0b or, 0x23 and, 0x2b subtract, 0x33 exclusive or, 0x3b compare, 0x8b load,
    /// 0x8d the address; 0x85 tests and 0x89 stores, 0x88 one byte.
    pub fn integer(&mut self, opcode: u8, reg: u8, place: Operand, wide: bool) {
        self.general_form(false, opcode, reg, place, wide);
    }

    /// As [`Self::integer`], behind 0F: 0xaf multiply, 0xb6 load one byte, 0xb7 two, 0x40 and a condition a choice.
    pub fn integer_long(&mut self, opcode: u8, reg: u8, place: Operand, wide: bool) {
        self.general_form(true, opcode, reg, place, wide);
    }

    /// `to = if condition { from }`
    pub fn choose(&mut self, condition: Condition, to: u8, from: Operand, wide: bool) {
        self.integer_long(0x40 | condition as u8, to, from, wide);
    }

    /// Extends 32 bits by their sign.
    pub fn extend(&mut self, to: u8, from: Operand) {
        self.integer(0x63, to, from, true);
    }

    /// Stores two bytes.
    pub fn store_short(&mut self, from: u8, place: Operand) {
        self.put(&[0x66]);
        self.integer(0x89, from, place, false);
    }

    /// `rax`'s low byte, extended, is the truth of a condition.
    pub fn truth(&mut self, condition: Condition) {
        self.integer_long(0x90 | condition as u8, 0, Operand::Register(RAX), false);
        self.integer_long(0xb6, RAX, Operand::Register(RAX), false);
    }

    /// Compares the byte with a number.
    pub fn compare_byte(&mut self, place: Operand, number: u8) {
        self.integer(0x80, 7, place, false);
        self.put(&[number]);
    }

    /// Negates a register.
    pub fn negate(&mut self, register: u8, wide: bool) {
        self.integer(0xf7, 3, Operand::Register(register), wide);
    }

    /// `register >>= by`, the sign coming in.
    pub fn shift_sign(&mut self, register: u8, by: u8, wide: bool) {
        self.integer(0xc1, 7, Operand::Register(register), wide);
        self.put(&[by]);
    }

    /// Divides `rdx:rax`, the sign-extended `rax`, by a register: the quotient in `rax`, the rest in `rdx`.
    pub fn divide(&mut self, by: u8, wide: bool) {
        self.put(&[0x40 | u8::from(wide) << 3, 0x99]);
        self.integer(0xf7, 7, Operand::Register(by), wide);
    }

    /// `register op= number`: 0 add, 5 subtract, 7 compare.
    pub fn integer_number(&mut self, operation: u8, register: u8, number: i32, wide: bool) {
        match i8::try_from(number) {
            Ok(short) => {
                self.integer(0x83, operation, Operand::Register(register), wide);
                self.put(&[short as u8]);
            }
            Err(_) => {
                self.integer(0x81, operation, Operand::Register(register), wide);
                self.put(&number.to_le_bytes());
            }
        }
    }

    /// `to = number`
    pub fn constant(&mut self, to: u8, number: u64) {
        match u32::try_from(number) {
            Ok(short) => {
                self.put(&[0x40 | to >> 3, 0xb8 | to & 7]);
                self.put(&short.to_le_bytes());
            }
            Err(_) => {
                self.put(&[0x48 | to >> 3, 0xb8 | to & 7]);
                self.put(&number.to_le_bytes());
            }
        }
    }

    /// Calls the function at an address.
    pub fn call(&mut self, place: Operand) {
        self.integer(0xff, 2, place, false);
    }

    pub fn leave(&mut self) {
        self.put(&[0xc3]);
    }

    /// A jump whose aim is set by [`Self::reach`].
    pub fn jump_on(&mut self, condition: Condition) -> Mark {
        self.put(&[0x0f, 0x80 | condition as u8, 0, 0, 0, 0]);
        self.here()
    }

    /// Fills up to a multiple of `bytes` with instructions that do nothing.
    pub fn align(&mut self, bytes: usize) {
        const NOTHING: [&[u8]; 8] = [
            &[0x90],
            &[0x66, 0x90],
            &[0x0f, 0x1f, 0x00],
            &[0x0f, 0x1f, 0x40, 0],
            &[0x0f, 0x1f, 0x44, 0, 0],
            &[0x66, 0x0f, 0x1f, 0x44, 0, 0],
            &[0x0f, 0x1f, 0x80, 0, 0, 0, 0],
            &[0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
        ];
        let mut missing = self.bytes.len().next_multiple_of(bytes) - self.bytes.len();
        while missing > 0 {
            let now = missing.min(NOTHING.len());
            self.put(NOTHING[now - 1]);
            missing -= now;
        }
    }

    /// An instruction of AVX on one number or 128 bits.
    pub fn float(&mut self, form: &Form, reg: u8, second: u8, place: Operand) {
        self.vex(form, reg, second, place);
    }

    /// The same with a byte behind it.
    pub fn float_with(&mut self, form: &Form, reg: u8, second: u8, place: Operand, number: u8) {
        self.vex(form, reg, second, place);
        self.put(&[number]);
    }
}
