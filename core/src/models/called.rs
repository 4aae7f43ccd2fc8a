//! What the code calls that `#[model]` makes: the context of a call for its duration, and the losses that layers add meanwhile.
//! Users do not come here.

use crate::layers::{Call, add_loss, collected_losses};
use engine::Tensor;
use engine::library::{Training, begin_training, training};
use kernels::error::{Error, Result};

/// The call of a model that was given a context: layers in it inherit that.
pub fn told(cx: &Call) -> Training {
    begin_training(cx.is_training())
}

/// The call of a model that was given none: it inherits that of the model around it.
pub fn inherited() -> Training {
    begin_training(training().unwrap_or(false))
}

/// The losses that are added from here on.
pub struct Collected(crate::layers::CollectedLosses);

impl Collected {
    /// Begins a list.
    pub fn begin() -> Self {
        Self(collected_losses())
    }

    /// Ends it.
    pub fn end(self) -> Vec<Tensor> {
        self.0.end()
    }
}

/// Adds the losses of a call to those of the call around it.
pub fn add(losses: Vec<Tensor>) {
    losses.iter().for_each(add_loss);
}

/// The one input of a model as a layer.
///
/// # Errors
/// InvalidArgument for another number.
pub fn single<'a>(name: &str, inputs: &'a [Tensor]) -> Result<&'a Tensor> {
    match inputs {
        [one] => Ok(one),
        list => Err(Error::invalid_argument(name, "the model takes one input").got(format!("{} inputs", list.len()))),
    }
}
