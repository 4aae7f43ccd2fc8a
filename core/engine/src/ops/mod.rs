//! The operations: one file each, with meaning, types, kernels, gradient and public forms side by side.
//! The list below is the only place that names them all.

mod api;
mod apply;
mod axes;
mod cotangents;
mod cumulative;
#[cfg(test)]
pub(crate) mod differences;
#[cfg(test)]
mod elementwise_tests;
mod normalise;
mod operand;
mod operators;
mod pooling;
mod reduction;
mod sum_to;
mod support;
mod to_device;
pub(crate) mod truth;
mod window;

pub(crate) use api::public;
pub use api::{AsTensor, AsTensors, TensorRef, Tensors};
pub use apply::{AdamParameters, apply_adam, apply_gradient_descent, apply_gradient_descent_rows, apply_momentum};
pub(crate) use assert::{Assert, assert_all};
pub(crate) use assign::{Change, assign, read_variable};
pub use axes::{Axes, IntoAxes, keep_dims};
pub(crate) use broadcast_to::BroadcastTo;
pub(crate) use compare::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
pub(crate) use conv2d::conv2d_in_groups;
pub(crate) use cotangents::sum_to;
pub use cumulative::Cumulative;
pub(crate) use fail::fail_with;
pub(crate) use gather::try_gather;
pub(crate) use identity::Identity;
pub(crate) use iterator_next::{Elements, element_types, iterator_handle, next_element};
pub(crate) use matmul::{MatMul, product_of};
pub(crate) use operand::NumberOf;
pub use operand::{Operand, ToOperand};
pub(crate) use operators::{operator, placeholder, run_binary, run_unary};
pub use pooling::Pool;
pub(crate) use real::PartView;
#[cfg(any(test, feature = "testing"))]
pub(crate) use print::capture;
pub(crate) use print::{Line, Piece, PrintLine, write_line};
pub(crate) use random_draw::{GeneratorSkip, Law, RandomDraw, StatelessDraw};
pub(crate) use reduction::broadcast_back;
pub use support::*;
pub use window::{Padding, Pair};
pub use window::{Windows, images_help};

/// Declares the operations' modules and passes their public functions on.
macro_rules! operations {
    ($($name:ident)*) => {
        $(mod $name;)*
        /// The files of this list, for the tables that must have a row for each.
        #[cfg(any(test, feature = "testing"))]
        pub(crate) const FILES: &[&str] = &[$(stringify!($name)),*];
        /// The public functions of all operations.
        pub mod functions {
            $(
                #[allow(unused_imports, reason = "some operations have no public form of their own")]
                pub use super::$name::*;
            )*
        }
    };
}

operations! {
    abs
    add
    angle
    argmax
    assert
    assign
    at
    avg_pool2d
    bias_add
    boolean_mask
    broadcast_to
    cast
    ceil
    clip_by_global_norm
    clip_by_norm
    clip_by_value
    compare
    complex
    concat
    conj
    conv2d
    cos
    cross_entropy
    cumprod
    cumsum
    div_no_nan
    divide
    dropout
    elu
    ensure_shape
    embedding_lookup
    erf
    erfc
    exp
    expm1
    eye
    fail
    fill
    floor
    floordiv
    floormod
    gather
    gather_nd
    gelu
    identity
    imag
    is_nan
    iterator_next
    l2_normalize
    leaky_relu
    linspace
    log
    log1p
    log_softmax
    logical
    matmul
    max_pool2d
    maximum
    minimum
    multiply
    neg
    one_hot
    pad
    pow
    print
    random_draw
    range
    real
    reciprocal
    reduce_all
    reduce_any
    reduce_logsumexp
    reduce_max
    reduce_mean
    reduce_min
    reduce_prod
    reduce_sum
    reduce_variance
    relu
    reshape
    reverse
    round
    rows
    rsqrt
    scatter_nd
    scatter_variable
    select
    selu
    shape_of
    sigmoid
    sign
    silu
    sin
    size_from
    slice
    softmax
    softplus
    softsign
    split
    sqrt
    square
    squared_difference
    stack
    strided_slice
    subtract
    tanh
    tensor_scatter
    tensordot
    tile
    transpose
    truediv
    truncatemod
    unstack
    where_indices
}
