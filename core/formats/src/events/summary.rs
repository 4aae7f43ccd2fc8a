//! TensorFlow's protocol buffers of an event: what happened at a step of a run, above all summaries.
//! Declared by hand with TensorFlow's field numbers and names; fields that nobody here reads are left out.

use crate::messages::TensorProto;
use prost::{Message, Oneof};

/// A record of an event file.
#[derive(Clone, PartialEq, Message)]
pub struct Event {
    /// Seconds since 1970.
    #[prost(double, tag = "1")]
    pub wall_time: f64,
    /// The step of the training.
    #[prost(int64, tag = "2")]
    pub step: i64,
    /// What happened.
    #[prost(oneof = "EventKind", tags = "3, 4, 5, 9")]
    pub what: Option<EventKind>,
}

/// What happened.
#[derive(Clone, PartialEq, Oneof)]
pub enum EventKind {
    /// The first record: `brain.Event:2`.
    #[prost(string, tag = "3")]
    FileVersion(String),
    /// A serialized [`GraphDef`](super::GraphDef).
    #[prost(bytes, tag = "4")]
    GraphDef(Vec<u8>),
    /// Values to be shown.
    #[prost(message, tag = "5")]
    Summary(Summary),
    /// A serialized graph of TensorFlow 1, with more around it.
    #[prost(bytes, tag = "9")]
    MetaGraphDef(Vec<u8>),
}

/// Values to be shown.
#[derive(Clone, PartialEq, Message)]
pub struct Summary {
    /// The values; mostly one.
    #[prost(message, repeated, tag = "1")]
    pub value: Vec<SummaryValue>,
}

/// A value to be shown: `Summary.Value`.
#[derive(Clone, PartialEq, Message)]
pub struct SummaryValue {
    /// Its name; slashes make groups.
    #[prost(string, tag = "1")]
    pub tag: String,
    /// Who shows it, and how.
    #[prost(message, optional, tag = "9")]
    pub metadata: Option<SummaryMetadata>,
    /// The value.
    #[prost(oneof = "SummaryValueKind", tags = "2, 5, 8")]
    pub value: Option<SummaryValueKind>,
}

/// The value itself; TensorFlow 2 writes tensors alone.
#[derive(Clone, PartialEq, Oneof)]
pub enum SummaryValueKind {
    /// TensorFlow 1's scalar.
    #[prost(float, tag = "2")]
    SimpleValue(f32),
    /// TensorFlow 1's histogram.
    #[prost(message, tag = "5")]
    Histo(HistogramProto),
    /// Whatever the plugin wants.
    #[prost(message, tag = "8")]
    Tensor(Box<TensorProto>),
}

/// TensorFlow 1's histogram.
#[derive(Clone, PartialEq, Message)]
pub struct HistogramProto {
    /// The least number.
    #[prost(double, tag = "1")]
    pub min: f64,
    /// The largest number.
    #[prost(double, tag = "2")]
    pub max: f64,
    /// How many there are.
    #[prost(double, tag = "3")]
    pub num: f64,
    /// Their sum.
    #[prost(double, tag = "4")]
    pub sum: f64,
    /// The sum of their squares.
    #[prost(double, tag = "5")]
    pub sum_squares: f64,
    /// The right ends of the buckets.
    #[prost(double, repeated, tag = "6")]
    pub bucket_limit: Vec<f64>,
    /// How many are in each.
    #[prost(double, repeated, tag = "7")]
    pub bucket: Vec<f64>,
}

/// Who shows a value, and how.
#[derive(Clone, PartialEq, Message)]
pub struct SummaryMetadata {
    /// The plugin of TensorBoard.
    #[prost(message, optional, tag = "1")]
    pub plugin_data: Option<PluginData>,
    /// A name in place of the tag.
    #[prost(string, tag = "2")]
    pub display_name: String,
    /// A text beside it, in Markdown.
    #[prost(string, tag = "3")]
    pub summary_description: String,
    /// 1 for scalars, 2 for tensors, 3 for sequences of bytes.
    #[prost(int32, tag = "4")]
    pub data_class: i32,
}

/// The plugin of TensorBoard: `SummaryMetadata.PluginData`.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PluginData {
    /// Its name.
    #[prost(string, tag = "1")]
    pub plugin_name: String,
    /// A message of its own.
    #[prost(bytes = "vec", tag = "2")]
    pub content: Vec<u8>,
}

/// What the plugin for sound wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct AudioPluginData {
    /// 0.
    #[prost(int32, tag = "1")]
    pub version: i32,
    /// 11 for WAV.
    #[prost(int32, tag = "2")]
    pub encoding: i32,
}

/// What the plugin for curves of precision and recall wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct PrCurvePluginData {
    /// 0.
    #[prost(int32, tag = "1")]
    pub version: i32,
    /// The points of a curve.
    #[prost(uint32, tag = "2")]
    pub num_thresholds: u32,
}
