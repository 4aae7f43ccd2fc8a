//! Models: whatever can be called, trained by `fit`, and used by `predict`: structs of one's own, `Sequential`, and graphs of layers.
//! Users derive or build them; trainers know them by the trait [`Model`].

#[doc(hidden)]
pub mod called;
mod functional;
mod sequential;
mod summary;
mod tensors;
mod weights;

pub use functional::{Functional, ModelNodes};
pub use sequential::{IntoLayers, Sequential};
pub use summary::{Summary, summary, try_summary};
pub use tensors::TensorsOf;
pub use weights::Weights;

use crate::layers::{Call, with_losses};
use crate::training::{Batch, Compiled, default_test_step, default_train_step};
use engine::library::with_training;
use engine::{Module, Nest, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// What can be called on an input, trained by [`fit`](crate::training::Trainer::fit), and used: Keras's `Model`.
///
/// [`#[model]`](macro@crate::model) on the `impl` of a struct writes it from the method `call`. [`Sequential`] and [`Functional`] have it.
///
/// ```
/// use eagerflow::{self as tf, Module, Tensor};
/// use tf::layers::{Call, Dense, Dropout};
/// use tf::Model;
///
/// #[derive(Module)]
/// struct Net {
///     hidden: Dense,
///     dropout: Dropout,
///     output: Dense,
/// }
///
/// #[tf::model]
/// impl Net {
///     fn call(&self, x: &Tensor) -> Tensor {
///         let hidden = self.dropout.call(self.hidden.call(x));
///         self.output.call(hidden)
///     }
/// }
///
/// let net = Net { hidden: Dense::new(8), dropout: Dropout::new(0.5), output: Dense::new(1) };
/// let x = tf::ones([2, 3]);
/// assert_eq!(net.call(&x).shape(), [2, 1]);
/// // Layers that are called without a word of it are called as the model is.
/// let trained = net.call_with(&x, &Call::training());
/// assert_eq!(trained.shape(), [2, 1]);
/// ```
pub trait Model: Module {
    /// What the model is called on: a tensor, a tuple of tensors, or any [`Nest`].
    type Input: Nest;
    /// What it answers.
    type Output: Nest;

    /// The output for an input. Users call [`try_call_with`](Self::try_call_with) or the model's own `call`.
    ///
    /// # Errors
    /// What the model's layers refuse.
    #[track_caller]
    fn forward(&self, input: &Self::Input, cx: &Call) -> Result<Self::Output>;

    /// The output for an input, as the model is trained or used.
    ///
    /// # Panics
    /// As [`try_call_with`](Self::try_call_with) fails, at the caller's line.
    #[track_caller]
    fn call_with(&self, input: &Self::Input, cx: &Call) -> Self::Output {
        self.try_call_with(input, cx).or_fail()
    }

    /// The output for an input, as the model is trained or used: layers that are called in it inherit that.
    ///
    /// # Errors
    /// What the model's layers refuse.
    #[track_caller]
    fn try_call_with(&self, input: &Self::Input, cx: &Call) -> Result<Self::Output> {
        let here = Location::caller();
        with_training(cx.is_training(), || self.forward(input, cx)).map_err(|e| e.at(here))
    }

    /// What the model adds to a loss, beside what it adds while it is called: what the regularizers of its trainable variables say.
    /// Keras's `model.losses` is both.
    ///
    /// # Errors
    /// FailedPrecondition while a layer is not built.
    #[track_caller]
    fn weight_losses(&self) -> Result<Vec<Tensor>> {
        crate::layers::weight_losses(self)
    }

    /// The names of the outputs, where there are several: what logs call their losses and metrics.
    fn output_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// One step of training, which `fit` traces: Keras's `train_step`. A model of its own writes it for another way of training, as an
    /// adversarial one; [`Compiled::log`] reports its numbers.
    ///
    /// # Errors
    /// What the model, its loss, the optimizer or a metric refuses.
    #[track_caller]
    fn train_step(&self, with: &Compiled, batch: &Batch<Self::Input>) -> Result<()> {
        default_train_step(self, with, batch)
    }

    /// One step of evaluation, which `evaluate` and the validation of `fit` trace: Keras's `test_step`.
    ///
    /// # Errors
    /// What the model, its loss or a metric refuses.
    #[track_caller]
    fn test_step(&self, with: &Compiled, batch: &Batch<Self::Input>) -> Result<()> {
        default_test_step(self, with, batch)
    }

    /// One step of prediction, which `predict` traces: Keras's `predict_step`.
    ///
    /// # Errors
    /// What the model refuses.
    #[track_caller]
    fn predict_step(&self, x: &Self::Input) -> Result<Self::Output> {
        self.try_call_with(x, &Call::inference())
    }

    /// The output for an input, and the losses that its layers added meanwhile.
    ///
    /// # Errors
    /// As [`try_call_with`](Self::try_call_with).
    #[track_caller]
    fn call_with_losses(&self, input: &Self::Input, cx: &Call) -> Result<(Self::Output, Vec<Tensor>)> {
        let here = Location::caller();
        let (output, losses) = with_losses(|| self.try_call_with(input, cx));
        Ok((output.map_err(|e| e.at(here))?, losses))
    }
}

/// What points to a model is one.
macro_rules! pointers {
    ($($t:ty),*) => {$(
        impl<M: Model + ?Sized> Model for $t {
            type Input = M::Input;
            type Output = M::Output;

            #[track_caller]
            fn forward(&self, input: &Self::Input, cx: &Call) -> Result<Self::Output> {
                (**self).forward(input, cx)
            }

            fn output_names(&self) -> Vec<String> {
                (**self).output_names()
            }

            #[track_caller]
            fn train_step(&self, with: &Compiled, batch: &Batch<Self::Input>) -> Result<()> {
                (**self).train_step(with, batch)
            }

            #[track_caller]
            fn test_step(&self, with: &Compiled, batch: &Batch<Self::Input>) -> Result<()> {
                (**self).test_step(with, batch)
            }

            #[track_caller]
            fn predict_step(&self, x: &Self::Input) -> Result<Self::Output> {
                (**self).predict_step(x)
            }
        }
    )*};
}

pointers!(&M, Box<M>, std::sync::Arc<M>, std::rc::Rc<M>);
