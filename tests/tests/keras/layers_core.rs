//! `Dense` and the layers without variables of its kind against Keras.
//! One test per layer, with a row for each of its options.

use crate::layer_rows::check;
use crate::numbers::file;
use eagerflow as tf;
use tf::Padding;
use tf::layers::{Activation, Concatenate, Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, MaxPool2D};

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

#[test]
fn of_images() {
    let rows = file("layers_core");
    let conv = Conv2D::new(2, 2).strides(2).padding(Padding::Same).activation("tanh");
    check(&rows["conv2d"], "conv2d", &conv, 2e-6);
    check(&rows["max_pool2d"], "max_pool2d", &MaxPool2D::new(2), 0.0);
    let strides = MaxPool2D::new(3).strides(1).padding(Padding::Same);
    check(&rows["max_pool2d_strides"], "max_pool2d_strides", &strides, 0.0);
    check(&rows["global_average_pooling2d"], "mean", &GlobalAveragePooling2D::new(), 1e-6);
    check(&rows["global_average_pooling2d_kept"], "kept", &GlobalAveragePooling2D::new().keepdims(true), 1e-6);
}
