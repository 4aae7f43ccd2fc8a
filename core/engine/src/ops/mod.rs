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
mod fourier;
mod layout;
mod matrices;
mod normalise;
mod on_host;
mod operand;
mod operators;
mod ordered;
mod overlap;
mod pooling;
mod reduction;
mod require;
mod sliding;
pub mod strings;
mod sum_to;
mod support;
mod to_device;
pub(crate) mod truth;
mod window;

pub(crate) use api::public;
pub use api::{AsTensor, AsTensors, TensorRef, Tensors};
#[cfg(test)]
pub(crate) use apply::samples as apply_samples;
pub use apply::{
    AdamRule, Arithmetic, Element, Few, Formula, Given, OwnLoop, Rule, apply_gradient_descent,
    apply_gradient_descent_rows, apply_rule,
};
pub(crate) use assert::{Assert, assert_all};
pub(crate) use assign::{Change, assign, read_variable};
pub use axes::{Axes, IntoAxes, keep_dims};
pub(crate) use broadcast_to::BroadcastTo;
pub(crate) use check_numerics::check_numerics;
pub(crate) use compare::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
pub(crate) use convolution::conv_in_groups;
pub(crate) use cotangents::sum_to;
pub use cumulative::Cumulative;
pub(crate) use fail::fail_with;
pub(crate) use gather::try_gather;
pub(crate) use identity::Identity;
pub(crate) use iterator_next::{Elements, element_types, iterator_handle, next_element};
pub(crate) use matmul::{MatMul, product_of};
pub use on_host::{OnHost, on_host};
pub(crate) use operand::NumberOf;
pub use operand::{Operand, ToOperand};
pub(crate) use operators::{operator, placeholder, run_binary, run_binary_of, run_comparison, run_unary, run_unary_of};
pub use pooling::Pool;
#[cfg(any(test, feature = "testing"))]
pub(crate) use print::capture;
pub(crate) use print::{Line, Piece, PrintLine, write_line};
pub(crate) use random_draw::{
    BoundedNormalDraw, GeneratorSkip, Law, ParameterDraw, Process, RandomDraw, StatelessDraw,
};
pub(crate) use real::PartView;
pub(crate) use reduction::broadcast_back;
pub use sliding::{PerAxis, Sliding};
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
    acos
    acosh
    add
    angle
    argmax
    asin
    asinh
    assert
    assign
    at
    atan
    atan2
    atanh
    attention
    avg_pool2d
    band_part
    banded_triangular_solve
    batch_normalization
    bessel_i0
    bessel_i0e
    bessel_i1
    bessel_i1e
    betainc
    bias_add
    bincount
    bitcast
    bitwise
    boolean_mask
    broadcast_shape
    broadcast_to
    candidate_sampler
    cast
    ceil
    check_numerics
    cholesky
    clip_by_global_norm
    clip_by_norm
    clip_by_value
    compare
    complex
    concat
    confusion_matrix
    conj
    conv1d
    conv2d
    conv3d
    conv_transpose
    convolution
    cos
    cosh
    count_nonzero
    crelu
    cross
    cross_entropy
    ctc
    cumprod
    cumsum
    cumulative_logsumexp
    dct
    depthwise_conv2d
    det
    diag
    diagonal
    diagonals
    digamma
    dilation2d
    div_no_nan
    divide
    dropout
    dynamic_partition
    dynamic_stitch
    eig
    eigh
    einsum
    elu
    embedding_lookup
    ensure_shape
    erf
    erfc
    erfcinv
    erfinv
    exp
    expm
    expm1
    extract_patches
    eye
    fail
    fft
    fftnd
    fftshift
    fill
    floor
    floordiv
    floormod
    frame
    frame_window
    gather
    gather_nd
    gelu
    glu
    hard_sigmoid
    hard_swish
    histogram
    identity
    igamma
    igammac
    imag
    in_top_k
    inv
    invert_permutation
    is_nan
    iterator_next
    l2_loss
    l2_normalize
    layer_normalization
    lbeta
    leaky_relu
    lgamma
    linspace
    local_response_normalization
    log
    log1p
    log_poisson_loss
    log_sigmoid
    log_softmax
    logical
    lstsq
    lu
    matmul
    matvec
    max_pool2d
    max_pool_with_argmax
    maximum
    mdct
    mel
    meshgrid
    minimum
    mish
    moments
    monotonic
    multiply
    multiply_no_nan
    ndtri
    neg
    nextafter
    norm
    one_hot
    pad
    polygamma
    polyval
    pool
    pow
    print
    qr
    random_draw
    random_index_shuffle
    range
    real
    reciprocal
    reduce_all
    reduce_any
    reduce_euclidean_norm
    reduce_logsumexp
    reduce_max
    reduce_mean
    reduce_min
    reduce_prod
    reduce_sum
    reduce_variance
    relu
    relu6
    repeat
    reshape
    reverse
    reverse_sequence
    rfft
    rint
    roll
    round
    rows
    rsqrt
    sampled_loss
    saturate_cast
    scatter_nd
    scatter_variable
    searchsorted
    segments
    select
    selu
    sequence_mask
    shape_of
    sigmoid
    sigmoid_cross_entropy
    sign
    silu
    sin
    sinh
    size_from
    slice
    softmax
    softplus
    softsign
    solve
    sort
    space_to_batch
    space_to_depth
    split
    sqrt
    square
    squared_difference
    stack
    stft
    strided_slice
    subtract
    svd
    tan
    tanh
    tensor_diag
    tensor_scatter
    tensordot
    tile
    top_k
    transpose
    triangular_solve
    tridiagonal
    truediv
    truncatediv
    truncatemod
    unique
    unravel_index
    unstack
    where_indices
    window_functions
    xdivy
    xlog1py
    xlogy
    zero_fraction
    zeta
}
