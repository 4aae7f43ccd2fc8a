//! TensorFlow's numbers of element types, and which of them the library computes with.
//! Entries of bundles hold them; the rest can be stored and handed on, as bytes.

use kernels::dtype::DType;
use std::fmt;

/// TensorFlow's `DataType`, without its numbers for references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
#[allow(missing_docs, reason = "the names are TensorFlow's and say all there is to say")]
pub enum DataType {
    Invalid = 0,
    Float = 1,
    Double = 2,
    Int32 = 3,
    Uint8 = 4,
    Int16 = 5,
    Int8 = 6,
    String = 7,
    Complex64 = 8,
    Int64 = 9,
    Bool = 10,
    Qint8 = 11,
    Quint8 = 12,
    Qint32 = 13,
    Bfloat16 = 14,
    Qint16 = 15,
    Quint16 = 16,
    Uint16 = 17,
    Complex128 = 18,
    Half = 19,
    Resource = 20,
    Variant = 21,
    Uint32 = 22,
    Uint64 = 23,
    Float8E5m2 = 24,
    Float8E4m3fn = 25,
    Float8E4m3fnuz = 26,
    Float8E4m3b11fnuz = 27,
    Float8E5m2fnuz = 28,
    Int4 = 29,
    Uint4 = 30,
    Int2 = 31,
    Uint2 = 32,
    Float4E2m1fn = 33,
}

impl DataType {
    /// The library's element type of this number, if it has it.
    ///
    /// ```
    /// use eagerflow_formats::messages::DataType;
    /// assert_eq!(DataType::Bfloat16.dtype().unwrap().name(), "bfloat16");
    /// assert_eq!(DataType::Qint8.dtype(), None);
    /// ```
    pub fn dtype(self) -> Option<DType> {
        DType::ALL.into_iter().chain([DType::String]).find(|&dtype| dtype as i32 == self as i32)
    }

    /// Bytes of one element in a file; `None` for strings and for what holds no elements.
    pub const fn size(self) -> Option<u64> {
        match self {
            Self::Invalid | Self::String | Self::Resource | Self::Variant => None,
            Self::Uint8 | Self::Int8 | Self::Bool | Self::Qint8 | Self::Quint8 => Some(1),
            Self::Float8E5m2 | Self::Float8E4m3fn | Self::Float8E4m3fnuz => Some(1),
            Self::Float8E4m3b11fnuz | Self::Float8E5m2fnuz => Some(1),
            // TensorFlow gives each of these small numbers a byte of its own.
            Self::Int4 | Self::Uint4 | Self::Int2 | Self::Uint2 | Self::Float4E2m1fn => Some(1),
            Self::Int16 | Self::Uint16 | Self::Half | Self::Bfloat16 | Self::Qint16 | Self::Quint16 => Some(2),
            Self::Float | Self::Int32 | Self::Uint32 | Self::Qint32 => Some(4),
            Self::Double | Self::Int64 | Self::Uint64 | Self::Complex64 => Some(8),
            Self::Complex128 => Some(16),
        }
    }

    /// TensorFlow's name of the type, such as `float32`.
    pub fn name(self) -> String {
        match (self.dtype(), self) {
            (Some(dtype), _) => dtype.name().to_owned(),
            (None, Self::Float8E4m3b11fnuz) => "float8_e4m3b11fnuz".to_owned(),
            (None, other) => {
                format!("{other:?}").to_lowercase().replace("float8e", "float8_e").replace("float4e", "float4_e")
            }
        }
    }
}

impl From<DType> for DataType {
    fn from(dtype: DType) -> Self {
        // Both enums hold TensorFlow's numbers; a test compares all.
        Self::try_from(dtype as i32).unwrap_or(Self::Invalid)
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_librarys_types_have_tensorflows_numbers_sizes_and_names() {
        for dtype in DType::ALL {
            let data_type = DataType::from(dtype);
            assert_eq!(data_type.dtype(), Some(dtype));
            assert_eq!(data_type.size(), Some(dtype.size() as u64));
            assert_eq!(data_type.name(), dtype.name());
        }
        assert_eq!(DataType::from(DType::Variant), DataType::Variant);
        assert_eq!((DataType::String.dtype(), DataType::String.size()), (Some(DType::String), None));
        assert_eq!(DataType::from(DType::Resource).size(), None);
    }

    #[test]
    fn other_types_have_tensorflows_names() {
        assert_eq!(DataType::Complex64.name(), "complex64");
        assert_eq!(DataType::String.name(), "string");
        assert_eq!(DataType::Float8E4m3fn.name(), "float8_e4m3fn");
        assert_eq!(DataType::Float8E5m2.name(), "float8_e5m2");
        assert_eq!(DataType::Float4E2m1fn.name(), "float4_e2m1fn");
    }
}
