//! `ConvLSTM1D`, `ConvLSTM2D` and `ConvLSTM3D`: LSTMs over sequences of signals, images and volumes, with convolutions in place of products.
//! Keras's layers of these names; `cell` has the step, `window` what is slid over what.

mod cell;
mod window;

pub use window::IntoEach;

use super::gated::{gate_options, recurrent_activation_option};
use super::gates::{Gates, Kind};
use super::options::recurrence_options;
use super::recurrence::Recurrence;
use crate::layers::base::{buildable, layer};
use crate::layers::{Cell, Core};
use cell::ConvCell;
use engine::library::options;
use engine::{DataFormat, Duplicate, Fields, Module, Padding};
use kernels::error::{OrFail, Result};
use std::panic::Location;
use window::Window;

/// Writes the layer for so many spatial axes.
macro_rules! conv_lstm {
    ($(#[$doc:meta])* $layer:ident, $kind_name:literal, $axes:literal, $new:literal, $shape:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $layer {
            core: Core,
            gates: Gates,
            #[module(value)]
            window: Window,
            how: Recurrence,
        }

        layer!($layer);
        gate_options!($layer);
        recurrent_activation_option!($layer);
        recurrence_options!($layer);
        buildable!($layer, $new, $shape, 4);

        impl $layer {
            /// A layer of `filters` filters of `kernel_size`, which is one number or one for each spatial axis.
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(filters: usize, kernel_size: impl IntoEach<$axes>) -> Self {
                Self::try_new(filters, kernel_size).or_fail()
            }

            /// A layer of `filters` filters of `kernel_size`, of which there may be too few.
            ///
            /// # Errors
            /// InvalidArgument for no filters, or a kernel without cells.
            #[track_caller]
            pub fn try_new(filters: usize, kernel_size: impl IntoEach<$axes>) -> Result<Self> {
                let here = Location::caller();
                let made = || {
                    options::count(stringify!($layer), "filters", filters)?;
                    let window = Window::new(stringify!($layer), kernel_size.each().to_vec())?;
                    let gates = Gates::new(stringify!($layer), Kind::Lstm { unit_forget_bias: true }, filters)?;
                    Ok(Self { core: Core::new($kind_name), gates, window, how: Recurrence::new() })
                };
                made().map_err(|e: crate::Error| e.at(here))
            }

            /// What lies around the input of each step; states are always padded, so that they keep their size.
            ///
            /// # Panics
            /// For explicit padding.
            #[must_use]
            #[track_caller]
            pub fn padding(mut self, padding: Padding) -> Self {
                self.window = self.window.padding(stringify!($layer), padding).or_fail();
                self
            }

            /// Where the channels lie: behind the spatial axes, unless told otherwise.
            #[must_use]
            pub fn data_format(mut self, data_format: DataFormat) -> Self {
                self.window.format = data_format;
                self
            }

            /// Whether the bias of the forget gate starts at one: yes, unless told otherwise.
            #[must_use]
            pub fn unit_forget_bias(mut self, unit_forget_bias: bool) -> Self {
                self.gates.kind = Kind::Lstm { unit_forget_bias };
                self
            }

            /// What goes from step to step.
            #[track_caller]
            fn with_cell<R>(&self, f: impl FnOnce(&dyn Cell) -> R) -> R {
                f(&ConvCell { core: self.core.clone(), gates: self.gates.clone(), window: self.window.clone() })
            }

            fn made_anew(&self) -> Result<Self> {
                Ok(Self { gates: self.gates.anew()?, how: self.how.anew(), ..self.clone() })
            }
        }

        options::options! { $layer:
            /// From each position of the kernel to the next, along the inputs.
            #[must_use]
            pub fn strides, try_strides(this, strides: impl IntoEach<$axes>) {
                this.window = this.window.strides(stringify!($layer), strides.each().to_vec())?;
                Ok(this)
            }
            /// From each cell of the kernel to the next, along the inputs.
            #[must_use]
            pub fn dilation_rate, try_dilation_rate(this, rate: impl IntoEach<$axes>) {
                this.window = this.window.dilations(stringify!($layer), rate.each().to_vec())?;
                Ok(this)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&self.window);
                fields.field("cell", &self.gates);
                self.how.visit(fields);
            }
        }
    };
}

conv_lstm! {
    /// An LSTM over sequences of signals, `[batch, steps, length, channels]`: Keras's `ConvLSTM1D`.
    ///
    /// The output is `[batch, new length, filters]`, or that for each step with [`return_sequences`](Self::return_sequences).
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::ConvLSTM1D;
    /// assert_eq!(ConvLSTM1D::new(4, 3).call(tf::ones([2, 5, 8, 1])).shape(), [2, 6, 4]);
    /// ```
    ConvLSTM1D, "conv_lstm1d", 1, "ConvLSTM1D::new(4, 3)", "[2, 5, 8, 1]"
}

conv_lstm! {
    /// An LSTM over sequences of images, `[batch, steps, rows, columns, channels]`: Keras's `ConvLSTM2D` (Shi et al., 2015).
    ///
    /// The output is `[batch, new rows, new columns, filters]`, or that for each step with [`return_sequences`](Self::return_sequences). The
    /// convolutions of all inputs are one before the loop over steps.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::ConvLSTM2D;
    /// let layer = ConvLSTM2D::new(4, 3).padding(tf::Padding::Same).return_sequences(true);
    /// assert_eq!(layer.call(tf::ones([2, 5, 8, 8, 1])).shape(), [2, 5, 8, 8, 4]);
    /// ```
    ConvLSTM2D, "conv_lstm2d", 2, "ConvLSTM2D::new(4, 3)", "[2, 5, 8, 8, 1]"
}

conv_lstm! {
    /// An LSTM over sequences of volumes, `[batch, steps, depth, rows, columns, channels]`: Keras's `ConvLSTM3D`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::ConvLSTM3D;
    /// assert_eq!(ConvLSTM3D::new(2, 2).call(tf::ones([1, 3, 4, 4, 4, 1])).shape(), [1, 3, 3, 3, 2]);
    /// ```
    ConvLSTM3D, "conv_lstm3d", 3, "ConvLSTM3D::new(2, 2)", "[1, 3, 4, 4, 4, 1]"
}
