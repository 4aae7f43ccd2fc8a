//! `RNN`: a loop over the steps of a sequence with any cell; `Recurrent`, the trait of all layers that are such loops.
//! Keras's `RNN`; `LSTM` and its kind are the same over cells of the library.

use super::cell::{AnyCell, Cell};
use super::options::recurrence_options;
use super::recurrence::Recurrence;
use super::stacked::StackedRNNCells;
use super::with_state::built_by_call;
use crate::layers::{Call, Core, Layer, Outputs, layer};
use engine::{Copies, Duplicate, Fields, Module, Tensor};
use kernels::error::Result;
use std::sync::Arc;

/// A layer that goes over the steps of a sequence, for [`Bidirectional`](super::Bidirectional).
pub trait Recurrent: Layer + SharedRecurrent {
    /// How it goes.
    fn recurrence(&self) -> &Recurrence;

    /// The outputs of a call with the last states behind them, whatever the layer is told to return.
    ///
    /// # Errors
    /// As the call.
    #[doc(hidden)]
    #[track_caller]
    fn with_states(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs>;

    /// The same layer with variables of its own that are not made yet, a name, a direction, and zeros for masked steps or not.
    ///
    /// # Errors
    /// ResourceExhausted without memory for seeds.
    #[doc(hidden)]
    fn anew(&self, name: String, backwards: bool, zeros: bool) -> Result<Arc<dyn Recurrent>>;
}

/// Deep copies of a recurrent layer whose type is not known.
pub trait SharedRecurrent {
    /// A deep copy.
    #[doc(hidden)]
    fn copied_recurrent(&self, copies: &mut Copies) -> Arc<dyn Recurrent>;
}

impl<L: Recurrent + Duplicate + 'static> SharedRecurrent for L {
    fn copied_recurrent(&self, copies: &mut Copies) -> Arc<dyn Recurrent> {
        Arc::new(self.duplicate_in(copies))
    }
}

/// A cell that [`RNN`] goes over a sequence with, or a list of them, each of which takes the output of the one before.
pub trait IntoCell {
    /// The cell.
    #[doc(hidden)]
    fn into_cell(self) -> Arc<dyn Cell>;
}

impl<C: Cell + 'static> IntoCell for C {
    fn into_cell(self) -> Arc<dyn Cell> {
        Arc::new(self)
    }
}

impl IntoCell for Arc<dyn Cell> {
    fn into_cell(self) -> Self {
        self
    }
}

impl IntoCell for Vec<Arc<dyn Cell>> {
    fn into_cell(self) -> Arc<dyn Cell> {
        Arc::new(StackedRNNCells::new(self))
    }
}

/// A loop over the steps of a sequence with a [`Cell`], the library's or one of one's own: Keras's `RNN`.
///
/// Inputs are `[batch, steps, …]`; the output is that of the last step, or all, `[batch, steps, …]`, with
/// [`return_sequences`](Self::return_sequences). The variables of the cell lie under `cell`.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{GRUCell, LSTMCell, RNN, StackedRNNCells};
/// let deep = RNN::new(StackedRNNCells::new((LSTMCell::new(8), GRUCell::new(4)))).return_sequences(true);
/// let (y, states) = deep.call_with_state(tf::ones([2, 5, 3]), ());
/// assert_eq!(y.shape(), [2, 5, 4]);
/// assert_eq!(states.len(), 3);
/// ```
#[derive(Clone)]
pub struct RNN {
    core: Core,
    cell: AnyCell,
    how: Recurrence,
}

layer!(RNN);
recurrence_options!(RNN);
built_by_call!(RNN);

impl RNN {
    /// A layer over a cell.
    pub fn new(cell: impl IntoCell) -> Self {
        Self { core: Core::new("rnn"), cell: AnyCell(cell.into_cell()), how: Recurrence::new() }
    }

    /// What goes from step to step.
    fn with_cell<R>(&self, f: impl FnOnce(&dyn Cell) -> R) -> R {
        f(&*self.cell.0)
    }

    fn made_anew(&self) -> Result<Self> {
        Ok(Self { cell: AnyCell(self.cell.0.anew()?), how: self.how.anew(), ..self.clone() })
    }
}

impl Duplicate for RNN {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let (cell, how) = (self.cell.duplicate_in(copies), self.how.duplicate_in(copies));
        Self { core: self.core.clone(), cell, how }
    }
}

impl Module for RNN {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.field("cell", &self.cell);
        self.how.visit(fields);
    }
}

impl std::fmt::Debug for RNN {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RNN").field("cell", &self.cell.0.cell_name()).field("how", &self.how).finish_non_exhaustive()
    }
}
