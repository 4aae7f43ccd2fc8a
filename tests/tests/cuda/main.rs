//! Operations, gradients and errors on a GPU, emulated where there is none.
//! Run by `cargo test`; without g++ every test says that it is skipped.

mod assertions;
mod basics;
mod checkpoints;
mod devices;
mod draws;
mod graph_effects;
mod graph_limits;
mod graphs;
mod growth;
mod growth_of_graphs;
mod lines;
mod machines;
mod moves;
mod op_table;
mod optimizers;
mod programs;
mod strict;
mod strings;
mod traced;
mod training;
