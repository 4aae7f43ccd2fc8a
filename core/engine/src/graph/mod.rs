//! Graphs: operations written down instead of run, as values that passes rewrite, plans execute and rules differentiate.
//! Traced functions record them through [`builder`]; the bodies of branches and loops are graphs too.

mod capture_check;
mod captured;
pub(crate) mod control;
pub(crate) mod differentiate;
mod host_part;
mod kernel_warm_up;
pub(crate) mod on_device;
pub(crate) mod passes;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod scalar_loop;
pub(crate) mod size_mismatch;
mod substitute_sizes;
pub(crate) mod switches;
#[cfg(test)]
mod tests;
mod views;
