//! Models compiled and trained by `fit`: sequential ones, graphs of layers, structs with `#[model]`, and steps of their own.
//! `cargo test -p eagerflow-tests --test training_loops` runs them.

mod evaluations;
mod metric_names;
mod models;
mod storms;
mod trainers;
