//! Callbacks of training, with Keras's names: what is shown, saved and changed while `fit` runs.
//! Users give them to `Fit::callback`; [`Callback`](crate::training::Callback) is the trait for one's own.

mod progress_bar;

pub use progress_bar::ProgbarLogger;
