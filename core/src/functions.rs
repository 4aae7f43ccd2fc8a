//! The operations as functions, by name, with the types of their arguments.
//! The crate's root re-exports all of them; [`fallible`] has the forms that give errors back.

#[doc(inline)]
pub use engine::{
    Bincount, Contract, Cumulative, DataFormat, Direction, Index, Indexing, IntoContract, IntoIndex, IntoPaddings,
    IntoPart, IntoPlace, IntoSplits, PadMode, Position, Rows, Side, SliceMasks, Splits, TensorList, abs, acos, acosh,
    add, adjoint, angle, argmax, argmax_as, argmin, argmin_as, argsort, as_string, asin, asinh, atan, atan2, atanh,
    avg_pool2d, band_part, bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, betainc, bias_add, bias_add_format, bincount,
    bincount_with, bitcast, bitwise_and, bitwise_or, bitwise_xor, boolean_mask, broadcast_dynamic_shape,
    broadcast_static_shape, broadcast_to, cast, ceil, clip_by_global_norm, clip_by_norm, clip_by_value, complex, concat,
    confusion_matrix, confusion_matrix_with, conj, conv2d, conv2d_dilated, cos, cosh, count_nonzero, crelu, cumprod,
    cumprod_with, cumsum, cumsum_with, cumulative_logsumexp, cumulative_logsumexp_with, diag, diag_part, digamma, dim,
    dim_of, div_no_nan, divide, dropout, dropout_with, dynamic_partition, dynamic_stitch, einsum, elu, embedding_lookup,
    ensure_shape, equal, erf, erfc, erfcinv, erfinv, exp, expand_dims, expm1, eye, fill, floor, floordiv, floormod,
    gather, gather_batched, gather_nd, gather_nd_batched, gelu, global_norm, glu, greater, greater_equal, hard_sigmoid,
    hard_swish, histogram_fixed_width, histogram_fixed_width_as, histogram_fixed_width_bins, identity, igamma, igammac,
    imag, in_top_k, invert, invert_permutation, is_finite, is_inf, is_nan, is_non_decreasing, is_strictly_increasing,
    l2_loss, l2_normalize, lbeta, leaky_relu, left_shift, less, less_equal, lgamma, linspace, log, log_sigmoid,
    log_softmax, log1p, logical_and, logical_not, logical_or, logical_xor, matmul, matmul_adjoint, matmul_transposed,
    matvec, max_pool2d, maximum, meshgrid, minimum, mish, moments, multiply, multiply_no_nan, ndtri, neg, nextafter,
    not_equal, one_hot, one_hot_with, ones, ones_like, pad, pad_value, polygamma, polyval, population_count, pow, print,
    range, rank, real, reciprocal, reduce_all, reduce_any, reduce_euclidean_norm, reduce_logsumexp, reduce_max,
    reduce_mean, reduce_min, reduce_prod, reduce_std, reduce_sum, reduce_variance, relu, relu6, repeat, reshape,
    reverse, reverse_sequence, right_shift, rint, roll, round, rsqrt, saturate_cast, scatter_nd, searchsorted,
    searchsorted_as, select, selu, sequence_mask, set_diag, sigmoid, sigmoid_cross_entropy_with_logits, sign, silu, sin,
    sinh, size, slice, softmax, softmax_cross_entropy_with_logits, softplus, softsign, sort,
    sparse_softmax_cross_entropy_with_logits, split, sqrt, square, squared_difference, squeeze, stack,
    stateless_dropout, stop_gradient, strided_slice, subtract, tan, tanh, tensor_diag, tensor_diag_part,
    tensor_scatter_nd_add, tensor_scatter_nd_sub, tensor_scatter_nd_update, tensordot, tile, top_k, top_k_as, trace,
    transpose, tril, triu, truediv, truncatediv, truncatemod, unique, unique_as, unique_with_counts,
    unique_with_counts_as, unravel_index, unstack, weighted_cross_entropy_with_logits, where_, where_indices, xdivy,
    xlog1py, xlogy, zero_fraction, zeros, zeros_like, zeta,
};

#[doc(hidden)]
pub use fallible::*;

/// The operations as functions that give errors back, where those at the crate's root panic.
pub mod fallible {
    #[doc(inline)]
    pub use engine::{
        try_abs, try_acos, try_acosh, try_add, try_adjoint, try_angle, try_argmax, try_argmax_as, try_argmin,
        try_argmin_as, try_argsort, try_as_string, try_asin, try_asinh, try_atan, try_atan2, try_atanh, try_avg_pool2d,
        try_band_part, try_bessel_i0, try_bessel_i0e, try_bessel_i1, try_bessel_i1e, try_betainc, try_bias_add,
        try_bias_add_format, try_bincount, try_bincount_with, try_bitcast, try_bitwise_and, try_bitwise_or,
        try_bitwise_xor, try_boolean_mask, try_broadcast_dynamic_shape, try_broadcast_static_shape, try_broadcast_to,
        try_cast, try_ceil, try_clip_by_global_norm, try_clip_by_norm, try_clip_by_value, try_complex, try_concat,
        try_confusion_matrix, try_confusion_matrix_with, try_conj, try_conv2d, try_conv2d_dilated, try_cos, try_cosh,
        try_count_nonzero, try_crelu, try_cumprod, try_cumprod_with, try_cumsum, try_cumsum_with,
        try_cumulative_logsumexp, try_cumulative_logsumexp_with, try_diag, try_diag_part, try_digamma, try_dim_of,
        try_div_no_nan, try_divide, try_dropout, try_dropout_with, try_dynamic_partition, try_dynamic_stitch,
        try_einsum, try_elu, try_embedding_lookup, try_ensure_shape, try_equal, try_erf, try_erfc, try_erfcinv,
        try_erfinv, try_exp, try_expand_dims, try_expm1, try_eye, try_fill, try_floor, try_floordiv, try_floormod,
        try_gather, try_gather_batched, try_gather_nd, try_gather_nd_batched, try_gelu, try_global_norm, try_glu,
        try_greater, try_greater_equal, try_hard_sigmoid, try_hard_swish, try_histogram_fixed_width,
        try_histogram_fixed_width_as, try_histogram_fixed_width_bins, try_identity, try_igamma, try_igammac, try_imag,
        try_in_top_k, try_invert, try_invert_permutation, try_is_finite, try_is_inf, try_is_nan, try_is_non_decreasing,
        try_is_strictly_increasing, try_l2_loss, try_l2_normalize, try_lbeta, try_leaky_relu, try_left_shift, try_less,
        try_less_equal, try_lgamma, try_linspace, try_log, try_log_sigmoid, try_log_softmax, try_log1p, try_logical_and,
        try_logical_not, try_logical_or, try_logical_xor, try_matmul, try_matmul_adjoint, try_matmul_transposed,
        try_matvec, try_max_pool2d, try_maximum, try_meshgrid, try_minimum, try_mish, try_moments, try_multiply,
        try_multiply_no_nan, try_ndtri, try_neg, try_nextafter, try_not_equal, try_one_hot, try_ones, try_ones_like,
        try_pad, try_pad_value, try_polygamma, try_polyval, try_population_count, try_pow, try_range, try_real,
        try_reciprocal, try_reduce_all, try_reduce_any, try_reduce_euclidean_norm, try_reduce_logsumexp, try_reduce_max,
        try_reduce_mean, try_reduce_min, try_reduce_prod, try_reduce_std, try_reduce_sum, try_reduce_variance, try_relu,
        try_relu6, try_repeat, try_reshape, try_reverse, try_reverse_sequence, try_right_shift, try_rint, try_roll,
        try_round, try_rsqrt, try_saturate_cast, try_scatter_nd, try_searchsorted, try_searchsorted_as, try_select,
        try_selu, try_sequence_mask, try_set_diag, try_sigmoid, try_sigmoid_cross_entropy_with_logits, try_sign,
        try_silu, try_sin, try_sinh, try_slice, try_softmax, try_softmax_cross_entropy_with_logits, try_softplus,
        try_softsign, try_sort, try_sparse_softmax_cross_entropy_with_logits, try_split, try_sqrt, try_square,
        try_squared_difference, try_squeeze, try_stack, try_stateless_dropout, try_stop_gradient, try_strided_slice,
        try_subtract, try_tan, try_tanh, try_tensor_diag, try_tensor_diag_part, try_tensor_scatter_nd_add,
        try_tensor_scatter_nd_sub, try_tensor_scatter_nd_update, try_tensordot, try_tile, try_top_k, try_top_k_as,
        try_trace, try_transpose, try_tril, try_triu, try_truediv, try_truncatediv, try_truncatemod, try_unique,
        try_unique_as, try_unique_with_counts, try_unique_with_counts_as, try_unravel_index, try_unstack,
        try_weighted_cross_entropy_with_logits, try_where, try_where_indices, try_xdivy, try_xlog1py, try_xlogy,
        try_zero_fraction, try_zeros, try_zeros_like, try_zeta,
    };
}
