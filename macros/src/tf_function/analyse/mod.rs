//! Questions about the tree, one per file; each is a pure function from the tree to a table.

pub mod activity;
pub mod aliasing;
pub mod deferred;
pub mod endless;
pub mod host;
pub mod jumps;
pub mod lists;
pub mod liveness;
pub mod moves;
pub mod pattern_references;
pub mod place;
pub mod reading_methods;
pub mod shadowing;
pub mod staging;
pub mod truth;
