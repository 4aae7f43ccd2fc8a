//! The text file `checkpoint` of a directory: which bundle is the last, and which others are kept.
//! Checkpoint managers read and write it, TensorFlow's and that of the crate above.

mod number;
mod parse;
mod text;

use crate::files::{self, Options, whole_file};
use kernels::error::Result;
use std::path::Path;

/// The name of the file.
pub const STATE_FILE: &str = "checkpoint";

/// What the file says: TensorFlow's `CheckpointState`.
///
/// Paths are relative to the directory of the file, or absolute.
///
/// ```
/// use eagerflow_formats::state::CheckpointState;
/// let state = CheckpointState { model_checkpoint_path: "ck-1".into(), ..Default::default() };
/// assert_eq!(state.text(), "model_checkpoint_path: \"ck-1\"\n");
/// assert_eq!(CheckpointState::parse(b"model_checkpoint_path: 'ck-1' # the last")?, state);
/// # Ok::<(), kernels::error::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckpointState {
    /// The last bundle.
    pub model_checkpoint_path: String,
    /// All that are kept, the last one too, the oldest first.
    pub all_model_checkpoint_paths: Vec<String>,
    /// When each of them was saved, in seconds since 1970; none, or one for each.
    pub all_model_checkpoint_timestamps: Vec<f64>,
    /// When the last one was saved that is kept for good.
    pub last_preserved_timestamp: Option<f64>,
}

impl CheckpointState {
    /// Reads the text. Its fields may stand in any order, with comments, and with all that the text form of protocol buffers allows
    /// for strings and lists of numbers; others than the four are passed over.
    ///
    /// # Errors
    /// `DataLoss` with the line where the text is no such file.
    pub fn parse(text: &[u8]) -> Result<Self> {
        parse::parse(text, "checkpoint")
    }

    /// The text, as TensorFlow writes it.
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// `NotFound` if there is none; see [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self> {
        parse::parse(&whole_file(path)?, &path.display().to_string())
    }

    /// Writes the file, in place of the one that is there.
    ///
    /// # Errors
    /// What the file system refuses; the old file is untouched then.
    // For the crate above, which hands this type on to users: its options are not theirs.
    #[doc(hidden)]
    pub fn write(&self, path: &Path, options: &Options<'_>) -> Result<()> {
        files::replace(path, self.text().as_bytes(), options)
    }
}

#[cfg(test)]
mod tests;
