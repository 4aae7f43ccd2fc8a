//! Callbacks of training, with Keras's names: what is shown, saved and changed while `fit` runs.
//! Users give them to `Fit::callback`; [`Callback`](crate::training::Callback) is the trait for one's own.

mod csv_logger;
mod early_stopping;
mod model_checkpoint;
mod progress_bar;
mod tensor_board;
mod watched;

pub use csv_logger::{CSVLogger, LambdaCallback};
pub use early_stopping::{EarlyStopping, LearningRateScheduler, Mode, ReduceLROnPlateau, TerminateOnNaN};
pub use model_checkpoint::{BackupAndRestore, ModelCheckpoint, SwapEMAWeights};
pub use progress_bar::ProgbarLogger;
pub use tensor_board::{IntoUpdateFreq, TensorBoard, UpdateFreq};
