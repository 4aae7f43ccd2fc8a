//! A recurrent cell, and the loop over time around it. The text of the loop is that of the guide: a `TensorArray` takes
//! the outputs, and where a sequence is over its state stays as it was.

use eagerflow as tf;
use tf::layers::Dense;
use tf::{DType, Dim, Module, Tensor, TensorArray, tf_function};

/// A gated recurrent unit.
#[derive(Module)]
pub struct Gru {
    gates: Dense,
    candidate: Dense,
    units: usize,
}

impl Gru {
    pub fn new(units: usize) -> Self {
        Self {
            gates: Dense::new(2 * units).activation("sigmoid"),
            candidate: Dense::new(units).activation("tanh"),
            units,
        }
    }

    /// The next state, which is the output too.
    pub fn call(&self, x: &Tensor, state: &Tensor) -> Tensor {
        let gates = tf::split(self.gates.call(tf::concat(&[x, state], -1)), 2, -1);
        let (update, reset) = (&gates[0], &gates[1]);
        let candidate = self.candidate.call(tf::concat(&[x, &(reset * state)], -1));
        update * state + (1.0 - update) * candidate
    }
}

/// Runs a cell over sequences.
#[derive(Module)]
pub struct DynamicRnn {
    pub cell: Gru,
}

impl DynamicRnn {
    /// The outputs `[batch, time, units]`, zero behind each sequence's end, and the last states `[batch, units]`.
    #[tf_function]
    pub fn call(&self, input: &Tensor, lengths: &Tensor) -> (Tensor, Tensor) {
        // Time goes first, so that a step is a row.
        let input = tf::transpose(input, [1, 0, 2]);
        let (steps, batch) = (tf::shape(&input).at(0), input.shape().dim(1));
        let mut outputs = TensorArray::new(DType::F32, &steps);
        let mut state = tf::zeros([batch, Dim::known(self.cell.units)]);
        let longest = tf::reduce_max(lengths, ());
        for i in tf::range(0, &steps, 1) {
            let mut output = tf::zeros_like(&state);
            if &i < &longest {
                let next = self.cell.call(&input.at(&i), &state);
                let goes_on = tf::expand_dims(tf::less(&i, lengths), 1);
                output = goes_on.select(&next, &output);
                state = goes_on.select(&next, &state);
            }
            outputs = outputs.write(&i, &output);
        }
        (tf::transpose(outputs.stack(), [1, 0, 2]), state)
    }
}
