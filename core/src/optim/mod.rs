//! Optimizers: they move variables against their gradients, with Keras's formulas and defaults.
//! Training loops call [`Optimizer::apply_gradients`] with what a tape answered.

mod adam;
mod gradients;
mod learning_rate;
mod sgd;
mod slots;

#[cfg(test)]
mod tests;

pub use adam::Adam;
pub use learning_rate::LearningRate;
pub use sgd::SGD;

use engine::Gradients;
use engine::Module;
use engine::Variable;
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// What every optimizer can do.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Optimizer, SGD};
/// use tf::{GradientTape, Variable};
/// let optimizer = SGD::new(0.1);
/// let variables = [Variable::new(5.0)];
/// for _ in 0..100 {
///     let tape = GradientTape::new();
///     let loss = (&variables[0] - 3.0).square();
///     optimizer.apply_gradients(&tape.gradient(&loss, &variables[..]), &variables);
/// }
/// assert!((variables[0].value().item::<f32>() - 3.0).abs() < 1e-3);
/// assert_eq!(optimizer.iterations().value().item::<i64>(), 100);
/// ```
pub trait Optimizer: Module + Send + Sync {
    /// Moves each variable by its gradient, the one at the same place, and counts one step.
    ///
    /// A variable without a gradient stays as it is; the first time, a warning on standard error says which and why. One that is
    /// frozen, but given with a gradient, is moved as the others: whoever makes the list, as by
    /// [`trainable_variables`](Module::trainable_variables), says what is trained.
    ///
    /// # Errors
    /// InvalidArgument where there are not as many gradients as variables, none of them is there, or one does not fit
    /// its variable; nothing is changed then.
    #[track_caller]
    fn try_apply_gradients(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()>;

    /// Moves each variable by its gradient, the one at the same place, and counts one step.
    ///
    /// # Panics
    /// As [`try_apply_gradients`](Self::try_apply_gradients) fails.
    #[track_caller]
    fn apply_gradients(&self, gradients: &Gradients, variables: &[Variable]) {
        let here = Location::caller();
        self.try_apply_gradients(gradients, variables).map_err(|e| e.at(here)).or_fail()
    }

    /// The learning rate, which can be set at any time.
    fn learning_rate(&self) -> &LearningRate;

    /// The number of steps so far, an `int64` scalar.
    fn iterations(&self) -> &Variable;
}
