//! Losses of overlapping regions, as for segmented images: Dice's and Tversky's.
//! Keras's functions and objects of these names; without axes the whole batch is one region, and the loss one number.

use super::checks::{EPSILON, numbers, one_minus, same_shape};
use super::define::{functions, loss};
use engine::library::Typed;
use engine::library::options::{self, options};
use engine::{IntoAxes, Tensor};
use kernels::error::{Error, Result};

loss! {
    /// 1 less twice the overlap of labels and predictions as a share of what both cover.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::Dice::new();
    /// let value = loss.call(tf::constant([[1.0, 1.0, 0.0]]), tf::constant([[1.0, 0.0, 0.0]])).item::<f32>();
    /// assert!((value - 1.0 / 3.0).abs() < 1e-6);
    /// ```
    pub struct Dice("dice") { axis: Option<Vec<isize>> = None }
    |this, labels, predictions| {
        let labels = regions("dice", labels, predictions)?;
        let overlap = labels.try_multiply(predictions)?.try_reduce_sum(this.along())?;
        let covered = labels.try_reduce_sum(this.along())?.try_add(&predictions.try_reduce_sum(this.along())?)?;
        one_minus(&overlap.try_multiply(2.0)?.try_divide(&covered.try_add(EPSILON)?)?)
    }
}

loss! {
    /// Dice's loss with weights: `alpha` for what the labels cover alone, `beta` for what the predictions cover alone. With one half for
    /// both it is Dice's.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::Tversky::new().alpha(1.0).beta(0.0);
    /// let value = loss.call(tf::constant([[1.0, 1.0, 0.0]]), tf::constant([[1.0, 0.0, 1.0]])).item::<f32>();
    /// assert!((value - 0.5).abs() < 1e-6);
    /// ```
    pub struct Tversky("tversky") { alpha: f64 = 0.5, beta: f64 = 0.5, axis: Option<Vec<isize>> = None }
    |this, labels, predictions| {
        let labels = regions("tversky", labels, predictions)?;
        let overlap = labels.try_multiply(predictions)?.try_reduce_sum(this.along())?;
        let labels_alone = one_minus(predictions)?.try_multiply(&labels)?.try_reduce_sum(this.along())?;
        let predicted_alone = predictions.try_multiply(&one_minus(&labels)?)?.try_reduce_sum(this.along())?;
        let alone = labels_alone.try_multiply(this.alpha)?.try_add(&predicted_alone.try_multiply(this.beta)?)?;
        one_minus(&overlap.try_divide(&overlap.try_add(&alone)?.try_add(EPSILON)?)?)
    }
}

macro_rules! axes {
    ($($name:ident),*) => {$(
        impl $name {
            /// The axes of a region: `()` for all, the default, or some of them, such as `[1, 2, 3]` for a loss per image.
            #[must_use]
            pub fn axis(mut self, axis: impl IntoAxes) -> Self {
                self.axis = engine::library::listed_axes(&axis.into_axes()).map(<[isize]>::to_vec);
                self
            }

            fn along(&self) -> engine::Axes {
                self.axis.clone().into_axes()
            }
        }
    )*};
}

axes!(Dice, Tversky);

options! { Tversky:
    /// The weight of what the labels cover alone; 0.5 by default.
    pub fn alpha, try_alpha(this, alpha: f64) {
        this.alpha = options::magnitude("Tversky", "alpha", alpha)?;
        Ok(this)
    }

    /// The weight of what the predictions cover alone; 0.5 by default.
    pub fn beta, try_beta(this, beta: f64) {
        this.beta = options::magnitude("Tversky", "beta", beta)?;
        Ok(this)
    }
}

/// Labels in the shape and dtype of the predictions, which may have any rank.
#[track_caller]
fn regions(loss: &str, labels: &Tensor, predictions: &Tensor) -> Result<Tensor> {
    if !predictions.dtype().is_floating() {
        return Err(Error::invalid_argument(loss, "the predictions are no floating-point numbers")
            .got(predictions.ty())
            .expected("float[batch, …]"));
    }
    same_shape(loss, labels, predictions)?;
    numbers(loss, labels, predictions)
}

functions! {
    /// 1 less twice the overlap of labels and predictions as a share of what both cover, over all axes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::dice(&tf::constant([[1.0, 0.0]]), &tf::constant([[0.0, 1.0]]));
    /// assert_eq!(loss.item::<f32>(), 1.0);
    /// ```
    pub fn dice, try_dice(labels, predictions) {
        Dice::new().values(labels, predictions)
    }

    /// Dice's loss with weights: `alpha` for what the labels cover alone, `beta` for what the predictions cover alone (Keras's defaults
    /// are 0.5), over all axes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::tversky(&tf::constant([[1.0, 0.0]]), &tf::constant([[0.0, 1.0]]), 0.3, 0.7);
    /// assert_eq!(loss.item::<f32>(), 1.0);
    /// ```
    pub fn tversky, try_tversky(labels, predictions, alpha: f64, beta: f64) {
        Tversky::new().try_alpha(alpha)?.try_beta(beta)?.values(labels, predictions)
    }
}
