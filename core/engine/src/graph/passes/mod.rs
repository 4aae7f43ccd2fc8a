//! Passes: each takes a graph and gives an equivalent one, and each answers one question. The plan's compiler runs them
//! in the order of [`optimise`] and [`specialise`]; traced functions print graphs before and after.

mod accumulate;
mod algebra;
pub(crate) mod bind;
mod common;
mod dead;
mod fold;
pub(crate) mod fuse;
mod hoist;
mod inline;
mod loop_invariants;
mod matmul_add;
pub(crate) mod outline;
pub(crate) mod pure;
pub(super) mod rewrite;
#[cfg(test)]
mod size_tests;
pub(crate) mod size_uses;
pub(crate) mod sums;
#[cfg(test)]
mod tests;

use crate::ir::Graph;
use kernels::error::Result;

/// A pass.
pub(crate) type Pass = fn(&Graph) -> Result<Graph>;

/// What is done once per trace, sizes known or not, with the reason for each place in the order.
pub(crate) const PASSES: [(&str, Pass); 9] = [
    // First, so that every other pass sees through calls.
    ("inline", inline::inline),
    // Before sums, which look for who reads what.
    ("unchanged", loop_invariants::unchanged),
    // Sums of gradients as they were recorded, calls included; before anything joins or moves their parts.
    ("sums", sums::sums),
    // Constants before the rules that look for them; both before `common`, which then finds more that is equal.
    ("fold", fold::fold),
    ("algebra", algebra::algebra),
    ("common", common::common),
    // What does not change in a loop leaves it before dead code is found, which drops what hoisting left behind.
    ("hoist", hoist::hoist),
    // A constant that left a loop may meet others.
    ("fold again", fold::fold),
    // Last: all of the above leave values that nobody reads.
    ("dead", dead::dead),
];

/// What is done once the sizes are numbers: counts and shapes have become constants by now, and clusters of one space
/// can be told.
pub(crate) const WITH_SIZES: [(&str, Pass); 6] = [
    ("fold", fold::fold),
    ("algebra", algebra::algebra),
    ("common", common::common),
    ("dead", dead::dead),
    ("accumulate", accumulate::accumulate),
    ("fuse", fuse::fuse),
];

/// All passes that need no sizes, one after the other.
pub(crate) fn optimise(graph: &Graph) -> Result<Graph> {
    run(graph, &PASSES)
}

/// All passes for a graph whose sizes are numbers.
pub(crate) fn specialise(graph: &Graph) -> Result<Graph> {
    run(graph, &WITH_SIZES)
}

fn run(graph: &Graph, passes: &[(&str, Pass)]) -> Result<Graph> {
    let mut graph = graph.clone();
    for (_, pass) in passes {
        graph = pass(&graph)?;
        crate::ir::verify::check_in_tests(&graph);
    }
    Ok(graph)
}
