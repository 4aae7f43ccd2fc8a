//! Reverse-mode differentiation: tapes note what ran on this thread, and walk it backwards on request.
//! `execute` calls [`observe`]; users hold a [`GradientTape`] or a [`PersistentTape`].

mod active_tape;
mod backward;
mod contribution;
mod cotangent;
pub(crate) mod custom;
mod driver;
mod forward;
mod functional;
mod gradient_list;
mod gradient_tape;
mod jacobian;
mod log;
pub(crate) mod outer_tape;
mod pause;
mod reasons;
mod record;
mod slot_table;
mod sources;
pub(crate) mod staged;
mod staging;
mod stopped_paths;
mod tape_memory;
#[cfg(test)]
mod tests;
mod watcher;

pub use cotangent::{Gradients, IndexedRows};
pub use forward::ForwardAccumulator;
pub use functional::{
    LossFunction, TensorFunction, gradients_function, implicit_gradients, implicit_value_and_gradients,
    value_and_gradients_function,
};
pub use gradient_tape::{GradientOptions, GradientTape, PersistentTape, UnconnectedGradients};
pub use pause::StopRecording;
pub use sources::{Differentiable, Source, Sources, Watch};

pub(crate) use backward::{Backward, CustomRule};
pub(crate) use contribution::Contribution;
pub use cotangent::Cotangent;
pub(crate) use driver::sum_to;
pub use gradient_list::gradient_at;
pub(crate) use record::{carries, observe, observe_given, observe_read, observe_saving};
pub use sources::EMPTY;
pub(crate) use staging::{Marks, Seen, Unseen, marks, needed, replace, rewind};
pub use tape_memory::IdMap;
