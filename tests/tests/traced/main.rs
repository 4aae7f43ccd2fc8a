//! Traced functions: the same text run operation by operation and as a graph, with values, gradients and effects compared.

#[macro_use]
mod harness;

mod basics;
mod branches;
mod jumps;
mod library;
mod loops;
mod patterns;
