//! `GRU` and its cell: a state that one gate keeps and another one forgets for the next candidate (Cho et al., 2014).
//! Keras's layers of these names.

use super::cell::Steps;
use super::gated::{gated_cell, gated_layer, recurrent_activation_option};
use super::gates::{Gates, Kind, Read};
use engine::Tensor;
use kernels::error::Result;

/// The step behind the product of the input. Blocks are those of the update gate, the reset gate and the candidate.
#[track_caller]
pub(super) fn steps(gates: &Gates, read: Read, reset_after: bool) -> Result<Steps<'_>> {
    let units = gates.units;
    let blocks = match &read.drops {
        Some(drops) => engine::try_split(&read.recurrent, drops.len(), 1)?,
        // Before the product of the candidate the state is reset: that product comes later.
        None if !reset_after => engine::try_split(&read.recurrent, [2 * units, units], 1)?,
        None => Vec::new(),
    };
    Ok(Box::new(move |x, states| {
        let h = &states[0];
        let dropped = |gate: usize| match &read.drops {
            Some(drops) => h.try_multiply(&drops[gate]),
            None => Ok(h.clone()),
        };
        // Products of the state for the two gates, and, unless it is reset before, for the candidate.
        let product = match (&read.drops, reset_after) {
            (None, true) => engine::try_matmul(h, &read.recurrent)?,
            (None, false) => engine::try_matmul(h, &blocks[0])?,
            (Some(_), _) => {
                let count = if reset_after { 3 } else { 2 };
                let block = |gate: usize| engine::try_matmul(&dropped(gate)?, &blocks[gate]);
                engine::try_concat(&(0..count).map(block).collect::<Result<Vec<Tensor>>>()?, 1)?
            }
        };
        let product = match &read.recurrent_bias {
            Some(bias) => engine::try_bias_add(&product, bias)?,
            None => product,
        };
        let inputs = engine::try_split(x, 3, 1)?;
        let parts = engine::try_split(&product, if reset_after { 3 } else { 2 }, 1)?;
        let gate = |at: usize| gates.recurrent_activation.apply(&inputs[at].try_add(&parts[at])?);
        let (update, reset) = (gate(0)?, gate(1)?);
        let candidate = match reset_after {
            true => reset.try_multiply(&parts[2])?,
            false => engine::try_matmul(reset.try_multiply(&dropped(2)?)?, &blocks[blocks.len() - 1])?,
        };
        let candidate = gates.activation.apply(&inputs[2].try_add(&candidate)?)?;
        // `update * h + (1 - update) * candidate`.
        let next = candidate.try_add(&update.try_multiply(&h.try_subtract(&candidate)?)?)?;
        Ok((next.clone(), vec![next]))
    }))
}

gated_cell! {
    /// One step of a [`GRU`]. The state, `[batch, units]`, is the output.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::GRUCell;
    /// let (y, states) = GRUCell::new(4).call(tf::ones([2, 3]), &[tf::zeros([2, 4])]);
    /// assert_eq!(y.shape(), [2, 4]);
    /// assert_eq!(states.len(), 1);
    /// ```
    GRUCell, "gru_cell", Kind::Gru { reset_after: true }, 1
}

gated_layer! {
    /// A gated recurrent unit: Keras's `GRU` (Cho et al., 2014).
    ///
    /// Inputs are `[batch, steps, features]`; the output is `[batch, units]`, that of the last step, or `[batch, steps, units]` with
    /// [`return_sequences`](Self::return_sequences). The state is the output.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::GRU;
    /// let layer = GRU::new(4).reset_after(false);
    /// assert_eq!(layer.call(tf::ones([2, 7, 3])).shape(), [2, 4]);
    /// ```
    GRU, "gru", "GRU::new(4)", GRUCell, Kind::Gru { reset_after: true }
}

recurrent_activation_option!(GRUCell, GRU);

/// The option that a GRU alone has.
macro_rules! reset_after {
    ($($layer:ident),*) => {$(
        impl $layer {
            /// Whether the state is reset behind its product with the recurrent kernel, which then has a bias of its own and all products
            /// of a step are one: yes, unless told otherwise. The first paper resets before.
            #[must_use]
            pub fn reset_after(mut self, reset_after: bool) -> Self {
                self.gates.kind = Kind::Gru { reset_after };
                self
            }
        }
    )*};
}

reset_after!(GRUCell, GRU);
