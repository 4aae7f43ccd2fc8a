//! Traced functions: signatures of calls, the traces kept for them, and what can be asked about a function.
//! `#[tf_function]` makes one [`Function`] per definition; [`autograph`](crate::autograph) records into it.

mod arguments;
mod cache;
mod closure;
pub mod declared;
mod drawn;
mod eager;
mod front;
mod identity;
mod info;
mod making;
mod operands;
mod owned;
mod pins;
mod said;
mod signature;
mod trace;

pub(crate) use arguments::{Given, Lent};
pub use cache::{Function, Options};
pub use closure::Closure;
pub(crate) use drawn::{note_draw, note_taken_in};
pub use eager::{executing_eagerly, functions_run_eagerly, init_scope, run_functions_eagerly, with_eager_functions};
pub(crate) use front::Found;
pub(crate) use identity::Identity;
pub use info::{FunctionInfo, function, profile};
pub(crate) use making::Ticket;
pub(crate) use operands::{named, names_matter, note_name, note_said, symbol_name};
pub(crate) use owned::Owned;
pub use owned::Owner;
pub use pins::note_owner;
pub(crate) use pins::{Tracing, check_sizes, note_made};
pub(crate) use said::Said;
pub(crate) use signature::Pattern;
pub(crate) use trace::{Source, Trace, places};
