//! Convolutions: filters that slide over sequences, images and volumes, Keras's `Conv1D` to `Conv3D` and their kin.
//! Each file has one kind for all numbers of axes; this one has what the kinds share, which their `forward` calls.

mod conv;
mod depthwise;
mod separable;
mod transpose;

pub use conv::{Conv1D, Conv2D, Conv3D};
pub use depthwise::{DepthwiseConv1D, DepthwiseConv2D};
pub use separable::{SeparableConv1D, SeparableConv2D};
pub use transpose::{Conv1DTranspose, Conv2DTranspose, Conv3DTranspose};

use super::base::{Core, Outputs, Weight};
use super::second_names;
use crate::activations::{Activation, Linear};
use crate::initializers::Zeros;
use crate::shared::{IntoShared, Shared};
use engine::library::options;
use engine::{DataFormat, Duplicate, Tensor};
use kernels::error::Result;

second_names! {
    Convolution1D = Conv1D;
    Convolution2D = Conv2D;
    Convolution3D = Conv3D;
    Convolution1DTranspose = Conv1DTranspose;
    Convolution2DTranspose = Conv2DTranspose;
    Convolution3DTranspose = Conv3DTranspose;
    SeparableConvolution1D = SeparableConv1D;
    SeparableConvolution2D = SeparableConv2D;
}

/// What follows every convolution: a bias and an activation.
#[derive(Clone, Debug, Duplicate)]
struct Finish {
    activation: Shared<dyn Activation>,
    use_bias: bool,
}

impl Finish {
    fn new() -> Result<Self> {
        Ok(Self { activation: Linear::new().into_shared()?, use_bias: true })
    }

    /// Makes the bias, if there is one.
    #[track_caller]
    fn make(&self, core: &Core, bias: &Weight, channels: usize) -> Result<()> {
        match self.use_bias {
            true => bias.make(core, &[channels]).map(drop),
            false => Ok(()),
        }
    }

    /// The output of a layer for that of its convolution. The bias is one of the channels; Keras 3.15 on TensorFlow adds it along the last
    /// axis where the channels come first and that axis happens to have as many cells.
    #[track_caller]
    fn apply(&self, core: &Core, bias: &Weight, channels: usize, y: Tensor, format: DataFormat) -> Result<Outputs> {
        let y = match self.use_bias {
            true => {
                let bias = core.read(bias.make(core, &[channels])?)?;
                engine::try_bias_add_format(&y, &bias, format)?
            }
            false => y,
        };
        self.activation.apply(&y).map(Outputs::one)
    }

    /// What counts in a signature.
    fn word(&self) -> (bool, u64) {
        (self.use_bias, self.activation.word())
    }
}

/// A bias, as all convolutions have it.
fn new_bias() -> Weight {
    Weight::new("bias", Zeros)
}

/// Checks a number of filters for a layer that is being made.
fn filters(layer: &str, filters: usize) -> Result<usize> {
    options::count(layer, "filters", filters)
}

/// Writes what all convolutions have, for their fields `finish` and `bias`.
macro_rules! finishing_options {
    ($layer:ident, $channels:literal) => {
        $crate::layers::base::object_option!($layer, $crate::activations::Activation,
            /// The function applied at the end: an activation, or its name; none unless set.
            activation, try_activation => |this, object| this.finish.activation = object);

        $crate::layers::base::weights! { $layer:
            bias, "bias" => bias_initializer, try_bias_initializer, bias_regularizer, try_bias_regularizer, bias_constraint, try_bias_constraint;
        }

        impl $layer {
            /// Whether a bias is added; it is unless set.
            #[must_use]
            pub fn use_bias(mut self, use_bias: bool) -> Self {
                self.finish.use_bias = use_bias;
                self
            }

            #[doc = concat!("The bias `[", $channels, "]`, once it is built.")]
            pub fn bias(&self) -> Option<&engine::Variable> {
                self.bias.get()
            }
        }
    };
}
use finishing_options;
