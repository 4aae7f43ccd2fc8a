//! The vector operations of a compiled program, 16 elements each or 8, and the list that one stream of elements goes through.
//! `lower.rs` and `functions.rs` write such lists, `avx2.rs` writes them anew; `emit.rs` turns them into machine code.

use super::encode::Form;
use super::target::Target;

/// The number of a value: what one operation computes, or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Value(pub u32);

/// An operation. Names without a letter are of `f32`, with `I` of 32-bit integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Op {
    /// Element-wise input number `n`.
    Load(u16),
    /// Bytes of input number `n` as 32-bit integers.
    LoadBytes(u16),
    /// The argument into output number `n`.
    Store(u16),
    /// The low bytes of integers into output number `n`.
    StoreBytes(u16),
    /// The argument into fold number `n`.
    Fold(u16),
    Add,
    Sub,
    Mul,
    Div,
    /// The processor's: the second operand unless the first is less.
    Min,
    /// The processor's: the second operand unless the first is greater.
    Max,
    Sqrt,
    /// `a b + c`, rounded once.
    Fma,
    /// `c - a b`, rounded once.
    Fnma,
    /// To an integer: 0 to nearest even, 1 down, 2 up.
    Round(u8),
    AddI,
    SubI,
    MulI,
    MinI,
    MaxI,
    AbsI,
    And,
    Or,
    Xor,
    /// The bits of `b` where `c` has ones, of `a` elsewhere.
    Bits,
    /// `a`, changed where `b` and `c` both have ones.
    Flip,
    ShlI(u8),
    ShrI(u8),
    SarI(u8),
    /// `f32` of an integer.
    Float,
    /// An integer of `f32`, cut towards zero; the lowest one where there is none.
    Integer,
    /// A mask of a comparison: the processor's number for it.
    Compare(u8),
    CompareI(u8),
    /// A mask of the lanes in which two integers share a bit.
    Test,
    /// `Choose(mask, then, otherwise)`.
    Choose,
    MaskAnd,
    MaskOr,
    MaskXor,
    MaskNot,
    /// `Rare(shift)(mask, x, y)`: `y`, but the sine of large numbers where `mask` is, or with a shift of 1 the cosine.
    Rare(u8),
    /// Of AVX2 alone, whose masks are vectors: `b` where `a` has zeros.
    AndNot,
    /// All ones where two integers are equal, or where the first is greater.
    EqualI,
    GreaterI,
}

/// Numbers of comparisons.
pub(super) mod compare {
    pub const EQUAL: u8 = 0;
    pub const LESS: u8 = 17;
    pub const AT_MOST: u8 = 18;
    /// True where either is NaN too.
    pub const NOT_EQUAL: u8 = 4;
    /// Where either is NaN.
    pub const UNORDERED: u8 = 3;
    /// Greater, or either is NaN.
    pub const NOT_AT_MOST: u8 = 22;
    /// Less, or either is NaN.
    pub const NOT_AT_LEAST: u8 = 25;
    /// Of integers.
    pub const LESS_I: u8 = 1;
    pub const AT_MOST_I: u8 = 2;
    pub const NOT_EQUAL_I: u8 = 4;
}

/// How the registers of an operation are arranged in its instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Shape {
    /// Loads, stores, folds and masks, which `emit.rs` writes one by one.
    Special,
    /// `reg = place`
    One,
    /// `reg = second op place`
    Two,
    /// `reg = second op place`, either way round.
    Commuting,
    /// `second = place op number`: the register field continues the opcode.
    Shift(u8),
    /// One operand is the result's register; any may be in memory.
    Fused,
    /// `reg = bits of reg, second, place`.
    Bits,
    /// `reg = mask ? place : second`
    Blend,
    /// The same with a vector as mask, whose number ends the instruction.
    BlendVector,
    /// `mask = second op place`
    Test,
}

impl Op {
    /// The instruction, its arrangement, and the number that it ends with.
    pub fn form(self, target: Target) -> (Form, Shape, Option<u8>) {
        use Shape::*;
        let f = Form::new;
        if target == Target::Avx2 {
            match self {
                Self::Compare(how) => return (f(1, 0, 0xc2), Two, Some(how)),
                Self::Choose => return (f(3, 1, 0x4a), BlendVector, None),
                Self::AndNot => return (f(1, 1, 0xdf), Two, None),
                Self::EqualI => return (f(1, 1, 0x76), Commuting, None),
                Self::GreaterI => return (f(1, 1, 0x66), Two, None),
                _ => {}
            }
        }
        let (form, shape) = match self {
            Self::Add => (f(1, 0, 0x58), Commuting),
            Self::Sub => (f(1, 0, 0x5c), Two),
            Self::Mul => (f(1, 0, 0x59), Commuting),
            Self::Div => (f(1, 0, 0x5e), Two),
            Self::Min => (f(1, 0, 0x5d), Two),
            Self::Max => (f(1, 0, 0x5f), Two),
            Self::Sqrt => (f(1, 0, 0x51), One),
            // The form whose result lies over the first operand; its neighbours are 16 bytes before and after.
            Self::Fma => (f(2, 1, 0xa8), Fused),
            Self::Fnma => (f(2, 1, 0xac), Fused),
            Self::Round(how) => return (f(3, 1, 0x08), One, Some(how | 8)),
            Self::AddI => (f(1, 1, 0xfe), Commuting),
            Self::SubI => (f(1, 1, 0xfa), Two),
            Self::MulI => (f(2, 1, 0x40), Commuting),
            Self::MinI => (f(2, 1, 0x39), Commuting),
            Self::MaxI => (f(2, 1, 0x3d), Commuting),
            Self::AbsI => (f(2, 1, 0x1e), One),
            Self::And => (f(1, 1, 0xdb), Commuting),
            Self::Or => (f(1, 1, 0xeb), Commuting),
            Self::Xor => (f(1, 1, 0xef), Commuting),
            // The table of `c ? b : a`, read with a as the highest bit.
            Self::Bits => return (f(3, 1, 0x25), Bits, Some(0xd8)),
            Self::Flip => return (f(3, 1, 0x25), Bits, Some(0x78)),
            Self::ShlI(by) => return (f(1, 1, 0x72), Shift(6), Some(by)),
            Self::ShrI(by) => return (f(1, 1, 0x72), Shift(2), Some(by)),
            Self::SarI(by) => return (f(1, 1, 0x72), Shift(4), Some(by)),
            Self::Float => (f(1, 0, 0x5b), One),
            Self::Integer => (f(1, 2, 0x5b), One),
            Self::Compare(how) => return (f(1, 0, 0xc2), Test, Some(how)),
            Self::CompareI(how) => return (f(3, 1, 0x1f), Test, Some(how)),
            Self::Test => (f(2, 1, 0x27), Test),
            Self::Choose => (f(2, 1, 0x65), Blend),
            _ => (f(1, 0, 0), Special),
        };
        (form, shape, None)
    }
}

/// An operation and what it works on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub op: Op,
    pub to: Value,
    args: [Value; 3],
    count: u8,
}

impl Line {
    pub fn args(&self) -> &[Value] {
        &self.args[..self.count as usize]
    }
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The result of a line.
    Line,
    /// Bits of every lane.
    Constant(u32),
    /// The one element of input number `n`.
    Scalar(u16),
}

/// The operations that one vector of elements goes through, in order.
#[derive(Default)]
pub(super) struct List {
    pub lines: Vec<Line>,
    pub values: Vec<Source>,
    /// The values that are no results of lines, each of which there is once.
    shared: Vec<Value>,
}

impl List {
    fn value(&mut self, source: Source) -> Value {
        self.values.push(source);
        Value(self.values.len() as u32 - 1)
    }

    pub fn shared(&mut self, source: Source) -> Value {
        if let Some(value) = self.shared.iter().find(|value| self.values[value.0 as usize] == source) {
            return *value;
        }
        let value = self.value(source);
        self.shared.push(value);
        value
    }

    pub fn push(&mut self, op: Op, args: &[Value]) -> Value {
        let to = self.value(Source::Line);
        let mut all = [Value(0); 3];
        all[..args.len()].copy_from_slice(args);
        self.lines.push(Line { op, to, args: all, count: args.len() as u8 });
        to
    }

    /// 32 bits in every lane.
    pub fn bits(&mut self, bits: u32) -> Value {
        self.shared(Source::Constant(bits))
    }

    pub fn float(&mut self, x: f32) -> Value {
        self.bits(x.to_bits())
    }

    pub fn scalar(&mut self, input: u16) -> Value {
        self.shared(Source::Scalar(input))
    }

    /// The constant that a value is, as `f32`.
    pub fn constant(&self, value: Value) -> Option<f32> {
        match self.values[value.0 as usize] {
            Source::Constant(bits) => Some(f32::from_bits(bits)),
            _ => None,
        }
    }

    /// How many results of lines are alive at once, at most.
    pub fn alive(&self) -> usize {
        let mut last = vec![0; self.values.len()];
        for (at, line) in self.lines.iter().enumerate() {
            line.args().iter().for_each(|arg| last[arg.0 as usize] = at);
        }
        let (mut now, mut most) = (0usize, 0);
        let mut ends = vec![0; self.lines.len()];
        for (at, line) in self.lines.iter().enumerate() {
            now -= ends[at];
            let end = last[line.to.0 as usize];
            if end > at {
                now += 1;
                ends[end] += 1;
                most = most.max(now);
            }
        }
        most
    }
}
