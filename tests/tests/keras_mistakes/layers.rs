//! Mistakes with single layers: ranks, sizes, masks, states.
//! `main.rs` runs the rows.

use super::{Row, rows};
use eagerflow as tf;
use tf::layers::{
    Add, Attention, BatchNormalization, Call, Concatenate, Conv1D, Conv2D, Dense, Dot, Embedding, Flatten, GRU,
    GlobalAveragePooling2D, LSTM, LayerNormalization, MaxPooling2D, MultiHeadAttention, Permute, Reshape,
    TimeDistributed,
};
use tf::{Duplicate, Module, Weights};

#[rustfmt::skip]
pub fn rows() -> Vec<Row> {
    rows! {
        "a scalar into Dense": {
            Dense::new(3).name("head").try_call(tf::constant(1.0), false)
        } => ["head", "float32[]", "[batch, "];
        "other features than a layer was built for": {
            let layer = Dense::new(3).name("head");
            layer.call(tf::ones([2, 4]));
            layer.try_call(tf::ones([2, 5]), false)
        } => ["head", "[2, 5]", "4"];
        "integers into Dense": {
            Dense::new(3).name("head").try_call(tf::constant([[1, 2]]), false)
        } => ["head", "int32[1, 2]", "cast"];
        "images without channels into Conv2D": {
            Conv2D::new(4, 3).name("stem").try_call(tf::ones([8, 28, 28]), false)
        } => ["stem", "[8, 28, 28]", "[batch, rows, columns, channels]", "expand_dims"];
        "a kernel larger than the input": {
            Conv2D::new(4, 5).name("stem").try_call(tf::ones([1, 3, 3, 1]), false)
        } => ["stem", "3 rows", "5", "`Padding::Same`"];
        "a window larger than the input": {
            MaxPooling2D::new(4).name("pool").try_call(tf::ones([1, 3, 3, 1]), false)
        } => ["pool", "3 rows", "4", "`Padding::Same`"];
        "other channels than Conv1D was built for": {
            let layer = Conv1D::new(2, 3).name("line");
            layer.call(tf::ones([1, 9, 4]));
            layer.try_call(tf::ones([1, 9, 6]), false)
        } => ["line", "[1, 9, 6]", "4"];
        "a batch without steps into LSTM": {
            LSTM::new(8).name("reader").try_call(tf::ones([32, 10]), false)
        } => ["reader", "[32, 10]", "[batch, steps, features]"];
        "an initial state of another size": {
            let (x, state) = (tf::ones([2, 5, 3]), tf::zeros([2, 7]));
            GRU::new(4).name("reader").try_call_with_state(&x, &[state], &Call::inference())
        } => ["reader", "float32[2, 7]", "float32[2, 4]"];
        "a stateful layer with another batch": {
            let layer = LSTM::new(4).name("memory").stateful(true);
            layer.call(tf::ones([2, 5, 3]));
            layer.try_call(tf::ones([3, 5, 3]), false)
        } => ["memory", "float32[3, 3]", "a batch of 2"];
        "a word that the table does not have": {
            Embedding::new(10, 4).name("words").try_call(tf::constant([[3, 10]]), false)
        } => ["words", "10"];
        "words as floats": {
            Embedding::new(10, 4).name("words").try_call(tf::constant(["a", "b"]), false)
        } => ["words", "string[2]"];
        "queries and values of different batches": {
            let (q, v) = (tf::ones([2, 3, 8]), tf::ones([4, 5, 8]));
            MultiHeadAttention::new(2, 4).name("look").try_call([&q, &v], false)
        } => ["look", "[2, 3, 8]", "[4, 5, 8]"];
        "queries and keys of different features": {
            let (q, v) = (tf::ones([2, 3, 8]), tf::ones([2, 5, 6]));
            Attention::new().name("look").try_call([&q, &v], false)
        } => ["look", "[2, 3, 8]", "[2, 5, 6]"];
        "parts that do not fit along the other axes": {
            Concatenate::new().name("both").try_call([&tf::ones([2, 3]), &tf::ones([4, 3])], false)
        } => ["both", "[2, 3]", "[4, 3]", "axis"];
        "terms that do not broadcast": {
            Add::new().name("skip").try_call([&tf::ones([2, 3]), &tf::ones([2, 4])], false)
        } => ["skip", "[2, 3]", "[2, 4]"];
        "one input for a product": {
            Dot::new(1).name("score").try_call([&tf::ones([2, 3])], false)
        } => ["score", "1", "2"];
        "factors of different length": {
            Dot::new(1).name("score").try_call([&tf::ones([2, 3]), &tf::ones([2, 4])], false)
        } => ["score", "[2, 3]", "[2, 4]"];
        "a shape of another number of elements": {
            Reshape::new([5]).name("rows").try_call(tf::ones([2, 6]), false)
        } => ["rows", "[2, 6]", "[5]"];
        "an order of other axes": {
            Permute::new([2, 1]).name("swap").try_call(tf::ones([2, 3]), false)
        } => ["swap", "[2, 3]", "2"];
        "a mask into a layer that refuses it": {
            let words = Embedding::new(10, 4).mask_zero(true).call(tf::constant([[3, 0]]));
            Flatten::new().name("flat").try_call(&words, false)
        } => ["flat", "mask"];
        "sequences into pooling of images": {
            GlobalAveragePooling2D::new().name("mean").try_call(tf::ones([2, 5, 3]), false)
        } => ["mean", "[2, 5, 3]", "[batch, rows, columns, channels]"];
        "an axis that is not there": {
            LayerNormalization::new().axis([3]).name("norm").try_call(tf::ones([2, 5]), false)
        } => ["norm", "[2, 5]", "3"];
        "other features than BatchNormalization was built for": {
            let layer = BatchNormalization::new().name("norm");
            layer.call(tf::ones([2, 4]));
            layer.try_call(tf::ones([2, 5]), false)
        } => ["norm", "[2, 5]", "4"];
        "a layer for each step, without steps": {
            TimeDistributed::new(Dense::new(2)).name("each").try_call(tf::ones([2, 3]), false)
        } => ["each", "[2, 3]"];
        "the weights of a layer that is not built": {
            Dense::new(3).name("head").try_variables()
        } => ["not built", "`kernel`, `bias`", "build(input_shape)"];
        "values for a layer that is not built": {
            Dense::new(3).name("head").try_set_weights(&[tf::ones([2, 3])])
        } => ["not built", "`kernel`, `bias`", "build(input_shape)"];
        "half of the weights": {
            let layer = Dense::new(3).name("head");
            layer.build([1, 2]);
            layer.try_set_weights(&[tf::ones([2, 3])])
        } => ["1", "2 weights: `kernel` float32[2, 3], `bias` float32[3]", "get_weights"];
        "weights of another shape": {
            let (layer, other) = (Dense::new(3).name("head"), Dense::new(3));
            layer.build([1, 2]);
            other.build([1, 4]);
            layer.try_set_weights(&other.duplicate().get_weights())
        } => ["float32[4, 3]", "float32[2, 3]", "variable: kernel"];
    }
}

#[test]
fn each_message_says_what_it_must() {
    super::check(&rows());
}
