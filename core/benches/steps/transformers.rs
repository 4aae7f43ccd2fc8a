//! Networks of attention: an encoder as BERT has it, with normalisation behind each part, and a decoder as GPT has it, causal and with
//! normalisation before each part. `steps.rs` times their training steps.

use crate::network::{Network, Step, cross_entropy, symbols, with_adam};
use eagerflow as tf;
use tf::layers::{Dense, Embedding, LayerNormalization, MultiHeadAttention};
use tf::{Module, Tensor};

const WIDTH: usize = 128;
const HEADS: usize = 4;
const TIME: usize = 64;

fn attention(causal: bool) -> MultiHeadAttention {
    MultiHeadAttention::new(HEADS, WIDTH / HEADS).use_causal_mask(causal)
}

/// Four times as wide, and back.
#[derive(Module)]
struct Feed(Dense, Dense);

impl Feed {
    fn new() -> Self {
        Self(Dense::new(4 * WIDTH).activation("gelu"), Dense::new(WIDTH))
    }

    fn call(&self, x: &Tensor) -> Tensor {
        self.1.call(self.0.call(x))
    }
}

/// Attention and two products, with a normalisation behind each.
#[derive(Module)]
struct Encoder {
    attention: MultiHeadAttention,
    norm_1: LayerNormalization,
    feed: Feed,
    norm_2: LayerNormalization,
}

impl Encoder {
    fn new() -> Self {
        let (norm_1, norm_2) = (LayerNormalization::new(), LayerNormalization::new());
        Self { attention: attention(false), norm_1, feed: Feed::new(), norm_2 }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let x = self.norm_1.call(x + self.attention.call([x, x]));
        self.norm_2.call(&x + self.feed.call(&x))
    }
}

/// Causal attention and two products, with a normalisation before each.
#[derive(Module)]
struct Decoder {
    norm_1: LayerNormalization,
    attention: MultiHeadAttention,
    norm_2: LayerNormalization,
    feed: Feed,
}

impl Decoder {
    fn new() -> Self {
        let (norm_1, norm_2) = (LayerNormalization::new(), LayerNormalization::new());
        Self { norm_1, attention: attention(true), norm_2, feed: Feed::new() }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let seen = self.norm_1.call(x);
        let x = x + self.attention.call([&seen, &seen]);
        &x + self.feed.call(&self.norm_2.call(&x))
    }
}

/// The sum of what is learned of symbols and of their places.
#[derive(Module)]
struct Embedded {
    symbols: Embedding,
    places: Embedding,
}

impl Embedded {
    fn new(kinds: usize) -> Self {
        Self { symbols: Embedding::new(kinds, WIDTH), places: Embedding::new(TIME, WIDTH) }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        self.symbols.call(x) + self.places.call(tf::range(0, TIME as i32, 1))
    }
}

#[derive(Module)]
struct Bert {
    embedded: Embedded,
    norm: LayerNormalization,
    blocks: Vec<Encoder>,
    pooler: Dense,
    output: Dense,
}

impl Network for Bert {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let mut x = self.norm.call(self.embedded.call(x));
        for block in &self.blocks {
            x = block.call(&x);
        }
        cross_entropy(y, &self.output.call(self.pooler.call(x.at(tf::s![.., 0]))))
    }
}

pub fn bert(batch: usize) -> Step {
    let network = Bert {
        embedded: Embedded::new(2000),
        norm: LayerNormalization::new(),
        blocks: [(); 2].map(|()| Encoder::new()).into(),
        pooler: Dense::new(WIDTH).activation("tanh"),
        output: Dense::new(4),
    };
    with_adam(network, symbols(batch, TIME, 2000, 4, 1))
}

#[derive(Module)]
struct Gpt {
    embedded: Embedded,
    blocks: Vec<Decoder>,
    norm: LayerNormalization,
    output: Dense,
}

impl Network for Gpt {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let mut x = self.embedded.call(x);
        for block in &self.blocks {
            x = block.call(&x);
        }
        cross_entropy(y, &self.output.call(self.norm.call(&x)))
    }
}

pub fn gpt(batch: usize) -> Step {
    let network = Gpt {
        embedded: Embedded::new(1000),
        blocks: [(); 2].map(|()| Decoder::new()).into(),
        norm: LayerNormalization::new(),
        output: Dense::new(1000).use_bias(false),
    };
    with_adam(network, symbols(batch, TIME, 1000, 1000, TIME))
}
