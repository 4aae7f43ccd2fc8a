//! Traced functions: signatures of calls, the traces kept for them, and what can be asked about a function.
//! `#[tf_function]` makes one [`Function`] per definition; [`autograph`](crate::autograph) records into it.

mod arguments;
mod cache;
mod closure;
mod created_variables;
pub mod declared;
pub mod described;
mod eager;
mod eager_draws;
mod identity;
mod in_flight;
mod info;
mod last_trace;
mod listener;
mod operands;
mod outside_training;
mod pins;
mod signature;
mod storm;
mod trace;
mod training;
mod warn_once;
mod wrote;

pub(crate) use arguments::{Given, ReusedArguments};
pub use cache::{Function, Options};
pub use closure::Closure;
pub(crate) use created_variables::CreatedVariable;
pub use eager::{functions_run_eagerly, run_functions_eagerly, with_eager_functions};
pub(crate) use eager_draws::note_taken_in;
pub(crate) use identity::Identity;
pub(crate) use in_flight::Ticket;
pub use info::{FunctionInfo, function, profile};
pub(crate) use last_trace::Found;
pub(crate) use operands::{names_matter, note_name};
pub(crate) use pins::Tracing;
pub(crate) use signature::Pattern;
pub(crate) use trace::{Source, Trace, places};
pub use training::{Training, begin_training, training, with_training};
pub(crate) use warn_once::WarnOnce;
pub(crate) use wrote::Wrote;
