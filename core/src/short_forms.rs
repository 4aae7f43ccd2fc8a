//! Short forms: the operations as macros that take TensorFlow's arguments by name, with TensorFlow's defaults.
//! Users call them beside the functions of the same names, which take all arguments.

mod windows;

use crate::{Attention, Axes, Bincount, Cumulative, DType, IntoAxes, Tensor, keep_dims};
use kernels::error::OrFail;
use kernels::shape::IntoDim;

/// The axes of a reduction, kept in the result or not: what `keepdims` asks for.
#[doc(hidden)]
pub fn __axes(axes: impl IntoAxes, keep: bool) -> Axes {
    if keep { keep_dims(axes) } else { axes.into_axes() }
}

/// What of each sum or product is left out, and from where they run.
#[doc(hidden)]
pub fn __cumulative(exclusive: bool, reverse: bool) -> Cumulative {
    Cumulative { exclusive, reverse }
}

/// What attention is asked for; mask and scale may be given plainly or as options.
#[doc(hidden)]
pub fn __attention(
    mask: impl Into<Option<Tensor>>,
    dropout: f64,
    causal: bool,
    scale: impl Into<Option<f64>>,
    grouped: bool,
) -> Attention {
    Attention { mask: mask.into(), causal, dropout, seed: None, scale: scale.into(), grouped }
}

/// Weights that may be left out.
#[doc(hidden)]
pub fn __weights<'a>(weights: impl Into<Option<&'a Tensor>>) -> Option<&'a Tensor> {
    weights.into()
}

/// How numbers are counted; a bound of -1 is none.
#[doc(hidden)]
#[track_caller]
pub fn __bincount<'a>(
    weights: impl Into<Option<&'a Tensor>>,
    minlength: impl IntoDim,
    maxlength: impl IntoDim,
    dtype: DType,
    axis: isize,
    binary_output: bool,
) -> Bincount {
    Bincount {
        weights: weights.into().cloned(),
        minlength: minlength.into_size().or_fail(),
        maxlength: maxlength.into_size().or_fail(),
        dtype,
        axis,
        binary_output,
    }
}

/// The index of the greatest element along an axis: [`argmax`](fn@crate::argmax) with TensorFlow's defaults, `argmax!(x, axis = 0, output_type = int64)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::argmax!(&x).to_vec::<i64>(), [1, 1, 1]);
/// assert_eq!(tf::argmax!(&x, axis = 1, output_type = tf::int32).to_vec::<i32>(), [2, 2]);
/// ```
#[macro_export]
macro_rules! argmax {
    ($($arguments:tt)*) => {
        $crate::__call!(argmax(x; axis = 0, output_type = $crate::int64) => ($crate::argmax_as(x, axis, output_type)) ($($arguments)*))
    };
}

/// The index of the least element along an axis: [`argmin`](fn@crate::argmin) with TensorFlow's defaults, `argmin!(x, axis = 0, output_type = int64)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::argmin!(&x, axis = 1).to_vec::<i64>(), [0, 0]);
/// ```
#[macro_export]
macro_rules! argmin {
    ($($arguments:tt)*) => {
        $crate::__call!(argmin(x; axis = 0, output_type = $crate::int64) => ($crate::argmin_as(x, axis, output_type)) ($($arguments)*))
    };
}

/// The places of the elements of an axis in order: [`argsort`](fn@crate::argsort) with TensorFlow's defaults, `argsort!(values, axis = -1, direction = Direction::Ascending)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::argsort!(tf::constant([3, 1, 2])).to_vec::<i32>(), [1, 2, 0]);
/// let down = tf::argsort!(tf::constant([3, 1, 2]), direction = tf::Direction::Descending);
/// assert_eq!(down.to_vec::<i32>(), [0, 2, 1]);
/// ```
#[macro_export]
macro_rules! argsort {
    ($($arguments:tt)*) => {
        $crate::__call!(argsort(values; axis = -1, direction = $crate::Direction::Ascending) => ($crate::argsort(values, axis, direction)) ($($arguments)*))
    };
}

/// How often each number from 0 up occurs: [`bincount`](fn@crate::bincount) with TensorFlow's defaults, `bincount!(arr, weights = None, minlength = -1, maxlength = -1, dtype = int32, axis = 0, binary_output = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1, 0, 1]);
/// assert_eq!(tf::bincount!(&x, minlength = 4).to_vec::<i32>(), [1, 2, 0, 0]);
/// let weights = tf::constant([0.5, 1.0, 1.5]);
/// assert_eq!(tf::bincount!(&x, weights = &weights).to_vec::<f32>(), [1.0, 2.0]);
/// ```
#[macro_export]
macro_rules! bincount {
    ($($arguments:tt)*) => {
        $crate::__call!(bincount(arr; weights = ::core::option::Option::<&$crate::Tensor>::None, minlength = -1, maxlength = -1, dtype = $crate::int32, axis = 0, binary_output = false) => ($crate::bincount_with(arr, &$crate::__bincount(weights, minlength, maxlength, dtype, axis, binary_output))) ($($arguments)*))
    };
}

/// How often each class was predicted for each label: [`confusion_matrix`](fn@crate::confusion_matrix) with TensorFlow's defaults, `confusion_matrix!(labels, predictions, num_classes = -1, weights = None, dtype = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let labels = tf::constant([0, 1, 1]);
/// assert_eq!(tf::confusion_matrix!(&labels, &tf::constant([0, 1, 0])).to_vec::<i32>(), [1, 0, 1, 1]);
/// ```
#[macro_export]
macro_rules! confusion_matrix {
    ($($arguments:tt)*) => {
        $crate::__call!(confusion_matrix(labels, predictions; num_classes = -1, weights = ::core::option::Option::<&$crate::Tensor>::None, dtype = $crate::int32) => ($crate::confusion_matrix_with(labels, predictions, num_classes, $crate::__weights(weights), dtype)) ($($arguments)*))
    };
}

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

/// Running products along an axis: [`cumprod`](fn@crate::cumprod) with TensorFlow's defaults, `cumprod!(x, axis = 0, exclusive = false, reverse = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::cumprod!(&x, axis = 1, exclusive = true).to_vec::<f32>(), [1.0, 1.0, 2.0, 1.0, 4.0, 20.0]);
/// ```
#[macro_export]
macro_rules! cumprod {
    ($($arguments:tt)*) => {
        $crate::__call!(cumprod(x; axis = 0, exclusive = false, reverse = false) => ($crate::cumprod_with(x, axis, $crate::__cumulative(exclusive, reverse))) ($($arguments)*))
    };
}

/// Running sums along an axis: [`cumsum`](fn@crate::cumsum) with TensorFlow's defaults, `cumsum!(x, axis = 0, exclusive = false, reverse = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::cumsum!(&x).to_vec::<f32>(), [1.0, 2.0, 3.0, 5.0, 7.0, 9.0]);
/// ```
#[macro_export]
macro_rules! cumsum {
    ($($arguments:tt)*) => {
        $crate::__call!(cumsum(x; axis = 0, exclusive = false, reverse = false) => ($crate::cumsum_with(x, axis, $crate::__cumulative(exclusive, reverse))) ($($arguments)*))
    };
}

/// Running logarithms of sums of exponentials along an axis: [`cumulative_logsumexp`](fn@crate::cumulative_logsumexp) with TensorFlow's defaults, `cumulative_logsumexp!(x, axis = 0, exclusive = false, reverse = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::cumulative_logsumexp!(&x, axis = 1, reverse = true).shape(), [2, 3]);
/// ```
#[macro_export]
macro_rules! cumulative_logsumexp {
    ($($arguments:tt)*) => {
        $crate::__call!(cumulative_logsumexp(x; axis = 0, exclusive = false, reverse = false) => ($crate::cumulative_logsumexp_with(x, axis, $crate::__cumulative(exclusive, reverse))) ($($arguments)*))
    };
}

/// One value made of all rows, from the first to the last: [`foldl`](fn@crate::foldl) with TensorFlow's defaults, `foldl!(f, elems, initializer = FirstRow)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 2.0, 3.0]);
/// assert_eq!(tf::foldl!(|sum, row| sum + row, &x).item::<f32>(), 6.0);
/// ```
#[macro_export]
macro_rules! foldl {
    ($($arguments:tt)*) => {
        $crate::__call!(foldl(f, elems; initializer = $crate::FirstRow) => ($crate::foldl(f, elems, initializer)) ($($arguments)*))
    };
}

/// One value made of all rows, from the last to the first: [`foldr`](fn@crate::foldr) with TensorFlow's defaults, `foldr!(f, elems, initializer = FirstRow)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 2.0, 3.0]);
/// assert_eq!(tf::foldr!(|sum, row| sum * 10.0 + row, &x).item::<f32>(), 321.0);
/// ```
#[macro_export]
macro_rules! foldr {
    ($($arguments:tt)*) => {
        $crate::__call!(foldr(f, elems; initializer = $crate::FirstRow) => ($crate::foldr(f, elems, initializer)) ($($arguments)*))
    };
}

/// Slices by their numbers: [`gather`](fn@crate::gather) with TensorFlow's defaults, `gather!(params, indices, axis = 0)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::gather!(&x, tf::constant([1])).shape(), [1, 3]);
/// ```
#[macro_export]
macro_rules! gather {
    ($($arguments:tt)*) => {
        $crate::__call!(gather(params, indices; axis = 0) => ($crate::gather(params, indices, axis)) ($($arguments)*))
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

/// How many values fall into each of equally wide bins: [`histogram_fixed_width`](fn@crate::histogram_fixed_width) with TensorFlow's defaults, `histogram_fixed_width!(values, value_range, nbins = 100, dtype = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let (x, range) = (tf::constant([-1.0, 0.5, 3.0]), tf::constant([0.0, 2.0]));
/// assert_eq!(tf::histogram_fixed_width!(&x, &range, nbins = 2).to_vec::<i32>(), [2, 1]);
/// ```
#[macro_export]
macro_rules! histogram_fixed_width {
    ($($arguments:tt)*) => {
        $crate::__call!(histogram_fixed_width(values, value_range; nbins = 100, dtype = $crate::int32) => ($crate::histogram_fixed_width_as(values, value_range, nbins, dtype)) ($($arguments)*))
    };
}

/// The bin of each value, of equally wide ones: [`histogram_fixed_width_bins`](fn@crate::histogram_fixed_width_bins) with TensorFlow's defaults, `histogram_fixed_width_bins!(values, value_range, nbins = 100)`.
///
/// ```
/// use eagerflow as tf;
/// let (x, range) = (tf::constant([-1.0, 0.5, 3.0]), tf::constant([0.0, 2.0]));
/// assert_eq!(tf::histogram_fixed_width_bins!(&x, &range).to_vec::<i32>(), [0, 25, 99]);
/// ```
#[macro_export]
macro_rules! histogram_fixed_width_bins {
    ($($arguments:tt)*) => {
        $crate::__call!(histogram_fixed_width_bins(values, value_range; nbins = 100) => ($crate::histogram_fixed_width_bins(values, value_range, nbins)) ($($arguments)*))
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

/// The product of matrices: [`matmul`](fn@crate::matmul) with TensorFlow's defaults, `matmul!(a, b, transpose_a = false, transpose_b = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::matmul!(&x, &x, transpose_b = true).shape(), [2, 2]);
/// ```
#[macro_export]
macro_rules! matmul {
    ($($arguments:tt)*) => {
        $crate::__call!(matmul(a, b; transpose_a = false, transpose_b = false) => ($crate::matmul_transposed(a, transpose_a, b, transpose_b)) ($($arguments)*))
    };
}

/// Ones at indices: [`one_hot`](fn@crate::one_hot) with TensorFlow's defaults, `one_hot!(indices, depth, on_value = 1.0, off_value = 0.0, axis = -1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::one_hot!(tf::constant([1, 0]), 2).to_vec::<f32>(), [0.0, 1.0, 1.0, 0.0]);
/// ```
#[macro_export]
macro_rules! one_hot {
    ($($arguments:tt)*) => {
        $crate::__call!(one_hot(indices, depth; on_value = 1.0, off_value = 0.0, axis = -1) => ($crate::one_hot_with(indices, depth, on_value, off_value, axis)) ($($arguments)*))
    };
}

/// The numbers before a limit: [`range`](fn@crate::range) with TensorFlow's defaults, `range!(limit)`, `range!(start, limit)` or
/// `range!(start, limit, delta)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::range!(3).to_vec::<i32>(), [0, 1, 2]);
/// assert_eq!(tf::range!(1.0, 3.0).to_vec::<f32>(), [1.0, 2.0]);
/// assert_eq!(tf::range!(5, 0, -2).to_vec::<i32>(), [5, 3, 1]);
/// ```
#[macro_export]
macro_rules! range {
    ($limit:expr $(,)?) => {
        $crate::range(0, $limit, 1)
    };
    ($start:expr, $limit:expr $(,)?) => {
        $crate::range($start, $limit, 1)
    };
    ($start:expr, $limit:expr, $delta:expr $(,)?) => {
        $crate::range($start, $limit, $delta)
    };
}

/// Whether all elements are true over axes: all, unless they are named: [`reduce_all`](fn@crate::reduce_all) with TensorFlow's defaults, `reduce_all!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert!(tf::reduce_all!(tf::greater(&x, 0.0)).item::<bool>());
/// ```
#[macro_export]
macro_rules! reduce_all {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_all(x; axis = (), keepdims = false) => ($crate::reduce_all(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Whether any element is true over axes: all, unless they are named: [`reduce_any`](fn@crate::reduce_any) with TensorFlow's defaults, `reduce_any!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert!(!tf::reduce_any!(tf::greater(&x, 9.0)).item::<bool>());
/// ```
#[macro_export]
macro_rules! reduce_any {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_any(x; axis = (), keepdims = false) => ($crate::reduce_any(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// The logarithm of the sum of exponentials over axes: all, unless they are named: [`reduce_logsumexp`](fn@crate::reduce_logsumexp) with TensorFlow's defaults, `reduce_logsumexp!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_logsumexp!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_logsumexp {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_logsumexp(x; axis = (), keepdims = false) => ($crate::reduce_logsumexp(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// The greatest elements over axes: all, unless they are named: [`reduce_max`](fn@crate::reduce_max) with TensorFlow's defaults, `reduce_max!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_max!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_max {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_max(x; axis = (), keepdims = false) => ($crate::reduce_max(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Means over axes: all, unless they are named: [`reduce_mean`](fn@crate::reduce_mean) with TensorFlow's defaults, `reduce_mean!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_mean!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_mean {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_mean(x; axis = (), keepdims = false) => ($crate::reduce_mean(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// The least elements over axes: all, unless they are named: [`reduce_min`](fn@crate::reduce_min) with TensorFlow's defaults, `reduce_min!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_min!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_min {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_min(x; axis = (), keepdims = false) => ($crate::reduce_min(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Products over axes: all, unless they are named: [`reduce_prod`](fn@crate::reduce_prod) with TensorFlow's defaults, `reduce_prod!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_prod!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_prod {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_prod(x; axis = (), keepdims = false) => ($crate::reduce_prod(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Standard deviations over axes: all, unless they are named: [`reduce_std`](fn@crate::reduce_std) with TensorFlow's defaults, `reduce_std!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_std!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_std {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_std(x; axis = (), keepdims = false) => ($crate::reduce_std(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Sums over axes: all, unless they are named: [`reduce_sum`](fn@crate::reduce_sum) with TensorFlow's defaults, `reduce_sum!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_sum!(&x).item::<f32>(), 21.0);
/// assert_eq!(tf::reduce_sum!(&x, axis = 1, keepdims = true).shape(), [2, 1]);
/// ```
#[macro_export]
macro_rules! reduce_sum {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_sum(x; axis = (), keepdims = false) => ($crate::reduce_sum(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Variances over axes: all, unless they are named: [`reduce_variance`](fn@crate::reduce_variance) with TensorFlow's defaults, `reduce_variance!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_variance!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_variance {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_variance(x; axis = (), keepdims = false) => ($crate::reduce_variance(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Slices along an axis, each several times; without an axis the elements in a row: [`repeat`](fn@crate::repeat) with TensorFlow's defaults, `repeat!(x, repeats, axis = ())`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1, 2], [3, 4]]);
/// assert_eq!(tf::repeat!(&x, 2).to_vec::<i32>(), [1, 1, 2, 2, 3, 3, 4, 4]);
/// assert_eq!(tf::repeat!(&x, 2, axis = 0).shape(), [4, 2]);
/// ```
#[macro_export]
macro_rules! repeat {
    ($($arguments:tt)*) => {
        $crate::__call!(repeat(x, repeats; axis = ()) => ($crate::repeat(x, repeats, axis)) ($($arguments)*))
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

/// All values that a fold comes by: [`scan`](fn@crate::scan) with TensorFlow's defaults, `scan!(f, elems, initializer = FirstRow, reverse = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 2.0, 3.0]);
/// assert_eq!(tf::scan!(|sum, row| sum + row, &x).to_vec::<f32>(), [1.0, 3.0, 6.0]);
/// assert_eq!(tf::scan!(|sum, row| sum + row, &x, reverse = true).to_vec::<f32>(), [6.0, 5.0, 3.0]);
/// ```
#[macro_export]
macro_rules! scan {
    ($($arguments:tt)*) => {
        $crate::__call!(scan(f, elems; initializer = $crate::FirstRow, reverse = false) => ($crate::scan(f, elems, initializer, reverse)) ($($arguments)*))
    };
}

/// Where values belong in sorted rows: [`searchsorted`](fn@crate::searchsorted) with TensorFlow's defaults, `searchsorted!(sorted_sequence, values, side = Side::Left, out_type = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let edges = tf::constant([1, 3, 5]);
/// assert_eq!(tf::searchsorted!(&edges, &tf::constant([3, 4])).to_vec::<i32>(), [1, 2]);
/// assert_eq!(tf::searchsorted!(&edges, &tf::constant([3]), side = tf::Side::Right).to_vec::<i32>(), [2]);
/// ```
#[macro_export]
macro_rules! searchsorted {
    ($($arguments:tt)*) => {
        $crate::__call!(searchsorted(sorted_sequence, values; side = $crate::Side::Left, out_type = $crate::int32) => ($crate::searchsorted_as(sorted_sequence, values, side, out_type)) ($($arguments)*))
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

/// The elements along an axis in order: [`sort`](fn@crate::sort) with TensorFlow's defaults, `sort!(values, axis = -1, direction = Direction::Ascending)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::sort!(tf::constant([3, 1, 2])).to_vec::<i32>(), [1, 2, 3]);
/// assert_eq!(tf::sort!(tf::constant([3, 1, 2]), direction = tf::Direction::Descending).to_vec::<i32>(), [3, 2, 1]);
/// ```
#[macro_export]
macro_rules! sort {
    ($($arguments:tt)*) => {
        $crate::__call!(sort(values; axis = -1, direction = $crate::Direction::Ascending) => ($crate::sort(values, axis, direction)) ($($arguments)*))
    };
}

/// Parts of a tensor: [`split`](fn@crate::split) with TensorFlow's defaults, `split!(value, num_or_size_splits, axis = 0)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::split!(&x, 2)[0].shape(), [1, 3]);
/// ```
#[macro_export]
macro_rules! split {
    ($($arguments:tt)*) => {
        $crate::__call!(split(value, num_or_size_splits; axis = 0) => ($crate::split(value, num_or_size_splits, axis)) ($($arguments)*))
    };
}

/// The tensor without dimensions of size 1: [`squeeze`](fn@crate::squeeze) with TensorFlow's defaults, `squeeze!(x, axis = ())`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::squeeze!(tf::ones([1, 3, 1])).shape(), [3]);
/// ```
#[macro_export]
macro_rules! squeeze {
    ($($arguments:tt)*) => {
        $crate::__call!(squeeze(x; axis = ()) => ($crate::squeeze(x, axis)) ($($arguments)*))
    };
}

/// Tensors side by side along a new axis: [`stack`](fn@crate::stack) with TensorFlow's defaults, `stack!(values, axis = 0)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::stack!(&[&x, &x]).shape(), [2, 2, 3]);
/// ```
#[macro_export]
macro_rules! stack {
    ($($arguments:tt)*) => {
        $crate::__call!(stack(values; axis = 0) => ($crate::stack(values, axis)) ($($arguments)*))
    };
}

/// The greatest elements of the last axis, and their places: [`top_k`](fn@crate::top_k) with TensorFlow's defaults, `top_k!(input, k = 1, sorted = true, index_type = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let (values, places) = tf::top_k!(tf::constant([1.0, 5.0, 3.0]), k = 2);
/// assert_eq!((values.to_vec::<f32>(), places.to_vec::<i32>()), (vec![5.0, 3.0], vec![1, 2]));
/// ```
#[macro_export]
macro_rules! top_k {
    ($($arguments:tt)*) => {
        $crate::__call!(top_k(input; k = 1, sorted = true, index_type = $crate::int32) => ($crate::top_k_as(input, k, sorted, index_type)) ($($arguments)*))
    };
}

/// The tensor with its axes in reverse, or in the order that is told: [`transpose`](fn@crate::transpose) with TensorFlow's defaults, `transpose!(x, perm = [])`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::transpose!(&x).shape(), [3, 2]);
/// ```
#[macro_export]
macro_rules! transpose {
    ($($arguments:tt)*) => {
        $crate::__call!(transpose(x; perm = []) => ($crate::transpose(x, perm)) ($($arguments)*))
    };
}

/// The different elements of a vector, and the number of each element's value: [`unique`](fn@crate::unique) with TensorFlow's defaults, `unique!(x, out_idx = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let (values, numbers) = tf::unique!(tf::constant([4, 1, 4]));
/// assert_eq!((values.to_vec::<i32>(), numbers.to_vec::<i32>()), (vec![4, 1], vec![0, 1, 0]));
/// ```
#[macro_export]
macro_rules! unique {
    ($($arguments:tt)*) => {
        $crate::__call!(unique(x; out_idx = $crate::int32) => ($crate::unique_as(x, out_idx)) ($($arguments)*))
    };
}

/// The different elements of a vector, the number of each element's value, and how often each value occurs: [`unique_with_counts`](fn@crate::unique_with_counts) with TensorFlow's defaults, `unique_with_counts!(x, out_idx = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let (_, _, counts) = tf::unique_with_counts!(tf::constant([4, 1, 4]));
/// assert_eq!(counts.to_vec::<i32>(), [2, 1]);
/// ```
#[macro_export]
macro_rules! unique_with_counts {
    ($($arguments:tt)*) => {
        $crate::__call!(unique_with_counts(x; out_idx = $crate::int32) => ($crate::unique_with_counts_as(x, out_idx)) ($($arguments)*))
    };
}

/// The slices along an axis: [`unstack`](fn@crate::unstack) with TensorFlow's defaults, `unstack!(value, axis = 0)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::unstack!(&x, axis = 1).len(), 3);
/// ```
#[macro_export]
macro_rules! unstack {
    ($($arguments:tt)*) => {
        $crate::__call!(unstack(value; axis = 0) => ($crate::unstack(value, axis)) ($($arguments)*))
    };
}

/// A body called as long as a condition holds: [`while_loop`](fn@crate::while_loop) with TensorFlow's defaults, `while_loop!(cond, body, loop_vars, maximum_iterations = None)`.
///
/// ```
/// use eagerflow as tf;
/// let y = tf::while_loop!(|y| tf::less(y, 100), |y| y * 2, tf::constant(1));
/// assert_eq!(y.item::<i32>(), 128);
/// let y = tf::while_loop!(|y| tf::less(y, 100), |y| y * 2, tf::constant(1), maximum_iterations = 3);
/// assert_eq!(y.item::<i32>(), 8);
/// ```
#[macro_export]
macro_rules! while_loop {
    ($($arguments:tt)*) => {
        $crate::__call!(while_loop(cond, body, loop_vars; maximum_iterations = None) => ($crate::while_loop(cond, body, loop_vars, maximum_iterations)) ($($arguments)*))
    };
}
