//! Layers: parts of networks with Keras's names, options and defaults, whose variables are made when the first input comes.
//! Models hold them as fields and call them; each layer has a file of its own, and `base` what they have in common.

mod activation;
mod attention;
pub(crate) mod base;
mod conv2d;
mod dense;
mod dropout;
mod flatten;
mod merge;
mod node;
mod pooling;
mod recurrent;
#[cfg(test)]
mod tests;

pub use activation::Activation;
pub use attention::{
    AdditiveAttention, Attend, Attended, Attention, GroupQueryAttention, IntoAttended, IntoScoreMode,
    MultiHeadAttention, ScoreMode,
};
pub use base::{
    Call, Core, IntoPolicy, Layer, LayerExt, LayerInput, Masking, Outputs, Policy, SharedLayer, Weight, add_loss,
    get_mask, global_policy, set_global_policy, set_mask_of, try_set_global_policy, with_losses,
};
pub use conv2d::Conv2D;
pub use dense::Dense;
pub use dropout::Dropout;
pub use flatten::Flatten;
pub use merge::Concatenate;
pub use node::{IntoInputShape, Node, input, input_of};
pub use pooling::{GlobalAveragePooling2D, MaxPool2D};
pub use recurrent::{
    Begun, Bidirectional, Cell, ConvLSTM1D, ConvLSTM2D, ConvLSTM3D, GRU, GRUCell, IntoCell, IntoCells, IntoEach,
    IntoMergeMode, LSTM, LSTMCell, MergeMode, RNN, Recurrence, Recurrent, Sequence, SharedCell, SharedRecurrent,
    SimpleRNN, SimpleRNNCell, StackedRNNCells, States, Steps, TimeDistributed,
};

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
