//! A cell that is called by itself, for one step, and the checks of states that cells and layers share.
//! The library's cells have these methods; `RNN` and its kind check the states that they are given.

use super::cell::Cell;
use engine::library::Typed;
use engine::{Tensor, TensorType};
use kernels::error::{Error, Result};

/// Writes the methods with which a cell is called by itself.
macro_rules! cell_methods {
    ($cell:ident) => {
        $crate::layers::options_of_all!($cell);

        impl $cell {
            /// The output and the next states for one step's input and the states before, as the model around is called.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call(
                &self,
                x: impl engine::AsTensor,
                states: &[engine::Tensor],
            ) -> (engine::Tensor, Vec<engine::Tensor>) {
                kernels::error::OrFail::or_fail(self.try_call_with(x, states, &$crate::layers::Call::inherited()))
            }

            /// The output and the next states for one step's input and the states before.
            ///
            /// # Errors
            /// InvalidArgument where input or states do not fit the cell, with its name and the shapes.
            #[track_caller]
            pub fn try_call(
                &self,
                x: impl engine::AsTensor,
                states: &[engine::Tensor],
                training: bool,
            ) -> $crate::Result<(engine::Tensor, Vec<engine::Tensor>)> {
                self.try_call_with(x, states, &$crate::layers::Call::of(training))
            }

            #[track_caller]
            fn try_call_with(
                &self,
                x: impl engine::AsTensor,
                states: &[engine::Tensor],
                cx: &$crate::layers::Call,
            ) -> $crate::Result<(engine::Tensor, Vec<engine::Tensor>)> {
                let here = std::panic::Location::caller();
                let run = || {
                    let x = engine::library::cast_to(&x.as_tensor(), self.core.compute())?;
                    $crate::layers::Cell::step(self, &x, states, cx)
                };
                run().map_err(|e| $crate::layers::base::within(e, self.core.name(), here))
            }

            /// The states before the first step, for so many examples: zeros.
            ///
            /// # Panics
            /// Without memory.
            #[track_caller]
            pub fn get_initial_state(&self, batch_size: usize) -> Vec<engine::Tensor> {
                let sizes = $crate::layers::Cell::state_sizes(self).into_iter();
                sizes.map(|size| engine::zeros([batch_size, size]).cast(self.core.compute())).collect()
            }
        }
    };
}
pub(in crate::layers) use cell_methods;

/// An error unless there is a state of the right shape for each of a cell's, for inputs of a type.
#[track_caller]
pub(super) fn check_states(cell: &dyn Cell, x: &TensorType, states: &[Tensor]) -> Result<()> {
    let own = cell.initial_types(x)?;
    let refused = |what: &str| {
        let list = |types: &[TensorType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let got: Vec<TensorType> = states.iter().map(|state| *state.ty()).collect();
        Error::invalid_argument(cell.cell_name(), what.to_owned())
            .got(format!("{} states: {}", got.len(), list(&got)))
            .expected(format!("{} states: {}", own.len(), list(&own)))
    };
    if own.len() != states.len() {
        return Err(refused("there is another number of states"));
    }
    let fits = |(own, state): (&TensorType, &Tensor)| {
        let (own, given) = (own.shape, state.shape());
        own.rank() == given.rank() && (0..own.rank()).all(|axis| own.dim(axis).can_equal(given.dim(axis)))
    };
    match own.iter().zip(states).all(fits) {
        true => Ok(()),
        false => Err(refused("the states have other shapes than the cell's")),
    }
}
