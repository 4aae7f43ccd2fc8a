//! The operations: one file each, with meaning, types, kernels, gradient and public forms side by side.
//! The list below is the only place that names them all.

mod api;
mod axes;
mod operand;
mod operators;
mod reduction;
mod support;

pub(crate) use api::public;
pub use api::{AsTensor, TensorRef};
pub(crate) use assign::{Change, assign, read_variable};
pub use axes::{Axes, IntoAxes, keep_dims};
pub use operand::{Operand, ToOperand};
pub(crate) use operators::{operator, placeholder, run_binary};
pub(crate) use reduction::broadcast_back;
pub(crate) use support::*;
#[cfg(test)]
pub(crate) use {
    add::Add,
    assign::assign_raw,
    cond::{Body, Cond},
    multiply::Multiply,
    random_uniform::RandomUniform,
    tanh::Tanh,
};

/// Declares the operations' modules and passes their public functions on.
macro_rules! operations {
    ($($name:ident)*) => {
        $(mod $name;)*
        /// The public functions of all operations.
        pub mod functions {
            $(pub use super::$name::*;)*
        }
    };
}

operations! {
    add
    argmax
    assign
    at
    broadcast_to
    cast
    concat
    cond
    fill
    gather
    gather_nd
    matmul
    multiply
    print
    random_uniform
    reduce_sum
    reshape
    rows
    scatter_nd
    slice
    subtract
    tanh
    transpose
}
