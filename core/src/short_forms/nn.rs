//! Short forms of neural networks: TensorFlow's arguments by name, with TensorFlow's defaults.
//! Users call them beside the functions of the same names.

/// The search of labels: [`ctc_beam_search_decoder`](fn@crate::ctc_beam_search_decoder) with TensorFlow's defaults,
/// `ctc_beam_search_decoder!(inputs, sequence_length, beam_width = 100, top_paths = 1)`.
///
/// ```
/// use eagerflow as tf;
/// let (labels, ..) = tf::ctc_beam_search_decoder!(tf::zeros([2, 1, 3]), tf::constant([2]), top_paths = 2);
/// assert_eq!(labels.shape(), [1, 2, 2]);
/// ```
#[macro_export]
macro_rules! ctc_beam_search_decoder {
    ($($arguments:tt)*) => {
        $crate::__call!(ctc_beam_search_decoder(inputs, sequence_length; beam_width = 100, top_paths = 1) => ($crate::ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)) ($($arguments)*))
    };
}

/// Greedy decoding: [`ctc_greedy_decoder`](fn@crate::ctc_greedy_decoder) with TensorFlow's defaults,
/// `ctc_greedy_decoder!(inputs, sequence_length, merge_repeated = true, blank_index = -1)`.
///
/// ```
/// use eagerflow as tf;
/// let (labels, ..) = tf::ctc_greedy_decoder!(tf::zeros([2, 1, 3]), tf::constant([2]));
/// assert_eq!(labels.shape(), [1, 2]);
/// ```
#[macro_export]
macro_rules! ctc_greedy_decoder {
    ($($arguments:tt)*) => {
        $crate::__call!(ctc_greedy_decoder(inputs, sequence_length; merge_repeated = true, blank_index = -1) => ($crate::ctc_greedy_decoder(inputs, sequence_length, merge_repeated, blank_index)) ($($arguments)*))
    };
}

/// The loss of alignments: [`ctc_loss`](fn@crate::ctc_loss) with TensorFlow's defaults,
/// `ctc_loss!(labels, logits, label_length, logit_length, logits_time_major = true, blank_index = 0)`.
///
/// ```
/// use eagerflow as tf;
/// let one = tf::constant([1]);
/// assert_eq!(tf::ctc_loss!(tf::constant([[1]]), tf::zeros([1, 1, 2]), &one, &one).to_vec::<f32>(), [2f32.ln()]);
/// ```
#[macro_export]
macro_rules! ctc_loss {
    ($($arguments:tt)*) => {
        $crate::__call!(ctc_loss(labels, logits, label_length, logit_length; logits_time_major = true, blank_index = 0) => ($crate::ctc_loss(labels, logits, label_length, logit_length, logits_time_major, blank_index)) ($($arguments)*))
    };
}

/// The Gaussian error linear unit: [`gelu`](fn@crate::gelu) with TensorFlow's defaults, `gelu!(x, approximate = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::gelu!(&x).shape(), [2, 3]);
/// ```
#[macro_export]
macro_rules! gelu {
    ($($arguments:tt)*) => {
        $crate::__call!(gelu(x; approximate = false) => ($crate::gelu(x, approximate)) ($($arguments)*))
    };
}

/// The tensor divided by its Euclidean norm: [`l2_normalize`](fn@crate::l2_normalize) with TensorFlow's defaults, `l2_normalize!(x, axis = (), epsilon = 1e-12)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::l2_normalize!(tf::constant([3.0, 4.0])).to_vec::<f32>(), [0.6, 0.8]);
/// ```
#[macro_export]
macro_rules! l2_normalize {
    ($($arguments:tt)*) => {
        $crate::__call!(l2_normalize(x; axis = (), epsilon = 1e-12) => ($crate::l2_normalize(x, axis, epsilon)) ($($arguments)*))
    };
}

/// Layer normalisation: [`layer_normalization`](fn@crate::layer_normalization) with Keras' defaults,
/// `layer_normalization!(x, axis = -1, scale = None, offset = None, epsilon = 1e-3)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 3.0], [2.0, 6.0]]);
/// assert_eq!(tf::layer_normalization!(&x, epsilon = 0.0).to_vec::<f32>(), [-1.0, 1.0, -1.0, 1.0]);
/// ```
#[macro_export]
macro_rules! layer_normalization {
    ($($arguments:tt)*) => {
        $crate::__call!(layer_normalization(x; axis = -1, scale = None, offset = None, epsilon = 1e-3) => ($crate::layer_normalization(x, axis, scale, offset, epsilon)) ($($arguments)*))
    };
}

/// The leaky rectified linear unit: [`leaky_relu`](fn@crate::leaky_relu) with TensorFlow's defaults, `leaky_relu!(x, alpha = 0.2)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::leaky_relu!(tf::constant(-1.0)).item::<f32>(), -0.2);
/// ```
#[macro_export]
macro_rules! leaky_relu {
    ($($arguments:tt)*) => {
        $crate::__call!(leaky_relu(x; alpha = 0.2) => ($crate::leaky_relu(x, alpha)) ($($arguments)*))
    };
}

/// The loss of counts: [`log_poisson_loss`](fn@crate::log_poisson_loss) with TensorFlow's defaults, `log_poisson_loss!(targets, log_input, compute_full_loss = false)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::log_poisson_loss!(tf::constant(2.0), tf::constant(0.0)).item::<f32>(), 1.0);
/// ```
#[macro_export]
macro_rules! log_poisson_loss {
    ($($arguments:tt)*) => {
        $crate::__call!(log_poisson_loss(targets, log_input; compute_full_loss = false) => ($crate::log_poisson_loss(targets, log_input, compute_full_loss)) ($($arguments)*))
    };
}

/// Logarithms of the softmax: [`log_softmax`](fn@crate::log_softmax) with TensorFlow's defaults, `log_softmax!(x, axis = -1)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::log_softmax!(&x).shape(), [2, 3]);
/// ```
#[macro_export]
macro_rules! log_softmax {
    ($($arguments:tt)*) => {
        $crate::__call!(log_softmax(x; axis = -1) => ($crate::log_softmax(x, axis)) ($($arguments)*))
    };
}

/// Normalisation by the root of the mean square: [`rms_norm`](fn@crate::rms_norm) with defaults, `rms_norm!(x, axis = -1, scale = None, epsilon = 1e-6)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::rms_norm!(tf::constant([1.0, 7.0]), epsilon = 0.0).to_vec::<f32>(), [0.2, 1.4]);
/// ```
#[macro_export]
macro_rules! rms_norm {
    ($($arguments:tt)*) => {
        $crate::__call!(rms_norm(x; axis = -1, scale = None, epsilon = 1e-6) => ($crate::rms_norm(x, axis, scale, epsilon)) ($($arguments)*))
    };
}

/// Attention: [`scaled_dot_product_attention`](fn@crate::scaled_dot_product_attention) with PyTorch's names and defaults,
/// `scaled_dot_product_attention!(query, key, value, attn_mask = None, dropout_p = 0.0, is_causal = false, scale = None, enable_gqa = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::ones([2, 3, 4]);
/// let mask = tf::constant([true, false, true]);
/// assert_eq!(tf::scaled_dot_product_attention!(&x, &x, &x, attn_mask = mask, scale = 0.5).shape(), [2, 3, 4]);
/// ```
#[macro_export]
macro_rules! scaled_dot_product_attention {
    ($($arguments:tt)*) => {
        $crate::__call!(scaled_dot_product_attention(query, key, value; attn_mask = None::<$crate::Tensor>, dropout_p = 0.0, is_causal = false, scale = None::<f64>, enable_gqa = false) => ($crate::scaled_dot_product_attention(query, key, value, $crate::__attention(attn_mask, dropout_p, is_causal, scale, enable_gqa))) ($($arguments)*))
    };
}

/// The softmax along an axis: [`softmax`](fn@crate::softmax) with TensorFlow's defaults, `softmax!(x, axis = -1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::softmax!(tf::constant([2.0, 2.0])).to_vec::<f32>(), [0.5, 0.5]);
/// ```
#[macro_export]
macro_rules! softmax {
    ($($arguments:tt)*) => {
        $crate::__call!(softmax(x; axis = -1) => ($crate::softmax(x, axis)) ($($arguments)*))
    };
}
