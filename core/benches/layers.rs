//! Training steps of small models with Keras's layers, by `fit` and as a traced step: `layers_peers.py` times them in turns with Keras on its
//! three backends and with PyTorch's modules. `cargo bench -p eagerflow --bench layers` alone prints the times of each workload;
//! with `-- --serve` a line on the input asks for one sample.

use eagerflow as tf;
use std::io::BufRead;
use std::time::Instant;
use tf::layers::{
    Activation, Attend, BatchNormalization, Conv2D, Dense, GRU, GlobalAveragePooling2D, LSTM, Layer,
    LayerNormalization, MultiHeadAttention,
};
use tf::optim::{Adam, Optimizer};
use tf::training::Compile;
use tf::{GradientTape, Model, Module, Sequential, Tensor, tf_function};

/// A workload: one training step, of which the loss comes.
type Step = Box<dyn Fn() -> f64>;

/// Attention between two products, with what a block of a transformer has around it.
#[derive(Module)]
struct Block {
    attention: MultiHeadAttention,
    first: LayerNormalization,
    wide: Dense,
    narrow: Dense,
    second: LayerNormalization,
}

impl Block {
    fn new(heads: usize, width: usize) -> Self {
        Self {
            attention: MultiHeadAttention::new(heads, width / heads),
            first: LayerNormalization::new(),
            wide: Dense::new(4 * width).activation("relu"),
            narrow: Dense::new(width),
            second: LayerNormalization::new(),
        }
    }
}

#[tf::model]
impl Block {
    fn call(&self, x: &Tensor) -> Tensor {
        let x = self.first.call(x + self.attention.call_attention(Attend::new(x, x)));
        self.second.call(&x + self.narrow.call(self.wide.call(&x)))
    }
}

/// Attention alone.
#[derive(Module)]
struct Attention(MultiHeadAttention);

#[tf::model]
impl Attention {
    fn call(&self, x: &Tensor) -> Tensor {
        self.0.call_attention(Attend::new(x, x))
    }
}

/// A step as `fit` makes it, without its loop: loss, gradients, optimizer.
#[tf_function]
fn step_of(model: &Sequential, optimizer: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = (model.call_training(x, true) - y).square().mean();
    let variables = model.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

/// A traced step by hand, for models of layers in a row.
fn by_hand(layers: Vec<std::sync::Arc<dyn Layer>>, x: Tensor, y: Tensor) -> Step {
    let (model, optimizer) = (Sequential::new(layers), Adam::new(1e-3));
    Box::new(move || f64::from(step_of(&model, &optimizer, &x, &y).item::<f32>()))
}

/// A step of the trainer: Keras's `train_on_batch`.
fn trained<M: Model<Input = Tensor> + 'static>(model: M, x: Tensor, y: Tensor) -> Step {
    let trainer = model.compile(Adam::new(1e-3), "mse");
    Box::new(move || trainer.train_on_batch((&x, &y))["loss"])
}

fn normal(seed: i32, shape: &[usize]) -> Tensor {
    let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    tf::random::stateless_normal(shape, [seed, 0], 0.0, 1.0)
}

/// Layers in a row, on inputs and targets of these shapes.
macro_rules! row {
    ($all:ident, $name:literal, $x:expr, $y:expr, $($layer:expr),+ $(,)?) => {
        $all.push(($name, trained(Sequential::new(($($layer,)+)), normal(1, &$x), normal(2, &$y))));
        let layers: Vec<std::sync::Arc<dyn Layer>> = vec![$(std::sync::Arc::new($layer)),+];
        $all.push((concat!($name, " by hand"), by_hand(layers, normal(1, &$x), normal(2, &$y))));
    };
}

fn workloads() -> Vec<(&'static str, Step)> {
    let mut all: Vec<(&'static str, Step)> = Vec::new();
    let sequence = [32, 64, 128];
    let attention = Attention(MultiHeadAttention::new(4, 32));
    all.push(("attention", trained(attention, normal(1, &sequence), normal(2, &sequence))));
    all.push(("block", trained(Block::new(4, 128), normal(1, &sequence), normal(2, &sequence))));
    row!(
        all,
        "layer_norm",
        [512, 512],
        [512, 512],
        Dense::new(512),
        LayerNormalization::new(),
        Activation::new("relu"),
        Dense::new(512),
        LayerNormalization::new()
    );
    row!(
        all,
        "batch_norm",
        [512, 512],
        [512, 512],
        Dense::new(512),
        BatchNormalization::new(),
        Activation::new("relu"),
        Dense::new(512),
        BatchNormalization::new()
    );
    row!(
        all,
        "conv_batch_norm",
        [32, 28, 28, 8],
        [32, 10],
        Conv2D::new(32, 3).padding("same"),
        BatchNormalization::new(),
        Activation::new("relu"),
        Conv2D::new(32, 3).padding("same"),
        BatchNormalization::new(),
        Activation::new("relu"),
        GlobalAveragePooling2D::new(),
        Dense::new(10)
    );
    row!(all, "lstm", [32, 50, 128], [32, 50, 128], LSTM::new(128).return_sequences(true));
    row!(all, "gru", [32, 50, 128], [32, 50, 128], GRU::new(128).return_sequences(true));
    all
}

fn milliseconds(step: &Step) -> f64 {
    let start = Instant::now();
    assert!(step().is_finite());
    start.elapsed().as_secs_f64() * 1e3
}

fn main() {
    tf::random::set_seed(1);
    let all = workloads();
    if !std::env::args().any(|argument| argument == "--serve") {
        for (name, step) in &all {
            let mut times: Vec<f64> = (0..15).map(|_| milliseconds(step)).collect();
            times.drain(..4);
            times.sort_by(f64::total_cmp);
            println!("{name:<24} {:>10.3} ms", times[5]);
        }
        return;
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match all.iter().find(|(name, _)| *name == line) {
            Some((_, step)) => println!("{}", milliseconds(step)),
            None => println!("nan"),
        }
    }
}
