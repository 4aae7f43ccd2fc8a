//! `ZeroPadding1D`, `ZeroPadding2D`, `ZeroPadding3D`: rows of zeros around sequences, images and volumes.
//! Models use them before a convolution whose padding is none of Keras's two.

use super::margins::Margins;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use crate::layers::copied_by_clone;
use crate::layers::spatial::{Batch, data_format_option};
use engine::{Fields, Module, PadMode, Tensor};
use kernels::error::{OrFail, Result};
use kernels::shape::Dim;
use std::panic::Location;

/// Writes the layer for a number of spatial axes.
macro_rules! zero_padding {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal), forms $forms:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: Core,
            batch: Batch,
            padding: Margins<$axes>,
        }

        layer!($layer);
        copied_by_clone!($layer);
        data_format_option!($layer);

        impl $layer {
            #[doc = concat!("Adds `padding` rows of zeros: ", $forms, ".")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(padding: impl Into<Margins<$axes>>) -> Self {
                Self::try_new(padding).or_fail()
            }

            /// As [`new`](Self::new), for numbers that come from data.
            ///
            /// # Errors
            /// InvalidArgument for negative numbers.
            #[track_caller]
            pub fn try_new(padding: impl Into<Margins<$axes>>) -> Result<Self> {
                let here = Location::caller();
                let padding = padding.into().checked(stringify!($layer), "padding").map_err(|e| e.at(here))?;
                Ok(Self { core: Core::new($kind), batch: Batch::of($axes), padding })
            }
        }

        impl Default for $layer {
            /// Keras's default: one row on each side.
            fn default() -> Self {
                Self::new(1)
            }
        }

        impl Layer for $layer {
            named!();

            fn masking(&self) -> Masking {
                Masking::Refuses
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
                let x = &inputs[0];
                self.batch.check(&self.core, x)?;
                let mut around = vec![[Dim::ZERO; 2]; x.rank()];
                for (at, pair) in self.padding.each().enumerate() {
                    around[self.batch.first() + at] = pair.map(Dim::known);
                }
                engine::try_pad(x, &around, PadMode::Constant).map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.batch, self.padding));
            }
        }
    };
}

zero_padding! {
    /// Zeros before and behind the steps of sequences `[batch, steps, channels]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::ZeroPadding1D;
    /// let x = tf::constant([1.0, 2.0]).reshape([1, 2, 1]);
    /// assert_eq!(ZeroPadding1D::new([1, 2]).call(&x).to_vec::<f32>(), [0.0, 1.0, 2.0, 0.0, 0.0]);
    /// ```
    ZeroPadding1D("zero_padding1d", 1), forms "one number for both sides, or `[before, behind]`"
}

zero_padding! {
    /// Zeros around images `[batch, rows, columns, channels]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::ZeroPadding2D;
    /// assert_eq!(ZeroPadding2D::new([1, 2]).call(tf::ones([1, 4, 4, 3])).shape(), [1, 6, 8, 3]);
    /// assert_eq!(ZeroPadding2D::new([[1, 0], [2, 0]]).call(tf::ones([1, 4, 4, 3])).shape(), [1, 5, 6, 3]);
    /// ```
    ZeroPadding2D("zero_padding2d", 2), forms "one number for all sides, `[rows, columns]`, or `[[top, bottom], [left, right]]`"
}

zero_padding! {
    /// Zeros around volumes `[batch, planes, rows, columns, channels]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::ZeroPadding3D;
    /// assert_eq!(ZeroPadding3D::default().call(tf::ones([1, 2, 2, 2, 3])).shape(), [1, 4, 4, 4, 3]);
    /// assert_eq!(ZeroPadding3D::new([[1, 0], [0, 0], [0, 2]]).call(tf::ones([1, 2, 2, 2, 3])).shape(), [1, 3, 2, 4, 3]);
    /// ```
    ZeroPadding3D("zero_padding3d", 3), forms "one number for all sides, one for each axis, or `[before, behind]` for each axis"
}
