//! Traced functions: the same text run operation by operation and as a graph, with values, gradients and effects compared.

mod basics;
mod library;
