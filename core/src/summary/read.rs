//! Event files as they are read: every value with its tag and step, up to the end or to what is damaged.
//! Programs look at their own runs with it, without TensorBoard.

use engine::Tensor;
use engine::library::{OrFail, tensor_of_message};
use formats::events::{EventKind, SummaryValueKind};
use formats::messages::{DataType, Message, TensorProto};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::path::Path;

/// The most elements for which one number may stand in a file.
const MOST_REPEATED: usize = 2048;

/// What stands in an event file.
#[derive(Clone, Debug)]
pub struct ReadEvent {
    /// Seconds since 1970.
    pub wall_time: f64,
    /// The step.
    pub step: i64,
    /// The tag; empty for graphs and the file's version.
    pub tag: String,
    /// The plugin of TensorBoard that shows it, as `scalars`; empty if only an earlier event of the tag tells.
    pub plugin: String,
    /// The value.
    pub value: ReadValue,
}

/// The value of an event.
#[derive(Clone, Debug)]
pub enum ReadValue {
    /// The first record, which names the format.
    FileVersion(String),
    /// A graph, as the bytes of TensorFlow's `GraphDef`.
    Graph(Vec<u8>),
    /// A value, as TensorFlow 2 writes all of them.
    Value(Tensor),
    /// Something that this reader does not know.
    Other,
}

impl ReadEvent {
    /// The number of a scalar.
    pub fn scalar(&self) -> Option<f32> {
        match &self.value {
            ReadValue::Value(tensor) if tensor.dtype() == DType::F32 => tensor.try_item::<f32>().ok(),
            _ => None,
        }
    }
}

/// All values of an event file, in the file's order.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-read-events-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// {
///     let _default = writer.as_default();
///     tf::summary::scalar("loss", 0.5, 3);
/// }
/// writer.close();
/// let events = tf::summary::read_events(writer.path().unwrap());
/// assert_eq!((events[1].tag.as_str(), events[1].step, events[1].scalar()), ("loss", 3, Some(0.5)));
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
///
/// # Panics
/// As [`try_read_events`] gives an error, at the caller's line.
#[track_caller]
pub fn read_events(path: impl AsRef<Path>) -> Vec<ReadEvent> {
    let (events, error) = try_read_events(path);
    match error {
        None => events,
        Some(error) => Err(error).or_fail(),
    }
}

/// All values of an event file up to its end, or to the first record that is cut off or damaged, which the error names. A process that was
/// killed may leave its last record cut off.
#[track_caller]
pub fn try_read_events(path: impl AsRef<Path>) -> (Vec<ReadEvent>, Option<Error>) {
    let here = Location::caller();
    let mut all = Vec::new();
    let error = read(path.as_ref(), &mut all).err();
    (all, error.map(|e| e.at(here)))
}

fn read(path: &Path, all: &mut Vec<ReadEvent>) -> Result<()> {
    for event in formats::events::read_events(path)? {
        let event = event?;
        let (wall_time, step) = (event.wall_time, event.step);
        let mut push = |tag, plugin, value| all.push(ReadEvent { wall_time, step, tag, plugin, value });
        match event.what {
            Some(EventKind::FileVersion(text)) => push(String::new(), String::new(), ReadValue::FileVersion(text)),
            Some(EventKind::GraphDef(bytes)) => push(String::new(), String::new(), ReadValue::Graph(bytes)),
            Some(EventKind::Summary(summary)) => {
                for value in summary.value {
                    let plugin = value.metadata.and_then(|metadata| metadata.plugin_data);
                    let plugin = plugin.map_or_else(String::new, |plugin| plugin.plugin_name);
                    push(value.tag, plugin, value_of(value.value)?);
                }
            }
            Some(EventKind::MetaGraphDef(_)) | None => push(String::new(), String::new(), ReadValue::Other),
        }
    }
    Ok(())
}

fn value_of(value: Option<SummaryValueKind>) -> Result<ReadValue> {
    Ok(match value {
        Some(SummaryValueKind::SimpleValue(number)) => ReadValue::Value(engine::try_constant(number)?),
        Some(SummaryValueKind::Tensor(tensor)) => tensor_of(*tensor).map_or(ReadValue::Other, ReadValue::Value),
        Some(SummaryValueKind::Histo(_)) | None => ReadValue::Other,
    })
}

/// The tensor, if the library has its dtype and its elements are as many as it says. A short record asks for no more memory than a curve:
/// one number may stand for all elements, so their count alone says nothing.
fn tensor_of(proto: TensorProto) -> Option<Tensor> {
    let dtype = DataType::try_from(proto.dtype).ok()?.dtype()?;
    let mut sizes = proto.tensor_shape.iter().flat_map(|shape| &shape.dim);
    let count = sizes.try_fold(1usize, |all, dim| all.checked_mul(usize::try_from(dim.size).ok()?))?;
    match count <= MOST_REPEATED.max(proto.encoded_len()) {
        true => tensor_of_message(proto, dtype).ok(),
        false => None,
    }
}
