//! Event files: what TensorBoard shows of a run, as records that are only ever appended.
//! The library's summaries write them; tests, and programs that look at a run, read them.

mod file;
mod frame;
mod graph;
mod hparams;
mod reader;
mod summary;
#[cfg(test)]
mod tests;

pub use file::EventFile;
pub use frame::{FRAME, append_frame, close_frame, open_frame};
pub use graph::{AttrList, AttrValue, AttrValueKind, GraphDef, NodeDef};
pub use hparams::{
    Experiment, HParamInfo, HParamsKind, HParamsPluginData, HParamsValue, HParamsValueKind, Interval, MetricInfo,
    MetricName, SessionEndInfo, SessionStartInfo,
};
pub use reader::{Events, read_events};
pub use summary::{
    AudioPluginData, Event, EventKind, HistogramProto, PluginData, PrCurvePluginData, Summary, SummaryMetadata,
    SummaryValue, SummaryValueKind,
};
