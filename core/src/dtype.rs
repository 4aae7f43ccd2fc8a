//! Element types: the [`DType`] enum with TensorFlow's numbers, and the [`Element`] trait that ties Rust types to it.
//! Every floor above asks here for sizes, classes and names, and dispatches on a dtype with the `for_dtype!` macros.

use std::fmt;

pub use half::{bf16, f16};

/// The type of a tensor's elements. The discriminants are TensorFlow's `DataType` numbers, as files store them.
///
/// ```
/// use eagerflow::DType;
/// assert_eq!(DType::F32 as u8, 1);
/// assert_eq!(DType::BF16.size(), 2);
/// assert_eq!(DType::I64.to_string(), "int64");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
pub enum DType {
    /// 32-bit IEEE float, TensorFlow's `float32`: the type of bare float literals.
    F32 = 1,
    /// 64-bit IEEE float, `float64`.
    F64 = 2,
    /// Signed 32-bit integer, `int32`: the type of bare integer literals.
    I32 = 3,
    /// Unsigned 8-bit integer, `uint8`.
    U8 = 4,
    /// Signed 16-bit integer, `int16`.
    I16 = 5,
    /// Signed 8-bit integer, `int8`.
    I8 = 6,
    /// Signed 64-bit integer, `int64`.
    I64 = 9,
    /// Truth value in one byte, `bool`.
    Bool = 10,
    /// Brain float: the upper half of an `f32`, `bfloat16`.
    BF16 = 14,
    /// Unsigned 16-bit integer, `uint16`.
    U16 = 17,
    /// 16-bit IEEE float, `float16`.
    F16 = 19,
    /// Handle of a variable or another object with state, `resource`; holds no numbers.
    Resource = 20,
    /// Unsigned 32-bit integer, `uint32`.
    U32 = 22,
    /// Unsigned 64-bit integer, `uint64`.
    U64 = 23,
}

impl DType {
    /// All dtypes that hold numbers or truth values, in the order of their numbers.
    pub const ALL: [DType; 13] = [
        Self::F32,
        Self::F64,
        Self::I32,
        Self::U8,
        Self::I16,
        Self::I8,
        Self::I64,
        Self::Bool,
        Self::BF16,
        Self::U16,
        Self::F16,
        Self::U32,
        Self::U64,
    ];

    /// Bytes of one element; 0 for [`DType::Resource`].
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 | Self::Bool => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
            Self::Resource => 0,
        }
    }

    /// TensorFlow's name of the type, such as `float32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "float32",
            Self::F64 => "float64",
            Self::I32 => "int32",
            Self::U8 => "uint8",
            Self::I16 => "int16",
            Self::I8 => "int8",
            Self::I64 => "int64",
            Self::Bool => "bool",
            Self::BF16 => "bfloat16",
            Self::U16 => "uint16",
            Self::F16 => "float16",
            Self::Resource => "resource",
            Self::U32 => "uint32",
            Self::U64 => "uint64",
        }
    }

    /// The dtype with TensorFlow's name, or `None`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.name() == name)
    }

    /// True for the four floating-point types: those that carry gradients.
    #[inline]
    pub const fn is_floating(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::F16 | Self::BF16)
    }

    /// True for the eight integer types; `bool` is not one.
    #[inline]
    pub const fn is_integer(self) -> bool {
        self.is_signed_integer() || self.is_unsigned()
    }

    /// True for the four signed integer types.
    #[inline]
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// True for the four unsigned integer types.
    #[inline]
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

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
            Self::F32 => Number::Float(f32::MAX.into()),
            Self::F16 => Number::Float(f16::MAX.to_f64()),
            Self::BF16 => Number::Float(bf16::MAX.to_f64()),
            // A handle holds no numbers; of none, the greatest is nothing more than the least.
            Self::Resource | Self::Bool => Number::Bool(self == Self::Bool),
            _ => Number::Int((1 << (8 * self.size() - usize::from(self.is_signed_integer()))) - 1),
        }
    }

    /// The type in which scalar programs compute: `f32` for the two 16-bit floats, else the type itself.
    #[inline]
    pub const fn compute(self) -> Self {
        match self {
            Self::F16 | Self::BF16 => Self::F32,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of dtypes, as a bit mask: the types an operation takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DTypes(u32);

impl DTypes {
    /// No type.
    pub const NONE: Self = Self(0);
    /// The four floating-point types.
    pub const FLOATING: Self = Self::of(&[DType::F16, DType::BF16, DType::F32, DType::F64]);
    /// The four signed integer types.
    pub const SIGNED_INTEGERS: Self = Self::of(&[DType::I8, DType::I16, DType::I32, DType::I64]);
    /// The four unsigned integer types.
    pub const UNSIGNED: Self = Self::of(&[DType::U8, DType::U16, DType::U32, DType::U64]);
    /// The eight integer types.
    pub const INTEGERS: Self = Self::SIGNED_INTEGERS.and(Self::UNSIGNED);
    /// Floats and integers.
    pub const NUMBERS: Self = Self::FLOATING.and(Self::INTEGERS);
    /// Truth values only.
    pub const BOOL: Self = Self::of(&[DType::Bool]);
    /// Everything but handles.
    pub const ALL: Self = Self::NUMBERS.and(Self::BOOL);

    /// The set of the given types.
    pub const fn of(dtypes: &[DType]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < dtypes.len() {
            bits |= 1 << dtypes[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// Both sets together.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set without the given types.
    pub const fn without(self, dtypes: &[DType]) -> Self {
        Self(self.0 & !Self::of(dtypes).0)
    }

    /// Whether the type is in the set.
    #[inline]
    pub const fn has(self, dtype: DType) -> bool {
        self.0 >> dtype as u8 & 1 == 1
    }

    /// The types in the set, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = DType> {
        DType::ALL.into_iter().filter(move |&d| self.has(d))
    }
}

impl fmt::Display for DTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(DType::name).collect();
        f.write_str(&names.join(", "))
    }
}

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
}

impl Number {
    /// The number as `f64`, rounded to the nearest where it has more digits; truth values are 0 and 1.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Float(value) => value,
            Self::Int(value) => value as f64,
            Self::Bool(value) => f64::from(value),
        }
    }
}

/// The dtypes under TensorFlow's names, for `tf::float32` and the like.
#[allow(non_upper_case_globals, reason = "TensorFlow's own names")]
mod names {
    use super::DType;

    macro_rules! names {
        ($($name:ident $alias:literal $dtype:ident)*) => {$(
            #[doc = concat!("[`DType::", stringify!($dtype), "`], TensorFlow's `tf.", $alias, "`.")]
            ///
            /// ```
            #[doc = concat!("assert_eq!(eagerflow::", stringify!($name), ".name(), \"", $alias, "\");")]
            /// ```
            pub const $name: DType = DType::$dtype;
        )*};
    }

    names! {
        float16 "float16" F16
        bfloat16 "bfloat16" BF16
        float32 "float32" F32
        float64 "float64" F64
        int8 "int8" I8
        int16 "int16" I16
        int32 "int32" I32
        int64 "int64" I64
        uint8 "uint8" U8
        uint16 "uint16" U16
        uint32 "uint32" U32
        uint64 "uint64" U64
        bool_ "bool" Bool
    }
}

pub use names::*;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that can be an element of a tensor.
///
/// Sealed: the set of element types is the library's own, because kernels exist for exactly these.
///
/// ```
/// use eagerflow::{DType, Element};
/// assert_eq!(<f32 as Element>::DTYPE, DType::F32);
/// ```
pub trait Element: Copy + Send + Sync + PartialEq + fmt::Debug + Default + sealed::Sealed + 'static {
    /// The dtype of tensors with such elements.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($t:ty => $d:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$d;
        }
    )*};
}

elements!(f32 => F32, f64 => F64, i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32,
    u64 => U64, bool => Bool, f16 => F16, bf16 => BF16);

/// Runs the body with `$t` bound to the Rust type of a dtype; handles (`Resource`) take the last arm.
macro_rules! for_dtype {
    ($dtype:expr, $t:ident => $body:expr, else $other:expr) => {{
        use $crate::dtype::DType;
        match $dtype {
            DType::F32 => {
                type $t = f32;
                $body
            }
            DType::F64 => {
                type $t = f64;
                $body
            }
            DType::I32 => {
                type $t = i32;
                $body
            }
            DType::U8 => {
                type $t = u8;
                $body
            }
            DType::I16 => {
                type $t = i16;
                $body
            }
            DType::I8 => {
                type $t = i8;
                $body
            }
            DType::I64 => {
                type $t = i64;
                $body
            }
            DType::Bool => {
                type $t = bool;
                $body
            }
            DType::BF16 => {
                type $t = $crate::dtype::bf16;
                $body
            }
            DType::U16 => {
                type $t = u16;
                $body
            }
            DType::F16 => {
                type $t = $crate::dtype::f16;
                $body
            }
            DType::U32 => {
                type $t = u32;
                $body
            }
            DType::U64 => {
                type $t = u64;
                $body
            }
            DType::Resource => $other,
        }
    }};
}
pub(crate) use for_dtype;

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;

    #[test]
    fn limits_are_those_of_the_rust_types() {
        fn check<T: Into<i128>>(dtype: DType, min: T, max: T) {
            assert_eq!((dtype.min(), dtype.max()), (Number::Int(min.into()), Number::Int(max.into())));
        }
        check(tf::int8, i8::MIN, i8::MAX);
        check(tf::int16, i16::MIN, i16::MAX);
        check(tf::int32, i32::MIN, i32::MAX);
        check(tf::int64, i64::MIN, i64::MAX);
        check(tf::uint8, u8::MIN, u8::MAX);
        check(tf::uint16, u16::MIN, u16::MAX);
        check(tf::uint32, u32::MIN, u32::MAX);
        check(tf::uint64, u64::MIN, u64::MAX);
        for (dtype, min) in [(tf::float32, f64::from(f32::MIN)), (tf::float64, f64::MIN), (tf::float16, -65504.0)] {
            assert_eq!((dtype.min(), dtype.max()), (Number::Float(min), Number::Float(-min)));
        }
        assert_eq!(tf::bfloat16.max().to_f64(), 3.3895313892515355e38);
        assert_eq!((tf::bool_.min(), tf::bool_.max()), (Number::Bool(false), Number::Bool(true)));
    }

    #[test]
    fn limits_are_operands() {
        for dtype in DType::ALL.into_iter().filter(|d| *d != DType::Bool) {
            let zero = tf::constant_of(0, dtype);
            for limit in [dtype.min(), dtype.max()] {
                assert_eq!((&zero + limit).try_to_f64().unwrap(), limit.to_f64(), "{dtype}");
            }
        }
        let big = tf::constant_of(0, DType::I64) + tf::int64.max();
        assert_eq!(big.item::<i64>(), i64::MAX);
        assert!(tf::constant_of(0, DType::I8).try_add(tf::uint8.max()).is_err(), "255 does not fit");
    }

    #[test]
    fn names_are_tensorflows_both_ways() {
        for dtype in DType::ALL {
            assert_eq!(DType::from_name(dtype.name()), Some(dtype));
        }
        assert_eq!(DType::from_name("float"), None);
        assert_eq!((tf::float32, tf::bool_), (DType::F32, DType::Bool));
    }
}
