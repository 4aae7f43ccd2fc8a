//! Machine code for loops against the meaning of each line in Rust: how a case is run both ways and compared.
//! The cases are in `tests/`: single lines on numbers at which something changes, and random programs with lists and calls.

use super::*;
use crate::backend::cpu::vector::number::{Bits, Number as Arithmetic, Real, Truth};

mod random;
mod reference;
mod singles;

use reference::{Reference, Shape};

/// A generator of the tests' own.
pub(super) struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Number(Number),
    Truth,
}

/// The value of a register, all NaNs being one: which of two operands gives its bits is left to the compiler.
pub(super) fn value(kind: Kind, bits: u64) -> u64 {
    match kind {
        Kind::Number(Number::F32) if f32::from_bits(bits as u32).is_nan() => u64::from(f32::NAN.to_bits()),
        Kind::Number(Number::F64) if f64::from_bits(bits).is_nan() => f64::NAN.to_bits(),
        Kind::Number(Number::F32 | Number::I32) => bits & 0xffff_ffff,
        Kind::Truth => bits & 0xff,
        Kind::Number(_) => bits,
    }
}

pub(super) fn line(op: Op, to: u16, [a, b, c]: [u16; 3], imm: u32) -> Line {
    Line { op, to, a, b, c, imm }
}

/// A program, and what its registers hold.
pub(super) struct Case<'a> {
    pub lines: &'a [Line],
    pub kinds: &'a [Kind],
    pub rows: &'a [Shape],
    pub results: &'a [u16],
}

impl Case<'_> {
    /// Runs the program both ways from each of these registers, and compares results, faults and lists.
    #[track_caller]
    pub fn check<'s>(&self, starts: impl IntoIterator<Item = &'s [u64]>, what: &dyn std::fmt::Debug) {
        let Some(isa) = Isa::available().max().filter(|isa| *isa != Isa::Portable) else { return };
        let Self { lines, kinds, rows, results } = *self;
        let lists: Vec<bool> = rows.iter().map(|shape| shape.walked).collect();
        let request = Request { lines, registers: kinds.len(), lists: &lists, results };
        let code = LoopCode::new(&request, isa).expect("this system lets tests run code of their own");
        for start in starts {
            let (mut expected, mut got) = (Reference::new(lines, start, rows), Reference::new(lines, start, rows));
            let end = expected.run();
            assert_eq!(got.run_code(&code), end, "the end of {what:?} from {start:x?}\n{}", listing(lines));
            if end.is_err() {
                continue;
            }
            for &r in results {
                let kind = kinds[r as usize];
                let [one, other] = [&got, &expected].map(|run| value(kind, run.words[r as usize]));
                let place = || format!("register {r} ({kind:?}) of {what:?} from {start:x?}\n{}", listing(lines));
                assert_eq!(one, other, "{}", place());
            }
            assert_eq!(got.contents(), expected.contents(), "lists of {what:?}\n{}", listing(lines));
        }
    }
}

/// The same for programs without lists, all of whose registers are results.
#[track_caller]
pub(super) fn same(lines: &[Line], kinds: &[Kind], starts: &[Vec<u64>], what: &dyn std::fmt::Debug) {
    let results: Vec<u16> = (0..kinds.len() as u16).collect();
    Case { lines, kinds, rows: &[], results: &results }.check(starts.iter().map(Vec::as_slice), what);
}

fn listing(lines: &[Line]) -> String {
    lines.iter().enumerate().map(|(i, line)| format!("{i}: {line:?}\n")).collect()
}
