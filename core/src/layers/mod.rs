//! Layers: parts of networks with Keras's names, options and defaults, whose variables are made when the first input comes.
//! Models hold them as fields and call them; each layer has a file of its own, and `base` what they have in common.

mod activation;
mod attention;
pub(crate) mod base;
mod convolutions;
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
mod poolings;
mod preprocessing;
mod rectifiers;
mod recurrent;
mod rescaling;
mod reshaping;
mod spatial;
#[cfg(test)]
mod tests;
mod windows;

pub use activation::Activation;
pub use attention::{
    AdditiveAttention, Attend, Attended, Attention, GroupQueryAttention, IntoAttended, IntoScoreMode,
    MultiHeadAttention, ScoreMode,
};
pub use base::{
    Call, Core, IntoPolicy, Layer, LayerExt, LayerInput, Masking as MaskRule, Outputs, Policy, SharedLayer, Weight,
    add_loss, get_mask, global_policy, set_global_policy, set_mask_of, try_set_global_policy, with_losses,
};
pub use convolutions::{
    Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, Convolution1D, Convolution1DTranspose,
    Convolution2D, Convolution2DTranspose, Convolution3D, Convolution3DTranspose, DepthwiseConv1D, DepthwiseConv2D,
    SeparableConv1D, SeparableConv2D, SeparableConvolution1D, SeparableConvolution2D,
};
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
pub use poolings::{
    AdaptiveAveragePooling1D, AdaptiveAveragePooling2D, AdaptiveAveragePooling3D, AdaptiveMaxPooling1D,
    AdaptiveMaxPooling2D, AdaptiveMaxPooling3D,
};
pub use poolings::{
    AveragePooling1D, AveragePooling2D, AveragePooling3D, AvgPool1D, AvgPool2D, AvgPool3D, GlobalAveragePooling1D,
    GlobalAveragePooling2D, GlobalAveragePooling3D, GlobalAvgPool1D, GlobalAvgPool2D, GlobalAvgPool3D, GlobalMaxPool1D,
    GlobalMaxPool2D, GlobalMaxPool3D, GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D, MaxPool1D, MaxPool2D,
    MaxPool3D, MaxPooling1D, MaxPooling2D, MaxPooling3D,
};
pub use preprocessing::{
    AdaptData, AutoContrast, CategoryEncoding, CategoryMode, CenterCrop, CutMix, Discretization, Equalization, Factor,
    FillMode, FlipMode, Hashing, ImageSampling, IntegerLookup, LookupMode, MaskValue, MixUp, RandomBrightness,
    RandomContrast, RandomCrop, RandomErasing, RandomFlip, RandomGrayscale, RandomHue, RandomInvert,
    RandomPosterization, RandomRotation, RandomSaturation, RandomSharpness, RandomShear, RandomTranslation, RandomZoom,
    Resizing, Salt, Solarization, Split, Standardize, StringLookup, TextVectorization,
};
pub use rectifiers::{ELU, LeakyReLU, PReLU, ReLU, Softmax};
pub use recurrent::{
    Begun, Bidirectional, Cell, ConvLSTM1D, ConvLSTM2D, ConvLSTM3D, GRU, GRUCell, IntoCell, IntoCells, IntoEach,
    IntoMergeMode, LSTM, LSTMCell, MergeMode, RNN, Recurrence, Recurrent, Sequence, SharedCell, SharedRecurrent,
    SimpleRNN, SimpleRNNCell, StackedRNNCells, States, Steps, TimeDistributed,
};
pub use rescaling::{PerChannel, Rescaling};
pub use reshaping::{Permute, RepeatVector, Reshape};
pub use spatial::{ConvPadding, IntoDataFormat, IntoPadding};
pub use windows::{
    Cropping1D, Cropping2D, Cropping3D, Interpolation, IntoInterpolation, Margins, UpSampling1D, UpSampling2D,
    UpSampling3D, ZeroPadding1D, ZeroPadding2D, ZeroPadding3D,
};

pub(crate) use base::{CollectedLosses, collected_losses, layer, named, options_of_all, run, weight_losses};
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

/// Second names that Keras has for layers.
macro_rules! second_names {
    ($($second:ident = $first:ident;)*) => {$(
        #[doc = concat!("Keras's other name of [`", stringify!($first), "`].")]
        pub type $second = $first;
    )*};
}
use second_names;
