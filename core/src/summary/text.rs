//! `text`: Markdown at a step, one text or a table of them.
//! Programs show samples of a language model, or the settings of a run, with it.

use super::encode::{metadata, strings};
use super::step::IntoStep;
use super::work::{Content, write};
use engine::library::OrFail;
use engine::{AsTensor, Tensor, TensorType};
use formats::events::SummaryMetadata;
use formats::messages::TensorProto;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::sync::Arc;

/// Writes texts, in Markdown: a string, or a tensor of strings, of which TensorBoard shows a list or a table. Without a default writer it
/// does nothing.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-text-page-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// tf::summary::text("settings", "learning rate: **0.001**", 0);
/// tf::summary::text("table", tf::constant([["a", "b"], ["c", "d"]]), 0);
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
///
/// # Panics
/// As [`try_text`] fails, at the caller's line.
#[track_caller]
pub fn text(name: &str, data: impl AsTensor, step: impl IntoStep) {
    try_text(name, data, step).or_fail();
}

/// Writes texts.
///
/// # Errors
/// InvalidArgument for what holds no strings, or a step that is not one integer; FailedPrecondition without a step, or for a writer that is
/// closed.
#[track_caller]
pub fn try_text(name: &str, data: impl AsTensor, step: impl IntoStep) -> Result<()> {
    try_text_described(name, data, step, "")
}

/// [`text`] with a text in Markdown that TensorBoard shows beside it.
///
/// # Errors
/// As [`try_text`].
#[track_caller]
pub fn try_text_described(name: &str, data: impl AsTensor, step: impl IntoStep, description: &str) -> Result<()> {
    let here = Location::caller();
    let content = Arc::new(Text(description.to_owned()));
    write(content, name, &[&data.as_tensor()], step).map_err(|e| e.at(here))
}

/// The text beside it.
struct Text(String);

impl Content for Text {
    fn name(&self) -> &'static str {
        "summary.text"
    }

    fn metadata(&self) -> SummaryMetadata {
        metadata("text", Vec::new(), &self.0)
    }

    fn check(&self, inputs: &[&TensorType]) -> Result<()> {
        match inputs[0].dtype {
            DType::String => Ok(()),
            _ => Err(Error::invalid_argument("summary.text", "the data are no strings")
                .got(inputs[0])
                .expected("strings")
                .help("`as_string` writes numbers as strings")),
        }
    }

    fn tensor(&self, inputs: &[Tensor]) -> Result<TensorProto> {
        Ok(strings(inputs[0].try_to_byte_strings()?, inputs[0].shape().dims()))
    }
}
