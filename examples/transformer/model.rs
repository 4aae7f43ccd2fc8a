//! The network: a small GPT over characters. Blocks of causal attention and dense layers, each behind a normalisation and beside a
//! residual; the table of characters is the head too.

use eagerflow as tf;
use tf::layers::{Dense, Dropout, Embedding, LayerNormalization, MultiHeadAttention};
use tf::{Module, Tensor};

/// The sizes of a network.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub symbols: usize,
    /// How many characters are seen at once.
    pub context: usize,
    pub width: usize,
    pub heads: usize,
    pub blocks: usize,
}

#[derive(Module)]
struct Block {
    norm_1: LayerNormalization,
    attention: MultiHeadAttention,
    norm_2: LayerNormalization,
    up: Dense,
    down: Dense,
    dropout: Dropout,
}

impl Block {
    fn new(sizes: Sizes) -> Self {
        Self {
            norm_1: LayerNormalization::new(),
            attention: MultiHeadAttention::new(sizes.heads, sizes.width / sizes.heads).use_causal_mask(true),
            norm_2: LayerNormalization::new(),
            up: Dense::new(4 * sizes.width).activation("gelu"),
            down: Dense::new(sizes.width),
            dropout: Dropout::new(0.2),
        }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let seen = self.norm_1.call(x);
        let x = x + self.dropout.call(self.attention.call([&seen, &seen]));
        let thought = self.down.call(self.up.call(self.norm_2.call(&x)));
        x + self.dropout.call(thought)
    }
}

#[derive(Module)]
pub struct Gpt {
    symbols: Embedding,
    places: Embedding,
    blocks: Vec<Block>,
    norm: LayerNormalization,
}

impl Gpt {
    pub fn new(sizes: Sizes) -> Self {
        Self {
            symbols: Embedding::new(sizes.symbols, sizes.width),
            places: Embedding::new(sizes.context, sizes.width),
            blocks: (0..sizes.blocks).map(|_| Block::new(sizes)).collect(),
            norm: LayerNormalization::new(),
        }
    }
}

#[tf::model]
impl Gpt {
    /// For each character `[batch, time]` the logits of the next one, `[batch, time, symbols]`.
    pub fn call(&self, codes: &Tensor) -> Tensor {
        let places = tf::range(0, codes.dim(1), 1);
        let mut x = self.symbols.call(codes) + self.places.call(&places);
        for block in &self.blocks {
            x = block.call(&x);
        }
        // The table that reads characters writes them too.
        let table = self.symbols.embeddings().expect("the table is built where it is read");
        tf::matmul(self.norm.call(&x), tf::transpose(table, [1, 0]))
    }
}
