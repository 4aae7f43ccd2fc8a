//! What lies around an input, and where its channels lie, as options of layers take them: values, or Keras's names.
//! Convolutions, poolings and what pads, crops and enlarges take them.

use crate::shared::unknown;
use engine::{DataFormat, Padding};
use kernels::error::{Error, Result};

/// What lies around the input of a convolution.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Conv1D, ConvPadding};
/// let layer = Conv1D::new(8, 3).padding(ConvPadding::Causal);
/// assert_eq!(layer.call(tf::ones([2, 10, 4])).shape(), [2, 10, 8]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConvPadding {
    /// One of the paddings of all convolutions.
    Of(Padding),
    /// As many steps before a sequence as a window reaches back, and none behind it: an output knows of no later step. For `Conv1D`
    /// alone, as in Keras.
    Causal,
}

impl ConvPadding {
    /// The padding of a layer that has no other.
    pub(crate) fn plain(self, layer: &str) -> Result<Padding> {
        match self {
            Self::Of(padding) => Ok(padding),
            Self::Causal => Err(Error::invalid_argument(layer, "only `Conv1D` has causal padding")
                .got("causal")
                .expected("`Padding::Valid` or `Padding::Same`")),
        }
    }
}

impl From<Padding> for ConvPadding {
    fn from(padding: Padding) -> Self {
        Self::Of(padding)
    }
}

/// What the option `padding` of convolutions and poolings takes: a [`Padding`], a [`ConvPadding`], or Keras's name, `"valid"`, `"same"` or
/// `"causal"`.
///
/// ```
/// use eagerflow as tf;
/// let layer = tf::layers::Conv2D::new(8, 3).padding("same");
/// assert_eq!(layer.call(tf::ones([1, 5, 5, 2])).shape(), [1, 5, 5, 8]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no padding",
    label = "neither a padding nor the name of one",
    note = "give `Padding::Valid`, `Padding::Same`, `ConvPadding::Causal`, or one of the names \"valid\", \"same\", \"causal\""
)]
pub trait IntoPadding {
    /// The padding.
    ///
    /// # Errors
    /// InvalidArgument for a name that is none.
    fn into_padding(self) -> Result<ConvPadding>;
}

impl<P: Into<ConvPadding>> IntoPadding for P {
    fn into_padding(self) -> Result<ConvPadding> {
        Ok(self.into())
    }
}

impl IntoPadding for &str {
    fn into_padding(self) -> Result<ConvPadding> {
        match self.to_lowercase().as_str() {
            "valid" => Ok(ConvPadding::Of(Padding::Valid)),
            "same" => Ok(ConvPadding::Of(Padding::Same)),
            "causal" => Ok(ConvPadding::Causal),
            _ => Err(unknown("padding", self, &["valid", "same", "causal"])),
        }
    }
}

/// What the option `data_format` takes: a [`DataFormat`], or Keras's name, `"channels_last"` or `"channels_first"`.
///
/// ```
/// use eagerflow as tf;
/// let layer = tf::layers::MaxPooling2D::new(2).data_format("channels_first");
/// assert_eq!(layer.call(tf::ones([1, 3, 8, 8])).shape(), [1, 3, 4, 4]);
/// ```
pub trait IntoDataFormat {
    /// The format.
    ///
    /// # Errors
    /// InvalidArgument for a name that is none.
    fn into_data_format(self) -> Result<DataFormat>;
}

impl IntoDataFormat for DataFormat {
    fn into_data_format(self) -> Result<DataFormat> {
        Ok(self)
    }
}

impl IntoDataFormat for &str {
    fn into_data_format(self) -> Result<DataFormat> {
        match self.to_lowercase().as_str() {
            "channels_last" => Ok(DataFormat::ChannelsLast),
            "channels_first" => Ok(DataFormat::ChannelsFirst),
            _ => Err(unknown("data format", self, &["channels_last", "channels_first"])),
        }
    }
}
