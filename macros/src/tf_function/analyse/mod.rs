//! Questions about the tree, one per file; each is a pure function from the tree to a table.

pub mod activity;
pub mod deferred;
pub mod endless;
pub mod hidden;
pub mod host;
pub mod jumps;
pub mod lending;
pub mod lent;
pub mod lists;
pub mod liveness;
pub mod moves;
pub mod place;
pub mod readers;
pub mod staging;
pub mod truth;
