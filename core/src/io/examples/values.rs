//! Values of a feature of one kind, and tensors of those of many records.
//! The parsers collect them; specifications hold them as defaults.

use engine::Tensor;
use formats::examples::{Feature, Kind};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// Values of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Strings(Vec<Vec<u8>>),
    Floats(Vec<f32>),
    Integers(Vec<i64>),
}

impl Values {
    /// No values.
    pub fn none(dtype: DType) -> Self {
        match dtype {
            DType::F32 => Self::Floats(Vec::new()),
            DType::I64 => Self::Integers(Vec::new()),
            _ => Self::Strings(Vec::new()),
        }
    }

    /// Zeros or empty strings.
    pub fn zeros(dtype: DType, count: usize) -> Self {
        match dtype {
            DType::F32 => Self::Floats(vec![0.0; count]),
            DType::I64 => Self::Integers(vec![0; count]),
            _ => Self::Strings(vec![Vec::new(); count]),
        }
    }

    /// The values of a feature, or none of one that holds nothing.
    ///
    /// # Errors
    /// The name of the kind that it holds instead.
    pub fn of(feature: Feature, dtype: DType) -> Result<Option<Self>, &'static str> {
        match (feature.kind, dtype) {
            (None, _) => Ok(None),
            (Some(Kind::BytesList(list)), DType::String) => Ok(Some(Self::Strings(list.value))),
            (Some(Kind::FloatList(list)), DType::F32) => Ok(Some(Self::Floats(list.value))),
            (Some(Kind::Int64List(list)), DType::I64) => Ok(Some(Self::Integers(list.value))),
            (Some(Kind::BytesList(_)), _) => Err("strings"),
            (Some(Kind::FloatList(_)), _) => Err("float32"),
            (Some(Kind::Int64List(_)), _) => Err("int64"),
        }
    }

    pub fn dtype(&self) -> DType {
        match self {
            Self::Strings(_) => DType::String,
            Self::Floats(_) => DType::F32,
            Self::Integers(_) => DType::I64,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Strings(all) => all.len(),
            Self::Floats(all) => all.len(),
            Self::Integers(all) => all.len(),
        }
    }

    /// Takes the values of another, which must be of the same kind.
    pub fn append(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Strings(all), Self::Strings(more)) => all.extend(more),
            (Self::Floats(all), Self::Floats(more)) => all.extend(more),
            (Self::Integers(all), Self::Integers(more)) => all.extend(more),
            _ => return Err(Error::internal("parse_example", "values of two kinds came together")),
        }
        Ok(())
    }

    /// The first value so many times.
    pub fn repeated(&self, count: usize) -> Self {
        match self {
            Self::Strings(all) => Self::Strings(all.iter().take(1).cycle().take(count).cloned().collect()),
            Self::Floats(all) => Self::Floats(all.iter().take(1).cycle().take(count).copied().collect()),
            Self::Integers(all) => Self::Integers(all.iter().take(1).cycle().take(count).copied().collect()),
        }
    }

    pub fn into_tensor(self, shape: &[usize]) -> Result<Tensor> {
        match self {
            Self::Strings(all) => Tensor::try_from_byte_strings(&all, shape),
            Self::Floats(all) => Tensor::try_from_vec(all, shape),
            Self::Integers(all) => Tensor::try_from_vec(all, shape),
        }
    }
}
