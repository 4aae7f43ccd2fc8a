//! TensorFlow's other names for the operations: `tf::math`, `tf::nn` and `tf::linalg`.
//! Users who know TensorFlow look there first; everything is the same function as at the crate's root.

/// Mathematics: `tf::math::reduce_sum` is [`tf::reduce_sum`](crate::reduce_sum).
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::math::log(tf::constant([1.0])).to_vec::<f32>(), [0.0]);
/// ```
pub mod math {
    pub use engine::{
        abs, add, angle, argmax, argmin, ceil, conj, cos, cumprod, cumsum, div_no_nan, divide, equal, erf, erfc, exp,
        expm1, floor, floordiv, floormod, greater, greater_equal, imag, is_finite, is_inf, is_nan, l2_normalize, less,
        less_equal, log, log_softmax, log1p, logical_and, logical_not, logical_or, logical_xor, maximum, minimum,
        multiply, neg, not_equal, pow, real, reciprocal, reduce_all, reduce_any, reduce_logsumexp, reduce_max,
        reduce_mean, reduce_min, reduce_prod, reduce_std, reduce_sum, reduce_variance, round, rsqrt, sigmoid, sign,
        sin, softmax, softplus, sqrt, square, squared_difference, subtract, tanh, truediv,
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
        avg_pool2d, bias_add, conv2d, dropout, elu, gelu, l2_normalize, leaky_relu, log_softmax, max_pool2d, relu,
        selu, sigmoid, silu, softmax, softmax_cross_entropy_with_logits, softplus, softsign,
        sparse_softmax_cross_entropy_with_logits, tanh,
    };
    pub use engine::{
        try_avg_pool2d, try_bias_add, try_conv2d, try_dropout, try_elu, try_gelu, try_l2_normalize, try_leaky_relu,
        try_log_softmax, try_max_pool2d, try_relu, try_selu, try_sigmoid, try_silu, try_softmax,
        try_softmax_cross_entropy_with_logits, try_softplus, try_softsign,
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
    pub use engine::{adjoint, eye, global_norm, matmul, matmul_adjoint, matmul_transposed, tensordot, try_matmul};
}
