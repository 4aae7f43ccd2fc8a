//! The scalar language: what an element-wise operation does to one element, in about forty instructions.
//! The CPU loops, the derivatives, the fused programs and the CUDA text are each one match on [`Code`].

pub mod bits;
mod build;
mod complex;
mod derive;
mod program;
mod sequence;

pub use bits::{decode, encode, to_f64};
pub use build::{Evaluate, Scalar, Val};
pub use complex::{ComplexVal, Meant, atan2};
pub use derive::derivative;
pub use program::{Meaning, Program, Slot, Step, narrow, widen};
#[cfg(test)]
pub use sequence::Pair;
pub use sequence::{Action, Root, Sequence};

use crate::dtype::DType;

/// One instruction. All operands of an instruction have one dtype, but for `Select`, whose condition is `bool`.
///
/// Arithmetic is IEEE, one rounding each; integers wrap. Instructions whose comment says *faults* report a fault for
/// operands that have no answer, and the operation turns that into an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Code {
    /// The dtype's bits stand in the step.
    Const,
    /// To the step's result dtype: floats round to nearest even, float to integer saturates, anything to `bool` is `!= 0`.
    Cast,
    Neg,
    Abs,
    /// -1, 0 or 1; keeps NaN.
    Sign,
    Sqrt,
    /// 1 / sqrt(x), two roundings.
    Rsqrt,
    Exp,
    Expm1,
    Log,
    Log1p,
    Sin,
    Cos,
    Tanh,
    Erf,
    /// 1 - erf(x), without cancellation.
    Erfc,
    /// 1 / (1 + exp(-x)).
    Sigmoid,
    Floor,
    Ceil,
    /// Half to even.
    Round,
    /// Logical on `bool`, bitwise on integers.
    Not,
    IsNan,
    IsFinite,
    Add,
    Sub,
    Mul,
    /// Integers: toward zero, *faults* on zero.
    Div,
    /// The sign of the dividend, as Rust's `%`; integers *fault* on zero.
    Rem,
    /// Toward minus infinity; integers *fault* on zero.
    FloorDiv,
    /// The sign of the divisor; integers *fault* on zero.
    FloorMod,
    /// Integers *fault* on a negative exponent.
    Pow,
    /// NaN if either is.
    Min,
    /// NaN if either is.
    Max,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    /// `Select(condition, then, else)`.
    Select,
}

impl Code {
    /// Number of operands.
    pub const fn arity(self) -> usize {
        match self {
            Self::Const => 0,
            Self::Select => 3,
            _ if (self as u8) < Self::Add as u8 => 1,
            _ => 2,
        }
    }

    /// The dtype of the result for operands of type `operand` (of the `then` value, for `Select`).
    pub const fn result(self, operand: DType) -> DType {
        match self {
            Self::IsNan | Self::IsFinite | Self::Eq | Self::Ne | Self::Lt | Self::Le => DType::Bool,
            _ => operand,
        }
    }

    /// The instruction's name in printed programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Const => "const",
            Self::Cast => "cast",
            Self::Neg => "neg",
            Self::Abs => "abs",
            Self::Sign => "sign",
            Self::Sqrt => "sqrt",
            Self::Rsqrt => "rsqrt",
            Self::Exp => "exp",
            Self::Expm1 => "expm1",
            Self::Log => "log",
            Self::Log1p => "log1p",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tanh => "tanh",
            Self::Erf => "erf",
            Self::Erfc => "erfc",
            Self::Sigmoid => "sigmoid",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Round => "round",
            Self::Not => "not",
            Self::IsNan => "is_nan",
            Self::IsFinite => "is_finite",
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Rem => "rem",
            Self::FloorDiv => "floordiv",
            Self::FloorMod => "floormod",
            Self::Pow => "pow",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Select => "select",
        }
    }

    /// What a fault of this instruction means, if it can fault.
    pub const fn fault(self) -> Option<&'static str> {
        match self {
            Self::Div | Self::Rem | Self::FloorDiv | Self::FloorMod => Some("integer division by zero"),
            Self::Pow => Some("integer raised to a negative power"),
            _ => None,
        }
    }
}
