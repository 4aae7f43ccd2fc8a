//! What a parser expects of a record: one specification per feature, with TensorFlow's names.
//! Users make lists of them; `parse_example` and its like read records by them.

use super::values::Values;
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// As many values in every record, as a tensor of a shape: `tf.io.FixedLenFeature`.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedLenFeature {
    pub(super) shape: Vec<usize>,
    pub(super) dtype: DType,
    pub(super) default: Option<Values>,
}

/// Any number of values, as a sparse matrix: `tf.io.VarLenFeature`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarLenFeature {
    pub(super) dtype: DType,
}

/// Any number of values, as rows of their own lengths: `tf.io.RaggedFeature` without partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaggedFeature {
    pub(super) dtype: DType,
    pub(super) value_key: Option<String>,
}

/// Any number of tensors of a shape one after the other, filled up to the longest of a batch: `tf.io.FixedLenSequenceFeature`.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedLenSequenceFeature {
    pub(super) shape: Vec<usize>,
    pub(super) dtype: DType,
    pub(super) allow_missing: bool,
    pub(super) default: Option<Values>,
}

/// What is expected of a feature.
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureSpec {
    /// As many values in every record.
    FixedLen(FixedLenFeature),
    /// Any number of values, sparse.
    VarLen(VarLenFeature),
    /// Any number of values, in rows.
    Ragged(RaggedFeature),
    /// Tensors one after the other.
    FixedLenSequence(FixedLenSequenceFeature),
}

impl FixedLenFeature {
    /// Values of `float32`, `int64` or `string` in this shape; `[]` for one. A record without them is an error.
    pub fn new(shape: &[usize], dtype: DType) -> Self {
        Self { shape: shape.to_vec(), dtype, default: None }
    }

    /// The value, or the values, of records that have none.
    ///
    /// # Panics
    /// As [`try_default_value`](Self::try_default_value) fails.
    #[track_caller]
    #[must_use]
    pub fn default_value(self, value: impl Into<FeatureDefault>) -> Self {
        self.try_default_value(value).or_fail()
    }

    /// The value, or the values, of records that have none.
    ///
    /// # Errors
    /// InvalidArgument for another dtype, or a number of values that is neither one nor that of the shape.
    #[track_caller]
    pub fn try_default_value(mut self, value: impl Into<FeatureDefault>) -> Result<Self> {
        let size = self.shape.iter().product();
        let here = Location::caller();
        self.default = Some(fitting(value.into(), self.dtype, size).map_err(|e| e.at(here))?);
        Ok(self)
    }
}

/// The values of a default, repeated if there is one.
fn fitting(FeatureDefault(values): FeatureDefault, dtype: DType, size: usize) -> Result<Values> {
    match values.dtype() == dtype && (values.len() == size || values.len() == 1) {
        true => Ok(if values.len() == size { values } else { values.repeated(size) }),
        false => Err(Error::invalid_argument("parse_example", "`default_value` does not fit the feature")
            .got(format!("{} values of {}", values.len(), values.dtype()))
            .expected(format!("1 or {size} of {dtype}"))),
    }
}

impl VarLenFeature {
    /// Values of `float32`, `int64` or `string`.
    pub fn new(dtype: DType) -> Self {
        Self { dtype }
    }
}

impl RaggedFeature {
    /// Values of `float32`, `int64` or `string`.
    pub fn new(dtype: DType) -> Self {
        Self { dtype, value_key: None }
    }

    /// The name of the feature in records, if it is not the name of the result.
    #[must_use]
    pub fn value_key(mut self, key: impl Into<String>) -> Self {
        self.value_key = Some(key.into());
        self
    }
}

impl FixedLenSequenceFeature {
    /// Tensors of this shape, of `float32`, `int64` or `string`.
    pub fn new(shape: &[usize], dtype: DType) -> Self {
        Self { shape: shape.to_vec(), dtype, allow_missing: false, default: None }
    }

    /// Whether a record may have none of it. `parse_example` must be told so, as in TensorFlow.
    #[must_use]
    pub fn allow_missing(mut self, allow: bool) -> Self {
        self.allow_missing = allow;
        self
    }

    /// What shorter records of a batch are filled up with; 0 or the empty string unless set.
    ///
    /// # Panics
    /// As [`try_default_value`](Self::try_default_value) fails.
    #[track_caller]
    #[must_use]
    pub fn default_value(self, value: impl Into<FeatureDefault>) -> Self {
        self.try_default_value(value).or_fail()
    }

    /// What shorter records of a batch are filled up with.
    ///
    /// # Errors
    /// InvalidArgument for another dtype, or more than one value.
    #[track_caller]
    pub fn try_default_value(mut self, value: impl Into<FeatureDefault>) -> Result<Self> {
        let here = Location::caller();
        self.default = Some(fitting(value.into(), self.dtype, 1).map_err(|e| e.at(here))?);
        Ok(self)
    }
}

macro_rules! specs {
    ($($spec:ident => $kind:ident),*) => {$(
        impl From<$spec> for FeatureSpec {
            fn from(spec: $spec) -> Self {
                Self::$kind(spec)
            }
        }
    )*};
}
specs!(FixedLenFeature => FixedLen, VarLenFeature => VarLen, RaggedFeature => Ragged, FixedLenSequenceFeature => FixedLenSequence);

impl FeatureSpec {
    pub(super) fn dtype(&self) -> DType {
        match self {
            Self::FixedLen(spec) => spec.dtype,
            Self::VarLen(spec) => spec.dtype,
            Self::Ragged(spec) => spec.dtype,
            Self::FixedLenSequence(spec) => spec.dtype,
        }
    }

    /// The feature's name in records.
    pub(super) fn key<'a>(&'a self, name: &'a str) -> &'a str {
        match self {
            Self::Ragged(RaggedFeature { value_key: Some(key), .. }) => key,
            _ => name,
        }
    }
}

/// Values of a default: numbers of `float32` or `int64`, or strings; one, or as many as the feature has.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureDefault(pub(super) Values);

macro_rules! defaults {
    ($($t:ty: $value:ident => $values:expr),* $(,)?) => {$(
        impl From<$t> for FeatureDefault {
            fn from($value: $t) -> Self {
                Self($values)
            }
        }
    )*};
}
defaults! {
    f32: x => Values::Floats(vec![x]),
    Vec<f32>: x => Values::Floats(x),
    i64: x => Values::Integers(vec![x]),
    Vec<i64>: x => Values::Integers(x),
    &str: x => Values::Strings(vec![x.as_bytes().to_vec()]),
    Vec<&str>: x => Values::Strings(x.into_iter().map(|x| x.as_bytes().to_vec()).collect()),
}
