//! Losses of sequences: `CTC`, for labels that are shorter than the predictions and not aligned with them.
//! Keras's function and object of this name, over `tf::ctc_loss`.

use super::checks::{class_dtype, floating};
use super::define::{functions, loss};
use engine::library::{Typed, cast_to};
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;

loss! {
    /// The negative logarithm of the probability that logits `[batch, frames, classes]` spell out labels `[batch, length]`.
    ///
    /// Class 0 is the blank: a label of 0 pads sequences that are shorter than others.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::CTC::new();
    /// // Three of the four ways through two frames and two classes spell out one 1.
    /// let value = loss.call(tf::constant([[1, 0]]), tf::zeros([1, 2, 2])).item::<f32>();
    /// assert!((value + 0.75f32.ln()).abs() < 1e-6);
    /// ```
    pub struct CTC("ctc") {}
    |_, labels, predictions| {
        spelled(labels, predictions)
    }
}

#[track_caller]
fn spelled(labels: &Tensor, logits: &Tensor) -> Result<Tensor> {
    floating("ctc", logits)?;
    if labels.rank() != 2 || logits.rank() != 3 || !labels.shape().dim(0).can_equal(logits.shape().dim(0)) {
        return Err(Error::invalid_argument("ctc", "labels and logits are no batch of sequences")
            .got(format!("labels {}, predictions {}", labels.ty(), logits.ty()))
            .expected("labels int[batch, length] and predictions float[batch, frames, classes]"));
    }
    class_dtype("ctc", labels, logits)?;
    let labels = cast_to(labels, DType::I32)?;
    let lengths = cast_to(&labels.try_not_equal(0)?, DType::I32)?.try_reduce_sum(-1)?;
    let sizes = logits.shape().sizes();
    let row = TensorType::new(DType::I32, Shape::from_dims(&sizes[..1])?);
    let frames = engine::library::ones_of(&row)?.try_multiply(sizes[1])?;
    let wide = cast_to(logits, logits.dtype().compute())?;
    engine::try_ctc_loss(&labels, &wide, &lengths, &frames, false, 0)
}

functions! {
    /// The negative logarithm of the probability that logits `[batch, frames, classes]` spell out labels `[batch, length]`, of which 0
    /// is the blank.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::ctc(tf::constant([[1, 0]]), tf::zeros([1, 2, 2]));
    /// assert!((loss.item::<f32>() + 0.75f32.ln()).abs() < 1e-6);
    /// ```
    pub fn ctc, try_ctc(labels, predictions) {
        CTC::new().values(labels, predictions)
    }
}
