//! The operations: one file each, with meaning, types, kernels, gradient and public forms side by side.
//! The list below is the only place that names them all.

mod api;
mod axes;
#[cfg(test)]
pub(crate) mod differences;
mod operand;
mod operators;
mod pooling;
mod reduction;
mod support;
mod window;

pub(crate) use api::public;
pub use api::{AsTensor, TensorRef};
pub(crate) use assign::{Change, assign, read_variable};
pub use axes::{Axes, IntoAxes, keep_dims};
pub(crate) use iterator_next::{Elements, iterator_handle, next_element};
pub use operand::{Operand, ToOperand};
pub(crate) use operators::{operator, placeholder, run_binary, run_unary};
pub(crate) use reduction::broadcast_back;
pub(crate) use support::*;
pub use window::{Padding, Pair};
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
        /// The files of this list, for the tables that must have a row for each.
        pub(crate) const FILES: &[&str] = &[$(stringify!($name)),*];
        /// The public functions of all operations.
        pub mod functions {
            $(pub use super::$name::*;)*
        }
    };
}

operations! {
    abs
    add
    argmax
    assign
    avg_pool2d
    bias_add
    at
    broadcast_to
    cast
    compare
    concat
    cond
    conv2d
    divide
    exp
    eye
    fill
    gather
    gather_nd
    linspace
    iterator_next
    log
    logical
    matmul
    maximum
    minimum
    max_pool2d
    multiply
    neg
    one_hot
    pad
    pow
    print
    random_uniform
    range
    reciprocal
    reduce_all
    reduce_any
    reduce_max
    reduce_mean
    reduce_min
    reduce_sum
    relu
    reshape
    reverse
    rsqrt
    rows
    scatter_nd
    select
    sigmoid
    sign
    slice
    split
    sqrt
    square
    squared_difference
    stack
    strided_slice
    subtract
    tanh
    tile
    transpose
    truncatemod
    unstack
}
