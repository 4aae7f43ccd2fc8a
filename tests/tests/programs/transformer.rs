//! A small causal language model with a block layer of its own. It learns to count on by any step.
//! The same as `transformer.py`.

use eagerflow as tf;
use tf::layers::{Attend, Dense, Dropout, Embedding, Lambda, LayerNormalization, MultiHeadAttention};
use tf::losses::SparseCategoricalCrossentropy;
use tf::optim::Adam;
use tf::training::{Compile, Fit};
use tf::{DType, Duplicate, Functional, Module, Sequential, Tensor, s};

const VOCABULARY: usize = 17;
const LENGTH: usize = 12;

#[derive(Clone, Module, Duplicate)]
struct TransformerBlock {
    att: MultiHeadAttention,
    ffn: Sequential,
    layernorm1: LayerNormalization,
    layernorm2: LayerNormalization,
    dropout1: Dropout,
    dropout2: Dropout,
}

#[tf::model(layer)]
impl TransformerBlock {
    fn new(embed_dim: usize, num_heads: usize, ff_dim: usize, rate: f64) -> Self {
        Self {
            att: MultiHeadAttention::new(num_heads, embed_dim / num_heads),
            ffn: Sequential::new((Dense::new(ff_dim).activation("relu"), Dense::new(embed_dim))),
            layernorm1: LayerNormalization::new().epsilon(1e-6),
            layernorm2: LayerNormalization::new().epsilon(1e-6),
            dropout1: Dropout::new(rate),
            dropout2: Dropout::new(rate),
        }
    }

    fn call(&self, inputs: &Tensor) -> Tensor {
        let attention_output = self.att.call_attention(Attend::new(inputs, inputs).causal(true));
        let attention_output = self.dropout1.call(attention_output);
        let out1 = self.layernorm1.call(inputs + attention_output);
        let ffn_output = self.ffn.call(&out1);
        let ffn_output = self.dropout2.call(ffn_output);
        self.layernorm2.call(out1 + ffn_output)
    }
}

fn build_model(embed_dim: usize, num_heads: usize, ff_dim: usize) -> Functional {
    let tokens = tf::input_of([None], tf::int32);
    let positions = Lambda::new(|tokens| tf::zeros_like(tokens) + tf::range!(tokens.dim(1))).call(&tokens);
    let x = Embedding::new(VOCABULARY, embed_dim).call(&tokens) + Embedding::new(LENGTH, embed_dim).call(positions);
    let x = TransformerBlock::new(embed_dim, num_heads, ff_dim, 0.1).call(x);
    let x = TransformerBlock::new(embed_dim, num_heads, ff_dim, 0.1).call(x);
    Functional::new(&tokens, &Dense::new(VOCABULARY).call(x))
}

/// Rows that begin anywhere and go on by a step of their own, in a ring.
fn sequences(count: usize) -> Tensor {
    let start = tf::random::uniform_int([count, 1], 0, VOCABULARY as i64);
    let step = tf::random::uniform_int([count, 1], 1, VOCABULARY as i64);
    (start + step * tf::range!(LENGTH + 1)) % VOCABULARY as i32
}

/// The prompt, and what the model takes for the most likely rest.
fn generate(model: &Functional, prompt: &[i32]) -> Vec<i32> {
    let mut tokens = prompt.to_vec();
    while tokens.len() < LENGTH {
        let logits = model.call(tf::constant([&tokens[..]]));
        tokens.push(tf::argmax!(logits.at(s![0, -1])).item::<i64>() as i32);
    }
    tokens
}

/// The accuracy of the next token, the first excepted, and a row that was begun.
pub fn run(epochs: usize) -> (f32, Vec<i32>) {
    tf::random::set_seed(1);
    let loss = SparseCategoricalCrossentropy::new().from_logits(true);
    let trainer = build_model(32, 2, 64).compile(Adam::new(3e-3), loss);
    let data = sequences(4096);
    let (x, y) = (data.at(s![.., ..-1]), data.at(s![.., 1..]));
    trainer.fit((x, y), Fit::new().epochs(epochs).batch_size(64).verbose(0));
    let test = sequences(256);
    let answers = tf::argmax!(trainer.predict(test.at(s![.., ..-1])), axis = -1).cast(DType::I32);
    let right = tf::equal(answers.at(s![.., 1..]), test.at(s![.., 2..]));
    (right.cast(DType::F32).mean().item(), generate(trainer.model(), &[1, 4, 7]))
}

#[test]
fn it_learns() {
    let (accuracy, row) = run(6);
    assert!(accuracy > 0.8, "{accuracy} {row:?}");
}
