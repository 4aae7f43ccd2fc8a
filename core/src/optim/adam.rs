//! `Adam`: m += (g - m)(1 - b1), v += (g² - v)(1 - b2), w -= rate √(1 - b2ᵗ) / (1 - b1ᵗ) · m / (√v + epsilon), and `AdamW`, which
//! decays by default. Keras's with its defaults; the rows of an embedding's gradient count as in Keras: every row of the variable
//! moves on with its moments, and where a row comes several times the squares of its parts add up.

use super::common::{Common, Method, Parts, Step};
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{ZEROS, slot_names};
use engine::Duplicate;
use engine::library::AdamRule;
use engine::library::options::{self, options};
use kernels::error::Result;
use std::sync::Arc;

macro_rules! adams {
    ($($(#[$doc:meta])* $name:ident, $label:literal, $decay:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Duplicate)]
        pub struct $name {
            common: Common,
            beta_1: f64,
            beta_2: f64,
            epsilon: f64,
            amsgrad: bool,
        }

        made_with_a_rate!($name, 0.001, |common| {
            let mut common = common;
            common.weight_decay = $decay;
            Self { common, beta_1: 0.9, beta_2: 0.999, epsilon: 1e-7, amsgrad: false }
        }, NAMES);
        shared_options!($name { beta_1, beta_2, epsilon, amsgrad });

        impl $name {
            /// Whether the root is taken of the largest mean of squares so far (the variant AMSGrad); no unless set.
            pub fn amsgrad(mut self, amsgrad: bool) -> Self {
                self.amsgrad = amsgrad;
                self
            }
        }

        options! { $name:
            /// How slowly the mean of the gradient moves, 0.9 unless set: from 0 up to 1.
            pub fn beta_1, try_beta_1(this, beta: f64) {
                this.beta_1 = options::decay($label, "beta_1", beta)?;
                Ok(this)
            }

            /// How slowly the mean of its square moves, 0.999 unless set: from 0 up to 1.
            pub fn beta_2, try_beta_2(this, beta: f64) {
                this.beta_2 = options::decay($label, "beta_2", beta)?;
                Ok(this)
            }

            /// What is added to the root, 1e-7 unless set: 0 or more.
            pub fn epsilon, try_epsilon(this, epsilon: f64) {
                this.epsilon = options::magnitude($label, "epsilon", epsilon)?;
                Ok(this)
            }
        }

        impl Method for $name {
            fn common(&self) -> &Common {
                &self.common
            }

            fn parts(&self) -> Parts {
                Parts::Squares
            }

            #[track_caller]
            fn update(&self, step: &Step<'_>) -> Result<()> {
                let Self { beta_1, beta_2, epsilon, amsgrad, .. } = *self;
                let rule = AdamRule { beta_1, beta_2, epsilon, amsgrad, squares: step.parts.is_some() };
                let (numbers, slots) = ([step.rate, step.iterations], &self.common.slots);
                if amsgrad {
                    let [m, v, largest] = slots.of([(2, ZEROS), (3, ZEROS), (4, ZEROS)], step.variables)?;
                    return step.run(Arc::new(rule), &numbers, &[&m, &v, &largest]);
                }
                let [m, v] = slots.of([(2, ZEROS), (3, ZEROS)], step.variables)?;
                step.run(Arc::new(rule), &numbers, &[&m, &v])
            }
        }
    )*};
}

const NAMES: &[engine::library::SlotName] =
    slot_names!("m" "_momentums" 2, "v" "_velocities" 2, "vhat" "_velocity_hats" 3);

adams! {
    /// Steps of about the learning rate, by running means of the gradient and its square.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::optim::{Adam, Optimizer};
    /// let optimizer = Adam::new(0.1);
    /// let w = [tf::Variable::new(1.0)];
    /// optimizer.apply_gradients(&[tf::constant(123.0)].into_iter().collect(), &w);
    /// assert!((w[0].value().item::<f32>() - 0.9).abs() < 1e-6);
    /// ```
    Adam, "Adam", None;

    /// [`Adam`] whose variables also decay, by 0.004 times the rate unless set.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::optim::{AdamW, Optimizer};
    /// let optimizer = AdamW::new(0.1).weight_decay(0.5).exclude_from_weight_decay(&[], &["bias"]);
    /// let w = [tf::Variable::with(1.0, "kernel", true), tf::Variable::with(1.0, "bias", true)];
    /// optimizer.apply_gradients(&[tf::constant(2.0), tf::constant(2.0)].into_iter().collect(), &w);
    /// assert!((w[0].value().item::<f32>() - 0.85).abs() < 1e-6);
    /// assert!((w[1].value().item::<f32>() - 0.9).abs() < 1e-6);
    /// ```
    AdamW, "AdamW", Some(0.004);
}
