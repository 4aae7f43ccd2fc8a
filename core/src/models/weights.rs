//! The weights of a layer or model as a list of tensors, in Keras's order, and their setting.
//! Users carry weights from one model to another of the same form with it.

use engine::{AsTensor, Module, Tensor, Variable};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// Weights as a list: Keras's `get_weights` and `set_weights`. Whatever is a module has them.
///
/// States of random numbers are no weights, as in Keras.
///
/// ```
/// use eagerflow as tf;
/// use tf::{Weights, layers::Dense};
/// let (a, b) = (Dense::new(2), Dense::new(2));
/// a.build([1, 3]);
/// b.build([1, 3]);
/// b.set_weights(&a.get_weights());
/// let x = tf::ones([1, 3]);
/// assert_eq!(a.call(&x).to_vec::<f32>(), b.call(&x).to_vec::<f32>());
/// ```
pub trait Weights: Module {
    /// The variables that are weights, in the order of the fields.
    ///
    /// # Errors
    /// FailedPrecondition while a layer is not built.
    #[track_caller]
    fn try_weights(&self) -> Result<Vec<Variable>> {
        let here = Location::caller();
        let named = named_weights(self).map_err(|e| e.at(here))?;
        Ok(named.into_iter().map(|(_, variable)| variable).collect())
    }

    /// The values of all weights.
    ///
    /// # Panics
    /// While a layer is not built.
    #[track_caller]
    fn get_weights(&self) -> Vec<Tensor> {
        self.try_weights().or_fail().iter().map(Variable::value).collect()
    }

    /// Gives all weights other values, in the order of [`get_weights`](Self::get_weights).
    ///
    /// # Panics
    /// As [`try_set_weights`](Self::try_set_weights) fails, at the caller's line.
    #[track_caller]
    fn set_weights<T: AsTensor>(&self, values: &[T]) {
        self.try_set_weights(values).or_fail();
    }

    /// Gives all weights other values.
    ///
    /// # Errors
    /// InvalidArgument for another number of values, or one of another dtype or shape: nothing is changed then. FailedPrecondition while
    /// a layer is not built.
    #[track_caller]
    fn try_set_weights<T: AsTensor>(&self, values: &[T]) -> Result<()> {
        let here = Location::caller();
        let own = named_weights(self).map_err(|e| e.at(here))?;
        let error = |what: &str| Error::invalid_argument("set_weights", what.to_owned()).at(here);
        if own.len() != values.len() {
            return Err(error("there is another number of values")
                .got(values.len())
                .expected(format!("{} weights: {}", own.len(), listed(&own)))
                .help("give the list that `get_weights` of a model of the same form answers"));
        }
        for ((path, variable), value) in own.iter().zip(values) {
            let value = value.as_tensor();
            if value.dtype() != variable.dtype() || *value.shape() != variable.shape() {
                return Err(error("a value does not fit its weight")
                    .got(format!("{}{}", value.dtype(), value.shape()))
                    .expected(format!("{}{}", variable.dtype(), variable.shape()))
                    .variable(path.clone())
                    .help("give the list that `get_weights` of a model of the same form answers"));
            }
        }
        for ((_, variable), value) in own.iter().zip(values) {
            variable.try_assign(&*value.as_tensor())?;
        }
        Ok(())
    }
}

impl<M: Module + ?Sized> Weights for M {}

/// The weights with their paths.
fn named_weights(module: &(impl Module + ?Sized)) -> Result<Vec<(String, Variable)>> {
    let random = |path: &str| path.split('/').any(|part| part == "seed_generator");
    let named = module.try_named_variables()?;
    Ok(named.into_iter().filter(|(path, _)| !random(path)).collect())
}

/// How many weights a message lists.
const LISTED: usize = 8;

/// Weights by path, dtype and shape; of many, the first ones.
fn listed(weights: &[(String, Variable)]) -> String {
    let one = |(path, variable): &(String, Variable)| format!("`{path}` {}{}", variable.dtype(), variable.shape());
    let mut text = weights.iter().take(LISTED).map(one).collect::<Vec<_>>().join(", ");
    if let Some(more) = weights.len().checked_sub(LISTED).filter(|more| *more > 0) {
        text += &format!(" and {more} others");
    }
    text
}
