//! The network of TensorFlow's text generation tutorial: a table of characters, a GRU, a dense layer.
//! It trains on whole windows, and writes one character at a time with the state of the GRU carried on.

use eagerflow as tf;
use tf::layers::{Dense, Embedding, GRU};
use tf::{Module, Tensor, tf_function};

#[derive(Module)]
pub struct Rnn {
    embedding: Embedding,
    gru: GRU,
    head: Dense,
    units: usize,
}

impl Rnn {
    pub fn new(symbols: usize, width: usize, units: usize) -> Self {
        Self {
            embedding: Embedding::new(symbols, width),
            gru: GRU::new(units).return_sequences(true),
            head: Dense::new(symbols),
            units,
        }
    }
}

#[tf::model]
impl Rnn {
    /// For each character `[batch, time]` the logits of the next one.
    pub fn call(&self, codes: &Tensor) -> Tensor {
        self.head.call(self.gru.call(self.embedding.call(codes)))
    }
}

/// Reads codes `[1, time]` and draws one behind them. The states go in and come out: the text before is in them, so that a
/// character costs the same wherever it is. Traced once, for the prompt as for the single characters after it.
#[tf_function(input_signature = [_, i32[1, _], _, f32[]])]
pub fn next(model: &Rnn, codes: &Tensor, states: &[Tensor], temperature: &Tensor) -> (Tensor, Vec<Tensor>) {
    let (hidden, states) = model.gru.call_with_state(model.embedding.call(codes), states);
    let logits = model.head.call(hidden).at(tf::s![.., -1, ..]) / temperature;
    let code = tf::random::categorical(logits, 1).cast(tf::int32);
    (code, states)
}

/// Goes on from a prompt for `length` characters and tells each.
pub fn write(model: &Rnn, prompt: &[i32], length: usize, temperature: f32, mut tell: impl FnMut(i32)) {
    let temperature = tf::constant(temperature);
    let (mut codes, mut states) = (tf::constant(prompt.to_vec()).expand_dims(0), vec![tf::zeros([1, model.units])]);
    for _ in 0..length {
        (codes, states) = next(model, &codes, &states, &temperature);
        tell(codes.item::<i32>());
    }
}
