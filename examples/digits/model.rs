//! The networks: the default one, and that of TensorFlow's eager guide.
//! Both take images `[batch, rows, columns, 1]` of any size and give logits.

use crate::args::Model;
use eagerflow as tf;
use tf::layers::{Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, MaxPool2D};
use tf::{Module, Padding, Tensor};

/// A network that tells classes of images apart.
pub trait Classifier: Module {
    /// The logits of a batch of images.
    fn call(&self, images: &Tensor, training: bool) -> Tensor;
}

pub fn build(model: Model, classes: usize) -> Box<dyn Classifier> {
    match model {
        Model::Default => Box::new(Default::new(classes)),
        Model::Guide => Box::new(Guide::new(classes)),
    }
}

#[derive(Module)]
struct Default {
    conv1: Conv2D,
    conv2: Conv2D,
    pool: MaxPool2D,
    flatten: Flatten,
    dropout: Dropout,
    head: Dense,
}

impl Default {
    fn new(classes: usize) -> Self {
        Self {
            conv1: Conv2D::new(32, 3).padding(Padding::Same).activation("relu"),
            conv2: Conv2D::new(64, 3).activation("relu"),
            pool: MaxPool2D::new(2),
            flatten: Flatten::new(),
            dropout: Dropout::new(0.3),
            head: Dense::new(classes),
        }
    }
}

impl Classifier for Default {
    fn call(&self, images: &Tensor, training: bool) -> Tensor {
        let x = self.conv2.call(self.conv1.call(images));
        let x = self.flatten.call(self.pool.call(x));
        self.head.call(self.dropout.call_training(x, training))
    }
}

#[derive(Module)]
struct Guide {
    conv1: Conv2D,
    conv2: Conv2D,
    pool: GlobalAveragePooling2D,
    head: Dense,
}

impl Guide {
    fn new(classes: usize) -> Self {
        Self {
            conv1: Conv2D::new(16, 3).activation("relu"),
            conv2: Conv2D::new(16, 3).activation("relu"),
            pool: GlobalAveragePooling2D::new(),
            head: Dense::new(classes),
        }
    }
}

impl Classifier for Guide {
    fn call(&self, images: &Tensor, _training: bool) -> Tensor {
        self.head.call(self.pool.call(self.conv2.call(self.conv1.call(images))))
    }
}
