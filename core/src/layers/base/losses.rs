//! Losses that layers add to that of a model: what a layer says of its output while it is called, and what variables weigh.
//! Training steps collect both; layers and models of one's own add with [`add_loss`].

use crate::regularizers::Regularizer;
use crate::shared::Shared;
use engine::library::{cast_to, regularizer_of};
use engine::{Module, Tensor};
use kernels::dtype::DType;
use kernels::error::Result;
use std::cell::RefCell;

thread_local! {
    /// The lists of the calls under way that collect losses, the innermost last.
    static COLLECTED: RefCell<Vec<Vec<Tensor>>> = const { RefCell::new(Vec::new()) };
}

/// Whether anybody collects losses.
pub(super) fn collects() -> bool {
    COLLECTED.with_borrow(|lists| !lists.is_empty())
}

/// Adds a number to the loss of the step under way: Keras's `self.add_loss(..)` in a layer or model. Where nobody collects losses, as in
/// a call for a prediction, it is dropped.
///
/// ```
/// use eagerflow as tf;
/// let (y, losses) = tf::layers::with_losses(|| {
///     let x = tf::constant([3.0, 4.0]);
///     tf::layers::add_loss(tf::reduce_sum(x.square(), ()) * 0.1);
///     x * 2.0
/// });
/// assert_eq!((y.shape().rank(), losses[0].item::<f32>()), (1, 2.5));
/// ```
pub fn add_loss(loss: impl engine::AsTensor) {
    let loss = loss.as_tensor().clone();
    COLLECTED.with_borrow_mut(|lists| {
        if let Some(list) = lists.last_mut() {
            list.push(loss);
        }
    });
}

/// Runs `body`, usually the call of a model, and gives the losses that layers added meanwhile: Keras's `model.losses` after a call,
/// without those of the variables' regularizers.
pub fn with_losses<R>(body: impl FnOnce() -> R) -> (R, Vec<Tensor>) {
    let list = collected_losses();
    let result = body();
    (result, list.end())
}

/// The losses that are added from here on; dropped, it takes its list away, also where code panics.
pub(crate) struct CollectedLosses(usize);

/// Begins a list of losses, within those that are collected already.
pub(crate) fn collected_losses() -> CollectedLosses {
    COLLECTED.with_borrow_mut(|lists| {
        lists.push(Vec::new());
        CollectedLosses(lists.len() - 1)
    })
}

impl CollectedLosses {
    /// Ends the list.
    pub fn end(self) -> Vec<Tensor> {
        COLLECTED.with_borrow_mut(|lists| lists.get_mut(self.0).map(std::mem::take)).unwrap_or_default()
    }
}

impl Drop for CollectedLosses {
    fn drop(&mut self) {
        COLLECTED.with_borrow_mut(|lists| lists.truncate(self.0));
    }
}

/// What the regularizers of a module's trainable variables say, each a `float32` scalar.
///
/// # Errors
/// As the lists of variables, and what a regularizer answers.
#[track_caller]
pub(crate) fn weight_losses<M: Module + ?Sized>(module: &M) -> Result<Vec<Tensor>> {
    let mut losses = Vec::new();
    for variable in module.try_trainable_variables()? {
        let regularizer = regularizer_of(&variable).and_then(|any| any.downcast_ref::<Shared<dyn Regularizer>>());
        if let Some(regularizer) = regularizer {
            losses.push(cast_to(&regularizer.compute(&variable.value())?, DType::F32)?);
        }
    }
    Ok(losses)
}
