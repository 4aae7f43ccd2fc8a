//! Training by `compile` and `fit`: Keras's loop over epochs and batches around one traced step, with metrics, validation and callbacks.
//! [`Compile::compile`] makes a [`Trainer`] of any model; the steps are methods of the model, which may be its own.

mod accuracy;
mod arrays;
mod batch;
mod callback;
mod compiled;
mod data;
mod evaluation;
mod fit;
mod gradient_watch;
mod history;
mod losses;
mod metrics;
mod steps;
mod trainer;

pub use arrays::{ExampleArray, InputArrays, TargetArrays};
pub use batch::Batch;
pub use callback::{Callback, Progress};
pub use compiled::Compiled;
pub use data::{Feed, PredictionData, TrainingData};
pub use evaluation::{Evaluate, Predict};
pub use fit::Fit;
pub(crate) use gradient_watch::GradientWatch;
pub use history::{History, Logs};
pub use losses::IntoLosses;
pub use metrics::IntoMetrics;
pub use steps::{default_test_step, default_train_step};
pub use trainer::{Compile, Trainer};
