//! `Dense` and the layers without variables of its kind against Keras.
//! One test per layer, with a row for each of its options.

use crate::layer_rows::check;
use crate::numbers::file;
use eagerflow as tf;
use tf::layers::{Activation, Concatenate, Dense, Dropout, Flatten};

#[test]
fn dense() {
    let rows = file("layers_core");
    check(&rows["dense"], "dense", &Dense::new(4), 1e-6);
    check(&rows["dense_relu"], "dense_relu", &Dense::new(4).activation("relu"), 1e-6);
    check(&rows["dense_bare"], "dense_bare", &Dense::new(3).use_bias(false), 1e-6);
    check(&rows["dense_wide"], "dense_wide", &Dense::new(2).activation("tanh"), 1e-6);
    check(&rows["dense_mixed"], "dense_mixed", &Dense::new(3).dtype("mixed_bfloat16"), 2e-2);
}

#[test]
fn without_variables() {
    let rows = file("layers_core");
    check(&rows["activation"], "activation", &Activation::new("gelu"), 2e-6);
    check(&rows["flatten"], "flatten", &Flatten::new(), 0.0);
    check(&rows["concatenate"], "concatenate", &Concatenate::new().axis(1), 0.0);
    check(&rows["dropout_used"], "dropout_used", &Dropout::new(0.5), 0.0);
}
