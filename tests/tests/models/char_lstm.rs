//! A character LSTM over texts of different lengths in one batch: strings become numbers, what lies behind a text's end counts for
//! nothing, and the loop over time is one of the graph.

use super::{learnt, seeded, two_traces};
use eagerflow as tf;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::{DType, GradientTape, Module, Tensor, TensorArray, Variable, tf_function};

const LETTERS: usize = 28;
const UNITS: usize = 24;

#[derive(Module)]
struct CharLstm {
    letters: Variable,
    gates: Dense,
    head: Dense,
}

impl CharLstm {
    fn new() -> Self {
        let letters = Variable::new(tf::random::normal([LETTERS, UNITS], 0.0, 0.3));
        Self { letters, gates: Dense::new(4 * UNITS), head: Dense::new(LETTERS) }
    }

    /// The next output and the next memory.
    fn cell(&self, x: &Tensor, state: &(Tensor, Tensor)) -> (Tensor, Tensor) {
        let all = tf::split(self.gates.call(tf::concat(&[x, &state.0], -1)), 4, -1);
        let memory = tf::sigmoid(&all[0] + 1.0) * &state.1 + tf::sigmoid(&all[1]) * tf::tanh(&all[2]);
        (tf::sigmoid(&all[3]) * tf::tanh(&memory), memory)
    }

    /// The logits of each next letter, `[batch, time, letters]`.
    #[tf_function]
    fn call(&self, letters: &Tensor, lengths: &Tensor) -> Tensor {
        let x = tf::transpose(tf::embedding_lookup(&self.letters, letters), [1, 0, 2]);
        let (steps, batch) = (tf::shape(&x).at(0), x.dim(1));
        let mut state = (tf::zeros((batch, UNITS)), tf::zeros((batch, UNITS)));
        let mut outputs = TensorArray::new(DType::F32, &steps).element_shape((batch, UNITS));
        let mut at = tf::constant(0);
        while &at < tf::reduce_max(lengths, ()) {
            let next = self.cell(&x.at(&at), &state);
            let inside = tf::less(&at, lengths).expand_dims(1);
            state = (inside.select(&next.0, &state.0), inside.select(&next.1, &state.1));
            outputs = outputs.write(&at, &state.0);
            at = at + 1;
        }
        self.head.call(tf::transpose(outputs.stack(), [1, 0, 2]))
    }
}

#[tf_function]
fn train_step(model: &CharLstm, optimizer: &Adam, letters: &Tensor, lengths: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let (given, next, counts) = (letters.at(tf::s![.., ..-1]), letters.at(tf::s![.., 1..]), lengths - 1);
    let losses = tf::sparse_softmax_cross_entropy_with_logits(&next, model.call(&given, &counts));
    let inside = tf::sequence_mask(&counts, given.dim(1)).cast(tf::float32);
    let loss = tf::reduce_sum(losses * &inside, ()) / tf::reduce_sum(&inside, ());
    let variables = model.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

/// Texts as numbers of letters, 0 behind their ends, and their lengths.
fn numbered(texts: &[String]) -> (Tensor, Tensor) {
    let lengths: Vec<i32> = texts.iter().map(|text| text.len() as i32).collect();
    let longest = *lengths.iter().max().unwrap() as usize;
    let number = |letter: u8| if letter == b' ' { 27 } else { i32::from(letter - b'a') + 1 };
    let row = |text: &String| text.bytes().map(number).chain(std::iter::repeat(0)).take(longest).collect();
    (tf::constant(texts.iter().map(row).collect::<Vec<Vec<i32>>>()), tf::constant(lengths))
}

#[test]
fn a_character_lstm_learns_texts_of_twenty_lengths() {
    let _alone = seeded(4);
    let (model, optimizer) = (CharLstm::new(), Adam::new(1e-2));
    let text = "the quick brown fox jumps over the lazy dog ".repeat(2);
    let mut losses = Vec::new();
    for step in 0..80 {
        let length = 10 + step % 20;
        let texts: Vec<String> = (0..4 + step % 3).map(|i| text[3 * i..3 * i + length - i % 3].to_owned()).collect();
        let (letters, lengths) = numbered(&texts);
        losses.push(train_step(&model, &optimizer, &letters, &lengths).item::<f32>());
    }
    learnt(&losses, 0.6);
    two_traces(train_step);
}
