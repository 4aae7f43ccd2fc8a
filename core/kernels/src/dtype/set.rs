//! Sets of dtypes: what an operation takes.
//! Type rules ask them for membership, and errors print them.

use super::DType;
use std::fmt;

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
    /// Floats and integers: real numbers.
    pub const NUMBERS: Self = Self::FLOATING.and(Self::INTEGERS);
    /// Truth values only.
    pub const BOOL: Self = Self::of(&[DType::Bool]);
    /// The two complex types.
    pub const COMPLEX: Self = Self::of(&[DType::C64, DType::C128]);
    /// Real numbers and truth values: what a program of the scalar language computes with.
    pub const REAL: Self = Self::NUMBERS.and(Self::BOOL);
    /// Everything but handles and strings.
    pub const ALL: Self = Self::REAL.and(Self::COMPLEX);
    /// Strings only.
    pub const STRING: Self = Self::of(&[DType::String]);
    /// What can be moved: everything but handles.
    pub const MOVABLE: Self = Self::ALL.and(Self::STRING);

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
        DType::ALL.into_iter().chain([DType::String]).filter(move |&d| self.has(d))
    }
}

impl fmt::Display for DTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(DType::name).collect();
        f.write_str(&names.join(", "))
    }
}
