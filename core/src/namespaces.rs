//! TensorFlow's other names for the operations: `tf::math`, `tf::nn`, `tf::linalg` and `tf::bitwise`.
//! Users who know TensorFlow look there first; everything is the same function as at the crate's root.

/// Mathematics: `tf::math::reduce_sum` is [`tf::reduce_sum`](fn@crate::reduce_sum).
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::math::log(tf::constant([1.0])).to_vec::<f32>(), [0.0]);
/// ```
pub mod math {
    pub use engine::{
        abs, acos, acosh, add, angle, argmax, argmin, asin, asinh, atan, atan2, atanh, bessel_i0, bessel_i0e, bessel_i1,
        bessel_i1e, betainc, bincount, ceil, confusion_matrix, conj, cos, cosh, count_nonzero, cumprod, cumsum,
        cumulative_logsumexp, digamma, div_no_nan, divide, equal, erf, erfc, erfcinv, erfinv, exp, expm1, floor,
        floordiv, floormod, greater, greater_equal, igamma, igammac, imag, in_top_k, invert_permutation, is_finite,
        is_inf, is_nan, is_non_decreasing, is_strictly_increasing, l2_normalize, lbeta, less, less_equal, lgamma, log,
        log_sigmoid, log_softmax, log1p, logical_and, logical_not, logical_or, logical_xor, maximum, minimum, multiply,
        multiply_no_nan, ndtri, neg, nextafter, not_equal, polygamma, polyval, pow, real, reciprocal, reduce_all,
        reduce_any, reduce_euclidean_norm, reduce_logsumexp, reduce_max, reduce_mean, reduce_min, reduce_prod,
        reduce_std, reduce_sum, reduce_variance, rint, round, rsqrt, sigmoid, sign, sin, sinh, softmax, softplus, sqrt,
        square, squared_difference, subtract, tan, tanh, top_k, truediv, xdivy, xlog1py, xlogy, zero_fraction, zeta,
    };
    pub use engine::{
        div_no_nan as divide_no_nan, floormod as mod_, neg as negative, try_div_no_nan as try_divide_no_nan,
        try_floormod as try_mod, try_neg as try_negative,
    };
}

/// Neural networks: activations, convolutions, poolings and losses.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::nn::relu(tf::constant([-1.0, 2.0])).to_vec::<f32>(), [0.0, 2.0]);
/// ```
pub mod nn {
    pub use engine::{
        avg_pool2d, bias_add, conv2d, crelu, dropout, elu, gelu, glu, hard_sigmoid, hard_swish, in_top_k, l2_loss,
        l2_normalize, leaky_relu, log_sigmoid, log_softmax, max_pool2d, mish, moments, relu, relu6, selu, sigmoid,
        sigmoid_cross_entropy_with_logits, silu, silu as swish, softmax, softmax_cross_entropy_with_logits, softplus,
        softsign, sparse_softmax_cross_entropy_with_logits, tanh, top_k, weighted_cross_entropy_with_logits,
        zero_fraction,
    };
    pub use engine::{
        try_avg_pool2d, try_bias_add, try_conv2d, try_crelu, try_dropout, try_elu, try_gelu, try_glu, try_hard_sigmoid,
        try_hard_swish, try_l2_loss, try_l2_normalize, try_leaky_relu, try_log_sigmoid, try_log_softmax,
        try_max_pool2d, try_mish, try_relu, try_relu6, try_selu, try_sigmoid, try_silu, try_silu as try_swish,
        try_softmax, try_softmax_cross_entropy_with_logits, try_softplus, try_softsign,
        try_sparse_softmax_cross_entropy_with_logits, try_tanh,
    };
}

/// Linear algebra.
///
/// ```
/// use eagerflow as tf;
/// let a = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(tf::linalg::matmul(&a, tf::linalg::eye(2)).to_vec::<f32>(), a.to_vec::<f32>());
/// ```
pub mod linalg {
    pub use engine::{
        adjoint, band_part, diag, diag_part, einsum, eye, global_norm, matmul, matmul_adjoint, matmul_transposed,
        matvec, set_diag, tensor_diag, tensor_diag_part, tensordot, trace, try_einsum, try_matmul,
    };
}

/// Bits of integers.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::bitwise::invert(tf::constant([0, 5])).to_vec::<i32>(), [-1, -6]);
/// ```
pub mod bitwise {
    pub use engine::{bitwise_and, bitwise_or, bitwise_xor, invert, left_shift, right_shift};
    pub use engine::{try_bitwise_and, try_bitwise_or, try_bitwise_xor, try_invert, try_left_shift, try_right_shift};
}
