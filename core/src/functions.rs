//! The operations as functions, by name, with the types of their arguments.
//! The crate's root re-exports all of them; [`fallible`] has the forms that give errors back.

#[doc(inline)]
pub use engine::{
    Contract, Cumulative, DataFormat, Index, IntoContract, IntoIndex, IntoPaddings, IntoPart, IntoPlace, IntoSplits,
    PadMode, Position, Rows, SliceMasks, Splits, TensorList, abs, add, adjoint, angle, argmax, argmax_as, argmin,
    argmin_as, avg_pool2d, bias_add, bias_add_format, boolean_mask, broadcast_to, cast, ceil, clip_by_global_norm,
    clip_by_norm, clip_by_value, complex, concat, conj, conv2d, conv2d_dilated, cos, cumprod, cumprod_with, cumsum,
    cumsum_with, dim, dim_of, div_no_nan, divide, dropout, dropout_with, elu, embedding_lookup, ensure_shape, equal,
    erf, erfc, exp, expand_dims, expm1, eye, fill, floor, floordiv, floormod, gather, gather_batched, gather_nd,
    gather_nd_batched, gelu, global_norm, greater, greater_equal, identity, imag, is_finite, is_inf, is_nan,
    l2_normalize, leaky_relu, less, less_equal, linspace, log, log_softmax, log1p, logical_and, logical_not,
    logical_or, logical_xor, matmul, matmul_adjoint, matmul_transposed, max_pool2d, maximum, minimum, multiply, neg,
    not_equal, one_hot, one_hot_with, ones, ones_like, pad, pad_value, pow, print, range, rank, real, reciprocal,
    reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_std, reduce_sum,
    reduce_variance, relu, reshape, reverse, round, rsqrt, scatter_nd, select, selu, sigmoid, sign, silu, sin, size,
    slice, softmax, softmax_cross_entropy_with_logits, softplus, softsign, sparse_softmax_cross_entropy_with_logits,
    split, sqrt, square, squared_difference, squeeze, stack, stateless_dropout, stop_gradient, strided_slice, subtract,
    tanh, tensor_scatter_nd_add, tensor_scatter_nd_sub, tensor_scatter_nd_update, tensordot, tile, transpose, truediv,
    truncatemod, unstack, where_, where_indices, zeros, zeros_like,
};

#[doc(hidden)]
pub use fallible::*;

/// The operations as functions that give errors back, where those at the crate's root panic.
pub mod fallible {
    #[doc(inline)]
    pub use engine::{
        try_abs, try_add, try_adjoint, try_angle, try_argmax, try_argmax_as, try_argmin, try_argmin_as, try_avg_pool2d,
        try_bias_add, try_bias_add_format, try_boolean_mask, try_broadcast_to, try_cast, try_ceil,
        try_clip_by_global_norm, try_clip_by_norm, try_clip_by_value, try_complex, try_concat, try_conj, try_conv2d,
        try_conv2d_dilated, try_cos, try_cumprod, try_cumprod_with, try_cumsum, try_cumsum_with, try_dim_of,
        try_div_no_nan, try_divide, try_dropout, try_dropout_with, try_elu, try_embedding_lookup, try_ensure_shape,
        try_equal, try_erf, try_erfc, try_exp, try_expand_dims, try_expm1, try_eye, try_fill, try_floor, try_floordiv,
        try_floormod, try_gather, try_gather_batched, try_gather_nd, try_gather_nd_batched, try_gelu, try_global_norm,
        try_greater, try_greater_equal, try_identity, try_imag, try_is_finite, try_is_inf, try_is_nan,
        try_l2_normalize, try_leaky_relu, try_less, try_less_equal, try_linspace, try_log, try_log_softmax, try_log1p,
        try_logical_and, try_logical_not, try_logical_or, try_logical_xor, try_matmul, try_matmul_adjoint,
        try_matmul_transposed, try_max_pool2d, try_maximum, try_minimum, try_multiply, try_neg, try_not_equal,
        try_one_hot, try_ones, try_ones_like, try_pad, try_pad_value, try_pow, try_range, try_real, try_reciprocal,
        try_reduce_all, try_reduce_any, try_reduce_logsumexp, try_reduce_max, try_reduce_mean, try_reduce_min,
        try_reduce_prod, try_reduce_std, try_reduce_sum, try_reduce_variance, try_relu, try_reshape, try_reverse,
        try_round, try_rsqrt, try_scatter_nd, try_select, try_selu, try_sigmoid, try_sign, try_silu, try_sin,
        try_slice, try_softmax, try_softmax_cross_entropy_with_logits, try_softplus, try_softsign,
        try_sparse_softmax_cross_entropy_with_logits, try_split, try_sqrt, try_square, try_squared_difference,
        try_squeeze, try_stack, try_stateless_dropout, try_stop_gradient, try_strided_slice, try_subtract, try_tanh,
        try_tensor_scatter_nd_add, try_tensor_scatter_nd_sub, try_tensor_scatter_nd_update, try_tensordot, try_tile,
        try_transpose, try_truediv, try_truncatemod, try_unstack, try_where, try_where_indices, try_zeros,
        try_zeros_like,
    };
}
