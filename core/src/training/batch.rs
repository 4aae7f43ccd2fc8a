//! A batch as a step gets it: inputs, targets and weights.
//! Trainers make batches of data; steps of one's own read them.

use engine::{Nest, Tensor};
use kernels::error::{Error, Result};

/// A batch of a data set, on its way through a step of training, evaluation or prediction.
#[derive(Clone, Nest)]
pub struct Batch<X: Nest> {
    /// What the model is called on.
    pub x: X,
    /// The targets, one for each output; none where there are none.
    pub y: Vec<Tensor>,
    /// The weights of the examples: none, one for all outputs, or one for each.
    pub sample_weight: Vec<Tensor>,
}

impl<X: Nest> Batch<X> {
    /// The only target.
    ///
    /// # Errors
    /// InvalidArgument where there is none, or there are several.
    pub fn target(&self) -> Result<&Tensor> {
        match &self.y[..] {
            [target] => Ok(target),
            list => Err(Error::invalid_argument("fit", "the step wants one target")
                .got(format!("{} targets", list.len()))
                .help("give `fit` the targets beside the inputs, as `(&x, &y)`")),
        }
    }

    /// The weights for output `index`.
    pub(crate) fn weight(&self, index: usize) -> Option<&Tensor> {
        match &self.sample_weight[..] {
            [all] => Some(all),
            each => each.get(index),
        }
    }
}

/// The tensors of a nest, in order.
pub(crate) fn leaves<N: Nest>(nest: &N) -> Vec<Tensor> {
    let mut list = Vec::new();
    let _ = nest.map(&mut |tensor| {
        list.push(tensor.clone());
        tensor.clone()
    });
    list
}
