//! Element types: the [`DType`] enum with TensorFlow's numbers, and the [`Element`] trait that ties Rust types to it.
//! Every floor above asks here for sizes, classes and names, and dispatches on a dtype with the `for_dtype!` macros.

use std::fmt;

mod names;
mod number;
mod set;

pub use half::{bf16, f16};
pub use names::*;
pub use num_complex::Complex;
pub use number::Number;
pub use set::DTypes;

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
    /// Strings of bytes, `string`; they lie behind the tensor, on the host, and are no numbers.
    String = 7,
    /// Two `f32`, real part and imaginary part, `complex64`.
    C64 = 8,
    /// Signed 64-bit integer, `int64`.
    I64 = 9,
    /// Truth value in one byte, `bool`.
    Bool = 10,
    /// Brain float: the upper half of an `f32`, `bfloat16`.
    BF16 = 14,
    /// Unsigned 16-bit integer, `uint16`.
    U16 = 17,
    /// Two `f64`, real part and imaginary part, `complex128`.
    C128 = 18,
    /// 16-bit IEEE float, `float16`.
    F16 = 19,
    /// Handle of a variable or another object with state, `resource`; holds no numbers.
    Resource = 20,
    /// A list of tensors or another value that only graphs handle, `variant`; holds no numbers.
    Variant = 21,
    /// Unsigned 32-bit integer, `uint32`.
    U32 = 22,
    /// Unsigned 64-bit integer, `uint64`.
    U64 = 23,
}

impl DType {
    /// All dtypes that hold numbers or truth values, in the order of their numbers.
    pub const ALL: [DType; 15] = [
        Self::F32,
        Self::F64,
        Self::I32,
        Self::U8,
        Self::I16,
        Self::I8,
        Self::C64,
        Self::I64,
        Self::Bool,
        Self::BF16,
        Self::U16,
        Self::C128,
        Self::F16,
        Self::U32,
        Self::U64,
    ];

    /// Bytes of one element; 0 for [`DType::Resource`], [`DType::Variant`] and [`DType::String`], which lie behind handles.
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 | Self::Bool => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 | Self::C64 => 8,
            Self::C128 => 16,
            Self::Resource | Self::Variant | Self::String => 0,
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
            Self::String => "string",
            Self::C64 => "complex64",
            Self::I64 => "int64",
            Self::Bool => "bool",
            Self::BF16 => "bfloat16",
            Self::U16 => "uint16",
            Self::C128 => "complex128",
            Self::F16 => "float16",
            Self::Resource => "resource",
            Self::Variant => "variant",
            Self::U32 => "uint32",
            Self::U64 => "uint64",
        }
    }

    /// The dtype with TensorFlow's name, or `None`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain([Self::String]).find(|d| d.name() == name)
    }

    /// True for the four floating-point types.
    #[inline]
    pub const fn is_floating(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::F16 | Self::BF16)
    }

    /// True for the two complex types.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert!(tf::complex64.is_complex() && !tf::float32.is_complex());
    /// ```
    #[inline]
    pub const fn is_complex(self) -> bool {
        matches!(self, Self::C64 | Self::C128)
    }

    /// True for the types that carry gradients: floating-point and complex.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert!(tf::complex128.is_differentiable() && !tf::int32.is_differentiable());
    /// ```
    #[inline]
    pub const fn is_differentiable(self) -> bool {
        self.is_floating() || self.is_complex()
    }

    /// The type of the real part, TensorFlow's `dtype.real_dtype`: `float32` for `complex64`; a real type's own.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!((tf::complex128.real_dtype(), tf::int8.real_dtype()), (tf::float64, tf::int8));
    /// ```
    #[inline]
    pub const fn real_dtype(self) -> Self {
        match self {
            Self::C64 => Self::F32,
            Self::C128 => Self::F64,
            other => other,
        }
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
    /// The element as a number without a dtype.
    #[doc(hidden)]
    fn number(self) -> Number;
}

macro_rules! elements {
    ($($t:ty: $d:ident, $variant:ident as $wide:ty);*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$d;
            fn number(self) -> Number {
                Number::$variant(<$wide>::from(self))
            }
        }
    )*};
}

elements!(f32: F32, Float as f64; f64: F64, Float as f64; f16: F16, Float as f64; bf16: BF16, Float as f64;
    i8: I8, Int as i128; i16: I16, Int as i128; i32: I32, Int as i128; i64: I64, Int as i128;
    u8: U8, Int as i128; u16: U16, Int as i128; u32: U32, Int as i128; u64: U64, Int as i128;
    bool: Bool, Bool as bool);

macro_rules! complex_elements {
    ($($t:ty: $d:ident);*) => {$(
        impl sealed::Sealed for Complex<$t> {}
        impl Element for Complex<$t> {
            const DTYPE: DType = DType::$d;
            fn number(self) -> Number {
                Number::Complex(self.re.into(), self.im.into())
            }
        }
    )*};
}

complex_elements!(f32: C64; f64: C128);

/// Runs the body with `$t` bound to the Rust type of a dtype; handles (`Resource`) take the last arm.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_dtype {
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
            DType::C64 => {
                type $t = $crate::dtype::Complex<f32>;
                $body
            }
            DType::C128 => {
                type $t = $crate::dtype::Complex<f64>;
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
            // Handles; other crates cannot list all dtypes, and a test makes sure that those of numbers are above.
            _ => $other,
        }
    }};
}
#[doc(hidden)]
pub use crate::__for_dtype as for_dtype;

#[cfg(test)]
mod tests;
