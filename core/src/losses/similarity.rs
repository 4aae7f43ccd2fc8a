//! Losses of embeddings: `Circle`, which draws those of one class together and pushes the others apart.
//! Keras's function and object of this name.

use super::checks::{class_numbers, floating, one_minus};
use super::define::{functions, loss};
use engine::Tensor;
use engine::library::Typed;
use engine::library::options::{self, options};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

loss! {
    /// The circle loss of normalized embeddings `[batch, features]` with class numbers `[batch]`: each pair of one class should be near,
    /// each pair of two classes far, and those that are not yet weigh most.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::Circle::new();
    /// let (y_true, apart) = (tf::constant([0, 0, 1]), tf::constant([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]));
    /// assert!(loss.call(&y_true, &apart).item::<f32>() < 1e-3);
    /// ```
    pub struct Circle("circle") { gamma: f64 = 80.0, margin: f64 = 0.4, remove_diagonal: bool = true }
    |this, labels, predictions| {
        this.try_against(labels, predictions, labels, predictions)
    }
    mask |_this, _labels, values| {
        // Examples without a pair of both kinds have the loss 0, and do not count.
        Some(values.try_greater(0.0)?)
    }
}

impl Circle {
    /// Whether an embedding makes no pair with itself, where the references are the batch itself; so by default.
    #[must_use]
    pub fn remove_diagonal(mut self, remove: bool) -> Self {
        self.remove_diagonal = remove;
        self
    }

    /// One number per example, of pairs with reference embeddings `[references, features]` and their class numbers instead of pairs
    /// within the batch: Keras's `ref_labels` and `ref_embeddings`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::Circle::new().remove_diagonal(false);
    /// let (labels, embeddings) = (tf::constant([0, 1]), tf::constant([[1.0, 0.0], [0.0, 1.0]]));
    /// let values = loss.try_against(&tf::constant([1]), &tf::constant([[0.0, 1.0]]), &labels, &embeddings)?;
    /// assert_eq!(values.shape(), [1]);
    /// # Ok::<(), tf::Error>(())
    /// ```
    ///
    /// # Errors
    /// InvalidArgument where labels and embeddings do not fit each other.
    #[track_caller]
    pub fn try_against(
        &self,
        y_true: &Tensor,
        y_pred: &Tensor,
        ref_labels: &Tensor,
        ref_embeddings: &Tensor,
    ) -> Result<Tensor> {
        let (labels, references) = (embedded(y_true, y_pred)?, embedded(ref_labels, ref_embeddings)?);
        let same = engine::try_expand_dims(&labels, 1)?.try_equal(&engine::try_expand_dims(&references, 0)?)?;
        let other = engine::try_logical_not(&same)?;
        let same = match self.remove_diagonal {
            true => {
                let sizes = [labels.shape().dim(0), references.shape().dim(0)];
                let diagonal = engine::try_eye(sizes, DType::Bool)?;
                engine::try_logical_and(&same, engine::try_logical_not(&diagonal)?)?
            }
            false => same,
        };
        let near = engine::try_matmul_transposed(y_pred, false, ref_embeddings, true)?;
        let distance = one_minus(&near)?.try_maximum(0.0)?;
        let drawn = distance.try_add(self.margin)?.try_maximum(0.0)?;
        let drawn = drawn.try_multiply(&distance.try_subtract(self.margin)?)?.try_multiply(self.gamma)?;
        let pushed = engine::try_subtract(1.0 + self.margin, &distance)?.try_maximum(0.0)?;
        let apart = engine::try_subtract(1.0 - self.margin, &distance)?;
        let pushed = pushed.try_multiply(&apart)?.try_multiply(self.gamma)?;
        let all = folded(&same, &drawn)?.try_add(&folded(&other, &pushed)?)?;
        all.try_softplus()
    }
}

/// The logarithm of the sum of the exponentials of the chosen pairs. A number far below all others stands for those that are not chosen:
/// minus infinity would make the gradient of a row without any pair nan.
#[track_caller]
fn folded(chosen: &Tensor, values: &Tensor) -> Result<Tensor> {
    let none = if values.dtype() == DType::F16 { -3e4 } else { -1e30 };
    engine::try_reduce_logsumexp(&chosen.try_select(values, none)?, 1)
}

/// The class numbers of embeddings, a vector.
#[track_caller]
fn embedded(labels: &Tensor, embeddings: &Tensor) -> Result<Tensor> {
    floating("circle", embeddings)?;
    if embeddings.rank() != 2 {
        return Err(Error::invalid_argument("circle", "the embeddings are no rows")
            .got(embeddings.ty())
            .expected("float[batch, features]"));
    }
    class_numbers("circle", labels, embeddings)
}

options! { Circle:
    /// How steep the loss is; 80 by default.
    pub fn gamma, try_gamma(this, gamma: f64) {
        this.gamma = options::magnitude("Circle", "gamma", gamma)?;
        Ok(this)
    }

    /// How near pairs of one class should be, and how far from the opposite pairs of two; 0.4 by default.
    pub fn margin, try_margin(this, margin: f64) {
        this.margin = options::finite("Circle", "margin", margin)?;
        Ok(this)
    }
}

functions! {
    /// The circle loss of normalized embeddings `[batch, features]` with class numbers `[batch]`, with Keras's defaults.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::circle(tf::constant([0, 0, 1]), tf::constant([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]));
    /// assert_eq!(loss.shape(), [3]);
    /// ```
    pub fn circle, try_circle(labels, predictions) {
        Circle::new().values(labels, predictions)
    }
}
