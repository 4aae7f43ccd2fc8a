//! `SimpleRNN` and its cell: the output is the activation of what input and last output are multiplied by.
//! Keras's layers of these names.

use super::cell::Steps;
use super::gated::{gated_cell, gated_layer};
use super::gates::{Gates, Kind, Read};
use kernels::error::Result;

/// The step behind the product of the input.
pub(super) fn steps(gates: &Gates, read: Read) -> Steps<'_> {
    Box::new(move |x, states| {
        let dropped = match &read.drops {
            Some(drops) => &states[0].try_multiply(&drops[0])?,
            None => &states[0],
        };
        let sum = x.try_add(&engine::try_matmul(dropped, &read.recurrent)?)?;
        let output = gates.activation.apply(&sum)?;
        Ok((output.clone(), vec![output]))
    })
}

gated_cell! {
    /// One step of [`SimpleRNN`]: `activation(x · kernel + state · recurrent_kernel + bias)`, which is output and next state.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::SimpleRNNCell;
    /// let (y, states) = SimpleRNNCell::new(4).call(tf::ones([2, 3]), &[tf::zeros([2, 4])]);
    /// assert_eq!(y.shape(), [2, 4]);
    /// assert_eq!(states.len(), 1);
    /// ```
    SimpleRNNCell, "simple_rnn_cell", Kind::Simple, 1
}

gated_layer! {
    /// A recurrent layer whose output goes into its next step: Keras's `SimpleRNN`.
    ///
    /// Inputs are `[batch, steps, features]`; the output is `[batch, units]`, that of the last step, or `[batch, steps, units]` with
    /// [`return_sequences`](Self::return_sequences). Options and defaults are Keras's: `tanh`, a bias that starts at zero, a kernel from
    /// `glorot_uniform` and an orthogonal recurrent kernel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::SimpleRNN;
    /// let layer = SimpleRNN::new(4).activation("relu");
    /// assert_eq!(layer.call(tf::ones([2, 7, 3])).shape(), [2, 4]);
    /// ```
    SimpleRNN, "simple_rnn", "SimpleRNN::new(4)", SimpleRNNCell, Kind::Simple
}
