//! The dynamic RNN of TensorFlow's guide: `cargo run --release --example rnn`. A loop over time in one graph, for
//! sequences of any length; it learns to add up the numbers of a sequence and to stop where the sequence ends.

mod cell;

use cell::{DynamicRnn, Gru};
use eagerflow as tf;
use std::time::Instant;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::{DType, GradientTape, Module, Tensor, tf_function};

/// An RNN, and what it makes of its last state.
#[derive(Module)]
struct Adder {
    rnn: DynamicRnn,
    head: Dense,
}

impl Adder {
    fn new(units: usize) -> Self {
        Self { rnn: DynamicRnn { cell: Gru::new(units) }, head: Dense::new(1) }
    }

    /// One number for each sequence.
    fn call(&self, numbers: &Tensor, lengths: &Tensor) -> Tensor {
        let (_, last) = self.rnn.call(numbers, lengths);
        self.head.call(last).squeeze(-1)
    }
}

/// Sequences `[batch, time, 1]`, their lengths, and the sums up to there. What lies behind the end is noise.
fn sequences(batch: usize, longest: usize) -> (Tensor, Tensor, Tensor) {
    let numbers = tf::random::uniform([batch, longest], -1.0, 1.0);
    let lengths = tf::random::uniform_int([batch], 1, longest as i64 + 1).cast(DType::I32);
    let inside = tf::less(tf::range(0, longest as i32, 1), tf::expand_dims(&lengths, 1));
    let sums = tf::reduce_sum(&numbers * inside.cast(DType::F32), 1);
    (tf::expand_dims(numbers, 2), lengths, sums)
}

/// One step of training: one trace for batches and sequences of every size.
#[tf_function(input_signature = [_, _, f32[batch, _, 1], i32[batch], f32[batch]])]
fn train_step(model: &Adder, optimizer: &Adam, numbers: &Tensor, lengths: &Tensor, sums: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = (model.call(numbers, lengths) - sums).square().mean();
    let variables = model.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

/// Trains, and gives the mean distance from the sums of new sequences, those longer than all that were seen.
fn train(steps: usize) -> f32 {
    tf::random::set_seed(3);
    let (model, optimizer) = (Adder::new(16), Adam::new(0.01));
    let (mut seen, mut begin) = (0.0, Instant::now());
    for step in 1..=steps {
        // The longest sequence of each batch is another one.
        let (numbers, lengths, sums) = sequences(32, 4 + step % 7);
        seen += train_step(&model, &optimizer, &numbers, &lengths, &sums).item::<f32>();
        if step % 100 == 0 {
            let ms = begin.elapsed().as_secs_f64() * 10.0;
            println!("step {step:>4}  loss {:.5}  {ms:.2} ms a step", seen / 100.0);
            (seen, begin) = (0.0, Instant::now());
        }
    }

    println!("\n{:>8} {:>8} {:>8}   sequences of up to 12 numbers", "length", "sum", "answer");
    let (numbers, lengths, sums) = sequences(256, 12);
    let answers = model.call(&numbers, &lengths);
    for i in 0..5 {
        println!("{:>8} {:>8.3} {:>8.3}", lengths.at(i), sums.at(i), answers.at(i));
    }
    (answers - sums).abs().mean().item()
}

fn main() {
    let apart = train(500);
    println!("\nmean distance over 256 sequences: {apart:.4}");
    println!("traces made: {}", tf::function(train_step).trace_count());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_learns_to_add() {
        let apart = train(300);
        assert!(apart < 0.2, "{apart}");
        assert!(tf::function(train_step).trace_count() <= 2, "{:?}", tf::function(train_step).reasons());
    }

    /// Behind the end of a sequence nothing changes: its state is that of the sequence alone, its outputs are zero.
    #[test]
    fn lengths_are_heard() {
        let model = Adder::new(4);
        let numbers = tf::random::uniform([1, 6, 1], -1.0, 1.0);
        let (outputs, last) = model.rnn.call(&numbers, &tf::constant([4]));
        let (short, alone) = model.rnn.call(&numbers.at(tf::s![.., ..4, ..]), &tf::constant([4]));
        assert_eq!(last.to_vec::<f32>(), alone.to_vec::<f32>());
        assert_eq!(outputs.at(tf::s![.., ..4, ..]).to_vec::<f32>(), short.to_vec::<f32>());
        assert_eq!(outputs.at(tf::s![.., 4.., ..]).to_vec::<f32>(), [0.0; 8]);
    }
}
