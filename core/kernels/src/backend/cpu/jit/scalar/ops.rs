//! The instructions of loops over numbers as the generator takes them: one line for each instruction of the engine's
//! bytecode machine. The engine writes the lines; the other files here ask what a line reads and writes.

/// What an operand of an arithmetic instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    F32,
    F64,
    I32,
    I64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Neg,
    Abs,
    /// Of floats, as are the next two.
    Sign,
    Sqrt,
    Floor,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    /// Of floats.
    Div,
    Min,
    Max,
}

/// What divides integers, and faults where the divisor is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    Div,
    Rem,
    FloorDiv,
    FloorMod,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logic {
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
}

/// Functions of floats that are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    Exp,
    Log,
    Tanh,
    Sigmoid,
}

/// What the caller's own [step](super::Context) reads and writes, in its home.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    /// Whether the registers `a`, `b` and `c` are read.
    pub reads: [bool; 3],
    /// The bytes of the result in `to`, if there is one.
    pub writes: Option<u8>,
    /// Lists whose rows it may change.
    pub lists: [Option<u16>; 2],
}

/// What a line does. Sizes are bytes: 1, 2, 4 or 8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// `to = f(a)`
    Unary(Unary, Number),
    /// `to = a . b`
    Binary(Binary, Number),
    /// `to = (a . b) . c`, or `c . (a . b)`; both are rounded.
    Pair {
        first: Binary,
        second: Binary,
        number: Number,
        swapped: bool,
    },
    Division(Division, Number),
    /// Of truth values, one byte each.
    Logic(Logic),
    Not,
    Compare(Comparison, Number),
    Convert(Number, Number),
    Move(u8),
    /// `to = if a { b } else { c }`
    Select(u8),
    Function(Function, Number),
    /// The vector loop at this address, on one element.
    Call(usize),
    /// The caller's own step.
    Step(Touched),
    /// To the line `imm`, as all jumps.
    Jump,
    JumpIf,
    JumpUnless,
    /// If `a . b`, or unless so.
    Branch {
        comparison: Comparison,
        number: Number,
        unless: bool,
    },
    /// `to = to . c`, then a jump if `to . b`, or if `b . to`.
    Count {
        step: Binary,
        comparison: Comparison,
        number: Number,
        swapped: bool,
    },
    Halt,
    /// Appends a row of one field, `a`, to list `to`.
    Push(u8),
    /// Takes the last row of one field from list `a`. Where there is none, it is missing, all zeros, if the list's words
    /// say so; else the caller's step decides.
    Pop(u8),
    /// Appends a row of `imm` bytes to list `to`.
    PushRow,
    /// Takes a row of `imm` bytes from list `to`.
    PopRow,
    /// As the two before, of rows without bytes: the word of the end counts them.
    PushCount,
    PopCount,
    /// Stores `a` `imm` bytes before the end of list `to`.
    Store(u8),
    /// Loads from `imm` bytes behind the end of list `a`.
    Load(u8),
}

/// An instruction over registers of 64 bits, and lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    pub op: Op,
    pub to: u16,
    pub a: u16,
    pub b: u16,
    pub c: u16,
    pub imm: u32,
}

/// What code is asked for.
pub struct Request<'a> {
    /// The last one, or a jump, ends the code; jumps go to lines.
    pub lines: &'a [Line],
    pub registers: usize,
    /// Of each list, whether the code pushes and pops its rows; the others are the caller's alone.
    pub lists: &'a [bool],
    /// Registers that are read after the end.
    pub results: &'a [u16],
}

impl Request<'_> {
    /// The words of the array that code runs on: registers, and three for each list.
    pub fn words(&self) -> usize {
        self.registers + WORDS_OF_LIST * self.lists.len()
    }

    /// The word that holds the end of a list.
    #[cfg_attr(
        not(all(target_arch = "x86_64", target_os = "linux", not(miri))),
        allow(dead_code, reason = "read by the generator")
    )]
    pub(super) fn end(&self, list: u16) -> u32 {
        (self.registers + WORDS_OF_LIST * list as usize) as u32
    }
}

/// The words of a list: the end of its rows, the end of their memory, its start, and whether a row that is not there is
/// missing. Of rows without bytes, the first is their number.
pub const WORDS_OF_LIST: usize = 4;
