//! TensorFlow's other names for the operations: `tf::math`, `tf::nn`, `tf::linalg`, `tf::signal` and `tf::bitwise`.
//! Users who know TensorFlow look there first; everything is the same function as at the crate's root.

/// Mathematics: `tf::math::reduce_sum` is [`tf::reduce_sum`](fn@crate::reduce_sum).
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::math::log(tf::constant([1.0])).to_vec::<f32>(), [0.0]);
/// ```
pub mod math {
    pub use engine::{
        abs, acos, acosh, add, angle, argmax, argmin, asin, asinh, atan, atan2, atanh, bessel_i0, bessel_i0e,
        bessel_i1, bessel_i1e, betainc, bincount, ceil, confusion_matrix, conj, cos, cosh, count_nonzero, cumprod,
        cumsum, cumulative_logsumexp, digamma, div_no_nan, div_no_nan as divide_no_nan, divide, equal, erf, erfc,
        erfcinv, erfinv, exp, expm1, floor, floordiv, floormod, floormod as mod_, greater, greater_equal, igamma,
        igammac, imag, in_top_k, invert_permutation, is_finite, is_inf, is_nan, is_non_decreasing,
        is_strictly_increasing, l2_normalize, lbeta, less, less_equal, lgamma, log, log_sigmoid, log_softmax, log1p,
        logical_and, logical_not, logical_or, logical_xor, maximum, minimum, multiply, multiply_no_nan, ndtri, neg,
        neg as negative, nextafter, not_equal, polygamma, polyval, pow, real, reciprocal, reduce_all, reduce_any,
        reduce_euclidean_norm, reduce_logsumexp, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_std,
        reduce_sum, reduce_variance, rint, round, rsqrt, segment_max, segment_mean, segment_min, segment_prod,
        segment_sum, sigmoid, sign, sin, sinh, softmax, softplus, sqrt, square, squared_difference, subtract, tan,
        tanh, top_k, truediv, try_div_no_nan as try_divide_no_nan, try_floormod as try_mod, try_neg as try_negative,
        unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod,
        unsorted_segment_sqrt_n, unsorted_segment_sum, xdivy, xlog1py, xlogy, zero_fraction, zeta,
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
        Pooling, all_candidate_sampler, atrous_conv2d, atrous_conv2d_transpose, avg_pool, avg_pool1d, avg_pool1d_with,
        avg_pool2d, avg_pool2d_with, avg_pool3d, avg_pool3d_with, batch_normalization, bias_add, collapse_repeated,
        compute_accidental_hits, conv_transpose, conv1d, conv1d_transpose, conv1d_transpose_with, conv1d_with, conv2d,
        conv2d_transpose, conv2d_transpose_with, conv2d_with, conv3d, conv3d_transpose, conv3d_transpose_with,
        conv3d_with, convolution, crelu, ctc_beam_search_decoder, ctc_greedy_decoder, ctc_loss, ctc_unique_labels,
        depth_to_space, depthwise_conv2d, depthwise_conv2d_with, dilation2d, dot_product_attention, dropout, elu,
        erosion2d, fixed_unigram_candidate_sampler, fused_batch_norm, gelu, glu, group_normalization, hard_sigmoid,
        hard_swish, in_top_k, l2_loss, l2_normalize, layer_normalization, leaky_relu, local_response_normalization,
        local_response_normalization as lrn, log_poisson_loss, log_sigmoid, log_softmax, max_pool,
        max_pool_with_argmax, max_pool_with_argmax_as, max_pool1d, max_pool1d_with, max_pool2d, max_pool2d_with,
        max_pool3d, max_pool3d_with, mish, moments, nce_loss, normalize_moments, pool, relu, relu6, rms_norm,
        sampled_softmax_loss, scaled_dot_product_attention, selu, separable_conv2d, separable_conv2d_with, sigmoid,
        sigmoid_cross_entropy_with_logits, silu, silu as swish, softmax, softmax_cross_entropy_with_logits, softplus,
        softsign, space_to_batch, space_to_depth, sparse_softmax_cross_entropy_with_logits, sufficient_statistics,
        tanh, top_k, try_all_candidate_sampler, try_atrous_conv2d, try_atrous_conv2d_transpose, try_avg_pool,
        try_avg_pool1d, try_avg_pool1d_with, try_avg_pool2d, try_avg_pool2d_with, try_avg_pool3d, try_avg_pool3d_with,
        try_batch_normalization, try_bias_add, try_collapse_repeated, try_compute_accidental_hits, try_conv_transpose,
        try_conv1d, try_conv1d_transpose, try_conv1d_transpose_with, try_conv1d_with, try_conv2d, try_conv2d_transpose,
        try_conv2d_transpose_with, try_conv2d_with, try_conv3d, try_conv3d_transpose, try_conv3d_transpose_with,
        try_conv3d_with, try_convolution, try_crelu, try_ctc_beam_search_decoder, try_ctc_greedy_decoder, try_ctc_loss,
        try_ctc_unique_labels, try_depth_to_space, try_depthwise_conv2d, try_depthwise_conv2d_with, try_dilation2d,
        try_dot_product_attention, try_dropout, try_elu, try_erosion2d, try_fixed_unigram_candidate_sampler,
        try_fused_batch_norm, try_gelu, try_glu, try_group_normalization, try_hard_sigmoid, try_hard_swish,
        try_l2_loss, try_l2_normalize, try_layer_normalization, try_leaky_relu, try_local_response_normalization,
        try_local_response_normalization as try_lrn, try_log_poisson_loss, try_log_sigmoid, try_log_softmax,
        try_max_pool, try_max_pool_with_argmax, try_max_pool_with_argmax_as, try_max_pool1d, try_max_pool1d_with,
        try_max_pool2d, try_max_pool2d_with, try_max_pool3d, try_max_pool3d_with, try_mish, try_nce_loss,
        try_normalize_moments, try_pool, try_relu, try_relu6, try_rms_norm, try_sampled_softmax_loss,
        try_scaled_dot_product_attention, try_selu, try_separable_conv2d, try_separable_conv2d_with, try_sigmoid,
        try_silu, try_silu as try_swish, try_softmax, try_softmax_cross_entropy_with_logits, try_softplus,
        try_softsign, try_space_to_batch, try_space_to_depth, try_sparse_softmax_cross_entropy_with_logits,
        try_sufficient_statistics, try_tanh, try_weighted_moments, try_zero_fraction,
        weighted_cross_entropy_with_logits, weighted_moments, zero_fraction,
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
        DiagonalAlign, Diagonals, DiagonalsFormat, Eigenvalues, Norm, adjoint, band_part, banded_triangular_solve,
        cholesky, cholesky_solve, compact_diagonals, cross, det, diag, diag_part, diag_part_with, diag_with, eig, eigh,
        eigh_tridiagonal, eigh_tridiagonal_with, eigvals, eigvalsh, einsum, expm, eye, global_norm, inv, logdet, logm,
        lstsq, lu, lu_as, lu_matrix_inverse, lu_reconstruct, lu_solve, matmul, matmul_adjoint, matmul_transposed,
        matrix_rank, matrix_transpose, matvec, norm, normalize, pinv, qr, set_diag, set_diag_with, slogdet, solve,
        sqrtm, sqrtm as matrix_square_root, svd, svdvals, tensor_diag, tensor_diag_part, tensordot, trace,
        triangular_solve, tridiagonal_matmul, tridiagonal_solve, try_banded_triangular_solve, try_cholesky,
        try_cholesky_solve, try_compact_diagonals, try_cross, try_det, try_diag_part_with, try_diag_with, try_eig,
        try_eigh, try_eigh_tridiagonal, try_eigh_tridiagonal_with, try_eigvals, try_eigvalsh, try_einsum, try_expm,
        try_inv, try_logdet, try_logm, try_lstsq, try_lu, try_lu_as, try_lu_matrix_inverse, try_lu_reconstruct,
        try_lu_solve, try_matmul, try_matrix_rank, try_matrix_transpose, try_norm, try_normalize, try_pinv, try_qr,
        try_set_diag_with, try_slogdet, try_solve, try_sqrtm, try_svd, try_svdvals, try_triangular_solve,
        try_tridiagonal_matmul, try_tridiagonal_solve,
    };
}

/// Signals: Fourier and cosine transforms, frames, windows and mel spectrograms.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::sin(tf::range(0.0, 64.0, 1.0) * (std::f32::consts::TAU / 8.0));
/// let strongest = tf::argmax(tf::abs(tf::signal::rfft(&x)), 0);
/// assert_eq!(strongest.to_vec::<i64>(), [8]);
/// ```
pub mod signal {
    pub use engine::{
        Dct, DctType, FftNd, FftNorm, Framing, Mdct, MelBands, Stft, Window, dct, dct_with, fft, fft2d, fft3d, fftnd,
        fftnd_with, fftshift, frame, frame_with, hamming_window, hamming_window_with, hann_window, hann_window_with,
        idct, idct_with, ifft, ifft2d, ifft3d, ifftnd, ifftnd_with, ifftshift, inverse_mdct, inverse_mdct_with,
        inverse_stft, inverse_stft_window_fn, inverse_stft_with, irfft, irfft_with, irfft2d, irfft2d_with, irfft3d,
        irfft3d_with, irfftnd, irfftnd_with, kaiser_bessel_derived_window, kaiser_bessel_derived_window_with,
        kaiser_window, kaiser_window_with, linear_to_mel_weight_matrix, mdct, mdct_with,
        mfccs_from_log_mel_spectrograms, overlap_and_add, rfft, rfft_with, rfft2d, rfft2d_with, rfft3d, rfft3d_with,
        rfftnd, rfftnd_with, stft, stft_with, try_dct, try_dct_with, try_fft, try_fft2d, try_fft3d, try_fftnd,
        try_fftnd_with, try_fftshift, try_frame, try_frame_with, try_hamming_window, try_hamming_window_with,
        try_hann_window, try_hann_window_with, try_idct, try_idct_with, try_ifft, try_ifft2d, try_ifft3d, try_ifftnd,
        try_ifftnd_with, try_ifftshift, try_inverse_mdct, try_inverse_mdct_with, try_inverse_stft,
        try_inverse_stft_window_fn, try_inverse_stft_with, try_irfft, try_irfft_with, try_irfft2d, try_irfft2d_with,
        try_irfft3d, try_irfft3d_with, try_irfftnd, try_irfftnd_with, try_kaiser_bessel_derived_window,
        try_kaiser_bessel_derived_window_with, try_kaiser_window, try_kaiser_window_with,
        try_linear_to_mel_weight_matrix, try_mdct, try_mdct_with, try_mfccs_from_log_mel_spectrograms,
        try_overlap_and_add, try_rfft, try_rfft_with, try_rfft2d, try_rfft2d_with, try_rfft3d, try_rfft3d_with,
        try_rfftnd, try_rfftnd_with, try_stft, try_stft_with, try_vorbis_window, try_vorbis_window_with, vorbis_window,
        vorbis_window_with,
    };
}

/// Bits of integers.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::bitwise::invert(tf::constant([0, 5])).to_vec::<i32>(), [-1, -6]);
/// ```
pub mod bitwise {
    pub use engine::{
        bitwise_and, bitwise_or, bitwise_xor, invert, left_shift, right_shift, try_bitwise_and, try_bitwise_or,
        try_bitwise_xor, try_invert, try_left_shift, try_right_shift,
    };
}
