//! The macros of eagerflow: entry points only. The crate `eagerflow` re-exports them.
