//! A causal transformer over characters, with the batch and the time open: it learns to go on with words that repeat.

use super::{learnt, seeded, two_traces};
use eagerflow as tf;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::{Attention, GradientTape, Module, Tensor, Variable, tf_function};

const WORDS: usize = 7;
const WIDTH: usize = 32;
const HEADS: usize = 4;

/// Normalises the last axis.
#[derive(Module)]
struct Norm {
    scale: Variable,
    offset: Variable,
}

impl Norm {
    fn new() -> Self {
        Self { scale: Variable::new(tf::ones([WIDTH])), offset: Variable::new(tf::zeros([WIDTH])) }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        tf::layer_normalization(x, -1, Some(&self.scale.value()), Some(&self.offset.value()), 1e-5)
    }
}

#[derive(Module)]
struct Block {
    norms: [Norm; 2],
    qkv: Dense,
    out: Dense,
    hidden: Dense,
    back: Dense,
}

impl Block {
    fn new() -> Self {
        Self {
            norms: [Norm::new(), Norm::new()],
            qkv: Dense::new(3 * WIDTH),
            out: Dense::new(WIDTH),
            hidden: Dense::new(4 * WIDTH).activation("gelu"),
            back: Dense::new(WIDTH),
        }
    }

    fn attend(&self, x: &Tensor) -> Tensor {
        let (batch, time) = (x.dim(0), x.dim(1));
        let heads = self.qkv.call(x).reshape((batch, time, 3, HEADS, WIDTH / HEADS)).transpose([2, 0, 3, 1, 4]);
        let parts = tf::unstack(&heads, 0);
        let causal = Attention { causal: true, ..Default::default() };
        let mixed = tf::scaled_dot_product_attention(&parts[0], &parts[1], &parts[2], causal);
        self.out.call(mixed.transpose([0, 2, 1, 3]).reshape((batch, time, WIDTH)))
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let x = x + self.attend(&self.norms[0].call(x));
        &x + self.back.call(self.hidden.call(self.norms[1].call(&x)))
    }
}

#[derive(Module)]
struct Transformer {
    words: Variable,
    blocks: Vec<Block>,
    norm: Norm,
}

/// Sines and cosines of each position.
fn positions(x: &Tensor) -> Tensor {
    let time = tf::range(0, x.dim(1), 1).cast(tf::float32).expand_dims(1);
    let rates = tf::exp(tf::range(0, (WIDTH / 2) as i32, 1).cast(tf::float32) * (-4.0 / WIDTH as f32));
    let angles = time * rates;
    tf::concat(&[tf::sin(&angles), tf::cos(&angles)], -1)
}

impl Transformer {
    fn new() -> Self {
        let words = Variable::new(tf::random::normal([WORDS, WIDTH], 0.0, 0.5));
        Self { words, blocks: vec![Block::new(), Block::new()], norm: Norm::new() }
    }

    fn call(&self, words: &Tensor) -> Tensor {
        let start = tf::embedding_lookup(&self.words, words) + positions(words);
        let last = self.blocks.iter().fold(start, |x, block| block.call(&x));
        tf::einsum("btd,wd->btw", &[&self.norm.call(&last), &self.words.value()])
    }
}

#[tf_function]
fn train_step(model: &Transformer, optimizer: &Adam, words: &Tensor) -> Tensor {
    let (given, next) = (words.at(tf::s![.., ..-1]), words.at(tf::s![.., 1..]));
    let tape = GradientTape::new();
    let losses = tf::sparse_softmax_cross_entropy_with_logits(&next, model.call(&given));
    let loss = losses.mean();
    let variables = model.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

/// Words that repeat with a period of three, from a place of their own in each row.
fn repeated(batch: usize, time: usize) -> Tensor {
    let word = |row: usize, at: usize| ((row * 5 + (at + row) % 3 * 2) % WORDS) as i32;
    let rows: Vec<Vec<i32>> = (0..batch).map(|row| (0..time).map(|at| word(row, at)).collect()).collect();
    tf::constant(rows)
}

#[test]
fn a_causal_transformer_learns_at_twenty_lengths() {
    let _alone = seeded(1);
    let (model, optimizer) = (Transformer::new(), Adam::new(3e-3));
    let mut losses = Vec::new();
    for step in 0..60 {
        let words = repeated(2 + step % 4, 6 + step % 20);
        losses.push(train_step(&model, &optimizer, &words).item::<f32>());
    }
    learnt(&losses, 0.5);
    two_traces(train_step);
    // What comes later changes nothing.
    let words = repeated(2, 9);
    let (whole, part) = (model.call(&words), model.call(&words.at(tf::s![.., ..5])));
    let apart = tf::reduce_max(tf::abs(whole.at(tf::s![.., ..5]) - part), ()).item::<f32>();
    assert!(apart < 1e-4, "{apart}");
}
