//! Optimizers: they move variables against their gradients, with Keras's formulas, options and defaults.
//! Training loops call [`Optimizer::apply_gradients`] with what a tape answered.
//!
//! All of them have the options of Keras's base class: `clipnorm`, `clipvalue` or `global_clipnorm`, `weight_decay` with
//! `exclude_from_weight_decay`, averages by `use_ema`, `ema_momentum` and `ema_overwrite_frequency`, `loss_scale_factor` and
//! `gradient_accumulation_steps`. The learning rate is a number, which may be set at any time, or one of the [`schedules`]. None of this
//! has a traced function traced anew.
//!
//! ```
//! use eagerflow as tf;
//! use tf::optim::{AdamW, Optimizer, schedules::CosineDecay};
//! let optimizer = AdamW::new(CosineDecay::new(1e-3, 10_000).warmup_target(1e-2).warmup_steps(500))
//!     .weight_decay(0.01)
//!     .exclude_from_weight_decay(&[], &["bias"])
//!     .global_clipnorm(1.0)
//!     .use_ema(true);
//! let w = [tf::Variable::new([1.0, 2.0])];
//! optimizer.apply_gradients(&[tf::constant([0.5, -0.5])].into_iter().collect(), &w);
//! // Averages for an evaluation, and the variables back.
//! optimizer.swap_averages(&w);
//! optimizer.swap_averages(&w);
//! ```
//!
//! Rows of an embedding's gradient count as in Keras: the numbers are those of its formulas, for which most optimizers move all rows.
//! [`SGD`] without momentum and [`Adagrad`] move the rows that were looked up and touch no others.

mod adadelta;
mod adafactor;
mod adagrad;
mod adam;
mod adamax;
mod averages;
mod batch;
mod common;
mod forward;
mod ftrl;
mod gradients;
mod groups;
mod ids;
mod lamb;
mod learning_rate;
mod lion;
mod loss_scale;
mod muon;
mod nadam;
mod names;
mod rmsprop;
mod rules;
mod schedule_free_adamw;
pub mod schedules;
mod settings;
mod sgd;
mod shared;
mod slots;

#[cfg(test)]
mod tests;

pub use adadelta::Adadelta;
pub use adafactor::Adafactor;
pub use adagrad::Adagrad;
pub use adam::{Adam, AdamW};
pub use adamax::Adamax;
pub use ftrl::Ftrl;
pub use groups::Groups;
pub use lamb::Lamb;
pub use learning_rate::{LearningRate, Rate};
pub use lion::Lion;
pub use loss_scale::LossScaleOptimizer;
pub use muon::Muon;
pub use nadam::Nadam;
pub use names::{IntoOptimizer, get, try_get};
pub use rmsprop::RMSprop;
pub use schedule_free_adamw::ScheduleFreeAdamW;
pub use sgd::SGD;

use engine::Gradients;
use engine::Module;
use engine::Tensor;
use engine::Variable;
use kernels::error::{Error, OrFail, Result};
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
///
/// Pointers to optimizers are optimizers: `Box`, `Arc` and references, also of `dyn Optimizer`.
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

    /// The learning rate, which can be set at any time unless a schedule gives it.
    fn learning_rate(&self) -> &LearningRate;

    /// The number of steps so far, an `int64` scalar.
    fn iterations(&self) -> &Variable;

    /// What the optimizer is called: its type in small letters, unless it was named.
    fn name(&self) -> &str;

    /// The loss to take gradients of, scaled where the optimizer scales losses, and the same otherwise.
    ///
    /// # Errors
    /// What the multiplication answers.
    #[track_caller]
    fn try_scale_loss(&self, loss: &Tensor) -> Result<Tensor> {
        Ok(loss.clone())
    }

    /// The loss to take gradients of, scaled where the optimizer scales losses, and the same otherwise.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::optim::{Optimizer, SGD};
    /// let (optimizer, w) = (SGD::new(0.5).loss_scale_factor(1024.0), [tf::Variable::new(3.0)]);
    /// let tape = tf::GradientTape::new();
    /// let loss = optimizer.scale_loss(&w[0].value().square());
    /// optimizer.apply_gradients(&tape.gradient(&loss, &w[..]), &w);
    /// assert_eq!(w[0].value().item::<f32>(), 0.0);
    /// ```
    ///
    /// # Panics
    /// As [`try_scale_loss`](Self::try_scale_loss) fails.
    #[track_caller]
    fn scale_loss(&self, loss: &Tensor) -> Tensor {
        self.try_scale_loss(loss).or_fail()
    }

    /// Gives variables their averages for good, at the end of a training; nothing where no averages are kept.
    ///
    /// # Errors
    /// FailedPrecondition for a variable that has no average yet.
    #[track_caller]
    fn try_finalize_variable_values(&self, _variables: &[Variable]) -> Result<()> {
        Ok(())
    }

    /// Gives variables their averages for good, at the end of a training; nothing where no averages are kept.
    ///
    /// # Panics
    /// As [`try_finalize_variable_values`](Self::try_finalize_variable_values) fails.
    #[track_caller]
    fn finalize_variable_values(&self, variables: &[Variable]) {
        self.try_finalize_variable_values(variables).or_fail()
    }

    /// Exchanges variables and their averages: once before an evaluation, and once behind it to go on with the training.
    ///
    /// # Errors
    /// FailedPrecondition where no averages are kept, or a variable has none yet.
    #[track_caller]
    fn try_swap_averages(&self, _variables: &[Variable]) -> Result<()> {
        Err(Error::failed_precondition(self.name(), "there are no averages to swap in").at(Location::caller()))
    }

    /// Exchanges variables and their averages: once before an evaluation, and once behind it to go on with the training.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::optim::{Optimizer, SGD};
    /// let (optimizer, w) = (SGD::new(1.0).use_ema(true).ema_momentum(0.5), [tf::Variable::new(4.0)]);
    /// for _ in 0..2 {
    ///     optimizer.apply_gradients(&[tf::constant(1.0)].into_iter().collect(), &w);
    /// }
    /// assert_eq!(w[0].value().item::<f32>(), 2.0);
    /// optimizer.swap_averages(&w);
    /// assert_eq!(w[0].value().item::<f32>(), 2.5);
    /// optimizer.swap_averages(&w);
    /// assert_eq!(w[0].value().item::<f32>(), 2.0);
    /// ```
    ///
    /// # Panics
    /// As [`try_swap_averages`](Self::try_swap_averages) fails.
    #[track_caller]
    fn swap_averages(&self, variables: &[Variable]) {
        self.try_swap_averages(variables).or_fail()
    }
}
