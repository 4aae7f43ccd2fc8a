//! Traced functions: the same text run operation by operation and as a graph, with values, gradients and effects compared.

#![allow(clippy::assign_op_pattern, reason = "samples are written as users write them, in both forms")]

#[macro_use]
mod harness;

mod basics;
mod branches;
mod callables;
mod corners;
mod effects;
mod exclusive;
mod failures;
mod jumps;
mod library;
mod logic;
mod loops;
mod options;
mod patterns;
mod shapes;
mod state;
mod tapes;
mod tensorflow;
