//! What every optimizer's type has in the same words: the options of Keras's base class, and the traits.
//! `shared_options!` writes both for a type with the fields of its own and a `common`.

/// For `Adam { beta_1, beta_2 } field as "name"`: options, `Optimizer` and `Module`, of the settings and variables that are named.
macro_rules! shared_options {
    ($owner:ident { $($setting:ident),* $(,)? } $($own:ident as $label:literal)*) => {
        engine::library::options::options! { $owner:
            /// The norm that each gradient has at most, no limit unless set: 0 or more, where 0 is no limit either.
            pub fn clipnorm, try_clipnorm(this, most: f64) {
                this.common.set_clip_norm(most)?;
                Ok(this)
            }

            /// The size that each number of a gradient has at most, no limit unless set: 0 or more, where 0 is no limit either.
            pub fn clipvalue, try_clipvalue(this, most: f64) {
                this.common.set_clip_value(most)?;
                Ok(this)
            }

            /// The norm that all gradients together have at most, no limit unless set: 0 or more, where 0 is no limit either.
            pub fn global_clipnorm, try_global_clipnorm(this, most: f64) {
                this.common.set_global_clip_norm(most)?;
                Ok(this)
            }

            /// By how much of itself, times the rate, each variable falls in a step, beside its gradient: 0 or more.
            pub fn weight_decay, try_weight_decay(this, decay: f64) {
                this.common.set_weight_decay(decay)?;
                Ok(this)
            }

            /// How slowly averages move, 0.99 unless set: from 0 to 1. With [`use_ema`](Self::use_ema) alone.
            pub fn ema_momentum, try_ema_momentum(this, momentum: f64) {
                this.common.set_ema_momentum(momentum)?;
                Ok(this)
            }

            /// After how many steps variables are overwritten with their averages, again and again; never unless set. With
            /// [`use_ema`](Self::use_ema) alone.
            pub fn ema_overwrite_frequency, try_ema_overwrite_frequency(this, every: usize) {
                this.common.set_ema_overwrite_frequency(every)?;
                Ok(this)
            }

            /// What losses are multiplied with ([`scale_loss`](crate::optim::Optimizer::scale_loss)) and gradients divided by, so that
            /// small gradients of narrow floats do not vanish: above 0.
            pub fn loss_scale_factor, try_loss_scale_factor(this, factor: f64) {
                this.common.set_loss_scale_factor(factor)?;
                Ok(this)
            }

            /// Of how many gradients, one per call, the mean is taken before the variables move: at least 2. Schedules go on with every
            /// call; formulas count the moves.
            pub fn gradient_accumulation_steps, try_gradient_accumulation_steps(this, steps: usize) {
                this.common.set_accumulation(steps)?;
                Ok(this)
            }
        }

        impl $owner {
            /// What [`name`](crate::optim::Optimizer::name) answers, the type in small letters unless set: Keras's option `name`.
            pub fn named(mut self, name: impl Into<String>) -> Self {
                self.common.name = name.into();
                self
            }

            /// Whether averages of the variables are kept, which
            /// [`swap_averages`](crate::optim::Optimizer::swap_averages) and
            /// [`finalize_variable_values`](crate::optim::Optimizer::finalize_variable_values) use; no unless set.
            pub fn use_ema(mut self, use_ema: bool) -> Self {
                self.common.use_ema = use_ema;
                self
            }

            /// The variables that do not decay: these, and those in whose name (or path in a module) one of the patterns is found, such as
            /// `bias`. A second call replaces the first.
            ///
            /// # Panics
            /// As [`try_exclude_from_weight_decay`](Self::try_exclude_from_weight_decay) fails.
            #[track_caller]
            pub fn exclude_from_weight_decay(self, variables: &[engine::Variable], names: &[&str]) -> Self {
                engine::library::OrFail::or_fail(self.try_exclude_from_weight_decay(variables, names))
            }

            /// As [`exclude_from_weight_decay`](Self::exclude_from_weight_decay), for patterns that come from data.
            ///
            /// # Errors
            /// InvalidArgument for a pattern that is no regular expression.
            #[track_caller]
            pub fn try_exclude_from_weight_decay(
                mut self,
                variables: &[engine::Variable],
                names: &[&str],
            ) -> engine::Result<Self> {
                let here = std::panic::Location::caller();
                self.common.exclude(variables, names).map_err(|e| e.at(here))?;
                Ok(self)
            }
        }

        impl crate::optim::Optimizer for $owner {
            #[track_caller]
            fn try_apply_gradients(
                &self,
                gradients: &engine::Gradients,
                variables: &[engine::Variable],
            ) -> engine::Result<()> {
                let here = std::panic::Location::caller();
                self.common.apply(self, gradients, variables).map_err(|e| e.at(here))
            }

            fn learning_rate(&self) -> &crate::optim::LearningRate {
                &self.common.learning_rate
            }

            fn iterations(&self) -> &engine::Variable {
                &self.common.iterations
            }

            fn name(&self) -> &str {
                &self.common.name
            }

            #[track_caller]
            fn try_scale_loss(&self, loss: &engine::Tensor) -> engine::Result<engine::Tensor> {
                match self.common.loss_scale_factor {
                    Some(factor) => engine::try_multiply(loss, factor),
                    None => Ok(loss.clone()),
                }
            }

            #[track_caller]
            fn try_finalize_variable_values(&self, variables: &[engine::Variable]) -> engine::Result<()> {
                let here = std::panic::Location::caller();
                self.common.finalize(variables).map_err(|e| e.at(here))
            }

            #[track_caller]
            fn try_swap_averages(&self, variables: &[engine::Variable]) -> engine::Result<()> {
                let here = std::panic::Location::caller();
                self.common.swap(variables).map_err(|e| e.at(here))
            }
        }

        impl engine::Module for $owner {
            fn visit(&self, fields: &mut engine::Fields<'_>) {
                $(fields.field(stringify!($setting), &self.$setting);)*
                self.common.visit(fields);
                $(fields.field($label, &self.$own);)*
            }
        }
    };
}
pub(super) use shared_options;

/// For `Adam, 0.001`: `new`, `try_new` and `Default` of a type whose defaults `make` fills in around a `common`.
macro_rules! made_with_a_rate {
    ($owner:ident, $default:literal, |$common:ident| $make:expr, $names:expr $(, $own:literal)*) => {
        impl $owner {
            #[doc = concat!("With a learning rate, a number or a [schedule](crate::optim::schedules) (Keras's default is ", stringify!($default), ").")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails.
            #[track_caller]
            pub fn new(learning_rate: impl Into<crate::optim::Rate>) -> Self {
                engine::library::OrFail::or_fail(Self::try_new(learning_rate))
            }

            /// As [`new`](Self::new), for a rate that comes from data.
            ///
            /// # Errors
            /// InvalidArgument for a rate that is negative or no finite number.
            #[track_caller]
            pub fn try_new(learning_rate: impl Into<crate::optim::Rate>) -> engine::Result<Self> {
                let $common = crate::optim::common::Common::new(stringify!($owner), learning_rate, $names, &[$($own),*])?;
                Ok($make)
            }
        }

        impl Default for $owner {
            #[doc = concat!("With Keras's learning rate, ", stringify!($default), ".")]
            #[track_caller]
            fn default() -> Self {
                Self::new($default)
            }
        }
    };
}
pub(super) use made_with_a_rate;
