//! The scalar language: what an element-wise operation does to one element, in some seventy instructions.
//! The CPU loops, the derivatives, the fused programs and the CUDA text are each one match on [`Code`].

pub mod bits;
mod build;
mod complex;
mod derive;
mod program;
mod sequence;

pub use bits::{decode, encode, to_f64};
pub use build::{Evaluate, MISSING, Scalar, Val};
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
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
    /// log |gamma(x)|.
    Lgamma,
    /// The derivative of `Lgamma`.
    Digamma,
    Erfinv,
    /// The quantile of the standard normal distribution.
    Ndtri,
    BesselI0,
    /// e^-|x| I0(x).
    BesselI0e,
    BesselI1,
    /// e^-|x| I1(x).
    BesselI1e,
    Floor,
    Ceil,
    /// Half to even.
    Round,
    /// Logical on `bool`, bitwise on integers.
    Not,
    IsNan,
    IsFinite,
    /// How many bits of an integer are set.
    PopulationCount,
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
    /// The angle of the point (second, first).
    Atan2,
    /// The neighbour of the first on the way to the second.
    NextAfter,
    /// Hurwitz's: the sum of (second + k)^-first.
    Zeta,
    /// Derivative number `first` of `Digamma`.
    Polygamma,
    /// The regularized lower incomplete gamma function.
    Igamma,
    /// The regularized upper incomplete gamma function.
    Igammac,
    /// The derivative of `Igamma` by its first operand; has none by that one itself.
    IgammaGradA,
    /// Integers: by no less than 0 and no more than all bits but one.
    LeftShift,
    /// Integers, signed ones with their sign: by as many as `LeftShift`.
    RightShift,
    /// `Betainc(a, b, x)`, the regularized incomplete beta function.
    Betainc,
    /// `Select(condition, then, else)`.
    Select,
}

impl Code {
    /// Number of operands.
    pub const fn arity(self) -> usize {
        match self {
            Self::Const => 0,
            Self::Select | Self::Betainc => 3,
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
            Self::Tan => "tan",
            Self::Asin => "asin",
            Self::Acos => "acos",
            Self::Atan => "atan",
            Self::Sinh => "sinh",
            Self::Cosh => "cosh",
            Self::Asinh => "asinh",
            Self::Acosh => "acosh",
            Self::Atanh => "atanh",
            Self::Lgamma => "lgamma",
            Self::Digamma => "digamma",
            Self::Erfinv => "erfinv",
            Self::Ndtri => "ndtri",
            Self::BesselI0 => "bessel_i0",
            Self::BesselI0e => "bessel_i0e",
            Self::BesselI1 => "bessel_i1",
            Self::BesselI1e => "bessel_i1e",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Round => "round",
            Self::Not => "not",
            Self::IsNan => "is_nan",
            Self::IsFinite => "is_finite",
            Self::PopulationCount => "population_count",
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
            Self::Atan2 => "atan2",
            Self::NextAfter => "nextafter",
            Self::Zeta => "zeta",
            Self::Polygamma => "polygamma",
            Self::Igamma => "igamma",
            Self::Igammac => "igammac",
            Self::IgammaGradA => "igamma_grad_a",
            Self::LeftShift => "left_shift",
            Self::RightShift => "right_shift",
            Self::Betainc => "betainc",
            Self::Select => "select",
        }
    }

    /// Whether it is one of `backend::special`, which may loop over an element.
    pub const fn is_special(self) -> bool {
        (self as u8 >= Self::Lgamma as u8 && self as u8 <= Self::BesselI1e as u8)
            || (self as u8 >= Self::Zeta as u8 && self as u8 <= Self::IgammaGradA as u8)
            || matches!(self, Self::Betainc)
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
