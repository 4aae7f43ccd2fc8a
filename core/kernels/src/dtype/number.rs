//! Numbers that have no dtype yet, and the limits of dtypes, which are such numbers.
//! Operands hold literals as [`Number`]s until they meet a tensor.

use super::DType;
use half::{bf16, f16};

/// A number before it is known which dtype it gets: a literal beside a tensor, or a limit of a dtype.
///
/// ```
/// use eagerflow as tf;
/// assert!(tf::int16.max() > tf::Number::Int(1000));
/// assert_eq!(tf::uint64.max().to_f64(), 18446744073709551615.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Number {
    /// A float literal or value.
    Float(f64),
    /// An integer literal or value.
    Int(i128),
    /// A truth value.
    Bool(bool),
    /// A complex number: real part and imaginary part.
    Complex(f64, f64),
}

impl Number {
    /// The number as `f64`, rounded to the nearest where it has more digits; truth values are 0 and 1, and a complex number is its
    /// real part.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Float(value) | Self::Complex(value, _) => value,
            Self::Int(value) => value as f64,
            Self::Bool(value) => f64::from(value),
        }
    }
}

impl DType {
    /// The least finite value, as TensorFlow's `tf.float32.min`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::float32.min(), tf::Number::Float(f64::from(f32::MIN)));
    /// assert_eq!(tf::uint8.min(), tf::Number::Int(0));
    /// assert_eq!(tf::fill([2], tf::float32.min()).to_vec::<f32>(), [f32::MIN; 2]);
    /// ```
    pub fn min(self) -> Number {
        match self.max() {
            Number::Float(max) => Number::Float(-max),
            Number::Int(_) if self.is_unsigned() => Number::Int(0),
            Number::Int(max) => Number::Int(-max - 1),
            Number::Bool(_) => Number::Bool(false),
            complex @ Number::Complex(..) => complex,
        }
    }

    /// The greatest finite value, as TensorFlow's `tf.float32.max`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::int8.max(), tf::Number::Int(127));
    /// assert_eq!(tf::float16.max().to_f64(), 65504.0);
    /// ```
    pub fn max(self) -> Number {
        match self {
            Self::F64 => Number::Float(f64::MAX),
            // Complex numbers have no order: none is the least or the greatest.
            Self::C64 | Self::C128 => Number::Complex(f64::NAN, f64::NAN),
            Self::F32 => Number::Float(f32::MAX.into()),
            Self::F16 => Number::Float(f16::MAX.to_f64()),
            Self::BF16 => Number::Float(bf16::MAX.to_f64()),
            // Handles and strings hold no numbers; of none, the greatest is nothing more than the least.
            Self::Resource | Self::Variant | Self::String | Self::Bool => Number::Bool(self == Self::Bool),
            _ => Number::Int((1 << (8 * self.size() - usize::from(self.is_signed_integer()))) - 1),
        }
    }
}
