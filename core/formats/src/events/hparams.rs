//! The protocol buffers of TensorBoard's plugin for hyperparameters: which there are, which a run has, and how it ended.
//! The library's `summary::hparams` writes them.

use prost::{Message, Oneof};
use std::collections::BTreeMap;

/// What the plugin reads.
#[derive(Clone, PartialEq, Message)]
pub struct HParamsPluginData {
    /// 0.
    #[prost(int32, tag = "1")]
    pub version: i32,
    /// The content.
    #[prost(oneof = "HParamsKind", tags = "2, 3, 4")]
    pub data: Option<HParamsKind>,
}

/// What is said of the hyperparameters.
#[derive(Clone, PartialEq, Oneof)]
pub enum HParamsKind {
    /// Which there are in all runs.
    #[prost(message, tag = "2")]
    Experiment(Experiment),
    /// Which a run has.
    #[prost(message, tag = "3")]
    SessionStartInfo(SessionStartInfo),
    /// How a run ended.
    #[prost(message, tag = "4")]
    SessionEndInfo(SessionEndInfo),
}

/// Which hyperparameters and results the runs have.
#[derive(Clone, PartialEq, Message)]
pub struct Experiment {
    /// Seconds since 1970.
    #[prost(double, tag = "3")]
    pub time_created_secs: f64,
    /// The hyperparameters.
    #[prost(message, repeated, tag = "4")]
    pub hparam_infos: Vec<HParamInfo>,
    /// The results.
    #[prost(message, repeated, tag = "5")]
    pub metric_infos: Vec<MetricInfo>,
}

/// A hyperparameter.
#[derive(Clone, PartialEq, Message)]
pub struct HParamInfo {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The name that is shown.
    #[prost(string, tag = "2")]
    pub display_name: String,
    /// A text beside it.
    #[prost(string, tag = "3")]
    pub description: String,
    /// 1 for texts, 2 for truth values, 3 for numbers.
    #[prost(int32, tag = "4")]
    pub r#type: i32,
    /// Between which numbers it lies.
    #[prost(message, optional, tag = "6")]
    pub domain_interval: Option<Interval>,
}

/// A range of numbers with its ends.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Interval {
    /// The least.
    #[prost(double, tag = "1")]
    pub min_value: f64,
    /// The largest.
    #[prost(double, tag = "2")]
    pub max_value: f64,
}

/// A result.
#[derive(Clone, PartialEq, Message)]
pub struct MetricInfo {
    /// Which scalar it is.
    #[prost(message, optional, tag = "1")]
    pub name: Option<MetricName>,
    /// The name that is shown.
    #[prost(string, tag = "3")]
    pub display_name: String,
}

/// A scalar of a run.
#[derive(Clone, PartialEq, Message)]
pub struct MetricName {
    /// The folder below the run's.
    #[prost(string, tag = "1")]
    pub group: String,
    /// The scalar's tag.
    #[prost(string, tag = "2")]
    pub tag: String,
}

/// The hyperparameters of a run.
#[derive(Clone, PartialEq, Message)]
pub struct SessionStartInfo {
    /// By name.
    #[prost(btree_map = "string, message", tag = "1")]
    pub hparams: BTreeMap<String, HParamsValue>,
    /// Runs of one group are one row of the table.
    #[prost(string, tag = "4")]
    pub group_name: String,
    /// Seconds since 1970.
    #[prost(double, tag = "5")]
    pub start_time_secs: f64,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct SessionEndInfo {
    /// 1 for success.
    #[prost(int32, tag = "1")]
    pub status: i32,
    /// Seconds since 1970.
    #[prost(double, tag = "2")]
    pub end_time_secs: f64,
}

/// A value: `google.protobuf.Value`.
#[derive(Clone, PartialEq, Message)]
pub struct HParamsValue {
    /// The value.
    #[prost(oneof = "HParamsValueKind", tags = "2, 3, 4")]
    pub kind: Option<HParamsValueKind>,
}

/// A value.
#[derive(Clone, PartialEq, Oneof)]
pub enum HParamsValueKind {
    /// A number.
    #[prost(double, tag = "2")]
    Number(f64),
    /// A text.
    #[prost(string, tag = "3")]
    Text(String),
    /// A truth value.
    #[prost(bool, tag = "4")]
    Bool(bool),
}
