//! The operations that only graphs have: branches, loops, calls, and lists of tensors.
//! They work on handles ([`Kind::Host`](crate::op::Kind::Host)); what is inside their bodies is ordinary operations.

pub(crate) mod barrier;
pub(crate) mod call;
pub(crate) mod captured;
pub(crate) mod cond;
pub(crate) mod custom;
pub(crate) mod early_reads;

mod gradient;
mod report;
pub(crate) mod segment;
mod while_gradient;
pub(crate) mod while_loop;

pub(crate) use call::Call;
pub(crate) use cond::Cond;
pub(crate) use while_loop::While;
