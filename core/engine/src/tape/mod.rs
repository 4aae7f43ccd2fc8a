//! What is noted of operations while something differentiates: the log of a tape, and what a gradient rule sees of an entry.
//! `execute` calls [`observe`]; `autodiff` starts tapes and walks their logs backwards.

mod backward;
mod contribution;
mod cotangent;
mod forward_mode;
pub(crate) mod log;
pub(crate) mod record;
pub(crate) mod slot_table;
mod staging;
pub(crate) mod stopped_paths;
pub(crate) mod tape_memory;
mod watcher;

pub(crate) use backward::{Backward, CustomRule};
pub(crate) use contribution::{Contribution, Part};
pub use cotangent::{Cotangent, Gradients, IndexedRows};
pub(crate) use forward_mode::{ForwardMode, set_forward_mode};
pub(crate) use record::{carries, observe, observe_given, observe_host_read, observe_read, observe_saving};
pub(crate) use staging::{Marks, Seen, Unseen, marks, needed, replace, rewind};
pub use tape_memory::IdMap;
