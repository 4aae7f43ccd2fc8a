//! Summaries: what TensorBoard shows of a run, as TensorFlow's `tf.summary` writes it. A writer appends them to an event file of its own by
//! a thread of its own; functions here give them to the default writer of the thread.
//!
//! ```
//! use eagerflow as tf;
//! # let folder = std::env::temp_dir().join(format!("eagerflow-summary-page-{}", std::process::id()));
//! let writer = tf::summary::create_file_writer(folder.join("train"));
//! {
//!     let _default = writer.as_default();
//!     for step in 0..100 {
//!         tf::summary::scalar("loss", 1.0 / f64::from(step + 1), step);
//!     }
//! }
//! writer.close();
//! // tensorboard --logdir <folder>
//! # std::fs::remove_dir_all(folder).unwrap();
//! ```
//!
//! Without a default writer every function does nothing, so that a program may leave its calls where they are. In traced functions they are
//! effects in program order: the writer is the one that was the default when the function was traced, and values, steps and conditions
//! that are tensors or variables are those of each run.
//!
//! A summary is in the file at most a tenth of a second after it was given ([`FileWriter::flush_millis`]), and after
//! [`flush`](fn@flush): a process that is killed leaves a file that is whole up to there. What cannot be written is an error of the next
//! flush, and a warning once.

mod audio;
mod encode;
mod graph;
mod histogram;
mod hparams;
mod image;
mod options;
mod pr_curve;
mod queue;
mod read;
mod scalar;
mod state;
mod step;
mod tensor;
mod text;
mod trace;
mod work;
mod writer;

pub use audio::{Audio, audio, try_audio};
pub use graph::{graph, try_graph};
pub use histogram::{Histogram, histogram, try_histogram};
pub use hparams::{
    HParam, HParams, HParamsConfig, hparams, hparams_config, hparams_end, try_hparams, try_hparams_config,
};
pub use image::{Image, image, try_image};
pub use pr_curve::{PrCurve, pr_curve, try_pr_curve};
pub use read::{ReadEvent, ReadValue, read_events, try_read_events};
pub use scalar::{IntoScalar, scalar, scalar_described, try_scalar, try_scalar_described};
pub use state::{
    DefaultWriter, IntoCondition, RecordIf, get_default_writer, get_step, record_if, set_step, should_record_summaries,
};
pub use step::IntoStep;
pub use tensor::{DataClass, SummaryMetadata, try_write, write};
pub use text::{text, try_text, try_text_described};
pub use trace::{trace_export, trace_off, trace_on, try_trace_export};
pub use writer::{
    FileWriter, SummaryWriter, create_file_writer, create_noop_writer, flush, try_create_file_writer, try_flush,
};
