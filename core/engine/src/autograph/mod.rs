//! The run-time side of `#[tf_function]`: what the macro's generated code calls. Types, shapes and staging are decided
//! here, by traits on the values; the macro decides names, liveness and structure.

mod call;
mod disagree;
pub(crate) mod dispatch;
mod failed;
mod fun;
mod growing;
mod hidden;
mod if_stmt;
mod lazy;
mod left_out;
mod list;
mod merge;
mod nesting;
mod regions;
pub mod rt;
mod staged_loop;
mod state;
mod tried;
mod watch;
mod while_stmt;

pub(crate) use staged_loop::opened;

pub use dispatch::{Leaves, Nest};
