//! The steps of training and evaluation, and the traced functions around them.
//! Models have them as methods, which may be written anew; trainers call the traced functions.

use super::batch::leaves;
use super::{Batch, Compiled};
use crate::layers::Call;
use crate::models::Model;
use engine::{GradientTape, tf_function};
use kernels::error::{Error, Result};

/// One step of training as Keras does it: a call under a tape, the loss, its gradient, a step of the optimizer, and the metrics.
///
/// # Errors
/// What the model, its loss, the optimizer or a metric refuses; FailedPrecondition where all variables are frozen.
#[track_caller]
pub fn default_train_step<M: Model + ?Sized>(model: &M, with: &Compiled, batch: &Batch<M::Input>) -> Result<()> {
    let tape = GradientTape::new();
    let (output, mut added) = model.call_with_losses(&batch.x, &Call::training())?;
    added.extend(model.weight_losses()?);
    let outputs = leaves(&output);
    let loss = with.compute_loss(batch, &outputs, &added)?;
    let scaled = with.optimizer()?.try_scale_loss(&loss)?;
    let variables = model.try_trainable_variables()?;
    if variables.is_empty() {
        return Err(Error::failed_precondition("fit", "the model has no variables that are trained")
            .help("`set_trainable(true)` of a part that is frozen lets it be trained again"));
    }
    let gradients = tape.try_gradient(&scaled, &variables)?;
    with.apply_gradients(&gradients, &variables)?;
    with.update(batch, &outputs, &loss)
}

/// One step of evaluation: a call, the loss, and the metrics.
///
/// # Errors
/// What the model, its loss or a metric refuses.
#[track_caller]
pub fn default_test_step<M: Model + ?Sized>(model: &M, with: &Compiled, batch: &Batch<M::Input>) -> Result<()> {
    let (output, mut added) = model.call_with_losses(&batch.x, &Call::inference())?;
    added.extend(model.weight_losses()?);
    let outputs = leaves(&output);
    let loss = with.compute_loss(batch, &outputs, &added)?;
    with.update(batch, &outputs, &loss)
}

/// Steps of training as one graph, one for each batch.
#[tf_function(name = "train_step", crate = crate)]
pub(super) fn train<M: Model>(model: &M, with: &Compiled, batches: &Vec<Batch<M::Input>>) -> Result<()> {
    for batch in batches {
        model.train_step(with, batch)?;
    }
    Ok(())
}

/// A step of evaluation as a graph.
#[tf_function(name = "test_step", crate = crate)]
pub(super) fn test<M: Model>(model: &M, with: &Compiled, batches: &Vec<Batch<M::Input>>) -> Result<()> {
    for batch in batches {
        model.test_step(with, batch)?;
    }
    Ok(())
}

/// A call as a graph.
#[tf_function(name = "predict_step", crate = crate)]
pub(super) fn predict<M: Model>(model: &M, x: &M::Input) -> Result<M::Output> {
    model.predict_step(x)
}
