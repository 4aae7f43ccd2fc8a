//! The frame of a loop's code: entry, the lines one after the other, jumps between them, and what lies behind: faults,
//! paths that are seldom taken, constants. The other emitters write the lines themselves.

use super::super::encode::general::{RAX, RBX, RDI, RDX, RSI, RSP};
use super::super::encode::scalar::{Condition, at};
use super::super::encode::{Assembler, If, Mark, Operand};
use super::super::target::Target;
use super::alive::members;
use super::ops::{Line, Op, Request};
use super::registers::Registers;
use super::uses::Class;

/// Code while it is written. `rbx` holds the caller's array, the top of the stack the context; `rax`, `rcx`, `rdx` and
/// vector registers from 13 on are free for every line.
pub(super) struct Emitter<'a> {
    pub request: &'a Request<'a>,
    pub places: Registers,
    pub asm: Assembler,
    /// Where each line starts.
    starts: Vec<Mark>,
    /// Jumps to lines.
    jumps: Vec<(Mark, usize)>,
    faults: Vec<(Mark, usize)>,
    /// Lines whose long way begins at a jump and goes on at a place behind it.
    seldom: Vec<(Mark, usize, Mark)>,
    constants: Vec<(u64, Vec<Mark>)>,
    pub line: usize,
}

/// The bytes of the function.
pub(super) fn emit(request: &Request<'_>) -> Vec<u8> {
    let mut emitter = Emitter {
        request,
        places: Registers::new(request),
        asm: Assembler::new(Target::Avx2),
        starts: Vec::with_capacity(request.lines.len()),
        jumps: Vec::new(),
        faults: Vec::new(),
        seldom: Vec::new(),
        constants: Vec::new(),
        line: 0,
    };
    emitter.entry();
    let mut repeated = vec![false; request.lines.len()];
    for (i, line) in request.lines.iter().enumerate() {
        if let Some(target) = line.target().filter(|&target| target <= i) {
            repeated[target] = true;
        }
    }
    for (i, line) in request.lines.iter().enumerate() {
        if repeated[i] {
            emitter.asm.align(ROUND_STARTS);
        }
        emitter.line = i;
        let start = emitter.asm.here();
        emitter.starts.push(start);
        emitter.line(line);
    }
    emitter.behind();
    emitter.asm.bytes
}

/// Where a round starts: at the start of a line of the instruction cache's halves.
const ROUND_STARTS: usize = 32;

impl Emitter<'_> {
    /// The place of a word in the caller's array.
    pub fn home(&self, word: u32) -> Operand {
        at(RBX, word as i32 * 8)
    }

    /// The register of a word, in the class it has or in this one.
    pub fn register(&self, word: u32, class: Class) -> Option<u8> {
        self.places.register(word, class)
    }

    /// Bytes between the saved registers and the end of the stack: the context, and what aligns the frame.
    fn frame(&self) -> i32 {
        // The return address and `rbx` are on the stack as well.
        if self.places.saved.len().is_multiple_of(2) { 16 } else { 8 }
    }

    fn entry(&mut self) {
        self.asm.push(RBX);
        self.places.saved.clone().into_iter().for_each(|register| self.asm.push(register));
        self.asm.integer_number(5, RSP, self.frame(), true);
        self.asm.integer(0x89, RSI, at(RSP, 0), true);
        self.asm.integer(0x8b, RBX, Operand::Register(RDI), true);
        for n in members(&self.places.alive.entry.clone()) {
            self.load_candidate(n, 8);
        }
    }

    fn exit(&mut self) {
        self.asm.integer_number(0, RSP, self.frame(), true);
        self.places.saved.clone().into_iter().rev().for_each(|register| self.asm.pop(register));
        self.asm.pop(RBX);
        self.asm.leave();
    }

    /// Loads a candidate's register, if it has one, from its home.
    pub fn load_candidate(&mut self, n: usize, size: u8) {
        let candidate = self.places.alive.candidates[n];
        let Some(register) = self.places.of_candidate(n) else { return };
        let home = self.home(candidate.word);
        match candidate.class {
            Class::General => self.load_sized(register, home, size),
            Class::Float => self.load_float(register, home, size == 8),
        }
    }

    /// Stores a candidate's register, if it has one, unless its home has the same.
    pub fn store_candidate(&mut self, n: usize) {
        let candidate = self.places.alive.candidates[n];
        let Some(register) = self.places.of_candidate(n) else { return };
        if !self.places.classes.written[candidate.word as usize] {
            return;
        }
        let home = self.home(candidate.word);
        match candidate.class {
            Class::General => self.asm.integer(0x89, register, home, true),
            Class::Float => self.store_float(register, home, true),
        }
    }

    /// The candidate of a word that is written.
    pub fn written_candidate(&self, word: u32) -> Option<usize> {
        let class = self.places.classes.written_class(word).filter(|_| self.places.classes.written[word as usize])?;
        self.places.alive.number(word, class)
    }

    fn line(&mut self, line: &Line) {
        match line.op {
            Op::Unary(op, number) if number.is_float() => self.float_unary(op, number, line),
            Op::Unary(op, number) => self.integer_unary(op, number, line),
            Op::Binary(op, number) if number.is_float() => self.float_binary(op, number, line),
            Op::Binary(op, number) => self.integer_binary(op, number, line),
            Op::Pair { first, second, number, swapped } if number.is_float() => {
                self.float_pair([first, second], number, swapped, line);
            }
            Op::Pair { first, second, number, swapped } => self.integer_pair([first, second], number, swapped, line),
            Op::Division(division, number) => self.division(division, number, line),
            Op::Logic(logic) => self.logic(logic, line),
            Op::Not => self.negation(line),
            Op::Compare(comparison, number) => self.compare(comparison, number, line),
            Op::Convert(from, into) => self.convert(from, into, line),
            Op::Move(size) => self.move_word(size, line),
            Op::Select(size) => self.select(size, line),
            Op::Function(function, number) => self.function(function, number, line),
            Op::Call(address) => self.call_loop(address, line),
            Op::Step(_) => self.step(self.line),
            Op::Jump => self.jump(line.imm as usize),
            Op::JumpIf | Op::JumpUnless => {
                let truth = self.integer_operand(u32::from(line.a));
                self.asm.compare_byte(truth, 0);
                let condition = if line.op == Op::JumpIf { Condition::NotEqual } else { Condition::Equal };
                self.jump_on(condition, line.imm as usize);
            }
            Op::Branch { comparison, number, unless } => self.branch(comparison, number, unless, line),
            Op::Count { step, comparison, number, swapped } => self.count(step, comparison, number, swapped, line),
            Op::Halt => self.halt(),
            Op::Push(_) | Op::PushRow => self.push_row(line),
            Op::Pop(_) | Op::PopRow => self.pop_row(line),
            Op::PushCount | Op::PopCount => self.count_row(line),
            Op::Store(size) => self.store_field(size, line),
            Op::Load(size) => self.load_field(size, line),
        }
    }

    fn halt(&mut self) {
        let uses = self.request.lines[self.line].uses(self.request);
        for (word, _) in uses.reads {
            if let Some(n) = self.written_candidate(word) {
                self.store_candidate(n);
            }
        }
        self.asm.constant(RAX, u64::MAX);
        self.exit();
    }

    pub fn jump(&mut self, target: usize) {
        if target != self.line + 1 {
            let from = self.asm.jump(If::Always);
            self.jumps.push((from, target));
        }
    }

    pub fn jump_on(&mut self, condition: Condition, target: usize) {
        let from = self.asm.jump_on(condition);
        self.jumps.push((from, target));
    }

    /// The error of this line, if the condition holds.
    pub fn fault_on(&mut self, condition: Condition, line: usize) {
        let from = self.asm.jump_on(condition);
        self.faults.push((from, line));
    }

    /// The caller's step does the whole line if the condition holds; else the code written until [`Self::go_on`] does.
    pub fn step_on(&mut self, condition: Condition) -> Mark {
        self.asm.jump_on(condition)
    }

    pub fn go_on(&mut self, from: Mark) {
        let back = self.asm.here();
        self.seldom.push((from, self.line, back));
    }

    /// The place of a constant, repeated in 128 bits. Uses `rdx`.
    pub fn constant(&mut self, bits: u64) -> Operand {
        let from = self.asm.address(RDX);
        match self.constants.iter_mut().find(|(known, _)| *known == bits) {
            Some((_, from_all)) => from_all.push(from),
            None => self.constants.push((bits, vec![from])),
        }
        at(RDX, 0)
    }

    fn behind(&mut self) {
        for (from, line, back) in std::mem::take(&mut self.seldom) {
            let here = self.asm.here();
            self.asm.reach(from, here);
            let unknown = self.missing_row(line, back);
            let here = self.asm.here();
            unknown.into_iter().for_each(|from| self.asm.reach(from, here));
            self.step(line);
            let jump = self.asm.jump(If::Always);
            self.asm.reach(jump, back);
        }
        let mut to_exit = Vec::new();
        for (from, line) in std::mem::take(&mut self.faults) {
            let here = self.asm.here();
            self.asm.reach(from, here);
            self.asm.constant(RAX, line as u64);
            to_exit.push(self.asm.jump(If::Always));
        }
        let here = self.asm.here();
        to_exit.into_iter().for_each(|from| self.asm.reach(from, here));
        self.exit();
        for (from, target) in std::mem::take(&mut self.jumps) {
            self.asm.reach(from, self.starts[target]);
        }
        self.asm.align(16);
        for (bits, from_all) in std::mem::take(&mut self.constants) {
            let here = self.asm.here();
            from_all.into_iter().for_each(|from| self.asm.reach(from, here));
            (0..2).for_each(|_| self.asm.bytes.extend_from_slice(&bits.to_le_bytes()));
        }
    }
}
