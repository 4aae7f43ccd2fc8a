//! Optimizers behind pointers: everything goes to what lies behind.
//! Programs that choose an optimizer while they run hold a `Box<dyn Optimizer>`.

use super::{LearningRate, Optimizer};
use engine::{Gradients, Tensor, Variable};
use kernels::error::Result;
use std::sync::Arc;

/// The methods that call those of another optimizer, which `$this` lends.
macro_rules! forwarded {
    (|$this:ident| $inner:expr) => {
        #[track_caller]
        fn try_apply_gradients(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
            let $this = self;
            $inner.try_apply_gradients(gradients, variables)
        }
        #[track_caller]
        fn try_scale_loss(&self, loss: &Tensor) -> Result<Tensor> {
            let $this = self;
            $inner.try_scale_loss(loss)
        }
        fn name(&self) -> &str {
            let $this = self;
            $inner.name()
        }
        crate::optim::forward::forwarded!(state | $this | $inner);
    };
    (state |$this:ident| $inner:expr) => {
        fn learning_rate(&self) -> &LearningRate {
            let $this = self;
            $inner.learning_rate()
        }
        fn iterations(&self) -> &Variable {
            let $this = self;
            $inner.iterations()
        }
        #[track_caller]
        fn try_finalize_variable_values(&self, variables: &[Variable]) -> Result<()> {
            let $this = self;
            $inner.try_finalize_variable_values(variables)
        }
        #[track_caller]
        fn try_swap_averages(&self, variables: &[Variable]) -> Result<()> {
            let $this = self;
            $inner.try_swap_averages(variables)
        }
    };
}
pub(super) use forwarded;

impl<O: Optimizer + ?Sized> Optimizer for &O {
    forwarded!(|this| (**this));
}

impl<O: Optimizer + ?Sized> Optimizer for Box<O> {
    forwarded!(|this| (**this));
}

impl<O: Optimizer + ?Sized> Optimizer for Arc<O> {
    forwarded!(|this| (**this));
}
