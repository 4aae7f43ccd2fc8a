//! How the windows of a layer slide: their size, strides, padding and dilations, and where the channels lie.
//! Convolutions keep one [`Slide`], checked whenever an option changes, and hand it to the engine as a `Sliding`.

use super::{Batch, ConvPadding};
use engine::library::{Along, Windows};
use engine::{DataFormat, Padding, PerAxis, Sliding, Tensor};
use kernels::error::{Error, Result};
use kernels::shape::Dim;

/// Windows of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::layers) struct Slide {
    pub(in crate::layers) batch: Batch,
    pub(in crate::layers) kernel: PerAxis,
    pub(in crate::layers) strides: PerAxis,
    pub(in crate::layers) padding: ConvPadding,
    pub(in crate::layers) dilation: PerAxis,
}

impl Slide {
    /// Windows of a size over a batch with so many spatial axes.
    pub(in crate::layers) fn new(layer: &str, axes: usize, kernel: PerAxis) -> Result<Self> {
        Self {
            batch: Batch::of(axes),
            kernel: kernel.along(layer, "the kernel size", axes, 1)?,
            strides: PerAxis::from(1),
            padding: ConvPadding::Of(Padding::Valid),
            dilation: PerAxis::from(1),
        }
        .checked(layer)
    }

    /// The same with a number for each axis, if the options are possible.
    pub(in crate::layers) fn checked(self, layer: &str) -> Result<Self> {
        let axes = self.batch.axes;
        let checked = Self {
            strides: self.strides.along(layer, "strides", axes, 1)?,
            dilation: self.dilation.along(layer, "dilations", axes, 1)?,
            ..self
        };
        // A causal padding is of a known size, whatever the input.
        if checked.padding != ConvPadding::Causal || axes > 1 {
            checked.padding.plain(layer)?;
            Windows::over(layer, axes, &checked.how())?;
        }
        Ok(checked)
    }

    /// The same without explicit padding, which a layer of this kind does not have.
    pub(in crate::layers) fn without_explicit_padding(self, layer: &str) -> Result<Self> {
        match self.padding {
            ConvPadding::Of(Padding::Explicit(around)) => {
                Err(Error::invalid_argument(layer, "this layer has no explicit padding")
                    .got(format!("{around:?}"))
                    .expected("`Padding::Valid` or `Padding::Same`"))
            }
            _ => Ok(self),
        }
    }

    /// Sizes of a window.
    pub(in crate::layers) fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        self.kernel.numbers().iter().map(|&n| n as usize)
    }

    /// The shape of a kernel with these dimensions behind the spatial ones.
    pub(in crate::layers) fn kernel_shape(&self, behind: [usize; 2]) -> Vec<usize> {
        self.sizes().chain(behind).collect()
    }

    /// How windows slide over what [`padded`](Self::padded) gives.
    pub(in crate::layers) fn how(&self) -> Sliding {
        let padding = match self.padding {
            ConvPadding::Of(padding) => padding,
            ConvPadding::Causal => Padding::Valid,
        };
        Sliding::new(self.strides, padding).data_format(self.batch.format).dilations(self.dilation)
    }

    /// How windows of single cells slide.
    pub(in crate::layers) fn pixels(&self) -> Sliding {
        Sliding::new(1, Padding::Valid).data_format(self.batch.format)
    }

    /// The input with what a causal padding puts before it.
    #[track_caller]
    pub(in crate::layers) fn padded(&self, x: &Tensor) -> Result<Tensor> {
        if self.padding != ConvPadding::Causal {
            return Ok(x.clone());
        }
        let reach: usize = self.sizes().zip(self.dilation.numbers()).map(|(k, &d)| (k - 1) * d as usize).sum();
        let mut around = vec![[Dim::ZERO; 2]; x.rank()];
        around[self.batch.first()][0] = Dim::known(reach);
        engine::try_pad(x, &around, engine::PadMode::Constant)
    }

    /// The format as the bias wants it.
    pub(in crate::layers) fn format(&self) -> DataFormat {
        self.batch.format
    }
}

/// Writes the options of a layer whose windows slide, for its field `slide`; `checked` of the layer checks it.
macro_rules! sliding_options {
    ($layer:ident) => {
        engine::library::options::options! { $layer:
            /// How far the windows move between two outputs: one number, or one for each axis. 1 unless set.
            pub fn strides, try_strides(this, strides: impl Into<engine::PerAxis>) {
                this.slide.strides = strides.into();
                this.checked()
            }

            /// What lies around the input, a [`Padding`](crate::Padding) or its name; nothing unless set.
            pub fn padding, try_padding(this, padding: impl $crate::layers::IntoPadding) {
                this.slide.padding = padding.into_padding().map_err(|e| kernels::error::OnTheWay::named(e, stringify!($layer)))?;
                this.checked()
            }

            /// Where the channels lie, in input and output: [`DataFormat::ChannelsLast`](crate::DataFormat::ChannelsLast), which is
            /// Keras's default, or [`ChannelsFirst`](crate::DataFormat::ChannelsFirst), or Keras's names of these.
            pub fn data_format, try_data_format(this, format: impl $crate::layers::IntoDataFormat) {
                this.slide.batch.format = format.into_data_format().map_err(|e| kernels::error::OnTheWay::named(e, stringify!($layer)))?;
                this.checked()
            }

            /// How far the cells that a window reads are from each other: one number, or one for each axis. 1 unless set. Keras refuses
            /// it together with strides; here both may be set.
            pub fn dilation_rate, try_dilation_rate(this, dilation: impl Into<engine::PerAxis>) {
                this.slide.dilation = dilation.into();
                this.checked()
            }
        }
    };
}
pub(in crate::layers) use sliding_options;
