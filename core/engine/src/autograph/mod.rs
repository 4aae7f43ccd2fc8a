//! The run-time side of `#[tf_function]`: what the macro's generated code calls. Types, shapes and staging are decided
//! here, by traits on the values; the macro decides names, liveness and structure.

mod borrow_watch;
mod call;
pub(crate) mod dispatch;
mod function_body;
pub(crate) mod functional;
mod if_stmt;
mod lazy;
mod list_growth;
mod merge;
mod mismatch;
mod nesting;
mod opaque_state;
mod question_mark;
mod regions;
mod returned_error;
pub mod rt;
mod skipped_fields;
mod staged_loop;
mod state;
mod while_stmt;
