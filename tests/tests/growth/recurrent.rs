//! What a step of a recurrent layer costs, forward and with gradients by inputs and variables, as a graph and operation by operation.
//! `super` counts; a row is a step.

use super::level;
use eagerflow as tf;
use tf::layers::{Bidirectional, GRU, LSTM, Layer};
use tf::{GradientTape, Tensor, tf_function};

/// The output for rows as steps of one example, and the gradient of its sum of squares.
fn cost(layer: &dyn Layer, xs: &Tensor, trained: bool) -> Tensor {
    let mut tape = GradientTape::persistent();
    tape.watch(xs);
    let y = layer.call_training(tf::expand_dims(xs, 0), true);
    if !trained {
        return y;
    }
    let loss = tf::reduce_sum(y.square(), ());
    let variables = layer.trainable_variables();
    let by_variables = tape.gradient(&loss, &variables);
    assert!((0..variables.len()).all(|at| by_variables.get(at).is_some()));
    tape.gradient(&loss, xs)
}

#[tf_function]
fn traced(layer: &dyn Layer, xs: &Tensor, trained: bool) -> Tensor {
    cost(layer, xs, trained)
}

macro_rules! tested {
    ($($name:ident $layer:expr;)*) => {$(
        #[test]
        fn $name() {
            let layer = $layer;
            let layer: &dyn Layer = &layer;
            for trained in [false, true] {
                level(concat!(stringify!($name), ", graph"), |xs, _| drop(traced(layer, xs, trained)));
                level(concat!(stringify!($name), ", at once"), |xs, _| drop(cost(layer, xs, trained)));
            }
        }
    )*};
}

tested! {
    lstm LSTM::new(4).return_sequences(true);
    gru_of_the_last_step GRU::new(4).dropout(0.1);
    both_directions Bidirectional::new(LSTM::new(4).return_sequences(true));
}
