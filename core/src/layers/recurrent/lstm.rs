//! `LSTM` and its cell: a memory that gates write, keep and show (Hochreiter and Schmidhuber, 1997).
//! Keras's layers of these names.

use super::cell::Steps;
use super::gated::{gated_cell, gated_layer, recurrent_activation_option};
use super::gates::{Gates, Kind, Read};
use engine::Tensor;
use kernels::error::Result;

/// The step behind the product of the input. Blocks are those of input, forget, candidate and output.
#[track_caller]
pub(super) fn steps(gates: &Gates, read: Read) -> Result<Steps<'_>> {
    let blocks = match &read.drops {
        Some(drops) => engine::try_split(&read.recurrent, drops.len(), 1)?,
        None => Vec::new(),
    };
    Ok(Box::new(move |x, states| {
        let (h, c) = (&states[0], &states[1]);
        let product = match &read.drops {
            Some(drops) => {
                let block = |(drop, block)| engine::try_matmul(h.try_multiply(drop)?, block);
                let all: Vec<Tensor> = drops.iter().zip(&blocks).map(block).collect::<Result<_>>()?;
                engine::try_concat(&all, 1)?
            }
            None => engine::try_matmul(h, &read.recurrent)?,
        };
        memory(gates, &x.try_add(&product)?, c, 1)
    }))
}

/// Output and states of an LSTM for the sums of its four blocks along an axis and the memory.
#[track_caller]
pub(super) fn memory(gates: &Gates, sums: &Tensor, c: &Tensor, axis: isize) -> Result<(Tensor, Vec<Tensor>)> {
    let blocks = engine::try_split(sums, 4, axis)?;
    let gate = |at: usize| gates.recurrent_activation.apply(&blocks[at]);
    let written = gate(0)?.try_multiply(&gates.activation.apply(&blocks[2])?)?;
    let c = gate(1)?.try_multiply(c)?.try_add(&written)?;
    let h = gate(3)?.try_multiply(&gates.activation.apply(&c)?)?;
    Ok((h.clone(), vec![h, c]))
}

gated_cell! {
    /// One step of an [`LSTM`]. States are the output and the memory, `[batch, units]` each.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::LSTMCell;
    /// let cell = LSTMCell::new(4);
    /// let zeros = tf::zeros([2, 4]);
    /// let (y, states) = cell.call(tf::ones([2, 3]), &[zeros.clone(), zeros]);
    /// assert_eq!(y.shape(), [2, 4]);
    /// assert_eq!(states.len(), 2);
    /// ```
    LSTMCell, "lstm_cell", Kind::Lstm { unit_forget_bias: true }, 2
}

gated_layer! {
    /// Long short-term memory: Keras's `LSTM` (Hochreiter and Schmidhuber, 1997).
    ///
    /// Inputs are `[batch, steps, features]`; the output is `[batch, units]`, that of the last step, or `[batch, steps, units]` with
    /// [`return_sequences`](Self::return_sequences). States are the output and the memory. The loop over steps is one of the graph inside of
    /// `#[tf_function]`, for any number of steps, and the products of all inputs are one product before it. Masked steps change nothing.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::LSTM;
    /// let layer = LSTM::new(4).return_sequences(true);
    /// let x = tf::ones([2, 7, 3]);
    /// assert_eq!(layer.call(&x).shape(), [2, 7, 4]);
    ///
    /// // Output and states; the second half goes on where the first has ended.
    /// let (y, states) = layer.call_with_state(&x, ());
    /// let (_, states) = layer.call_with_state(&x, &states);
    /// assert_eq!(y.shape(), [2, 7, 4]);
    /// assert_eq!(states[1].shape(), [2, 4]);
    /// ```
    LSTM, "lstm", "LSTM::new(4)", LSTMCell, Kind::Lstm { unit_forget_bias: true }
}

recurrent_activation_option!(LSTMCell, LSTM);

/// The option that an LSTM alone has.
macro_rules! forget_bias {
    ($($layer:ident),*) => {$(
        impl $layer {
            /// Whether the bias of the forget gate starts at one, so that memory is kept at first: yes, unless told otherwise.
            #[must_use]
            pub fn unit_forget_bias(mut self, unit_forget_bias: bool) -> Self {
                self.gates.kind = Kind::Lstm { unit_forget_bias };
                self
            }
        }
    )*};
}

forget_bias!(LSTMCell, LSTM);
