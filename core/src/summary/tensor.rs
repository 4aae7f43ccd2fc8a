//! `write`: any tensor at a step, with what a plugin of TensorBoard has to know of it.
//! Programs with a plugin of their own call it; the other functions of `tf::summary` are for TensorBoard's own plugins.

use super::step::IntoStep;
use super::work::{Content, write_tagged};
use engine::library::{OrFail, message_of};
use engine::{AsTensor, Tensor, TensorType};
use formats::events::{self, PluginData};
use formats::messages::TensorProto;
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::sync::Arc;

/// Writes a tensor of any dtype and shape as it is: numbers, truth values, complex numbers or strings; [`SummaryMetadata`] says which plugin
/// shows it. The tag is taken whole, whatever name scopes are open, as TensorFlow does it. Without a default writer it does nothing; in a
/// traced function it is an effect in program order.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-write-page-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// {
///     let _default = writer.as_default();
///     tf::summary::write("boxes", tf::constant([[0.1, 0.2], [0.5, 0.9]]), 1);
/// }
/// writer.close();
/// let events = tf::summary::read_events(writer.path().unwrap());
/// let tf::summary::ReadValue::Value(boxes) = &events[1].value else { panic!("a tensor") };
/// assert_eq!((events[1].tag.as_str(), boxes.shape().dims()), ("boxes", &[2, 2][..]));
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
///
/// # Panics
/// As [`try_write`] fails, at the caller's line.
#[track_caller]
pub fn write(tag: &str, tensor: impl AsTensor, step: impl IntoStep) {
    try_write(tag, tensor, step).or_fail();
}

/// Writes a tensor of any dtype and shape.
///
/// # Errors
/// As [`SummaryMetadata::try_write`].
#[track_caller]
pub fn try_write(tag: &str, tensor: impl AsTensor, step: impl IntoStep) -> Result<()> {
    SummaryMetadata::new().try_write(tag, tensor, step)
}

/// What kind of data a plugin takes a tensor for: the numbers of TensorBoard's `DataClass`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataClass {
    /// The plugin alone knows.
    #[default]
    Unknown = 0,
    /// One number at each step.
    Scalars = 1,
    /// A tensor at each step.
    Tensors = 2,
    /// A list of byte strings at each step, such as encoded images.
    BlobSequence = 3,
}

/// Who shows a tensor, and how: TensorFlow's `SummaryMetadata`. TensorBoard takes it from the first summary of a tag.
///
/// ```
/// use eagerflow as tf;
/// use tf::summary::{DataClass, SummaryMetadata};
/// let metadata = SummaryMetadata::new().plugin("boxes", b"v1").data_class(DataClass::Tensors).description("as *x, y*");
/// metadata.write("boxes", tf::zeros([3, 4]), 1);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SummaryMetadata {
    plugin_name: String,
    plugin_content: Vec<u8>,
    display_name: String,
    description: String,
    data_class: DataClass,
}

impl SummaryMetadata {
    /// No plugin, no names and no text.
    pub fn new() -> Self {
        Self::default()
    }

    /// The plugin's name, and a message of its own, which it reads beside the first tensor.
    #[must_use]
    pub fn plugin(mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        (self.plugin_name, self.plugin_content) = (name.into(), content.into());
        self
    }

    /// A name that TensorBoard shows in place of the tag.
    #[must_use]
    pub fn display_name(mut self, name: impl Into<String>) -> Self {
        self.display_name = name.into();
        self
    }

    /// A text in Markdown that TensorBoard shows beside it: `summary_description`.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// What kind of data it is; the plugin alone knows unless set.
    #[must_use]
    pub fn data_class(mut self, data_class: DataClass) -> Self {
        self.data_class = data_class;
        self
    }

    /// Writes a tensor of any dtype and shape under a tag, which is taken whole.
    ///
    /// # Panics
    /// As [`try_write`](Self::try_write) fails, at the caller's line.
    #[track_caller]
    pub fn write(&self, tag: &str, tensor: impl AsTensor, step: impl IntoStep) {
        self.try_write(tag, tensor, step).or_fail();
    }

    /// Writes a tensor of any dtype and shape.
    ///
    /// # Errors
    /// InvalidArgument for a step that is not one integer; FailedPrecondition without a step, or for a writer that is closed. What the disk
    /// refuses is an error of [`flush`](super::flush).
    #[track_caller]
    pub fn try_write(&self, tag: &str, tensor: impl AsTensor, step: impl IntoStep) -> Result<()> {
        let here = Location::caller();
        write_tagged(Arc::new(self.clone()), tag, &[&tensor.as_tensor()], step).map_err(|e| e.at(here))
    }
}

impl Content for SummaryMetadata {
    fn name(&self) -> &'static str {
        "summary.write"
    }

    fn metadata(&self) -> events::SummaryMetadata {
        let plugin = PluginData { plugin_name: self.plugin_name.clone(), content: self.plugin_content.clone() };
        events::SummaryMetadata {
            plugin_data: (plugin != PluginData::default()).then_some(plugin),
            display_name: self.display_name.clone(),
            summary_description: self.description.clone(),
            data_class: self.data_class as i32,
        }
    }

    fn check(&self, inputs: &[&TensorType]) -> Result<()> {
        match DTypes::MOVABLE.has(inputs[0].dtype) {
            true => Ok(()),
            false => Err(Error::invalid_argument("summary.write", "the tensor holds no elements")
                .got(inputs[0])
                .expected(DTypes::MOVABLE)),
        }
    }

    fn tensor(&self, inputs: &[Tensor]) -> Result<TensorProto> {
        message_of(&inputs[0])
    }
}
