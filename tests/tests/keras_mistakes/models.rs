//! Mistakes with whole models: graphs of layers, names, summaries, weights of another architecture.
//! `main.rs` runs the rows.

use super::{Row, rows};
use eagerflow as tf;
use tf::layers::{Dense, Flatten};
use tf::{Functional, Module, Sequential, Tensor, Weights};

#[rustfmt::skip]
pub fn rows() -> Vec<Row> {
    rows! {
        "layers that do not fit one another": {
            let model = Sequential::new((tf::layers::Conv2D::new(2, 3), tf::layers::LSTM::new(4).name("reader")));
            model.try_call(tf::ones([1, 8, 8, 1]), false)
        } => ["sequential", "/reader", "float32[1, 6, 2]", "float32[batch, features] at each step"];
        "inputs of another size than those before": {
            let model = Sequential::new((Flatten::new(), Dense::new(4).name("hidden"), Dense::new(2)));
            model.build([1, 3, 2]);
            model.try_call(tf::ones([5, 3, 3]), false)
        } => ["sequential", "/hidden", "[5, 9]", "6"];
        "a model without layers": {
            Sequential::empty().try_call(tf::ones([1, 2]), false)
        } => ["sequential", "no layers", "push"];
        "a layer that is added to a built model": {
            let mut model = Sequential::new((Dense::new(4),));
            model.build([1, 3]);
            model.push(Dense::new(2).name("late"));
            model.try_trainable_variables()
        } => ["1", "build"];
        "the summary of a struct that is not built": {
            #[derive(Module)]
            struct Net {
                hidden: Dense,
            }
            tf::models::try_summary(&Net { hidden: Dense::new(3) })
        } => ["hidden", "build"];
        "the summary for another input": {
            let model = Sequential::new((Flatten::new(), Dense::new(4).name("hidden")));
            model.build([1, 3, 2]);
            model.try_summary([None, Some(4), Some(2)])
        } => ["hidden", "6", "8"];
        "an output that does not come from the input": {
            let (a, b) = (tf::input([3]).name("a"), tf::input([4]).name("b"));
            let y = Dense::new(1).call(&b);
            Functional::try_new(&a, &y)
        } => ["Functional", "Node(b float32[None, 4])", "inputs"];
        "an input that leads nowhere": {
            let (a, b) = (tf::input([3]).name("a"), tf::input([4]).name("b"));
            let y = Dense::new(1).call(&b);
            Functional::try_new((&a, &b), &y)
        } => ["Functional", "Node(a float32[None, 3])", "no output"];
        "two layers of one name": {
            let a = tf::input([3]);
            let h = Dense::new(4).name("hidden").call(&a);
            let y = Dense::new(1).name("hidden").call(&h);
            Functional::try_new(&a, &y)
        } => ["Functional", "hidden", "name"];
        "nodes that do not fit a layer": {
            let a = tf::input([3]).name("a");
            tf::layers::LSTM::new(2).name("reader").try_call(&a, false)
        } => ["reader", "[batch, steps, features]"];
        "one of two inputs": {
            let nodes = vec![tf::input([3]).name("a"), tf::input([3]).name("b")];
            let y = Dense::new(1).call(tf::layers::Add::new().call([&nodes[0], &nodes[1]]));
            let model: Functional<Vec<Tensor>, Tensor> = Functional::new(&nodes, &y);
            model.try_call(vec![tf::ones([2, 3])])
        } => ["functional", "1", "2: [Node(a float32[None, 3]), Node(b float32[None, 3])]"];
        "inputs in the wrong order": {
            let (a, b) = (tf::input([3]).name("a"), tf::input([4]).name("b"));
            let y = tf::layers::Concatenate::new().call([&a, &b]);
            Functional::new((&a, &b), &y).try_call((tf::ones([2, 4]), tf::ones([2, 3])))
        } => ["functional", "\"a\"", "[2, 4]", "3"];
        "weights of a deeper model": {
            let (small, deep) = (Sequential::new((Dense::new(2),)), Sequential::new((Dense::new(4), Dense::new(2))));
            small.build([1, 3]);
            deep.build([1, 3]);
            small.try_set_weights(&deep.get_weights())
        } => ["4", "2 weights: `0/kernel` float32[3, 2], `0/bias` float32[2]"];
        "a file of another architecture": {
            let (saved, own) = (Sequential::new((Dense::new(4),)), Sequential::new((Dense::new(2).name("head"),)));
            saved.build([1, 3]);
            own.build([1, 3]);
            let path = std::env::temp_dir().join(format!("eagerflow-mistake-{}.safetensors", std::process::id()));
            tf::train::save_weights(&saved, &path).unwrap();
            let loaded = tf::train::load_weights(&own, &path);
            std::fs::remove_file(path).unwrap();
            loaded
        } => ["0/kernel", "[3, 4]", "[3, 2]", "eagerflow-mistake"];
        "weights of a model that is not built": {
            let model = Sequential::new((Dense::new(4), Dense::new(2)));
            model.try_weights()
        } => ["0", "build"];
    }
}

#[test]
fn each_message_says_what_it_must() {
    super::check(&rows());
}
