//! What parsers of records give: tensors by the names of features, dense, sparse or in rows.
//! Users take the tensors out by name.

use super::columns::Level;
use super::spec::FeatureSpec;
use engine::Tensor;
use kernels::error::{Error, OrFail, Result};
use std::collections::BTreeMap;
use std::panic::Location;

/// A sparse tensor as its parts: what TensorFlow's `SparseTensor` holds.
#[derive(Clone, Debug)]
pub struct SparseFeatureValue {
    /// Where each value lies: `[values, dimensions]` of `int64`.
    pub indices: Tensor,
    /// The values, as a vector.
    pub values: Tensor,
    /// The sizes of the dense tensor, of `int64`.
    pub dense_shape: Tensor,
}

/// Rows of different lengths as their parts: what TensorFlow's `RaggedTensor` holds.
#[derive(Clone, Debug)]
pub struct RaggedFeatureValue {
    /// All values one after the other.
    pub values: Tensor,
    /// Where rows begin, with the end of the last: one vector of `int64` for each dimension of rows, the outermost first.
    pub row_splits: Vec<Tensor>,
}

/// What a feature became.
#[derive(Clone, Debug)]
pub enum FeatureValue {
    /// One tensor.
    Dense(Tensor),
    /// A sparse tensor.
    Sparse(SparseFeatureValue),
    /// Rows.
    Ragged(RaggedFeatureValue),
}

/// Features by name.
#[derive(Clone, Debug, Default)]
pub struct ParsedFeatures(BTreeMap<String, FeatureValue>);

impl ParsedFeatures {
    /// Puts the tensors of an operation under their names; lengths of dense lists come apart.
    pub(super) fn take(
        specs: &[(String, FeatureSpec)],
        level: Level,
        tensors: &mut dyn Iterator<Item = Tensor>,
    ) -> (Self, Self) {
        let (mut all, mut lengths) = (Self::default(), Self::default());
        for (name, spec) in specs {
            let Some(first) = tensors.next() else { break };
            let value = match spec {
                FeatureSpec::VarLen(_) => match (tensors.next(), tensors.next()) {
                    (Some(values), Some(dense_shape)) => {
                        FeatureValue::Sparse(SparseFeatureValue { indices: first, values, dense_shape })
                    }
                    _ => break,
                },
                FeatureSpec::Ragged(_) if level != Level::One => {
                    let splits = if level == Level::BatchOfSteps { 2 } else { 1 };
                    FeatureValue::Ragged(RaggedFeatureValue {
                        values: first,
                        row_splits: tensors.take(splits).collect(),
                    })
                }
                _ => FeatureValue::Dense(first),
            };
            if level == Level::BatchOfSteps && matches!(spec, FeatureSpec::FixedLenSequence(_)) {
                lengths.0.extend(tensors.next().map(|length| (name.clone(), FeatureValue::Dense(length))));
            }
            all.0.insert(name.clone(), value);
        }
        (all, lengths)
    }

    /// All features, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FeatureValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// A feature by name.
    pub fn get(&self, name: &str) -> Option<&FeatureValue> {
        self.0.get(name)
    }

    #[track_caller]
    fn wanted<'a, T>(
        &'a self,
        name: &str,
        form: &str,
        of: impl Fn(&'a FeatureValue) -> Option<&'a T>,
    ) -> Result<&'a T> {
        let here = Location::caller();
        let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
        self.get(name).and_then(of).ok_or_else(|| {
            Error::not_found("parsed features", format!("there is no {form} feature `{name}`"))
                .got(names.join(", "))
                .at(here)
        })
    }

    /// The tensor of a feature of fixed length or of a sequence.
    ///
    /// # Panics
    /// If there is no such feature, at the caller's line.
    #[track_caller]
    pub fn dense(&self, name: &str) -> &Tensor {
        self.try_dense(name).or_fail()
    }

    /// The tensor of a feature of fixed length or of a sequence.
    ///
    /// # Errors
    /// NotFound if there is no such feature.
    #[track_caller]
    pub fn try_dense(&self, name: &str) -> Result<&Tensor> {
        self.wanted(name, "dense", |value| match value {
            FeatureValue::Dense(tensor) => Some(tensor),
            _ => None,
        })
    }

    /// The parts of a `VarLenFeature`.
    ///
    /// # Panics
    /// If there is no such feature, at the caller's line.
    #[track_caller]
    pub fn sparse(&self, name: &str) -> &SparseFeatureValue {
        self.try_sparse(name).or_fail()
    }

    /// The parts of a `VarLenFeature`.
    ///
    /// # Errors
    /// NotFound if there is no such feature.
    #[track_caller]
    pub fn try_sparse(&self, name: &str) -> Result<&SparseFeatureValue> {
        self.wanted(name, "sparse", |value| match value {
            FeatureValue::Sparse(sparse) => Some(sparse),
            _ => None,
        })
    }

    /// The parts of a `RaggedFeature`. Of a single `Example` it is dense: there is one row.
    ///
    /// # Panics
    /// If there is no such feature, at the caller's line.
    #[track_caller]
    pub fn ragged(&self, name: &str) -> &RaggedFeatureValue {
        self.try_ragged(name).or_fail()
    }

    /// The parts of a `RaggedFeature`.
    ///
    /// # Errors
    /// NotFound if there is no such feature.
    #[track_caller]
    pub fn try_ragged(&self, name: &str) -> Result<&RaggedFeatureValue> {
        self.wanted(name, "ragged", |value| match value {
            FeatureValue::Ragged(ragged) => Some(ragged),
            _ => None,
        })
    }
}
