//! Random programs: branches, counted loops in loops, more values than there are registers, lists, calls and faults.
//! Each runs line by line and as machine code.

use super::*;

/// A program while it is written: registers by kind, and lists.
struct Program {
    rng: Rng,
    lines: Vec<Line>,
    kinds: Vec<Kind>,
    /// The first register of each kind: four of numbers, then truth values.
    first: [u16; 5],
    each: u16,
    start: Vec<u64>,
    rows: Vec<Shape>,
    calls: bool,
}

const fn shape(size: usize, open: bool, walked: bool) -> Shape {
    Shape { size, open, walked }
}

/// Lists of one field of 4 and 8 bytes, of three fields, and of rows without bytes; the same with missing rows before
/// them; and one that steps alone touch.
const SHAPES: [Shape; 9] = [
    shape(4, false, true),
    shape(8, false, true),
    shape(13, false, true),
    shape(0, false, true),
    shape(4, true, true),
    shape(8, true, true),
    shape(13, true, true),
    shape(0, true, true),
    shape(13, false, false),
];

const NUMBERS: [Number; 4] = [Number::F32, Number::F64, Number::I32, Number::I64];

impl Program {
    fn new(seed: u64, each: u16, calls: bool) -> Self {
        let mut program = Self {
            rng: Rng(seed * 2 + 1),
            lines: Vec::new(),
            kinds: Vec::new(),
            first: [0; 5],
            each,
            start: Vec::new(),
            rows: SHAPES.to_vec(),
            calls,
        };
        let kinds = NUMBERS.map(Kind::Number).into_iter().chain([Kind::Truth]);
        for (n, kind) in kinds.enumerate() {
            program.first[n] = program.kinds.len() as u16;
            (0..each).for_each(|_| {
                let bits = program.bits(kind);
                program.register(kind, bits);
            });
        }
        program
    }

    fn register(&mut self, kind: Kind, bits: u64) -> u16 {
        self.kinds.push(kind);
        self.start.push(bits);
        self.kinds.len() as u16 - 1
    }

    fn bits(&mut self, kind: Kind) -> u64 {
        let small = self.rng.below(2001) as f64 / 100.0 - 10.0;
        match kind {
            Kind::Number(Number::F32) => u64::from((small as f32).to_bits()),
            Kind::Number(Number::F64) => small.to_bits(),
            Kind::Number(Number::I32) => u64::from(small as i32 as u32),
            Kind::Number(Number::I64) => small as i64 as u64,
            Kind::Truth => self.rng.below(2) as u64,
        }
    }

    /// Any register of kind number `n`.
    fn any(&mut self, n: usize) -> u16 {
        self.first[n] + self.rng.below(self.each as usize) as u16
    }

    fn push(&mut self, op: Op, to: u16, operands: [u16; 3], imm: u32) {
        self.lines.push(line(op, to, operands, imm));
    }

    fn statement(&mut self, depth: usize) {
        let n = self.rng.below(4);
        let number = NUMBERS[n];
        let (to, a, b, c) = (self.any(n), self.any(n), self.any(n), self.any(n));
        let (t, u) = (self.any(4), self.any(4));
        let float = number.is_float();
        let comparison = self.rng.of(&[Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le]);
        match self.rng.below(if depth > 0 { 24 } else { 20 }) {
            0..4 => {
                let ops = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Min, Binary::Max, Binary::Div];
                let op = self.rng.of(&ops[..if float { 6 } else { 5 }]);
                self.push(Op::Binary(op, number), to, [a, b, 0], 0);
            }
            4 => {
                let ops = [Unary::Neg, Unary::Abs, Unary::Sign, Unary::Sqrt, Unary::Floor];
                let op = self.rng.of(&ops[..if float { 5 } else { 2 }]);
                self.push(Op::Unary(op, number), to, [a, 0, 0], 0);
            }
            5 | 6 => {
                let [first, second] = [0; 2].map(|_| self.rng.of(&[Binary::Add, Binary::Sub, Binary::Mul]));
                let swapped = self.rng.below(2) == 0;
                self.push(Op::Pair { first, second, number, swapped }, to, [a, b, c], 0);
            }
            7 if !float => {
                let all = [Division::Div, Division::Rem, Division::FloorDiv, Division::FloorMod];
                let division = self.rng.of(&all);
                // Mostly one that is not zero.
                if self.rng.below(30) > 0 {
                    let one = self.register(Kind::Number(number), 3);
                    self.push(Op::Binary(Binary::Max, number), b, [b, one, 0], 0);
                }
                self.push(Op::Division(division, number), to, [a, b, 0], 0);
            }
            7 | 8 => {
                let other = self.rng.below(4);
                let to = self.any(other);
                self.push(Op::Convert(number, NUMBERS[other]), to, [a, 0, 0], 0);
            }
            9 => self.push(Op::Compare(comparison, number), t, [a, b, 0], 0),
            10 => {
                let logic = self.rng.of(&[Logic::And, Logic::Or, Logic::Xor]);
                self.push(Op::Logic(logic), t, [u, t, 0], 0);
                self.push(Op::Not, u, [t, 0, 0], 0);
            }
            11 => self.push(Op::Select(number.size()), to, [t, b, c], 0),
            12 => self.push(Op::Move(number.size()), to, [a, 0, 0], 0),
            13 | 14 => self.list(number, to, a),
            15 => self.row(),
            16..20 if self.calls => self.call(number, to, [a, b, c]),
            16..20 => self.push(Op::Move(number.size()), to, [a, 0, 0], 0),
            20 | 21 => self.branch(comparison, number, [a, b], t, depth),
            _ => self.repeat(depth),
        }
    }

    /// A row of one field, or without one. Each list is of one size; those with missing rows come later.
    fn list(&mut self, number: Number, to: u16, a: u16) {
        let open = self.rng.below(2) as u16 * 4;
        let list = open + u16::from(number.size() == 8);
        match self.rng.below(6) {
            0..3 => self.push(Op::Push(number.size()), list, [a, 0, 0], 0),
            3 => self.push(Op::PushCount, open + 3, [0; 3], 0),
            4 => {
                if open == 0 && self.rng.below(40) > 0 {
                    self.push(Op::PushCount, open + 3, [0; 3], 0);
                }
                self.push(Op::PopCount, open + 3, [0; 3], 0);
            }
            _ => {
                // Mostly of a list that has a row.
                if open == 0 && self.rng.below(40) > 0 {
                    self.push(Op::Push(number.size()), list, [a, 0, 0], 0);
                }
                self.push(Op::Pop(number.size()), to, [list, 0, 0], 0);
            }
        }
    }

    /// A row of three fields.
    fn row(&mut self) {
        let list = 2 + self.rng.below(2) as u16 * 4;
        let (f, i, t) = (self.any(1), self.any(2), self.any(4));
        if list == 2 || self.rng.below(2) == 0 {
            self.push(Op::PushRow, list, [0; 3], 13);
            self.push(Op::Store(8), list, [f, 0, 0], 13);
            self.push(Op::Store(4), list, [i, 0, 0], 5);
            self.push(Op::Store(1), list, [t, 0, 0], 1);
        }
        if self.rng.below(2) == 0 {
            let (f, i, t) = (self.any(1), self.any(2), self.any(4));
            self.push(Op::PopRow, list, [0; 3], 13);
            self.push(Op::Load(8), f, [list, 0, 0], 0);
            self.push(Op::Load(4), i, [list, 0, 0], 8);
            self.push(Op::Load(1), t, [list, 0, 0], 12);
        }
    }

    fn call(&mut self, number: Number, to: u16, [a, b, c]: [u16; 3]) {
        match number {
            Number::F32 | Number::F64 => {
                let function = self.rng.of(&[Function::Exp, Function::Log, Function::Tanh, Function::Sigmoid]);
                self.push(Op::Function(function, number), to, [a, 0, 0], 0);
            }
            Number::I64 => {
                let function = reference::wide_loop as crate::backend::cpu::vector::Loop as usize;
                self.push(Op::Call(function), to, [a, b, c], 0);
            }
            Number::I32 => {
                let reads = [0; 3].map(|_| self.rng.below(2) == 0);
                let writes = (self.rng.below(4) > 0).then_some(4);
                let list = self.rng.below(18) as u16;
                let lists = [(list < 9).then_some(list), None];
                self.push(Op::Step(Touched { reads, writes, lists }), to, [a, b, c], 0);
            }
        }
    }

    fn branch(&mut self, comparison: Comparison, number: Number, [a, b]: [u16; 2], t: u16, depth: usize) {
        let at = self.lines.len();
        let unless = self.rng.below(2) == 0;
        match self.rng.below(3) {
            0 => self.push(Op::JumpIf, 0, [t, 0, 0], 0),
            1 => self.push(Op::JumpUnless, 0, [t, 0, 0], 0),
            _ => self.push(Op::Branch { comparison, number, unless }, 0, [a, b, 0], 0),
        }
        self.block(depth - 1);
        let other = self.lines.len();
        self.push(Op::Jump, 0, [0; 3], 0);
        self.lines[at].imm = self.lines.len() as u32;
        self.block(depth - 1);
        self.lines[other].imm = self.lines.len() as u32;
    }

    fn repeat(&mut self, depth: usize) {
        let wide = self.rng.below(2) == 0;
        let number = if wide { Number::I64 } else { Number::I32 };
        let kind = Kind::Number(number);
        let rounds = self.rng.below(7) as u64;
        let [counter, zero, one, limit] = [9, 0, 1, rounds].map(|bits| self.register(kind, bits));
        self.push(Op::Move(number.size()), counter, [zero, 0, 0], 0);
        let again = self.lines.len() as u32;
        self.block(depth - 1);
        let count = Op::Count { step: Binary::Add, comparison: Comparison::Lt, number, swapped: false };
        self.push(count, counter, [0, limit, one], again);
    }

    fn block(&mut self, depth: usize) {
        (0..2 + self.rng.below(6)).for_each(|_| self.statement(depth));
    }

    fn run(mut self, seed: u64) {
        (0..4).for_each(|_| self.block(3));
        self.push(Op::Halt, 0, [0; 3], 0);
        // Sometimes few results, so that registers are shared by more values.
        let results: Vec<u16> = (0..self.kinds.len() as u16).filter(|r| seed.is_multiple_of(3) || r % 7 == 0).collect();
        let case = Case { lines: &self.lines, kinds: &self.kinds, rows: &self.rows, results: &results };
        case.check([&self.start[..]], &seed);
    }
}

/// 400 programs of each kind, or as many as `EAGERFLOW_LOOP_SEEDS` says.
fn seeds() -> std::ops::Range<u64> {
    let asked = std::env::var("EAGERFLOW_LOOP_SEEDS").ok().and_then(|text| text.parse().ok());
    // The portable path is asked for under valgrind, where code is slow to make.
    0..asked.unwrap_or(if Isa::current() == Isa::Portable { 40 } else { 400 })
}

#[test]
fn programs_that_fit_the_registers() {
    seeds().for_each(|seed| Program::new(seed, 3, false).run(seed));
}

#[test]
fn programs_with_calls() {
    seeds().for_each(|seed| Program::new(seed + 10_000, 4, true).run(seed));
}

#[test]
fn programs_with_more_values_than_registers() {
    seeds().for_each(|seed| Program::new(seed + 20_000, 15, seed.is_multiple_of(2)).run(seed));
}

#[test]
fn sixty_values_are_carried() {
    let mut program = Program::new(5, 1, false);
    let [counter, zero, one, limit] = [0, 0, 1, 100].map(|n| program.register(Kind::Number(Number::I32), n));
    let values: Vec<u16> =
        (0..60).map(|n| program.register(Kind::Number(Number::F64), f64::from(n).to_bits())).collect();
    let factor = program.register(Kind::Number(Number::F64), 0.99f64.to_bits());
    program.push(Op::Move(4), counter, [zero, 0, 0], 0);
    let again = program.lines.len() as u32;
    for pair in values.windows(2) {
        let op = Op::Pair { first: Binary::Mul, second: Binary::Add, number: Number::F64, swapped: false };
        program.push(op, pair[1], [pair[1], factor, pair[0]], 0);
    }
    let count = Op::Count { step: Binary::Add, comparison: Comparison::Lt, number: Number::I32, swapped: false };
    program.push(count, counter, [0, limit, one], again);
    program.push(Op::Halt, 0, [0; 3], 0);
    same(&program.lines, &program.kinds, &[program.start], &"sixty values");
}
