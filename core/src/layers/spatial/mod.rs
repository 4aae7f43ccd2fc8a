//! What convolutions, poolings and their kin know of batches with spatial axes: where the channels lie, and whether an input is such a batch.
//! All layers of the three families ask here, so that their messages have one form.

mod padding;
mod slide;

pub use padding::{ConvPadding, IntoDataFormat, IntoPadding};
pub(super) use slide::{Slide, sliding_options};

use super::base::{Core, dtype_help, misfit};
use engine::library::Typed;
use engine::{DataFormat, Tensor, TensorType};
use kernels::error::Result;

/// A batch with so many spatial axes, and its channels where the format has them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Batch {
    /// 1 for sequences, 2 for images, 3 for volumes.
    pub(super) axes: usize,
    pub(super) format: DataFormat,
}

impl Batch {
    /// A batch with its channels last.
    pub(super) const fn of(axes: usize) -> Self {
        Self { axes, format: DataFormat::ChannelsLast }
    }

    /// The dimension of the channels.
    pub(super) fn channels(self) -> usize {
        match self.format {
            DataFormat::ChannelsLast => self.axes + 1,
            DataFormat::ChannelsFirst => 1,
        }
    }

    /// The first of the spatial dimensions.
    pub(super) fn first(self) -> usize {
        match self.format {
            DataFormat::ChannelsLast => 1,
            DataFormat::ChannelsFirst => 2,
        }
    }

    /// What its elements are called.
    pub(super) fn what(self) -> &'static str {
        match self.axes {
            1 => "sequences",
            2 => "images",
            _ => "volumes",
        }
    }

    /// Its dimensions, as messages write them.
    fn dimensions(self) -> String {
        let spatial = match self.axes {
            1 => "steps",
            2 => "rows, columns",
            _ => "planes, rows, columns",
        };
        match self.format {
            DataFormat::ChannelsLast => format!("[batch, {spatial}, channels]"),
            DataFormat::ChannelsFirst => format!("[batch, channels, {spatial}]"),
        }
    }

    /// An error unless a tensor has the dimensions of such a batch.
    pub(super) fn check(self, core: &Core, x: &Tensor) -> Result<()> {
        match x.rank() == self.axes + 2 {
            true => Ok(()),
            false => {
                let what = format!("the input is no batch of {}", self.what());
                Err(misfit(core.name(), &what, x.ty(), self.dimensions()).help(self.help(x.rank())))
            }
        }
    }

    /// An error unless a type is that of such a batch in the layer's dtype.
    pub(super) fn check_type(self, core: &Core, x: &TensorType) -> Result<()> {
        let rank = x.shape.rank();
        if rank == self.axes + 2 && x.dtype == core.compute() {
            return Ok(());
        }
        let what = format!("the input is no batch of {} of the layer's dtype", self.what());
        let help = if rank == self.axes + 2 { dtype_help(core.compute()) } else { self.help(rank) };
        Err(misfit(core.name(), &what, x, format!("{}{}", core.compute(), self.dimensions())).help(help))
    }

    /// How a tensor with this many dimensions becomes such a batch.
    fn help(self, rank: usize) -> String {
        let (one, grey) = match self.axes {
            1 => ("sequence", "sequences of single numbers"),
            2 => ("image", "grey images"),
            _ => ("volume", "volumes of single numbers"),
        };
        let at = match self.format {
            DataFormat::ChannelsLast => -1,
            DataFormat::ChannelsFirst => 1,
        };
        match (self.axes + 2).checked_sub(rank) {
            Some(1) => format!(
                "`x.expand_dims(0)` makes a batch of one {one}; `x.expand_dims({at})` adds the channel to a batch of {grey}"
            ),
            Some(2) => format!("`x.expand_dims(0).expand_dims({at})` makes a batch of one of {grey}"),
            _ => format!("`reshape` it to {} dimensions", self.axes + 2),
        }
    }

    /// The number of channels, which a kernel's shape is made from.
    pub(super) fn known_channels(self, core: &Core, x: &TensorType) -> Result<usize> {
        let size = x.shape.dim(self.channels()).known_value().filter(|&n| n > 0);
        size.ok_or_else(|| {
            let what = "the layer cannot be built: the number of channels must be known, and not be zero";
            misfit(core.name(), what, x, format!("at least one channel in dimension {}", self.channels()))
        })
    }

    /// An error where an input has another number of channels than a layer was built for.
    pub(super) fn check_channels(
        self,
        core: &Core,
        x: &TensorType,
        built: usize,
        kernel: &kernels::shape::Shape,
    ) -> Result<()> {
        if x.shape.dim(self.channels()).can_equal(built.into()) {
            return Ok(());
        }
        let expected = format!("{built} channels, as the layer was built for (kernel {kernel})");
        let error = misfit(core.name(), "the input has another number of channels", x, expected);
        let (other, at) = match self.format {
            DataFormat::ChannelsLast => ("ChannelsFirst", 1),
            DataFormat::ChannelsFirst => ("ChannelsLast", self.axes + 1),
        };
        Err(match x.shape.dim(at).known_value() == Some(built) {
            true => error.help(format!(
                "if the channels lie in dimension {at}, make the layer with `data_format(DataFormat::{other})`"
            )),
            false => error,
        })
    }
}

/// The option of a layer that says where the channels lie, in its field `batch`.
macro_rules! data_format_option {
    ($layer:ident) => {
        engine::library::options::options! { $layer:
            /// Where the channels lie, in input and output: [`DataFormat::ChannelsLast`](crate::DataFormat::ChannelsLast), which is
            /// Keras's default, or [`ChannelsFirst`](crate::DataFormat::ChannelsFirst), or Keras's names of these.
            pub fn data_format, try_data_format(this, format: impl $crate::layers::IntoDataFormat) {
                this.batch.format = format.into_data_format().map_err(|e| kernels::error::OnTheWay::named(e, stringify!($layer)))?;
                Ok(this)
            }
        }
    };
}
pub(super) use data_format_option;
