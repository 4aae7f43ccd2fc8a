//! `sampled_softmax_loss` and `nce_loss`: losses over very many classes from the true ones and some that are sampled, and `compute_accidental_hits`.
//! TensorFlow's functions of these names in `tf.nn`; made of gathers, a product and a cross entropy, so that gradients by weights are rows.

use super::candidate_sampler::draw;
use super::functions::{
    try_add, try_cast, try_concat, try_equal, try_expand_dims, try_gather, try_log, try_matmul_transposed,
    try_multiply, try_reduce_any, try_reduce_sum, try_select, try_sigmoid_cross_entropy_with_logits,
    try_softmax_cross_entropy_with_logits, try_stop_gradient, try_subtract, try_where_indices,
};
use super::{AsTensor, fill_with, ones_of, reshape_to, slice_axis, zeros_of};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// What losses over samples are asked for beside their operands.
///
/// ```
/// use eagerflow::SampledLoss;
/// assert_eq!(SampledLoss::default().num_true, 1);
/// ```
#[derive(Clone, Debug)]
pub struct SampledLoss {
    /// True classes of each example.
    pub num_true: usize,
    /// Sampled classes, and the expected counts of the true ones and of them, as candidate samplers give them; without, those of
    /// [`log_uniform_candidate_sampler`](crate::log_uniform_candidate_sampler), each class once.
    pub sampled_values: Option<(Tensor, Tensor, Tensor)>,
    /// Whether sampled classes that are true ones of an example do not count there. TensorFlow's default: yes for the softmax, no for `nce_loss`.
    pub remove_accidental_hits: Option<bool>,
    /// The seed of the sampler.
    pub seed: Option<i64>,
}

impl Default for SampledLoss {
    fn default() -> Self {
        Self { num_true: 1, sampled_values: None, remove_accidental_hits: None, seed: None }
    }
}

/// Where sampled classes are true ones: `[batch, num_true, sampled]`.
#[track_caller]
fn hits(truths: &Tensor, sampled: &Tensor) -> Result<Tensor> {
    try_equal(&try_expand_dims(truths, -1)?, sampled)
}

/// Logits and labels of the true and the sampled classes, `[batch, num_true + sampled]`.
#[track_caller]
fn logits_and_labels(
    op: &'static str,
    [weights, biases, labels, inputs]: [&Tensor; 4],
    [num_sampled, num_classes]: [usize; 2],
    options: &SampledLoss,
    removes: bool,
) -> Result<(Tensor, Tensor)> {
    let dtype = inputs.dtype();
    let ranks = [weights.rank(), biases.rank(), labels.rank(), inputs.rank()];
    if !DTypes::FLOATING.has(dtype) || ranks != [2, 1, 2, 2] || !labels.dtype().is_integer() {
        return Err(Error::invalid_argument(op, "weights, biases, labels and inputs do not fit each other")
            .got(format!("{}, {}, {} and {}", weights.ty(), biases.ty(), labels.ty(), inputs.ty()))
            .expected("[classes, dim], [classes], integers [batch, num_true] and floats [batch, dim]"));
    }
    let num_true = options.num_true;
    if num_true == 0 || labels.shape().dim(1).known_value().is_some_and(|n| n != num_true) {
        return Err(Error::invalid_argument(op, "the labels are not `num_true` for each example")
            .got(labels.shape())
            .expected(format!("[batch, {num_true}], and at least one")));
    }
    let labels = try_cast(labels, DType::I64)?;
    let (sampled, of_truths, of_sampled) = match &options.sampled_values {
        Some(given) => given.clone(),
        None => draw(op, ("log_uniform", None), &labels, [num_sampled, num_classes], true, options.seed)?,
    };
    let still = |x: &Tensor, dtype: DType| try_cast(&try_stop_gradient(x)?, dtype);
    let (sampled, of_truths, of_sampled) =
        (still(&sampled, DType::I64)?, still(&of_truths, dtype)?, still(&of_sampled, dtype)?);
    let flat = reshape_to(&labels, &Shape::from_dims(&[labels.shape().element_count()])?)?;
    let classes = try_concat(&[&flat, &sampled], 0)?;
    let rows = try_cast(&try_gather(weights, &classes, 0)?, dtype)?;
    let offsets = try_cast(&try_gather(biases, &classes, 0)?, dtype)?;
    let (batch, truths) = (labels.shape().dim(0), flat.shape().dim(0));
    let (dim, count) = (rows.shape().dim(1), sampled.shape().dim(0));
    let slice = |x: &Tensor, from: Dim, size: Dim| slice_axis(x, 0, from, size);
    let true_rows =
        reshape_to(&slice(&rows, Dim::ZERO, truths)?, &Shape::from_dims(&[batch, Dim::known(num_true), dim])?)?;
    let shape = Shape::from_dims(&[batch, Dim::known(num_true)])?;
    let dots = try_reduce_sum(&try_multiply(&try_expand_dims(inputs, 1)?, &true_rows)?, -1)?;
    let mut true_logits = try_add(&dots, &reshape_to(&slice(&offsets, Dim::ZERO, truths)?, &shape)?)?;
    let products = try_matmul_transposed(inputs, false, &slice(&rows, truths, count)?, true)?;
    let mut sampled_logits = try_add(&products, &slice(&offsets, truths, count)?)?;
    if removes {
        let hit = try_reduce_any(&hits(&labels, &sampled)?, 1)?;
        // TensorFlow's weight of a hit: what is added takes the class out of every sum of exponentials.
        let least = if dtype == DType::F16 { f64::NEG_INFINITY } else { f64::from(f32::MIN) };
        let zeros = zeros_of(sampled_logits.ty())?;
        sampled_logits = try_add(&sampled_logits, &try_select(&hit, least, &zeros)?)?;
    }
    true_logits = try_subtract(&true_logits, &try_log(&of_truths)?)?;
    sampled_logits = try_subtract(&sampled_logits, &try_log(&of_sampled)?)?;
    let ones = try_multiply(&ones_of(true_logits.ty())?, 1.0 / num_true as f64)?;
    let labels = try_concat(&[&ones, &zeros_of(sampled_logits.ty())?], 1)?;
    Ok((try_concat(&[&true_logits, &sampled_logits], 1)?, labels))
}

macro_rules! losses {
    ($($(#[$doc:meta])* $name:ident, $try_name:ident = $removes:literal, |$labels:ident, $logits:ident| $loss:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("As [`", stringify!($try_name), "`] fails.")]
        #[track_caller]
        pub fn $name(
            weights: impl AsTensor,
            biases: impl AsTensor,
            labels: impl AsTensor,
            inputs: impl AsTensor,
            num_sampled: usize,
            num_classes: usize,
            options: SampledLoss,
        ) -> Tensor {
            $try_name(weights, biases, labels, inputs, num_sampled, num_classes, options).or_fail()
        }

        #[doc = concat!("[`", stringify!($name), "`] that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for operands of other ranks, dtypes or sizes, labels that are not `num_true` for each example or no classes, and more samples than classes.
        #[track_caller]
        pub fn $try_name(
            weights: impl AsTensor,
            biases: impl AsTensor,
            labels: impl AsTensor,
            inputs: impl AsTensor,
            num_sampled: usize,
            num_classes: usize,
            options: SampledLoss,
        ) -> Result<Tensor> {
            let here = Location::caller();
            let (weights, biases) = (weights.as_tensor(), biases.as_tensor());
            let (labels, inputs) = (labels.as_tensor(), inputs.as_tensor());
            let run = || {
                let removes = options.remove_accidental_hits.unwrap_or($removes);
                let operands: [&Tensor; 4] = [&weights, &biases, &labels, &inputs];
                let ($logits, $labels) =
                    logits_and_labels(stringify!($name), operands, [num_sampled, num_classes], &options, removes)?;
                $loss
            };
            run().map_err(|e: Error| e.named(stringify!($name)).at(here))
        }
    )*};
}

losses! {
    /// The softmax cross entropy of each example, `[batch]`, over its true classes and `num_sampled` that are drawn, whose logits are lowered by the logarithm of how often
    /// they are expected (Jean et al. 2014): for training with very many classes; evaluate with all of them.
    ///
    /// `weights` are `[num_classes, dim]`, `biases` `[num_classes]`, `labels` integers `[batch, num_true]` and `inputs` floats `[batch, dim]`. No gradient flows by the
    /// expected counts; those by weights and biases are rows.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (weights, biases, inputs) = (tf::ones([20, 4]), tf::zeros([20]), tf::ones([3, 4]));
    /// let labels = tf::constant([[1], [2], [3]]);
    /// let loss = tf::sampled_softmax_loss(&weights, &biases, &labels, &inputs, 5, 20, tf::SampledLoss::default());
    /// assert_eq!(loss.shape(), [3]);
    /// ```
    sampled_softmax_loss, try_sampled_softmax_loss = true, |labels, logits| {
        try_softmax_cross_entropy_with_logits(try_stop_gradient(&labels)?, &logits, -1)
    };
    /// The noise-contrastive estimation loss of each example, `[batch]`: the sum of the sigmoid cross entropies that its true classes are true and the
    /// `num_sampled` drawn ones are not (Gutmann and Hyvärinen 2010). Operands as for [`sampled_softmax_loss`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (weights, biases, inputs) = (tf::ones([20, 4]), tf::zeros([20]), tf::ones([3, 4]));
    /// let labels = tf::constant([[1], [2], [3]]);
    /// let loss = tf::nce_loss(&weights, &biases, &labels, &inputs, 5, 20, tf::SampledLoss::default());
    /// assert_eq!(loss.shape(), [3]);
    /// ```
    nce_loss, try_nce_loss = false, |labels, logits| {
        try_reduce_sum(&try_sigmoid_cross_entropy_with_logits(&labels, &logits)?, -1)
    };
}

/// Where sampled classes are true ones of an example: its number (`int32`), the position among the samples (`int64`), and a weight that takes the class out of a
/// softmax when it is added to its logit (the least `float32`), one of each for every hit, in order of examples.
///
/// TensorFlow looks for each true class at its last place among the samples alone; here all places are named.
///
/// ```
/// use eagerflow as tf;
/// let truths = tf::Tensor::from([[3_i64], [5]]);
/// let (rows, places, _) = tf::compute_accidental_hits(&truths, tf::Tensor::from([5_i64, 9, 3]));
/// assert_eq!((rows.to_vec::<i32>(), places.to_vec::<i64>()), (vec![0, 1], vec![2, 0]));
/// ```
///
/// # Panics
/// As [`try_compute_accidental_hits`] fails.
#[track_caller]
pub fn compute_accidental_hits(
    true_classes: impl AsTensor,
    sampled_candidates: impl AsTensor,
) -> (Tensor, Tensor, Tensor) {
    try_compute_accidental_hits(true_classes, sampled_candidates).or_fail()
}

/// Where sampled classes are true ones of an example.
///
/// # Errors
/// InvalidArgument for true classes that are no rows or samples that are no vector, both of `int64`.
#[track_caller]
pub fn try_compute_accidental_hits(
    true_classes: impl AsTensor,
    sampled_candidates: impl AsTensor,
) -> Result<(Tensor, Tensor, Tensor)> {
    const OP: &str = "compute_accidental_hits";
    let here = Location::caller();
    let (truths, sampled) = (true_classes.as_tensor(), sampled_candidates.as_tensor());
    let run = || {
        if truths.rank() != 2 || sampled.rank() != 1 || truths.dtype() != DType::I64 || sampled.dtype() != DType::I64 {
            return Err(Error::invalid_argument(OP, "true classes are rows, and samples a vector")
                .got(format!("{} and {}", truths.ty(), sampled.ty()))
                .expected("int64[batch, num_true] and int64[sampled]"));
        }
        let places = try_where_indices(&hits(&truths, &sampled)?)?;
        let column = |at: usize| -> Result<Tensor> {
            let column = slice_axis(&places, 1, Dim::known(at), Dim::ONE)?;
            reshape_to(&column, &Shape::from_dims(&[places.shape().dim(0)])?)
        };
        let rows = try_cast(&column(0)?, DType::I32)?;
        let weights = fill_with(&TensorType::new(DType::F32, *rows.shape()), f64::from(f32::MIN))?;
        Ok((rows, column(2)?, weights))
    };
    run().map_err(|e: Error| e.named(OP).at(here))
}

#[cfg(test)]
mod tests {
    use crate::ops::differences::{check, numbers};
    use crate::{self as tf, SampledLoss, Tensor};

    fn options(hits: bool) -> SampledLoss {
        let sampled = Tensor::from([4_i64, 1, 0]);
        let values = (sampled, numbers(7, &[2, 2]) + 2.0, numbers(8, &[3]) + 2.0);
        SampledLoss { num_true: 2, sampled_values: Some(values), remove_accidental_hits: Some(hits), seed: None }
    }

    #[test]
    fn gradients_of_both_orders() {
        let inputs = [numbers(1, &[6, 3]), numbers(2, &[6]), numbers(3, &[2, 3])];
        let labels = tf::constant([[1, 2], [3, 5]]);
        for hits in [false, true] {
            check(&|x| tf::sampled_softmax_loss(&x[0], &x[1], &labels, &x[2], 3, 6, options(hits)), &inputs);
        }
        check(&|x| tf::nce_loss(&x[0], &x[1], &labels, &x[2], 3, 6, options(false)), &inputs);
    }

    #[test]
    fn over_all_classes_it_is_the_softmax() {
        let (weights, biases, inputs) = (numbers(1, &[6, 3]), numbers(2, &[6]), numbers(3, &[2, 3]));
        let labels = Tensor::from([[1_i64], [4]]);
        let all = SampledLoss { sampled_values: Some(tf::all_candidate_sampler(&labels, 6)), ..SampledLoss::default() };
        let got = tf::sampled_softmax_loss(&weights, &biases, &labels, &inputs, 6, 6, all).to_vec::<f64>();
        let logits = tf::matmul_transposed(&inputs, false, &weights, true) + &biases;
        let want = tf::sparse_softmax_cross_entropy_with_logits(Tensor::from([1_i64, 4]), &logits).to_vec::<f64>();
        assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-9), "{got:?} {want:?}");
        let two = SampledLoss { num_true: 2, ..SampledLoss::default() };
        assert!(tf::try_nce_loss(&weights, &biases, &labels, &inputs, 3, 6, two).is_err());
        assert!(tf::try_compute_accidental_hits(tf::constant([[1]]), tf::constant([1])).is_err());
    }
}
