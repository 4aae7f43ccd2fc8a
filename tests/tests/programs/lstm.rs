//! Sequences of different lengths, padded and masked: an LSTM that tags each step, and one that says something of the whole.
//! The same as `lstm.py`.

use eagerflow as tf;
use tf::layers::{Dense, Embedding, LSTM};
use tf::losses::{BinaryCrossentropy, SparseCategoricalCrossentropy};
use tf::optim::Adam;
use tf::training::{Compile, Fit};
use tf::{DType, Functional, Tensor, s};

const LONGEST: usize = 20;
const WORDS: usize = 10;

/// Rows of words from 1, with zeros behind their ends; which steps follow a word that is greater, and whether there are more
/// great words than small ones.
fn sequences(count: usize) -> (Tensor, Tensor, Tensor) {
    let lengths = tf::random::uniform_int([count, 1], 5, LONGEST as i64 + 1);
    let inside = tf::less(tf::range!(LONGEST), &lengths).cast(DType::I32);
    let rows = tf::random::uniform_int([count, LONGEST], 1, WORDS as i64) * inside;
    let falls = tf::less(rows.at(s![.., 1..]), rows.at(s![.., ..-1])).cast(DType::I32);
    let falls = tf::concat(&[tf::zeros([count, 1]).cast(DType::I32), falls], 1);
    let great = tf::count_nonzero(tf::greater_equal(&rows, 5), tf::keep_dims(1)).cast(DType::I32);
    (rows, falls, tf::greater(great * 2, lengths).cast(DType::F32))
}

fn build_model() -> Functional<Tensor, (Tensor, Tensor)> {
    let words = tf::input_of([None], tf::int32);
    let x = Embedding::new(WORDS, 16).mask_zero(true).call(&words);
    let x = LSTM::new(24).return_sequences(true).call(x);
    let falls = Dense::new(2).name("falls").call(&x);
    let last = LSTM::new(24).call(&x);
    let great = Dense::new(1).activation("sigmoid").name("great").call(last);
    Functional::new(&words, (&falls, &great))
}

/// Both accuracies over new sequences, and how far padding moves an answer.
pub fn run(epochs: usize) -> (f64, f64, f32) {
    tf::random::set_seed(1);
    let loss = (SparseCategoricalCrossentropy::new().from_logits(true), BinaryCrossentropy::new());
    let trainer = build_model().compile(Adam::new(5e-3), loss).metrics_of(0, "accuracy").metrics_of(1, "accuracy");
    let (rows, falls, great) = sequences(2000);
    let options = Fit::new().epochs(epochs).batch_size(64).validation_split(0.1).verbose(0);
    trainer.fit((rows, (falls, great)), options);
    let (rows, falls, great) = sequences(500);
    let scores = trainer.evaluate((rows, (falls, great)));
    let (_, short) = trainer.model().call(tf::constant([[3, 9, 2, 7, 8]]));
    let (_, padded) = trainer.model().call(tf::constant([[3, 9, 2, 7, 8, 0, 0, 0]]));
    let moved = (short - padded).abs().item();
    (scores["falls_accuracy"], scores["great_accuracy"], moved)
}

#[test]
fn it_learns() {
    let (falls, great, moved) = run(3);
    assert!(falls > 0.8 && great > 0.8, "{falls} {great}");
    assert_eq!(moved, 0.0);
}
