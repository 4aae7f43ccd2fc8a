//! Layers: parts of networks with Keras's names, options and defaults, whose variables are made when the first input comes.
//! Models hold them as fields and call them; each layer has a file of its own, and `base` what they have in common.

mod activation;
pub(crate) mod base;
mod conv2d;
mod dense;
mod dropout;
mod einsum_dense;
mod embedding;
mod flatten;
mod identity;
mod lambda;
mod masking;
mod merge;
mod node;
mod noise;
mod normalization;
mod pooling;
mod preprocessing;
mod rectifiers;
mod rescaling;
mod reshaping;
#[cfg(test)]
mod tests;

pub use activation::Activation;
pub use base::{
    Call, Core, IntoPolicy, Layer, LayerExt, LayerInput, Masking as MaskRule, Outputs, Policy, SharedLayer, Weight,
    add_loss, get_mask, global_policy, set_global_policy, set_mask_of, try_set_global_policy, with_losses,
};
pub use conv2d::Conv2D;
pub use dense::Dense;
pub use dropout::Dropout;
pub use einsum_dense::EinsumDense;
pub use embedding::Embedding;
pub use flatten::Flatten;
pub use identity::Identity;
pub use lambda::Lambda;
pub use masking::Masking;
pub use merge::{
    Add, Average, Concatenate, Dot, DotAxes, LayerInputs, Maximum, Minimum, Multiply, NodeOperand, Subtract,
};
pub use node::{IntoInputShape, Node, input, input_of};
pub use noise::{
    ActivityRegularization, AlphaDropout, GaussianDropout, GaussianNoise, SpatialDropout1D, SpatialDropout2D,
    SpatialDropout3D,
};
pub use normalization::{
    BatchNormalization, GroupNormalization, IntoAxisList, LayerNormalization, Normalization, RMSNormalization,
    SpectralNormalization, UnitNormalization,
};
pub use pooling::{GlobalAveragePooling2D, MaxPool2D};
pub use preprocessing::{
    CategoryEncoding, CategoryMode, Discretization, Factor, FillMode, FlipMode, ImageSampling, RandomBrightness,
    RandomContrast, RandomCrop, RandomFlip, RandomRotation, RandomTranslation, RandomZoom,
};
pub use rectifiers::{ELU, LeakyReLU, PReLU, ReLU, Softmax};
pub use rescaling::{PerChannel, Rescaling};
pub use reshaping::{Permute, RepeatVector, Reshape};

pub(crate) use base::{layer, named, options_of_all, run, weight_losses};
pub(crate) use node::{NodeSource, Step};

/// Copies of layers and settings without variables.
macro_rules! copied_by_clone {
    ($($t:ty),*) => {$(
        impl engine::Duplicate for $t {
            fn duplicate_in(&self, _: &mut engine::Copies) -> Self {
                self.clone()
            }
        }
    )*};
}
use copied_by_clone;
