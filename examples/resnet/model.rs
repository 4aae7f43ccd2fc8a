//! A small residual network as a graph of layers: blocks whose input goes on beside two convolutions with batch normalisation.
//! The program trains it; images are changed at random in front of it while it is trained.

use eagerflow as tf;
use tf::Functional;
use tf::layers::{
    Activation, Add, BatchNormalization, Conv2D, Dense, FillMode, GlobalAveragePooling2D, Node, RandomRotation,
    RandomTranslation, RandomZoom,
};

/// The network of "Deep residual learning for image recognition" (He and others, 2015), with blocks of these numbers of filters:
/// one for each number, whose first of a new number halves the image.
pub fn resnet(size: [usize; 3], classes: usize, blocks: &[usize]) -> Functional {
    let images = tf::input(size);
    let mut x = changed_at_random(&images);
    let mut filters = blocks[0];
    x = Activation::new("relu").call(&convolution(&x, filters, 3, 1));
    for &next in blocks {
        x = block(&x, next, next != filters);
        filters = next;
    }
    let features = GlobalAveragePooling2D::new().call(&x);
    Functional::new(&images, &Dense::new(classes).call(&features))
}

/// Moved, turned and zoomed a little. This happens in training only.
fn changed_at_random(images: &Node) -> Node {
    let moved = RandomTranslation::new(0.08, 0.08).fill_mode(FillMode::Constant).call(images);
    let turned = RandomRotation::new(0.03).fill_mode(FillMode::Constant).call(&moved);
    RandomZoom::new(0.08).fill_mode(FillMode::Constant).call(&turned)
}

/// Two convolutions, and the input beside them: as it is, or brought to their size by a convolution of single pixels.
fn block(x: &Node, filters: usize, halves: bool) -> Node {
    let strides = if halves { 2 } else { 1 };
    let inner = Activation::new("relu").call(&convolution(x, filters, 3, strides));
    let inner = convolution(&inner, filters, 3, 1);
    let beside = if halves { convolution(x, filters, 1, strides) } else { x.clone() };
    Activation::new("relu").call(&Add::new().call([&inner, &beside]))
}

/// A convolution and its batch normalisation, which has the bias.
fn convolution(x: &Node, filters: usize, size: usize, strides: usize) -> Node {
    let convolution = Conv2D::new(filters, size).strides(strides).padding("same").use_bias(false);
    BatchNormalization::new().momentum(0.9).call(&convolution.kernel_initializer("he_normal").call(x))
}
