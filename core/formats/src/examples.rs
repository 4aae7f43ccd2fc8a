//! TensorFlow's records of named values, `Example` and `SequenceExample`, declared by hand with TensorFlow's field numbers and names.
//! Users build and serialise them as `tf::train::Example`; the parsers of `tf::io` read them.

use kernels::error::{Error, Result};
use prost::{Message, Oneof};
use std::collections::BTreeMap;

/// Strings of bytes.
#[derive(Clone, PartialEq, Message)]
pub struct BytesList {
    /// The strings.
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub value: Vec<Vec<u8>>,
}

/// Numbers of `float32`.
#[derive(Clone, PartialEq, Message)]
pub struct FloatList {
    /// The numbers.
    #[prost(float, repeated, tag = "1")]
    pub value: Vec<f32>,
}

/// Numbers of `int64`.
#[derive(Clone, PartialEq, Message)]
pub struct Int64List {
    /// The numbers.
    #[prost(int64, repeated, tag = "1")]
    pub value: Vec<i64>,
}

/// What a feature holds.
#[derive(Clone, PartialEq, Oneof)]
pub enum Kind {
    /// Strings.
    #[prost(message, tag = "1")]
    BytesList(BytesList),
    /// Floats.
    #[prost(message, tag = "2")]
    FloatList(FloatList),
    /// Integers.
    #[prost(message, tag = "3")]
    Int64List(Int64List),
}

/// A list of values of one kind.
#[derive(Clone, PartialEq, Message)]
pub struct Feature {
    /// The values; none is as if the feature were not there.
    #[prost(oneof = "Kind", tags = "1, 2, 3")]
    pub kind: Option<Kind>,
}

impl Feature {
    /// Strings of bytes.
    pub fn bytes_list<T: AsRef<[u8]>>(values: impl IntoIterator<Item = T>) -> Self {
        let value = values.into_iter().map(|value| value.as_ref().to_vec()).collect();
        Self { kind: Some(Kind::BytesList(BytesList { value })) }
    }

    /// Numbers of `float32`.
    pub fn float_list(values: impl IntoIterator<Item = f32>) -> Self {
        Self { kind: Some(Kind::FloatList(FloatList { value: values.into_iter().collect() })) }
    }

    /// Numbers of `int64`.
    pub fn int64_list(values: impl IntoIterator<Item = i64>) -> Self {
        Self { kind: Some(Kind::Int64List(Int64List { value: values.into_iter().collect() })) }
    }
}

/// Features by name.
#[derive(Clone, PartialEq, Message)]
pub struct Features {
    /// The features.
    #[prost(btree_map = "string, message", tag = "1")]
    pub feature: BTreeMap<String, Feature>,
}

/// A record of features by name.
#[derive(Clone, PartialEq, Message)]
pub struct Example {
    /// The features.
    #[prost(message, optional, tag = "1")]
    pub features: Option<Features>,
}

/// Features in order, one for each step of a sequence.
#[derive(Clone, PartialEq, Message)]
pub struct FeatureList {
    /// The features.
    #[prost(message, repeated, tag = "1")]
    pub feature: Vec<Feature>,
}

/// Lists of features by name.
#[derive(Clone, PartialEq, Message)]
pub struct FeatureLists {
    /// The lists.
    #[prost(btree_map = "string, message", tag = "1")]
    pub feature_list: BTreeMap<String, FeatureList>,
}

/// A record of features that hold once, and of others that hold for each step.
#[derive(Clone, PartialEq, Message)]
pub struct SequenceExample {
    /// What holds once.
    #[prost(message, optional, tag = "1")]
    pub context: Option<Features>,
    /// What holds for each step.
    #[prost(message, optional, tag = "2")]
    pub feature_lists: Option<FeatureLists>,
}

macro_rules! records {
    ($($record:ident $name:literal),*) => {$(
        impl $record {
            /// The record's bytes.
            pub fn serialize(&self) -> Vec<u8> {
                self.encode_to_vec()
            }

            /// Reads a record.
            ///
            /// # Errors
            /// InvalidArgument for bytes that are none.
            pub fn parse(bytes: &[u8]) -> Result<Self> {
                let damaged = |e| Error::invalid_argument($name, format!("the bytes are no `{}`: {e}", stringify!($record)));
                Self::decode(bytes).map_err(damaged)
            }
        }
    )*};
}
records!(Example "parse_example", SequenceExample "parse_sequence_example");

impl Example {
    /// A record of these features.
    pub fn of<N: Into<String>>(features: impl IntoIterator<Item = (N, Feature)>) -> Self {
        let feature = features.into_iter().map(|(name, feature)| (name.into(), feature)).collect();
        Self { features: Some(Features { feature }) }
    }
}

impl SequenceExample {
    /// A record of features that hold once, and of lists with one feature for each step.
    pub fn of<N: Into<String>, L: Into<String>>(
        context: impl IntoIterator<Item = (N, Feature)>,
        lists: impl IntoIterator<Item = (L, Vec<Feature>)>,
    ) -> Self {
        let context = Example::of(context).features;
        let lists = lists.into_iter().map(|(name, feature)| (name.into(), FeatureList { feature })).collect();
        Self { context, feature_lists: Some(FeatureLists { feature_list: lists }) }
    }
}
