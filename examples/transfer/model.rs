//! The networks: a trunk that makes features of images, heads that make digits of features, and a model with two heads on one trunk.
//! The program puts them together in several ways.

use eagerflow::{self as tf, Module, Tensor};
use tf::Functional;
use tf::layers::{Concatenate, Conv2D, Dense, Flatten, MaxPooling2D};

/// Layers from images `[batch, 8, 8, 1]` to features `[batch, 1024]`.
pub fn trunk() -> tf::Sequential {
    tf::Sequential::new((
        Conv2D::new(32, 3).padding("same").activation("relu"),
        Conv2D::new(64, 3).padding("same").activation("relu"),
        MaxPooling2D::new(2),
        Conv2D::new(64, 3).padding("same").activation("relu"),
        Flatten::new(),
    ))
}

/// A trunk and a head.
#[derive(Module)]
pub struct Classifier {
    pub trunk: tf::Sequential,
    pub head: Dense,
}

#[tf::model]
impl Classifier {
    fn call(&self, images: &Tensor) -> Tensor {
        self.head.call(self.trunk.call(images))
    }
}

impl Classifier {
    pub fn new(trunk: tf::Sequential, classes: usize) -> Self {
        Self { trunk, head: Dense::new(classes) }
    }
}

/// A graph of layers with two heads on one trunk, whose logits lie side by side.
pub fn both_heads(trunk: &tf::Sequential, first: &Dense, second: &Dense) -> Functional {
    let images = tf::input([8, 8, 1]);
    let features = trunk.call(&images);
    let logits = Concatenate::new().call([&first.call(&features), &second.call(&features)]);
    Functional::new(&images, &logits)
}
