//! Calls out of a loop's code: functions of floats, vector loops on one element, and the caller's own step.
//! What the callee reads is brought home before, and registers that calls change are filled again behind.

use super::super::encode::Operand;
use super::super::encode::general::{RAX, RCX, RDI, RDX, RSI, RSP};
use super::super::encode::scalar::{Condition, at};
use super::alive::members;
use super::emit::Emitter;
use super::floats::THIRD;
use super::ops::{Function, Line, Number};
use super::registers::kept_by_calls;
use super::uses::{Class, Use, Uses};
use crate::backend::cpu::vector::Loop;
use crate::backend::cpu::vector::number::Real;

const TEST: u8 = 0x85;
const ADDRESS: u8 = 0x8d;

/// What a vector loop made of one element, in two registers.
#[repr(C)]
struct Answer {
    value: u64,
    faulted: u64,
}

/// One element of a vector loop, a function of Rust's own convention, which only passes through here.
///
/// # Safety
/// The loop's operands are elements of the types that it reads.
#[allow(improper_ctypes_definitions, reason = "code never calls the function itself")]
unsafe extern "sysv64" fn one_element(function: Loop, a: *const u8, b: *const u8, c: *const u8) -> Answer {
    let mut value = 0u64;
    // SAFETY: by the caller's promise; the output is apart from the operands.
    let faulted = unsafe { function(1, (&raw mut value).cast(), a, b, c) };
    Answer { value, faulted: u64::from(faulted) }
}

macro_rules! functions {
    ($($name:ident: $variant:ident, $number:ident, $t:ty, $method:ident;)*) => {
        $(extern "sysv64" fn $name(x: $t) -> $t {
            Real::$method(x)
        })*

        fn address(function: Function, number: Number) -> u64 {
            let address: *const () = match (function, number) {
                $((Function::$variant, Number::$number) => $name as *const (),)*
                _ => unreachable!("functions are of floats"),
            };
            address.addr() as u64
        }
    };
}

functions! {
    exp_single: Exp, F32, f32, exp;
    exp_double: Exp, F64, f64, exp;
    log_single: Log, F32, f32, log;
    log_double: Log, F64, f64, log;
    tanh_single: Tanh, F32, f32, tanh;
    tanh_double: Tanh, F64, f64, tanh;
    sigmoid_single: Sigmoid, F32, f32, sigmoid;
    sigmoid_double: Sigmoid, F64, f64, sigmoid;
}

impl Emitter<'_> {
    fn number(&self, line: &Line, usage: Use) -> Option<usize> {
        let class = self.places.classes.of(line, usage)?;
        self.places.alive.number(usage.0, class)
    }

    /// Candidates in registers that calls change, and that are needed behind a line which does not write them.
    fn survivors(&self, number: usize, line: &Line, uses: &Uses) -> Vec<usize> {
        let written: Vec<usize> = uses.writes.iter().filter_map(|&usage| self.number(line, usage)).collect();
        let alive = &self.places.alive;
        members(alive.after(number))
            .filter(|n| !written.contains(n))
            .filter(|&n| {
                let class = alive.candidates[n].class;
                self.places.of_candidate(n).is_some_and(|register| !kept_by_calls(class, register))
            })
            .collect()
    }

    fn keep(&mut self, survivors: &[usize]) {
        survivors.iter().for_each(|&n| self.store_candidate(n));
    }

    /// Brings home what a callee reads there.
    fn bring_home(&mut self, uses: &Uses, kept: &[usize]) {
        for &(word, _) in &uses.reads {
            if let Some(n) = self.written_candidate(word).filter(|n| !kept.contains(n)) {
                self.store_candidate(n);
            }
        }
    }

    fn fill_again(&mut self, survivors: &[usize]) {
        survivors.iter().for_each(|&n| self.load_candidate(n, 8));
    }

    pub fn function(&mut self, function: Function, number: Number, line: &Line) {
        let wide = number.is_wide();
        let uses = line.uses(self.request);
        let survivors = self.survivors(self.line, line, &uses);
        self.keep(&survivors);
        let argument = self.float_operand(u32::from(line.a));
        self.load_float(0, argument, wide);
        self.asm.constant(RAX, address(function, number));
        self.asm.call(Operand::Register(RAX));
        self.load_float(THIRD, Operand::Register(0), wide);
        self.fill_again(&survivors);
        let to = self.float_to(line);
        self.load_float(to, Operand::Register(THIRD), wide);
        self.float_done(line, wide);
    }

    pub fn call_loop(&mut self, function: usize, line: &Line) {
        let uses = line.uses(self.request);
        let survivors = self.survivors(self.line, line, &uses);
        self.keep(&survivors);
        self.bring_home(&uses, &survivors);
        for (register, word) in [(RSI, line.a), (RDX, line.b), (RCX, line.c)] {
            let home = self.home(u32::from(word));
            self.asm.integer(ADDRESS, register, home, true);
        }
        self.asm.constant(RDI, function as u64);
        self.asm.constant(RAX, (one_element as *const ()).addr() as u64);
        self.asm.call(Operand::Register(RAX));
        self.asm.integer(TEST, RDX, Operand::Register(RDX), false);
        self.fault_on(Condition::NotEqual, self.line);
        self.fill_again(&survivors);
        let to = u32::from(line.to);
        match self.register(to, Class::Float) {
            Some(register) => self.float_of_bits(register, RAX, true),
            None => self.word_done(to, RAX, 8),
        }
    }

    /// Lets the caller do a line: the one being written, or an earlier one whose long way this is.
    pub fn step(&mut self, number: usize) {
        let line = self.request.lines[number];
        let uses = line.uses(self.request);
        let survivors = self.survivors(number, &line, &uses);
        self.keep(&survivors);
        self.bring_home(&uses, &survivors);
        self.asm.integer(0x8b, RDI, at(RSP, 0), true);
        self.asm.constant(RSI, number as u64);
        self.asm.call(at(RDI, 0));
        self.asm.compare_byte(Operand::Register(RAX), 0);
        self.fault_on(Condition::NotEqual, number);
        self.fill_again(&survivors);
        let rows: Vec<u32> = (0..self.request.lists.len() as u16).map(|list| self.request.end(list)).collect();
        for &(word, _) in &uses.writes {
            if let Some(n) = self.written_candidate(word) {
                let size = if rows.contains(&word) { 8 } else { line.result_size() };
                self.load_candidate(n, size);
            }
        }
    }
}
